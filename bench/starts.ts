import { runLoad } from './load.ts';
import { medianOf } from './measure.ts';
import { scaleRows } from './scale-rows.ts';
import type { ScaleWorld } from './scale-world.ts';
import type { Scenario } from './scenarios.ts';
import type { MeasuredServer } from './server.ts';

/** Costs of one request: milliseconds until the response, and microseconds of CPU. */
interface Cost {
  readonly ms: number;
  readonly cpuMicros: number;
}

/** Reads after a start, each of other objects; `again` repeats `next`. */
interface FirstReads {
  readonly first: Cost;
  readonly next: Cost;
  readonly again: Cost;
}

/** What one start shows. */
interface Start extends FirstReads {
  readonly name: string;
  /** From the start of the process to the first response. */
  readonly start: Cost;
}

/** A world, and the starts of its server. */
export interface Started {
  readonly world: ScaleWorld;
  readonly starts: readonly Start[];
}

const readNames = ['get', 'filter 20'] as const;
const startsEach = 5; // for each kind of read
const readsEach = 1000;

/** Restarts the servers of some worlds in alternation, on the same data, and measures their first reads. */
export async function measureStarts(worlds: readonly ScaleWorld[]): Promise<readonly Started[]> {
  const all = worlds.map((world) => ({ world, starts: [] as Start[] }));
  for (let round = 0; round < startsEach; round += 1) {
    for (const name of readNames) {
      for (const each of round % 2 === 0 ? all : all.toReversed()) {
        const platform = await each.world.platform.restart();
        each.world = { ...each.world, platform };
        each.starts.push(await measureStart(each.world, name));
      }
    }
  }
  return all;
}

async function measureStart(world: ScaleWorld, name: string): Promise<Start> {
  const { platform } = world;
  const row = scaleRows(world).find((each) => each.name === name);
  if (row === undefined) throw new Error(`there is no row ${name}`);
  await send(world, row, { from: 0, count: 1 });
  const start = {
    ms: performance.now() - platform.startedAt,
    cpuMicros: await cpuMicrosOf(platform),
  };
  return {
    name,
    start,
    first: await send(world, row, { from: 1, count: readsEach }),
    next: await send(world, row, { from: 1 + readsEach, count: readsEach }),
    again: await send(world, row, { from: 1 + readsEach, count: readsEach }),
  };
}

/** Sends requests over one connection. */
async function send(
  world: ScaleWorld,
  row: Scenario,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<Cost> {
  const { platform } = world;
  const before = await cpuMicrosOf(platform);
  const { timesMs } = await runLoad({
    port: platform.port,
    connections: 1,
    seconds: 60,
    count,
    request: (index) => row.request(world, from + index),
  });
  const cpuMicros = ((await cpuMicrosOf(platform)) - before) / count;
  return { ms: medianOf(timesMs), cpuMicros };
}

async function cpuMicrosOf(platform: MeasuredServer): Promise<number> {
  const { userMicros, systemMicros } = await platform.read();
  return userMicros + systemMicros;
}

/** Returns a table of the start times of two worlds. */
export function describeStarts(small: Started, large: Started): string[][] {
  const median = ({ starts }: Started, pick: (start: Start) => number) =>
    medianOf(starts.map(pick));
  const row = (title: string, pick: (start: Start) => number) => {
    const [few, many] = [median(small, pick), median(large, pick)];
    return [title, few.toFixed(0), many.toFixed(0), (many / few).toFixed(2)];
  };
  return [
    ['start to first response', 'small', 'large', 'ratio'],
    row('time ms', ({ start }) => start.ms),
    row('cpu ms', ({ start }) => start.cpuMicros / 1000),
  ];
}

/** Returns a table of the first reads of each world, compared with the same reads again. */
export function describeFirstReads(worlds: Readonly<Record<string, Started>>): string[][] {
  const columns = ['reads after a start', 'p50 ms', 'again', 'ratio', 'cpu us', 'again', 'ratio'];
  const rows = Object.entries(worlds).flatMap(([title, { starts }]) =>
    readNames.flatMap((name) =>
      (['first', 'next'] as const).map((which) => {
        const own = starts.filter((start) => start.name === name);
        const medians = (pick: (cost: Cost) => number, digits: number) => {
          const early = medianOf(own.map((start) => pick(start[which])));
          const later = medianOf(own.map((start) => pick(start.again)));
          return [early.toFixed(digits), later.toFixed(digits), (early / later).toFixed(2)];
        };
        const label = `${name}, ${title}, ${which} ${readsEach}`;
        return [label, ...medians(({ ms }) => ms, 3), ...medians((cost) => cost.cpuMicros, 0)];
      }),
    ),
  );
  return [columns, ...rows];
}
