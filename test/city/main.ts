/*
 * `npm run city`: a simulated day of production against a server process. Many tenants use all features at once, the
 * server is killed in the middle, and no acknowledged write may be lost.
 *
 * A broken invariant fails at once. A time fails only above five times its bound, and only if a second run with the
 * same seed exceeds it too, because test machines are often busy.
 */
import { randomInt } from 'node:crypto';
import { runDay } from './day.ts';
import { type Options, parseOptions, UsageError, usage } from './options.ts';
import type { Excess } from './report.ts';

const patience = 5;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs a day and returns the times above five times their bound. */
async function tryDay(options: Options): Promise<readonly Excess[] | 'broken'> {
  say(`city: seed ${options.seed}, ${options.seconds} s`);
  const { broken, excesses, table } = await runDay(options, say);
  say(table);
  for (const { what, ms, boundMs } of excesses)
    say(`slow: ${what}: ${Math.round(ms)} ms, bound ${boundMs} ms`);
  if (broken !== undefined) say(`FAILED: seed ${options.seed}: ${broken}`);
  return broken === undefined
    ? excesses.filter(({ ms, boundMs }) => ms > patience * boundMs)
    : 'broken';
}

async function main(options: Options): Promise<boolean> {
  const first = await tryDay(options);
  if (first === 'broken') return false;
  if (first.length === 0) return true;
  say(
    `again: ${first.map(({ what }) => what).join(', ')} took more than ${patience} times as long`,
  );
  const second = await tryDay(options);
  if (second === 'broken') return false;
  const both = second.filter(({ what }) => first.some((each) => each.what === what));
  for (const { what, ms, boundMs } of both)
    say(`FAILED: seed ${options.seed}: ${what}: ${Math.round(ms)} ms twice, bound ${boundMs} ms`);
  return both.length === 0;
}

try {
  const options = parseOptions(process.argv.slice(2), randomInt(2 ** 32));
  if (options === 'help') say(usage);
  else {
    const isWell = await main(options);
    if (isWell) say('city: ok');
    process.exitCode = isWell ? 0 : 1;
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`city: ${error.message}\n${usage}`);
  process.exitCode = 2;
}
