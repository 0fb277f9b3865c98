import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process in Linux's /proc; processes that have ended and wait for their parent are left out. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Ticks since the machine started; with `pid` it identifies a process. */
  readonly startedAt: number;
}

/** Lists the processes of this machine; empty without /proc. */
export function listProcesses(): readonly ProcessFacts[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readFacts(name) : []));
  } catch {
    return [];
  }
}

/** Returns the descendants of `pid`. */
export function descendantsOf(
  pid: number,
  all: readonly ProcessFacts[] = listProcesses(),
): readonly ProcessFacts[] {
  const found = new Set([pid]);
  let known = 0;
  while (known < found.size) {
    known = found.size;
    for (const each of all) if (found.has(each.parent)) found.add(each.pid);
  }
  return all.filter((each) => each.pid !== pid && found.has(each.pid));
}

/**
 * Checks whether a process uses the folder `mark`: its command line, environment, working folder or mounts name it.
 * This also finds a process whose parent has ended.
 */
export function isMarked({ pid }: ProcessFacts, mark: string): boolean {
  const read = (file: string) => readText(`/proc/${pid}/${file}`);
  return (
    read('cmdline').includes(mark) ||
    read('environ').includes(mark) ||
    read('mountinfo').includes(mark) ||
    readLink(`/proc/${pid}/cwd`).includes(mark)
  );
}

/** Reads the bytes of private memory of a process, files not counted; 0 when it has ended. */
export function anonymousBytes(pid: number): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

function readFacts(name: string): ProcessFacts[] {
  const text = readText(`/proc/${name}/stat`);
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  if (end < 0 || fields[0] === 'Z' || fields[0] === 'X') return [];
  return [
    {
      pid: Number(name),
      parent: Number(fields[1]),
      name: text.slice(text.indexOf('(') + 1, end),
      startedAt: Number(fields[19]),
    },
  ];
}

/** Unreadable entries belong to another user or have ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
