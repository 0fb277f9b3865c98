import { setTimeout } from 'node:timers/promises';
import type { LoadResult } from './load.ts';
import type { MeasuredServer } from './server.ts';

/** A server, and a load of one scenario on it. */
export interface LoadTarget {
  readonly server: MeasuredServer;
  /** Sends requests over a number of connections for some seconds; a later call continues after the last one. */
  readonly send: (connections: number, seconds: number) => Promise<LoadResult>;
}

/** Loads that are measured in alternation. */
export interface AlternatingLoads {
  readonly connections: number;
  /** Of load on each target, divided into the rounds. */
  readonly seconds: number;
  readonly rounds: number;
}

/** One round of load, and its cost for the server. */
export interface Round extends LoadResult {
  readonly userMicros: number;
  readonly systemMicros: number;
  readonly childMicros: number;
  /** Memory of the server at the end. */
  readonly memoryBytes: number;
}

/** What one or several rounds show; CPU times are microseconds per request, with all threads. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly userMicros: number;
  readonly systemMicros: number;
  readonly cpuMicros: number;
  /** Of the server and its child processes, which run scripts. */
  readonly allMicros: number;
  /** Mean bytes of a response, head and body. */
  readonly responseBytes: number;
  /** At the end of the last round. */
  readonly memoryMb: number;
}

/**
 * Measures two targets in alternating order (first, second, second, first, ...), so that changes of the machine's speed
 * affect both. Only one is loaded at a time. Each gets a short load before, which is not counted.
 *
 * @param second absent: only the first is measured
 */
export async function measureInTurns(
  first: LoadTarget,
  second: LoadTarget | undefined,
  { connections, seconds, rounds }: AlternatingLoads,
): Promise<{ readonly first: readonly Round[]; readonly second: readonly Round[] }> {
  const turns = [{ target: first, measured: [] as Round[] }];
  if (second !== undefined) turns.push({ target: second, measured: [] });
  for (const { target } of turns) await target.send(connections, seconds / 6);
  for (let round = 0; round < rounds; round += 1) {
    for (const { target, measured } of round % 2 === 0 ? turns : turns.toReversed())
      measured.push(await measureRound(target, connections, seconds / rounds));
  }
  return { first: turns[0]?.measured ?? [], second: turns[1]?.measured ?? [] };
}

async function measureRound(
  { server, send }: LoadTarget,
  connections: number,
  seconds: number,
): Promise<Round> {
  const before = await server.read();
  const outcome = await send(connections, seconds);
  const after = await server.read();
  return {
    ...outcome,
    userMicros: after.userMicros - before.userMicros,
    systemMicros: after.systemMicros - before.systemMicros,
    childMicros: after.childMicros - before.childMicros,
    memoryBytes: after.memoryBytes,
  };
}

/** Returns the figures of all requests of some rounds, at least one. */
export function summarize(rounds: readonly Round[]): Figures {
  const sum = (pick: (round: Round) => number) =>
    rounds.reduce((total, round) => total + pick(round), 0);
  const requests = sum((round) => round.requests);
  const times = Float64Array.from(rounds.flatMap((round) => round.timesMs)).sort();
  const quantile = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  const userMicros = sum((round) => round.userMicros) / requests;
  const systemMicros = sum((round) => round.systemMicros) / requests;
  return {
    perSecond: requests / sum((round) => round.seconds),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    userMicros,
    systemMicros,
    cpuMicros: userMicros + systemMicros,
    allMicros: userMicros + systemMicros + sum((round) => round.childMicros) / requests,
    responseBytes: sum((round) => round.responseBytes) / requests,
    memoryMb: (rounds.at(-1)?.memoryBytes ?? 0) / 1e6,
  };
}

/** Returns the median of some values, at least one. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/** Returns the CPU time of a server so far. */
export async function cpuMicrosOf(server: Pick<MeasuredServer, 'read'>): Promise<number> {
  const { userMicros, systemMicros } = await server.read();
  return userMicros + systemMicros;
}

const quietMs = 1500; // longer than jobs wait for the end of requests
const quietMicros = 150_000;

/** Waits until the background jobs of a server are done. */
export async function waitUntilQuiet(server: Pick<MeasuredServer, 'read'>): Promise<void> {
  let busy = await cpuMicrosOf(server);
  for (let before = Number.NEGATIVE_INFINITY; busy - before > quietMicros; ) {
    await setTimeout(quietMs);
    before = busy;
    busy = await cpuMicrosOf(server);
  }
}
