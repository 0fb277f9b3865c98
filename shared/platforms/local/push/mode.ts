import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PushMode } from '../../../ports/ports.ts';
import { codeOf } from '../../../values/caught.ts';
import { syncFolder } from '../files/atomic-file.ts';

/** A data folder and the id of its store. */
export interface ModePlace {
  readonly folder: string;
  readonly store: string;
}

const modeFile = 'push-mode';

/**
 * Remembers in a new data folder what happens to its pushes. The file names the store and itself by its inode: restored
 * or copied data, as data of an earlier release, must not reach phones by surprise.
 */
export async function rememberMode({ folder, store }: ModePlace, mode: PushMode): Promise<void> {
  const file = await open(join(folder, modeFile), 'w', 0o600);
  try {
    const { ino } = await file.stat({ bigint: true });
    await file.writeFile(`${mode} ${store} ${ino}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(folder);
}

/** Returns what happens to the pushes of a data folder, unless a setting says otherwise. */
export async function rememberedMode({ folder, store }: ModePlace): Promise<PushMode> {
  const path = join(folder, modeFile);
  try {
    const { ino } = await stat(path, { bigint: true });
    return (await readFile(path, 'utf8')) === `send ${store} ${ino}\n` ? 'send' : 'outbox';
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return 'outbox';
  }
}
