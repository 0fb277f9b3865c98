import { runLoad } from './load.ts';
import { cpuMicrosOf, medianOf } from './measure.ts';
import { toTablePage } from './scale-rows.ts';
import type { ScaleWorld } from './scale-world.ts';
import { requestOf } from './scenarios.ts';
import type { MeasuredServer } from './server.ts';

/** Cost of a request: milliseconds until the response, and microseconds of CPU. */
interface Cost {
  readonly ms: number;
  readonly cpuMicros: number;
}

/**
 * Steps of the reads after a start. Each reads other objects, so that `warm` compiles also the code that fills the cache
 * and reads new filters; `again` repeats the reads of `next`.
 */
type Step = 'first' | 'warm' | 'next' | 'again';

/** What one start shows. */
interface Start {
  readonly reads: Reads;
  /** From the start of the process to the first response. */
  readonly start: Cost;
  readonly costs: Readonly<Record<Step, Cost>>;
}

/** A world, and the starts of its server. */
export interface Started {
  readonly world: ScaleWorld;
  readonly starts: readonly Start[];
}

/** A kind of read; the numbers of requests depend on how many objects fit into the cache. */
interface Reads {
  readonly name: string;
  /** Requests of the step `first`. */
  readonly first: number;
  readonly warm: number;
  /** Different ones of the step `warm`. */
  readonly warmOf: number;
  /** Requests of the steps `next` and `again`. */
  readonly next: number;
  /** @param variant a request for mostly the same objects in other words, where there is one */
  readonly request: (world: ScaleWorld, index: number, variant: number) => Buffer;
}

const pages = 250; // together the objects of the small class
const kinds: readonly Reads[] = [
  {
    name: 'get',
    first: 100,
    warm: 5000,
    warmOf: 5000,
    next: 1000,
    request: requestOf('get'),
  },
  {
    name: 'filter 20',
    first: 30,
    warm: 2000,
    warmOf: 120,
    next: 100,
    request: (world, index, variant) => toTablePage(world, index, { pages, less: variant }),
  },
];
const startsEach = 5; // for each kind

/** Restarts the servers of some worlds in alternation, on the same data, and measures their first reads. */
export async function measureStarts(worlds: readonly ScaleWorld[]): Promise<readonly Started[]> {
  const all = worlds.map((world) => ({ world, starts: [] as Start[] }));
  for (let round = 0; round < startsEach; round += 1) {
    for (const reads of kinds) {
      for (const each of round % 2 === 0 ? all : all.toReversed()) {
        const platform = await each.world.platform.restart();
        each.world = { ...each.world, platform };
        each.starts.push(await measureStart(each.world, reads));
      }
    }
  }
  return all;
}

async function measureStart(world: ScaleWorld, reads: Reads): Promise<Start> {
  const { platform } = world;
  const { first, warm, warmOf, next } = reads;
  const send = (count: number, indexOf: (at: number) => number, of = count) =>
    measureReads(platform, count, (at) =>
      reads.request(world, indexOf(at % of), Math.floor(at / of)),
    );
  await send(1, () => 0);
  const start = {
    ms: performance.now() - platform.startedAt,
    cpuMicros: await cpuMicrosOf(platform),
  };
  const costs = {
    first: await send(first, (at) => at),
    warm: await send(warm, (at) => first + at, warmOf),
    next: await send(next, (at) => first + warmOf + at),
    again: await send(next, (at) => first + warmOf + at),
  };
  return { reads, start, costs };
}

/** Sends requests over one connection. */
async function measureReads(
  platform: MeasuredServer,
  count: number,
  request: (at: number) => Buffer,
): Promise<Cost> {
  const before = await cpuMicrosOf(platform);
  const { timesMs } = await runLoad({
    port: platform.port,
    connections: 1,
    seconds: 60,
    count,
    request,
  });
  const cpuMicros = ((await cpuMicrosOf(platform)) - before) / count;
  return { ms: medianOf(timesMs), cpuMicros };
}

/** Returns a table of the start times of two worlds. */
export function describeStarts(small: Started, large: Started): string[][] {
  const row = (title: string, pick: (start: Start) => number) => {
    const [few, many] = [medianOf(small.starts.map(pick)), medianOf(large.starts.map(pick))];
    return [title, few.toFixed(0), many.toFixed(0), (many / few).toFixed(2)];
  };
  return [
    ['start to first response', 'small', 'large', 'ratio'],
    row('time ms', ({ start }) => start.ms),
    row('cpu ms', ({ start }) => start.cpuMicros / 1000),
  ];
}

/** Returns a table of the first reads of each world, compared with later reads. */
export function describeFirstReads(worlds: Readonly<Record<string, Started>>): string[][] {
  const columns = ['reads after a start', 'p50 ms', 'again', 'ratio', 'cpu us', 'again', 'ratio'];
  const rows = Object.entries(worlds).flatMap(([title, { starts }]) =>
    kinds.flatMap((reads) => {
      const costs = starts.filter((start) => start.reads === reads).map((start) => start.costs);
      const name = `${reads.name}, ${title}`;
      return [
        [`${name}: first ${reads.first}`, ...compare(costs, 'first')],
        [`${name}: first of ${reads.next} others, code compiled`, ...compare(costs, 'next')],
      ];
    }),
  );
  return [columns, ...rows];
}

/** Returns medians of a step and of later reads, with their ratios. */
function compare(costs: readonly Start['costs'][], step: Step): string[] {
  const cells = (pick: (cost: Cost) => number, digits: number) => {
    const early = medianOf(costs.map((each) => pick(each[step])));
    const later = medianOf(costs.map((each) => pick(each.again)));
    return [early.toFixed(digits), later.toFixed(digits), (early / later).toFixed(2)];
  };
  return [...cells(({ ms }) => ms, 3), ...cells(({ cpuMicros }) => cpuMicros, 0)];
}
