import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';
import { createFile } from '../files/atomic-file.ts';

/** What happens to pushes: Google and Apple get them, or a file. */
export type PushMode = 'send' | 'outbox';

/** A data folder and the id of its store. */
export interface ModePlace {
  readonly folder: string;
  readonly store: string;
}

const modeFile = 'push-mode';

/**
 * Remembers in a new data folder what happens to its pushes. No backup has this file, and it counts for this store only:
 * a folder of before, and one with restored data, must not send to phones by surprise.
 */
export async function rememberMode({ folder, store }: ModePlace, mode: PushMode): Promise<void> {
  await createFile(join(folder, modeFile), `${mode} ${store}\n`);
}

/** Returns what happens to the pushes of a data folder, unless a setting says otherwise. */
export async function rememberedMode({ folder, store }: ModePlace): Promise<PushMode> {
  try {
    const text = await readFile(join(folder, modeFile), 'utf8');
    return text === `send ${store}\n` ? 'send' : 'outbox';
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return 'outbox';
  }
}
