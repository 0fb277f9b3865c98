import { parseArgs } from 'node:util';
import type { RuntimeName } from './citizen.ts';
import { citizens } from './citizens.ts';

/** Options of a city. */
export interface Options {
  /** Total seconds of traffic. */
  readonly seconds: number;
  /** Determines the acts of each citizen; 0 to 4294967295. */
  readonly seed: number;
  /** Names of the participants. */
  readonly citizens: readonly string[];
  readonly runtimes: readonly RuntimeName[];
  /** Whether a control group limits the memory of the server, where one can be created. */
  readonly hasGroup: boolean;
}

/** Thrown for an invalid command line. */
export class UsageError extends Error {}

const runtimeNames: readonly RuntimeName[] = ['nodejs', 'python3'];
const names = citizens.map(({ name }) => name);

export const usage = `npm run city -- [options]
  --seconds N     seconds: some 43 % before the server is killed, 43 % after it, the rest elsewhere (90)
  --seed N        repeats what each citizen did under this number (any)
  --citizens A,B  only these: ${names.join(', ')}
  --runtimes A,B  only scripts of these runtimes: ${runtimeNames.join(', ')}
  --no-group      do not limit the memory by a control group, but check its sum
`;

/**
 * Reads the command line.
 *
 * @throws UsageError when an option is unknown or its value is invalid
 */
export function parseOptions(args: readonly string[], freshSeed: number): Options | 'help' {
  const values = read(args);
  if (values.help) return 'help';
  return {
    seconds: wholeNumber('seconds', values.seconds ?? '90'),
    seed: wholeNumber('seed', values.seed ?? String(freshSeed)),
    citizens: listOf('citizens', values.citizens, names),
    runtimes: listOf('runtimes', values.runtimes, runtimeNames),
    hasGroup: !values['no-group'],
  };
}

function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: text,
        seed: text,
        citizens: text,
        runtimes: text,
        'no-group': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'bad options');
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 0xffffffff)
    throw new UsageError(`--${name} takes a whole number, not ${text}`);
  return value;
}

function listOf<T extends string>(name: string, text: string | undefined, all: readonly T[]) {
  if (text === undefined) return all;
  const wanted = text.split(',');
  const unknown = wanted.find((each) => !all.some((known) => known === each));
  if (unknown !== undefined) throw new UsageError(`--${name}: there is no ${unknown}`);
  return all.filter((each) => wanted.includes(each));
}
