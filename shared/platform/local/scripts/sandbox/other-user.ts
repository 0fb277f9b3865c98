import { chown } from 'node:fs/promises';
import type { Isolation } from './level.ts';

/*
 * A server of root runs no script as root: each runner becomes another user of the kernel when it has read its program,
 * which may be where only root can enter. See leave-root.cjs and privileges.py.
 */

/** The user and group of these runners. */
export const nobodyId = 65534;

/** True when the server is root. */
export const isServerRoot = process.getuid?.() === 0;

/** Returns the argument that makes a runner become another user, if the server is root. */
export function userArguments({ isRoot }: Isolation): readonly string[] {
  return isRoot ? ['root'] : [];
}

/** Gives the folder of a run to the user of the runner, if the server is root. */
export async function giveAway(folder: string): Promise<void> {
  if (isServerRoot) await chown(folder, nobodyId, nobodyId);
}
