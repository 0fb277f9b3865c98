import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { scriptVariables } from '../../../runtimes/limits.ts';
import { StartError } from '../../server/start-error.ts';
import {
  describePython,
  type FoundPython,
  probeMs,
  pythonFlags,
  usualPythons,
} from '../commands/find-python.ts';
import { boxCommand, fileBytes } from './box.ts';
import { enclose } from './enclosure.ts';
import type { Common, Isolation, Level } from './level.ts';
import { openRunFolder } from './run-folders.ts';
import { runtimeFolder, systemFolders } from './system-files.ts';

/** Options of {@link probeIsolation}; tests exclude some levels. */
export interface IsolationOptions {
  /** False denies scripts all networks. */
  readonly network: boolean;
  /** The only level to use. By default, the best one that works. */
  readonly level?: Level | undefined;
  /** False excludes Pyodide even if it is installed. */
  readonly pyodide?: boolean;
  /** Determines whether scripts run when only Node's permission flags isolate them; `allowed` by default. */
  readonly weakSandbox?: 'allowed' | 'refused';
}

/** Command that installs a better level. */
export const installCommand = 'apt-get install bubblewrap python3';

const niceness = '10'; // gives the server priority when scripts use all cores
const maxDescriptors = '256'; // a socket's buffers may use megabytes, which no process limit counts
const programsOfPrefix = [
  ['nice', '-n', niceness],
  ['prlimit', `--fsize=${fileBytes}`, '--core=0', `--nofile=${maxDescriptors}`],
  ['setpriv', '--no-new-privs', '--pdeathsig', 'KILL'], // kills a runner with its parent, even in an endless loop
];
/** Guarantees that the level requires. */
const requiredGuarantees = ['files', 'environments'];
const guaranteesSchema = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

/**
 * Determines how scripts are isolated on this machine.
 *
 * @param hidden the data folder, if there is one
 * @throws StartError when the requested level does not work here, or no level can deny the network as requested
 */
export async function probeIsolation(
  options: IsolationOptions,
  hidden?: string,
): Promise<Isolation> {
  const works = await Promise.all(programsOfPrefix.map((each) => succeeds([...each, 'true'])));
  const prefix = programsOfPrefix.filter((_, at) => works[at]).flat();
  const common = { prefix, hasNetwork: options.network, hidden };
  const candidates: readonly Level[] =
    options.level === undefined ? ['bubblewrap', 'landlock', 'flags'] : [options.level];
  for (const level of candidates) {
    const found = await probeLevel(level, common);
    if (found !== undefined) return found;
  }
  throw new StartError(
    options.network
      ? `scripts cannot be isolated by ${candidates.join(', ')} here`
      : `--no-script-network needs bubblewrap (bwrap), Landlock or Node 26, and none works here`,
  );
}

function probeLevel(level: Level, common: Common): Promise<Isolation | undefined> {
  switch (level) {
    case 'bubblewrap':
      return probeBubblewrap(common);
    case 'landlock':
      return probeLandlock(common);
    case 'flags': {
      const closesNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
      const works = common.hasNetwork || closesNetwork;
      return Promise.resolve(works ? { ...common, level } : undefined);
    }
  }
}

async function probeBubblewrap(common: Common): Promise<Isolation | undefined> {
  const box = boxCommand({ ...common, binds: [] });
  const works = await succeeds([...common.prefix, ...box, 'true']);
  return works ? { ...common, level: 'bubblewrap' } : undefined;
}

/** Checks Landlock's guarantees with a program that is isolated like a script. */
async function probeLandlock(common: Common): Promise<Isolation | undefined> {
  if (process.platform !== 'linux') return undefined;
  for (const candidate of usualPythons) {
    const wrapper = await describePython(candidate);
    if (wrapper === undefined) continue;
    const isolation = { ...common, level: 'landlock', wrapper } as const;
    const open = await probeGuarantees({ ...isolation, open: [] }, wrapper);
    if (open === undefined || requiredGuarantees.some((each) => open.includes(each))) continue;
    return { ...isolation, open };
  }
  return undefined;
}

/** Returns the guarantees that do not hold; undefined when the program does not start. */
async function probeGuarantees(isolation: Isolation, python: FoundPython) {
  const { temporary, dispose } = await openRunFolder(isolation.level);
  try {
    const binds = [[python.folder, python.folder] as const];
    const command = enclose(isolation, { binds, temporary, isAlone: true });
    const probe = join(runtimeFolder, 'python/probe.py');
    const program = [python.program, ...pythonFlags, probe, String(process.pid)];
    const parsed = v.safeParse(guaranteesSchema, await outputOf([...command, ...program]));
    return parsed.success ? parsed.output : undefined;
  } finally {
    await dispose();
  }
}

/** Describes the isolation and the access of scripts in one line for the operator. */
export function describeIsolation(isolation: Isolation): string {
  const names = { bubblewrap: ['bubblewrap'], landlock: ['Landlock'], flags: [] };
  const mechanisms = [...names[isolation.level], "Node's permission flags"].join(', ');
  const access = isolation.hasNetwork
    ? 'they can access every network of this machine'
    : 'they have no network access';
  return [`Scripts: isolated by ${mechanisms}`, ...warningsOf(isolation), access].join('; ');
}

function warningsOf(isolation: Isolation): readonly string[] {
  switch (isolation.level) {
    case 'bubblewrap':
      return [];
    case 'landlock': {
      const { open } = isolation;
      const gaps = open.length === 0 ? [] : [`not isolated on this machine: ${open.join(', ')}`];
      return ['bubblewrap does not work here', ...gaps];
    }
    case 'flags':
      return [`neither bubblewrap nor Landlock works here, try: ${installCommand}`];
  }
}

/**
 * Checks whether scripts may be able to open a Unix socket in a folder. Only a box hides the folder; at other levels
 * only the dropped permissions of the runner deny access.
 */
export function canOpenSocket({ level, hasNetwork }: Isolation, folder: string): boolean {
  const visible = [...systemFolders(hasNetwork), runtimeFolder];
  return level !== 'bubblewrap' || visible.some((path) => `${folder}/`.startsWith(`${path}/`));
}

/** Checks whether a program with these arguments starts here and succeeds. */
export async function succeeds(command: readonly string[]): Promise<boolean> {
  return (await outputOf(command)) !== undefined;
}

/** Returns the output of a program; undefined when it does not start or fails. */
async function outputOf([program = '', ...args]: readonly string[]): Promise<string | undefined> {
  try {
    const options = { env: scriptVariables('/tmp'), timeout: probeMs };
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch {
    return undefined; // missing, too old and denied have the same result
  }
}
