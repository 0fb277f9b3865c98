import type { Platform } from '../ports/ports.ts';
import { scriptSourceEntity } from '../table/entities/scripts.ts';
import type { ScriptSourceData } from '../table/records/scripts.ts';
import { dataOwner, storedKeyOf } from '../values/file-keys.ts';

/** Returns the whole source of a script. Throws SourceChanged when its file was deleted with a change of the source. */
export async function wholeSource(
  { files }: Pick<Platform, 'files'>,
  instance: number,
  { text, file }: ScriptSourceData,
): Promise<string> {
  if (file === undefined) return text;
  const owner = dataOwner(instance);
  const found = await files.get(owner, storedKeyOf(owner, 'scripts', file));
  if (found === undefined) throw new SourceChanged();
  return new TextDecoder().decode(found.bytes);
}

/** The source of the script was changed or deleted: read the script again to run it. */
export class SourceChanged extends Error {
  constructor() {
    super('the source of the script has changed');
    this.name = 'SourceChanged';
  }
}

/**
 * Reads the source of a version of a script.
 *
 * @throws SourceChanged when the script was deleted or has another version
 */
export async function readSource(
  platform: Pick<Platform, 'files' | 'store'>,
  { instance, script, version }: Record<'instance' | 'script' | 'version', number>,
): Promise<string> {
  const source = await scriptSourceEntity.read(platform.store, instance, script);
  if (source?.data.version !== version) throw new SourceChanged();
  return wholeSource(platform, instance, source.data);
}
