import { readFileSync } from 'node:fs';
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

const tracing = 19n; // the number of CAP_SYS_PTRACE
const uncounted =
  'the disk limit, for files that a run has deleted and has open (root needs the capability SYS_PTRACE)';

/** Returns what the launcher cannot watch because the server is root, and runners are another user's. */
export function gapsOfRoot(): readonly string[] {
  if (!isServerRoot || process.platform !== 'linux') return [];
  const [, mask = '0'] = /^CapEff:\s+(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) >> tracing) % 2n === 1n ? [] : [uncounted];
}
