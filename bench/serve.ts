import { cpus, release } from 'node:os';
import { runBench } from './command-line.ts';
import { compareVersions } from './compare.ts';
import { measureDirectRuns } from './direct-runs.ts';
import { type Figures, type LoadTarget, measureInTurns, summarize } from './measure.ts';
import { benchUsage, type Options, readOptions } from './options.ts';
import { describeProfile } from './profile.ts';
import { openFloor, openTarget, openWorld } from './rows.ts';
import { measureScripts, scriptColumns } from './scripts.ts';
import { ownProject, startBare } from './server.ts';
import { measureSizes } from './sizes.ts';
import { alignTable } from './table.ts';
import type { BenchWorld } from './world.ts';

// Measures the local platform over HTTP as a user runs it, compared with Node's HTTP server or with another version.

const columns = [
  'operation',
  'conns',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'user us',
  'sys us',
  'cpu us',
  'all cpu us',
  'bytes',
  'memory MB',
  'cpu / bare',
  'rate / bare',
];

await runBench(() => {
  const options = readOptions();
  return options === 'help' ? void process.stdout.write(benchUsage) : run(options);
});

async function run(options: Options): Promise<void> {
  console.log(`Node ${process.version}, ${process.platform} ${release()}, ${cpus().length} cores`);
  if (options.against !== undefined) return compareVersions(options, options.against);
  const world = await openWorld(ownProject, options.objects);
  if (options.profile) await profileRows(world, options);
  else await measureRows(world, options);
  await world.platform.stop();
}

async function measureRows(world: BenchWorld, options: Options): Promise<void> {
  const bare = await startBare();
  const rows: string[][] = [];
  for (const scenario of options.chosen) {
    const target = await openTarget(scenario, world, options.seconds);
    const floor = await openFloor(scenario, world, bare, options.seconds);
    for (const connections of options.connections) {
      const { first, second } = await measureInTurns(target, floor, { ...options, connections });
      const bareFigures = floor && summarize(second);
      rows.push([scenario.name, String(connections), ...describe(summarize(first), bareFigures)]);
    }
  }
  await bare.stop();
  if (rows.length > 0) console.log(alignTable([columns, ...rows]));
  await measureOthers(options);
}

/** Returns the cells of a row. */
function describe(figures: Figures, bare: Figures | undefined): readonly string[] {
  return [
    figures.perSecond.toFixed(0),
    figures.p50Ms.toFixed(3),
    figures.p99Ms.toFixed(3),
    figures.userMicros.toFixed(0),
    figures.systemMicros.toFixed(0),
    figures.cpuMicros.toFixed(0),
    figures.allMicros.toFixed(0),
    figures.responseBytes.toFixed(0),
    figures.memoryMb.toFixed(0),
    bare === undefined ? '-' : (figures.cpuMicros / bare.cpuMicros).toFixed(2),
    bare === undefined ? '-' : (figures.perSecond / bare.perSecond).toFixed(2),
  ];
}

/** Measures the selected rows that are not about HTTP requests. */
async function measureOthers({ scripts, direct, sizes, seconds }: Options): Promise<void> {
  const scriptTable = [
    ...(await measureScripts(scripts, seconds)),
    ...(await measureDirectRuns(direct, seconds)),
  ];
  if (scriptTable.length > 0) console.log(`\n${alignTable([scriptColumns, ...scriptTable])}`);
  const sizeTable = await measureSizes(sizes);
  if (sizeTable.length > 0) console.log(`\n${alignTable(sizeTable)}`);
}

async function profileRows(world: BenchWorld, options: Options): Promise<void> {
  for (const scenario of options.chosen) {
    const target = await openTarget(scenario, world, options.seconds);
    for (const connections of options.connections) {
      console.log(`\n${scenario.name}, connections: ${connections}`);
      console.log(await profile(target, connections, options.seconds));
    }
  }
}

/** Profiles the server during one measurement, after a warm-up. */
async function profile(target: LoadTarget, connections: number, seconds: number): Promise<string> {
  await target.send(connections, seconds / 6);
  await target.server.startProfile();
  const { requests } = await target.send(connections, seconds);
  return describeProfile(await target.server.stopProfile(), requests);
}
