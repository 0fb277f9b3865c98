import { cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import { readNumber, runBench } from './command-line.ts';
import { type Figures, measureInTurns, medianOf, type Round, summarize } from './measure.ts';
import { describeProfile } from './profile.ts';
import { openTarget } from './rows.ts';
import { type ScaleRow, scaleRows } from './scale-rows.ts';
import { openScaleWorld, type ScaleWorld } from './scale-world.ts';
import { describeFirstReads, describeStarts, measureStarts } from './starts.ts';
import { alignTable } from './table.ts';

// Compares the local platform with little and with much data: start, requests over one connection, and first reads.

const usage = `Usage: npm run bench:scale -- [options]

  --objects N     objects in the class of the large data, 10000 to 10000000 (default 1000000)
  --instances N   instances of the large data, 1 to 10000 (default 1000)
  --seconds N     time of each measurement, 1 to 60 (default 5)
  --rounds N      alternating rounds that this time is divided into, 3 to 20 (default 5)
  --profile       print a profile of each request on the large data instead of the tables
`;
const small = { objects: 10_000, instances: 1 };
const leastCacheMb = 8; // of the setting: some 2000 objects

const columns = [
  'operation',
  'p50 ms small',
  'large',
  'ratio',
  'cpu us small',
  'large',
  'ratio',
  'of rounds',
];

interface Options {
  readonly objects: number;
  readonly instances: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly profile: boolean;
}

await runBench(() => {
  const options = readOptions();
  return options === 'help' ? void process.stdout.write(usage) : run(options);
});

function readOptions(): Options | 'help' {
  const { values } = parseArgs({
    options: {
      objects: { type: 'string', default: '1000000' },
      instances: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    objects: readWhole(values.objects, 10_000, 10_000_000),
    instances: readWhole(values.instances, 1, 10_000),
    seconds: readWhole(values.seconds, 1, 60),
    rounds: readWhole(values.rounds, 3, 20),
    profile: values.profile,
  };
}

function readWhole(text: string, least: number, most: number): number {
  return Math.floor(readNumber(text, { least, most, usage }));
}

async function run(options: Options): Promise<void> {
  const { objects, instances } = options;
  console.log(`Node ${process.version}, ${process.platform} ${release()}, ${cpus().length} cores`);
  const uncached = await openScaleWorld(small, leastCacheMb);
  const seeded = [await openScaleWorld(small), await openScaleWorld({ objects, instances })];
  const [few, many] = await measureStarts(seeded);
  if (few === undefined || many === undefined) throw new Error('a world is missing');
  const worlds = { uncached, few: few.world, many: many.world };
  if (options.profile) {
    await profileRows(many.world, options);
  } else {
    console.log(`\n${alignTable(describeStarts(few, many))}`);
    console.log(`\n${alignTable(describeFirstReads({ small: few, large: many }))}`);
    console.log(`\n${alignTable([columns, ...(await compare(worlds, options))])}`);
  }
  await Promise.all(Object.values(worlds).map(({ platform }) => platform.stop()));
}

interface Worlds {
  /** The small data, with a cache that is too small for it. */
  readonly uncached: ScaleWorld;
  readonly few: ScaleWorld;
  readonly many: ScaleWorld;
}

async function compare(
  { uncached, few, many }: Worlds,
  { seconds, rounds }: Options,
): Promise<string[][]> {
  const rows: string[][] = [];
  for (const row of scaleRows) {
    const smallTarget = await openRow(row, row.isUncached ? uncached : few, seconds);
    const largeTarget = await openRow(row, many, seconds);
    const turns = { connections: 1, seconds, rounds };
    const { first, second } = await measureInTurns(smallTarget, largeTarget, turns);
    rows.push([row.name, ...describe(first, second)]);
  }
  return rows;
}

function openRow({ name, requests }: ScaleRow, world: ScaleWorld, seconds: number) {
  return openTarget({ name, hasFloor: false, request: requests(world) }, world, seconds);
}

/** Returns the cells of a row: medians of the rounds. */
function describe(smallRounds: readonly Round[], largeRounds: readonly Round[]): string[] {
  const few = smallRounds.map((round) => summarize([round]));
  const many = largeRounds.map((round) => summarize([round]));
  const cells = (pick: (figures: Figures) => number, digits: number) => {
    const [least, most] = [medianOf(few.map(pick)), medianOf(many.map(pick))];
    return [least.toFixed(digits), most.toFixed(digits), (most / least).toFixed(2)];
  };
  const ratios = many.map(({ cpuMicros }, at) => cpuMicros / (few[at]?.cpuMicros ?? Number.NaN));
  return [
    ...cells(({ p50Ms }) => p50Ms, 3),
    ...cells(({ cpuMicros }) => cpuMicros, 0),
    `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`,
  ];
}

async function profileRows(world: ScaleWorld, { seconds }: Options): Promise<void> {
  for (const row of scaleRows.filter(({ isUncached }) => !isUncached)) {
    const { server, send } = await openRow(row, world, seconds);
    await server.startProfile();
    const { requests } = await send(1, seconds);
    console.log(`\n${row.name}`);
    console.log(describeProfile(await server.stopProfile(), requests));
  }
}
