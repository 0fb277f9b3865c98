import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runBench } from './command-line.ts';
import { measureInTurns, summarize } from './measure.ts';
import { openFloor, openTarget, openWorld } from './rows.ts';
import { scenarios } from './scenarios.ts';
import { ownProject, startBare } from './server.ts';
import { alignTable } from './table.ts';

/*
 * Compares the CPU time per request, as ratios to a bare server, with stored ratios. Fails when one of them is more
 * than twice the stored one in each of two runs.
 *
 * npm run bench:ratios [-- --store]     --store: writes the file instead
 */

type Ratios = Readonly<Record<string, number>>;

const file = new URL('ratios.json', import.meta.url);
const names = ['get', 'list 100', 'filter 20', 'create', 'update', 'batch of 50 creates'];
const objects = 2000;
const turns = { connections: 32, seconds: 0.8, rounds: 4 };
const mostTimes = 2;

await runBench(async () => {
  const { values } = parseArgs({ options: { store: { type: 'boolean', default: false } } });
  if (values.store) store(await measureRatios());
  else await check(readStored());
});

/** Measures once, and again when a row is above its limit: another program may have disturbed the first run. */
async function check(stored: Ratios): Promise<void> {
  const first = rowsAbove(await measureRatios(), stored);
  if (first.length === 0) return;
  console.log(
    `More than ${mostTimes} times the stored ratio: ${first.join(', ')}. Measuring again.`,
  );
  const second = rowsAbove(await measureRatios(), stored);
  const both = first.filter((name) => second.includes(name));
  if (both.length > 0)
    throw new Error(
      `More than ${mostTimes} times the stored ratio in both runs: ${both.join(', ')}`,
    );
}

/** Prints the ratios of a run, and returns the rows above their limit. */
function rowsAbove(ratios: Ratios, stored: Ratios): readonly string[] {
  const rows = Object.entries(ratios).map(([name, ratio]) => [
    name,
    ratio.toFixed(1),
    (stored[name] ?? 0).toFixed(1),
  ]);
  console.log(alignTable([['cpu / bare', 'measured', 'stored'], ...rows]));
  return names.filter((name) => (ratios[name] ?? 0) > mostTimes * (stored[name] ?? 0));
}

function store(ratios: Ratios): void {
  const rounded = Object.entries(ratios).map(([name, ratio]) => [name, Number(ratio.toFixed(1))]);
  const text = `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`;
  writeFileSync(file, text);
  console.log(text);
}

function readStored(): Ratios {
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Ratios; // written by `store`
  const missing = names.filter((name) => stored[name] === undefined);
  if (missing.length > 0) throw new Error(`No stored ratio: ${missing.join(', ')}; see --store`);
  return stored;
}

/** Measures each row on servers of its own run. */
async function measureRatios(): Promise<Ratios> {
  const world = await openWorld(ownProject, objects);
  const bare = await startBare();
  const ratios: Record<string, number> = {};
  for (const name of names) {
    const scenario = scenarios.find((each) => each.name === name);
    if (scenario === undefined) throw new Error(`There is no row ${name}`);
    const target = await openTarget(scenario, world, turns.seconds);
    const floor = await openFloor(scenario, world, bare, turns.seconds);
    const { first, second } = await measureInTurns(target, floor, turns);
    ratios[name] = summarize(first).cpuMicros / summarize(second).cpuMicros;
  }
  await Promise.all([world.platform.stop(), bare.stop()]);
  return ratios;
}
