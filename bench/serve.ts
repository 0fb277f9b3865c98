import { cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import { directRows, measureDirectRuns } from './direct-runs.ts';
import { type Outcome, runLoad } from './load.ts';
import { describeProfile } from './profile.ts';
import { type Scenario, scenarios, seedRequest } from './scenarios.ts';
import { measureScripts, scriptColumns, scriptRows } from './scripts.ts';
import { startBare, startPlatform } from './server.ts';
import { measureSizes, sizeRows } from './sizes.ts';
import { makeWorld, type World } from './world.ts';

// Measures the local platform over HTTP as a user runs it, compared with Node's HTTP server with equal responses.

const usage = `Usage: npm run bench -- [options]

  --seconds N        time of each measurement, 0.1 to 60 (default 3)
  --objects N        seeded objects, 1000 to 1000000 (default 10000)
  --connections A,B  concurrent connections, each 1 to 256 (default 1,32)
  --only NAME,NAME   only rows whose names start with one of these: ${allRows().join(', ')}
  --profile          print a profile of the server instead of the table
`;

const seedConnections = 32;
const mostRequests = 1_000_000; // of one measurement, because disk space is limited

interface Options {
  readonly seconds: number;
  readonly objects: number;
  readonly connections: readonly number[];
  readonly chosen: readonly Scenario[];
  /** The selected ones of `scriptRows`. */
  readonly scripts: readonly string[];
  /** The selected ones of `directRows`. */
  readonly direct: readonly string[];
  /** The selected ones of `sizeRows`. */
  readonly sizes: readonly string[];
  readonly profile: boolean;
}

const columns = [
  'operation',
  'conns',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'user us',
  'sys us',
  'cpu us',
  'bytes',
];

try {
  const options = readOptions();
  if (options === 'help') process.stdout.write(usage);
  else await run(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

function readOptions(): Options | 'help' {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      objects: { type: 'string', default: '10000' },
      connections: { type: 'string', default: '1,32' },
      only: { type: 'string' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const names = values.only?.split(',') ?? [''];
  const isWanted = (name: string) => names.some((start) => name.startsWith(start));
  const chosen = scenarios.filter(({ name }) => isWanted(name));
  const scripts = scriptRows.filter(isWanted);
  const direct = directRows.filter(isWanted);
  const sizes = sizeRows.filter(isWanted);
  if (chosen.length + scripts.length + direct.length + sizes.length === 0) throw new Error(usage);
  return {
    seconds: readNumber(values.seconds, 0.1, 60),
    objects: Math.floor(readNumber(values.objects, 1000, 1_000_000)),
    connections: values.connections.split(',').map((text) => Math.floor(readNumber(text, 1, 256))),
    chosen,
    scripts,
    direct,
    sizes,
    profile: values.profile,
  };
}

function allRows(): readonly string[] {
  return [...scenarios.map(({ name }) => name), ...scriptRows, ...directRows, ...sizeRows];
}

function readNumber(text: string, least: number, most: number): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new Error(usage);
}

async function run(options: Options): Promise<void> {
  const [platform, bare] = await Promise.all([startPlatform(), startBare()]);
  const world = await makeWorld(platform, bare);
  console.log(`Node ${process.version}, ${process.platform} ${release()}, ${cpus().length} cores`);
  console.log(await seed(world, options.objects));
  const rows: string[][] = [];
  for (const scenario of options.chosen) {
    await scenario.prepare?.(world);
    const send = sender(scenario, world);
    await send(seedConnections, options.seconds / 2);
    for (const connections of options.connections) {
      await send(connections, options.seconds / 6); // warm-up
      const measured = () => send(connections, options.seconds);
      if (options.profile) console.log(await profile(scenario, world, connections, measured));
      else rows.push(await measure(scenario, world, connections, measured));
    }
  }
  if (!options.profile) {
    console.log(format([columns, ...rows]));
    const scriptTable = [
      ...(await measureScripts(options.scripts, options.seconds)),
      ...(await measureDirectRuns(options.direct, options.seconds)),
    ];
    if (scriptTable.length > 0) console.log(`\n${format([scriptColumns, ...scriptTable])}`);
    const sizeTable = await measureSizes(options.sizes);
    if (sizeTable.length > 0) console.log(`\n${format(sizeTable)}`);
  }
  const { residentBytes } = await platform.read();
  console.log(`Memory of the platform at the end: ${Math.round(residentBytes / 1e6)} MB`);
  await Promise.all([platform.stop(), bare.stop()]);
}

/** Creates the objects, records their ids and returns a text with the duration. */
async function seed(world: World, count: number): Promise<string> {
  const { requests, seconds } = await runLoad({
    port: world.platform.port,
    connections: seedConnections,
    seconds: 600,
    count,
    request: (index) => seedRequest(world, index),
    onBody: (body) => world.ids.push(Number(/"id":\s*(\d+)/.exec(body.toString())?.[1])),
  });
  const rate = Math.round(requests / seconds);
  return `Seeded ${requests} objects in ${seconds.toFixed(1)} s over ${seedConnections} connections (${rate}/s)`;
}

/** Sends requests of one scenario; a later call continues after the last one. */
function sender(scenario: Scenario, world: World) {
  let first = 0;
  return async (connections: number, seconds: number): Promise<Outcome> => {
    const outcome = await runLoad({
      port: world[scenario.server].port,
      connections,
      seconds,
      count: mostRequests,
      request: (index) => scenario.request(world, first + index),
    });
    first += outcome.requests;
    return outcome;
  };
}

/** Measures one row of the table. */
async function measure(
  { name, server }: Scenario,
  world: World,
  connections: number,
  send: () => Promise<Outcome>,
): Promise<string[]> {
  const before = await world[server].read();
  const { requests, seconds, p50, p99, bytesPerResponse } = await send();
  const after = await world[server].read();
  const user = (after.userMicros - before.userMicros) / requests;
  const system = (after.systemMicros - before.systemMicros) / requests;
  return [
    name,
    String(connections),
    String(Math.round(requests / seconds)),
    p50.toFixed(3),
    p99.toFixed(3),
    user.toFixed(0),
    system.toFixed(0),
    (user + system).toFixed(0),
    bytesPerResponse.toFixed(0),
  ];
}

/** Profiles the server during one measurement. */
async function profile(
  { name, server }: Scenario,
  world: World,
  connections: number,
  send: () => Promise<Outcome>,
): Promise<string> {
  await world[server].startProfile();
  const { requests } = await send();
  const taken = await world[server].stopProfile();
  return `\n${name}, connections: ${connections}\n${describeProfile(taken, requests)}`;
}

function format(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    ),
  );
  return lines.map((cells) => cells.join('  ')).join('\n');
}
