import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from './server-process.ts';

/** Connections that send requests and read nothing. */
export interface Strike {
  /** Connections. */
  readonly count: number;
  /** Of each request, to its empty line. */
  readonly head: string;
  /** What its body repeats. */
  readonly filler?: string;
  /** Of the body that is sent, whatever the head says. */
  readonly bytes?: number;
  /** Requests on each connection. */
  readonly times?: number;
}

const program = fileURLToPath(new URL('attacker.mjs', import.meta.url));
const running = new Set<ChildProcess>();

/** Begins to attack from another process. */
export function attack(url: string, strikes: readonly Strike[]): void {
  const child = fork(program);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const port = Number(new URL(url).port);
  child.send(strikes.map((each) => ({ port, filler: '', bytes: 0, times: 1, ...each })));
}

/** Ends all attacks. */
export function endAttacks(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Anonymous memory of a process, in bytes: what is neither files nor shared. */
export function anonymousMemory({ pid }: ServerProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** What was seen of a server while it was attacked. */
export interface Watched {
  readonly count: number;
  /** Of the requests of somebody else, in milliseconds. */
  readonly p99: number;
  readonly statuses: readonly number[];
  /** In bytes. */
  readonly mostMemory: number;
}

/** Reads and writes as somebody else for a while, and looks at the memory of the server. */
export async function watchOthers(
  server: ServerProcess,
  seconds: number,
  requests: readonly (() => Promise<Response>)[],
): Promise<Watched> {
  const times: number[] = [];
  const statuses = new Set<number>();
  let mostMemory = 0;
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    for (const request of requests) {
      const started = performance.now();
      const response = await request();
      await response.arrayBuffer();
      times.push(performance.now() - started);
      statuses.add(response.status);
    }
    mostMemory = Math.max(mostMemory, anonymousMemory(server));
  }
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  return { count: times.length, p99, statuses: [...statuses].sort(), mostMemory };
}
