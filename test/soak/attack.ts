import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../support/server-process.ts';

/** Connections that send requests and read no responses. */
export interface Strike {
  /** Number of connections. */
  readonly count: number;
  /** Head of each request, to its empty line. */
  readonly head: string;
  /** Repeated content of its body. */
  readonly filler?: string;
  /** Bytes of the body that are sent, whatever the head declares. */
  readonly bytes?: number;
  /** Requests on each connection. */
  readonly times?: number;
  /** Whether another connection follows each that was closed. */
  readonly again?: boolean;
}

const program = fileURLToPath(new URL('attacker.mjs', import.meta.url));
const running = new Set<ChildProcess>();

/** Starts an attack from another process. */
export function attack(url: string, strikes: readonly Strike[]): void {
  const child = fork(program);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const port = Number(new URL(url).port);
  child.send(strikes.map((each) => ({ port, filler: '', bytes: 0, times: 1, ...each })));
}

/** Stops all attacks. */
export function endAttacks(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Returns the anonymous memory of a process, in bytes: neither files nor shared. */
export function anonymousMemory({ pid }: ServerProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** Measurements of a server during an attack. */
export interface Watched {
  readonly count: number;
  /** Durations of another client's requests, in milliseconds. */
  readonly p99: number;
  readonly statuses: readonly number[];
  /** In bytes. */
  readonly mostMemory: number;
}

/** Reads and writes as another client for a while, and measures the memory of the server. */
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
