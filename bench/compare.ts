import { type Figures, measureInTurns, medianOf, type Round, summarize } from './measure.ts';
import type { Options } from './options.ts';
import { openTarget, openWorld } from './rows.ts';
import { ownProject } from './server.ts';
import { alignTable } from './table.ts';
import { checkOut, describeOwnVersion } from './versions.ts';
import type { BenchWorld } from './world.ts';

const columns = [
  'operation',
  'conns',
  'requests/s',
  'other',
  'ratio',
  'p50 ms',
  'other',
  'p99 ms',
  'other',
  'cpu us',
  'other',
  'ratio',
  'of rounds',
  'all cpu us',
  'other',
  'ratio',
  'memory MB',
  'other',
];

/** Prints medians of the rounds of this version and of another one, and their ratios. Both servers run all the time. */
export async function compareVersions(options: Options, ref: string): Promise<void> {
  const other = await checkOut(ref);
  console.log(`This version: ${describeOwnVersion()}`);
  const ownWorld = await openWorld(ownProject, options.objects);
  console.log(`Other version: ${other.name}`);
  const otherWorld = await openWorld(other.folder, options.objects);
  console.log(alignTable([columns, ...(await compareRows(ownWorld, otherWorld, options))]));
  console.log(
    'Ratios are this version to the other one; `of rounds` are the least and the greatest.',
  );
  await Promise.all([ownWorld.platform.stop(), otherWorld.platform.stop()]);
  other.remove();
}

async function compareRows(
  own: BenchWorld,
  other: BenchWorld,
  options: Options,
): Promise<string[][]> {
  const rows: string[][] = [];
  for (const scenario of options.chosen) {
    const ownTarget = await openTarget(scenario, own, options.seconds);
    const otherTarget = await openTarget(scenario, other, options.seconds);
    for (const connections of options.connections) {
      const turns = { ...options, connections };
      const { first, second } = await measureInTurns(ownTarget, otherTarget, turns);
      rows.push([scenario.name, String(connections), ...describe(first, second)]);
    }
  }
  return rows;
}

/** Returns the cells of a row. */
function describe(ownRounds: readonly Round[], otherRounds: readonly Round[]): readonly string[] {
  const own = ownRounds.map((round) => summarize([round]));
  const other = otherRounds.map((round) => summarize([round]));
  const medians = (name: keyof Figures): [number, number] => [
    medianOf(own.map((figures) => figures[name])),
    medianOf(other.map((figures) => figures[name])),
  ];
  const both = (name: keyof Figures, digits: number) =>
    medians(name).map((median) => median.toFixed(digits));
  const ratio = (name: keyof Figures) => {
    const [mine, theirs] = medians(name);
    return (mine / theirs).toFixed(2);
  };
  return [
    ...both('perSecond', 0),
    ratio('perSecond'),
    ...both('p50Ms', 3),
    ...both('p99Ms', 3),
    ...both('cpuMicros', 0),
    ratio('cpuMicros'),
    rangeOf(own.map(({ cpuMicros }, at) => cpuMicros / (other[at]?.cpuMicros ?? Number.NaN))),
    ...both('allMicros', 0),
    ratio('allMicros'),
    ...both('memoryMb', 0),
  ];
}

function rangeOf(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)}`;
}
