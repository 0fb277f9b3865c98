import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from '../../shared/values/caught.ts';

/** A control group of Linux that limits the memory of a server and all its processes. */
export interface MemoryGroup {
  /** The file to which a process writes its id to join. */
  readonly processes: string;
  /** Number of processes that the kernel has killed because the memory was used up. */
  kills(): number;
  /** Deletes the group once its processes have ended. */
  remove(): Promise<void>;
}

/** The files of a version of control groups. */
interface Version {
  readonly root: string;
  readonly limit: string;
  readonly events: string;
}

const versions: readonly Version[] = [
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    events: 'memory.oom_control',
  },
];

const maxEndMs = 10_000; // of processes that were killed

/** Creates a group; undefined where this process cannot, because of its rights or the system. */
export function openMemoryGroup(name: string, maxBytes: number): MemoryGroup | undefined {
  for (const version of versions) {
    const group = tryVersion(version, name, maxBytes);
    if (group !== undefined) return group;
  }
  return undefined;
}

function tryVersion(
  { root, limit, events }: Version,
  name: string,
  maxBytes: number,
): MemoryGroup | undefined {
  const folder = `${root}/${name}`;
  try {
    if (!existsSync(`${root}/cgroup.procs`)) return undefined;
    mkdirSync(folder);
  } catch {
    return undefined; // no right to
  }
  try {
    writeFileSync(`${folder}/${limit}`, String(maxBytes));
  } catch {
    rmdirSync(folder); // the kernel's files in it need no deletion
    return undefined; // the parent does not pass the control of memory on
  }
  return {
    processes: `${folder}/cgroup.procs`,
    kills: () =>
      Number(/^oom_kill (\d+)$/m.exec(readFileSync(`${folder}/${events}`, 'utf8'))?.[1] ?? 0),
    remove: () => remove(folder),
  };
}

async function remove(folder: string): Promise<void> {
  const endMs = performance.now() + maxEndMs;
  for (;;) {
    try {
      return rmdirSync(folder);
    } catch (error) {
      if (codeOf(error) !== 'EBUSY' || performance.now() > endMs) throw error;
    }
    await setTimeout(50);
  }
}
