import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { anonymousBytes, descendantsOf } from '../test/support/processes.ts';
import { readNumber, runBench } from './command-line.ts';
import { runLoad } from './load.ts';
import { cpuMicrosOf, medianOf } from './measure.ts';
import { openWorld } from './rows.ts';
import { seedRequest } from './scenarios.ts';
import { ownProject } from './server.ts';

/*
 * Creates objects at a fixed rate on durable data, and prints the memory of the server with all its processes (RssAnon,
 * without pages of files such as the store's) for each minute. Fails when it grows in the second half of the time.
 *
 * npm run bench:memory -- --minutes 60 --rate 500
 */

const megabyte = 2 ** 20;
const connections = 8;
const sampleMs = 1000;
const seedObjects = 1000;
/**
 * Growth per hour that counts as none. Collections of the heap move the medians of minutes by 9 MB, so the slope of 30 of
 * them varies by 11 MB per hour; that of fewer varies more.
 */
const flatMegabytes = 30;

const usage = 'Usage: npm run bench:memory -- [--minutes 2 to 1440] [--rate 1 to 5000]';

await runBench(() => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '500' },
    },
  });
  return run(
    readNumber(values.minutes, { least: 2, most: 1440, usage }),
    readNumber(values.rate, { least: 1, most: 5000, usage }),
  );
});

async function run(minutes: number, perSecond: number): Promise<void> {
  const world = await openWorld(ownProject, seedObjects);
  const { platform } = world;
  const medians: number[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    const before = await cpuMicrosOf(platform);
    const first = seedObjects + (minute - 1) * 60 * perSecond;
    const load = runLoad({
      port: platform.port,
      connections,
      seconds: 60,
      count: Math.ceil(60 * perSecond),
      perSecond,
      request: (index) => seedRequest(world, first + index),
    });
    const samples = await sampleUntil(load, platform.pid);
    const { requests, seconds } = await load;
    const cpu = ((await cpuMicrosOf(platform)) - before) / 1e6;
    medians.push(medianOf(samples));
    console.log(
      [
        `minute ${minute}: ${medianOf(samples).toFixed(1)} MB`,
        `${Math.min(...samples).toFixed(1)} to ${Math.max(...samples).toFixed(1)}`,
        `${Math.round(requests / seconds)} creates/s`,
        `${((cpu / seconds) * 100).toFixed(0)} % of a core`,
      ].join(', '),
    );
  }
  await platform.stop();
  conclude(medians);
}

/** Samples the megabytes of a process and its descendants until the load ends. */
async function sampleUntil(load: Promise<unknown>, pid: number): Promise<readonly number[]> {
  const samples: number[] = [];
  const ended = load.then(() => 'ended');
  do {
    const family = [pid, ...descendantsOf(pid).map((each) => each.pid)];
    samples.push(family.reduce((sum, each) => sum + anonymousBytes(each), 0) / megabyte);
  } while ((await Promise.race([ended, setTimeout(sampleMs)])) !== 'ended');
  return samples;
}

/** Prints the growth in the second half: the cache is full and the heap has its size then. */
function conclude(medians: readonly number[]): void {
  const half = medians.slice(Math.floor(medians.length / 2));
  const growth = slopeOf(half) * 60;
  const isFlat = growth < flatMegabytes;
  console.log(
    `The last ${half.length} minutes: ${growth.toFixed(1)} MB per hour, ${isFlat ? 'flat' : `more than ${flatMegabytes}`}`,
  );
  if (!isFlat) process.exitCode = 1;
}

/** Returns the slope of the line that fits values at equal distances best. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [products, squares] = values.reduce(
    ([product, square], value, at) => [
      product + (at - middle) * (value - mean),
      square + (at - middle) ** 2,
    ],
    [0, 0],
  );
  return squares === 0 ? 0 : products / squares;
}
