import { readdirSync, readFileSync } from 'node:fs';

/** A descendant of a process. */
export interface Relative {
  readonly pid: number;
  /** CPU time of all its threads, and of its children that have ended. */
  readonly cpuMicros: number;
}

const tickMicros = 10_000; // resolution of the CPU times in /proc on common Linux systems

/** Returns all descendants of `parent`; none without /proc. */
export function familyOf(parent: number): Relative[] {
  const all = processes();
  const below = (pid: number): Relative[] =>
    all.filter((each) => each.parent === pid).flatMap((each) => [each, ...below(each.pid)]);
  return below(parent);
}

/** Returns the CPU time of some processes together. */
export function cpuOf(family: readonly Relative[]): number {
  return family.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0);
}

function processes() {
  try {
    const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return names.flatMap(readStat);
  } catch {
    return [];
  }
}

function readStat(name: string) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid: Number(name), parent: Number(fields[1]), cpuMicros: ticks * tickMicros }];
  } catch {
    return []; // the process has ended
  }
}
