import { parseArgs } from 'node:util';
import { readNumber } from './command-line.ts';
import { directRows } from './direct-runs.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { scriptRows } from './scripts.ts';
import { sizeRows } from './sizes.ts';

/** The options of `npm run bench`, with their explanation. */
export const benchUsage = `Usage: npm run bench -- [options]

  --seconds N        time of each measurement, 0.3 to 60 (default 3)
  --rounds N         alternating rounds that this time is divided into, 3 to 20 (default 4)
  --objects N        seeded objects, 1000 to 1000000 (default 10000)
  --connections A,B  concurrent connections, each 1 to 256 (default 1,32)
  --only NAME,NAME   only rows with one of these names, or a name that starts so: ${allRows().join(', ')}
  --against REF      run the version of a git reference too, and compare the rows for HTTP requests with it
  --profile          print a profile of the server instead of the table
`;

/** What is measured, and how. */
export interface Options {
  /** Of load for each row, number of connections and server. */
  readonly seconds: number;
  readonly rounds: number;
  readonly objects: number;
  readonly connections: readonly number[];
  readonly chosen: readonly Scenario[];
  /** The selected ones of `scriptRows`. */
  readonly scripts: readonly string[];
  /** The selected ones of `directRows`. */
  readonly direct: readonly string[];
  /** The selected ones of `sizeRows`. */
  readonly sizes: readonly string[];
  /** Git reference of the version to compare with. */
  readonly against: string | undefined;
  readonly profile: boolean;
}

/**
 * Reads the command line.
 *
 * @throws Error with the usage
 */
export function readOptions(): Options | 'help' {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '4' },
      objects: { type: 'string', default: '10000' },
      connections: { type: 'string', default: '1,32' },
      only: { type: 'string', default: '' },
      against: { type: 'string' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const rows = chooseRows(values.only.split(','), values.against !== undefined);
  if (Object.values(rows).flat().length === 0) throw new Error(benchUsage);
  if (values.against !== undefined && values.profile) throw new Error(benchUsage);
  return {
    ...rows,
    seconds: numberIn(values.seconds, 0.3, 60),
    rounds: Math.floor(numberIn(values.rounds, 3, 20)),
    objects: Math.floor(numberIn(values.objects, 1000, 1_000_000)),
    connections: values.connections.split(',').map((text) => Math.floor(numberIn(text, 1, 256))),
    against: values.against,
    profile: values.profile,
  };
}

/** Selects rows by the starts of their names. */
function chooseRows(starts: readonly string[], onlyHttp: boolean) {
  const all = allRows();
  const isWanted = (name: string) =>
    starts.some((start) => (all.includes(start) ? name === start : name.startsWith(start)));
  const isOther = (name: string) => !onlyHttp && isWanted(name);
  return {
    chosen: scenarios.filter(({ name }) => isWanted(name)),
    scripts: scriptRows.filter(isOther),
    direct: directRows.filter(isOther),
    sizes: sizeRows.filter(isOther),
  };
}

function allRows(): readonly string[] {
  return [...scenarios.map(({ name }) => name), ...scriptRows, ...directRows, ...sizeRows];
}

function numberIn(text: string, least: number, most: number): number {
  return readNumber(text, { least, most, usage: benchUsage });
}
