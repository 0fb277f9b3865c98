import { withStored } from '../../shared/objects/files/object-files.ts';
import { removal } from '../../shared/objects/files/remove-files.ts';
import type { Platform } from '../../shared/ports/ports.ts';
import type { Write } from '../../shared/store/store.ts';
import type { ScriptSourceData } from '../../shared/table/records/scripts.ts';
import { dataOwner, newFileKey, sourceFiles, storedKeyOf } from '../../shared/values/file-keys.ts';
import { characterCount } from '../../shared/values/scalars.ts';

const shownCharacters = 65_536; // docs/reference/scripts.md#record
const cutMark = '\n(...truncated...)';

/** Storage of a source: in the item, or in a file whose beginning is in the item. */
export interface StoredSource {
  readonly data: ScriptSourceData;
  /** Stores the file, if any, then calls `commit` with the writes that belong to it. */
  readonly save: <Result>(
    commit: (fileWrites: readonly Write[]) => Promise<Result>,
  ) => Promise<Result>;
}

/** Chooses the storage of a new source. */
export function storeSource(
  platform: Pick<Platform, 'files' | 'ids' | 'store' | 'clock'>,
  { instance, script }: { readonly instance: number; readonly script: number },
  { source, version }: { readonly source: string; readonly version: number },
): StoredSource {
  const isSmall = source.length <= shownCharacters || characterCount(source) <= shownCharacters;
  if (isSmall) return { data: { version, text: source }, save: (commit) => commit([]) };
  const { files, ids } = platform;
  const folder = sourceFiles(instance, script);
  const file = newFileKey(folder, ids);
  const bytes = new TextEncoder().encode(source);
  return {
    data: { version, text: beginning(source), file },
    save: (commit) =>
      withStored(
        { platform, instance },
        {
          keys: [file],
          store: () =>
            files.put(folder.owner, file, { bytes, contentType: 'text/plain; charset=utf-8' }),
          commit,
        },
      ),
  };
}

/** Returns the beginning of a long source, as lists show it, with a mark. */
function beginning(source: string): string {
  const room = shownCharacters - cutMark.length;
  const characters = [...source.slice(0, 2 * room)];
  return characters.slice(0, room).join('') + cutMark;
}

/** Deletes a source's file, once that is committed. */
export function dropSource(
  platform: Pick<Platform, 'clock' | 'ids'>,
  instance: number,
  { file }: ScriptSourceData,
): readonly Write[] {
  if (file === undefined) return [];
  const keys = [storedKeyOf(dataOwner(instance), 'scripts', file)];
  return [removal(platform, { instance, keys })];
}
