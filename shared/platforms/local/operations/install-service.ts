import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const template = fileURLToPath(new URL('groundwork.service', import.meta.url));
const program = fileURLToPath(new URL('../../../../', import.meta.url)).replace(/\/$/, '');

/** Path of the unit that {@link installService} writes. */
export const unitPath = '/etc/systemd/system/groundwork.service';

/** Returns the systemd unit that runs this program by this Node (docs/guides/vps.md#the-service). */
export async function serviceUnit(): Promise<string> {
  const given = [program, process.execPath].find((path) => /[\s"'\\$%]/.test(path));
  if (given !== undefined)
    throw new Error(`a unit cannot name ${given}: move it to another folder`);
  const unit = await readFile(template, 'utf8');
  return unit.replaceAll('@NODE@', process.execPath).replaceAll('@FOLDER@', program);
}

/**
 * Writes the systemd unit.
 *
 * @param path another place than {@link unitPath}
 * @param isForced replaces a unit that differs
 * @throws Error when there is one that differs, or the file cannot be written
 */
export async function installService(path: string, isForced: boolean): Promise<void> {
  const unit = await serviceUnit();
  const before = existsSync(path) ? await readFile(path, 'utf8') : unit;
  if (before !== unit && !isForced) {
    throw new Error(`${path} differs from the unit of this version: --force replaces it`);
  }
  await writeFile(path, unit);
}
