import { setTimeout } from 'node:timers/promises';
import {
  anonymousBytes,
  descendantsOf,
  isMarked,
  listProcesses,
  type ProcessFacts,
} from '../support/processes.ts';
import type { ServerProcess } from '../support/server-process.ts';
import type { MemoryGroup } from './memory-group.ts';
import { Broken } from './report.ts';

/** The maximum at one moment. */
export interface Peaks {
  /** Processes below the server, and those that lost their parent. */
  processes: number;
  serverBytes: number;
  /** Memory of the server and all its processes. */
  allBytes: number;
}

/** Watches the processes of a server while it runs. */
export interface Watch {
  /** Rejects with Broken as soon as a bound is exceeded; never resolves. */
  readonly broken: Promise<never>;
  /** Ends the watch and returns its observations. */
  end(): Peaks;
}

const everyMs = 1_000;
/** 4 slots with up to 4 processes each, those that are starting and ending, and the launcher. */
const maxProcesses = 40;
const maxServerBytes = 360_000_000; // without its processes: its part of the memory (memory.ts)
const maxAllBytes = 450_000_000; // where no control group limits the memory to 512 MB
/** Time in which an ending process may be an orphan. */
const maxOrphanMs = 10_000;

/**
 * Errors in the log that are not failures, each with a reason: of other servers and of kills. No behaviour of clients and
 * scripts is a server error.
 */
const tolerated: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /"message":"a push could not be sent"/,
    reason: 'the push service is hostile to every second postman',
  },
  {
    pattern: /"message":"a mail (may have been sent|could not be sent)[^"]*","purpose":"invite"/,
    reason: 'the mail server is hostile to every second secretary, and the server is killed',
  },
  {
    pattern:
      /"message":"a mail may have been sent[^"]*","purpose":"activate".*"the server stopped"/,
    reason: 'a kill while a mail is handed over leaves it unconfirmed',
  },
];

const running = new Set<AbortController>();

/** Ends watches after a failure. */
export function endWatches(): void {
  for (const stop of running) stop.abort();
}

/** What to watch. */
export interface Watched {
  readonly server: ServerProcess;
  /** The folder that only this server uses. */
  readonly mark: string;
  /** The control group that limits its memory; undefined: the sum of all processes is limited. */
  readonly group: MemoryGroup | undefined;
}

/** Starts to watch. */
export function watch({ server, mark, group }: Watched): Watch {
  const peaks: Peaks = { processes: 0, serverBytes: 0, allBytes: 0 };
  const isOurs = rememberMarks(mark);
  const orphanSince = new Map<number, number>();
  const stop = new AbortController();
  running.add(stop);
  const look = async (): Promise<never> => {
    for (;;) {
      await setTimeout(everyMs, undefined, { signal: stop.signal });
      checkLog(server);
      const { below, orphans } = familyOf(server.pid, isOurs);
      checkOrphans(orphans, orphanSince);
      measure(peaks, server, [...below, ...orphans]);
      checkMemory(peaks, group);
    }
  };
  const broken = look().catch((error: unknown) => {
    if (stop.signal.aborted) return new Promise<never>(() => undefined); // the watch has ended
    throw error;
  });
  broken.catch(() => undefined); // prevents an unhandled rejection; awaiting code still receives the error
  return {
    broken,
    end: () => {
      stop.abort();
      running.delete(stop);
      checkLog(server);
      checkMemory(peaks, group);
      return peaks;
    },
  };
}

/**
 * Waits until all processes of a stopped server have ended.
 *
 * @returns the wait in milliseconds
 * @throws Broken when a process still exists after ten seconds
 */
export async function waitUntilGone(mark: string): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const left = listProcesses().filter((each) => isMarked(each, mark));
    const tookMs = performance.now() - startedMs;
    if (left.length === 0) return tookMs;
    if (tookMs > maxOrphanMs)
      throw new Broken(`${left.length} processes outlive the server: ${names(left)}`);
    await setTimeout(50);
  }
}

/** Checks each process once, because a process has the mark from its start on. */
function rememberMarks(mark: string): (each: ProcessFacts) => boolean {
  const known = new Map<string, boolean>();
  return (each) => {
    const name = `${each.pid} ${each.startedAt} ${each.name}`; // executing a new program may change the result
    const held = known.get(name) ?? isMarked(each, mark);
    known.set(name, held);
    return held;
  };
}

function familyOf(pid: number, isOurs: (each: ProcessFacts) => boolean) {
  const all = listProcesses();
  const below = descendantsOf(pid, all);
  const family = new Set([pid, ...below.map((each) => each.pid)]);
  const orphans = all.filter((each) => !family.has(each.pid) && isOurs(each));
  return { below, orphans };
}

function checkOrphans(orphans: readonly ProcessFacts[], since: Map<number, number>): void {
  const nowMs = performance.now();
  for (const pid of since.keys()) if (!orphans.some((each) => each.pid === pid)) since.delete(pid);
  for (const { pid } of orphans) since.set(pid, since.get(pid) ?? nowMs);
  const old = orphans.filter(({ pid }) => nowMs - (since.get(pid) ?? nowMs) > maxOrphanMs);
  if (old.length > 0)
    throw new Broken(`${old.length} processes have lost their parent and live on: ${names(old)}`);
}

function measure(peaks: Peaks, server: ServerProcess, family: readonly ProcessFacts[]): void {
  const serverBytes = anonymousBytes(server.pid);
  const allBytes = family.reduce((sum, { pid }) => sum + anonymousBytes(pid), serverBytes);
  peaks.processes = Math.max(peaks.processes, family.length);
  peaks.serverBytes = Math.max(peaks.serverBytes, serverBytes);
  peaks.allBytes = Math.max(peaks.allBytes, allBytes);
  if (family.length > maxProcesses)
    throw new Broken(`the server has ${family.length} processes, more than ${maxProcesses}`);
}

/** Checks the peaks against their bounds, and that the kernel has killed no process for its memory. */
function checkMemory({ serverBytes, allBytes }: Peaks, group: MemoryGroup | undefined): void {
  const kills = group?.kills() ?? 0;
  if (kills > 0)
    throw new Broken(`the kernel has killed ${kills} processes because the memory was used up`);
  if (serverBytes > maxServerBytes)
    throw new Broken(
      `the server holds ${megabytes(serverBytes)}, more than ${megabytes(maxServerBytes)}`,
    );
  if (group === undefined && allBytes > maxAllBytes)
    throw new Broken(
      `all processes hold ${megabytes(allBytes)}, more than ${megabytes(maxAllBytes)}`,
    );
}

function checkLog(server: ServerProcess): void {
  const lines = server
    .complaints()
    .split('\n')
    .filter((line) => line !== '');
  const wrong = lines.find((line) => !tolerated.some(({ pattern }) => pattern.test(line)));
  if (wrong !== undefined) throw new Broken(`the server logged: ${wrong.slice(0, 500)}`);
}

/** Formats bytes as megabytes. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

function names(processes: readonly ProcessFacts[]): string {
  return processes
    .map(({ pid, name }) => `${name} (${pid})`)
    .slice(0, 10)
    .join(', ');
}
