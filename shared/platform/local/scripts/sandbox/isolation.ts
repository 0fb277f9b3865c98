import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { scriptVariables } from '../../../runtimes/limits.ts';
import { StartError } from '../../server/start-error.ts';
import {
  describePython,
  type FoundPython,
  pythonFlags,
  usualPythons,
} from '../commands/find-python.ts';
import { boxCommand, fileBytes } from './box.ts';
import { enclose, openRunFolder } from './enclosure.ts';
import type { Common, Isolation, Level } from './level.ts';
import { runtimeFolder, systemFolders } from './system-files.ts';

/** Options of {@link probeIsolation}; tests exclude some levels. */
export interface IsolationOptions {
  /** False denies scripts all networks. */
  readonly network: boolean;
  /** The only level to use; the best that works when absent. */
  readonly level?: Level | undefined;
  /** False excludes Pyodide even if it is installed. */
  readonly pyodide?: boolean;
  /** Whether scripts run where only Node's permission flags isolate them; `allowed` when absent. */
  readonly weakSandbox?: 'allowed' | 'refused';
}

/** Command by which an operator gets a better level. */
export const howToHold = 'apt-get install bubblewrap python3';

const probeMs = 5_000;
const niceness = '10'; // the server comes first when scripts use all cores
const maxDescriptors = '256'; // each may hold megabytes in buffers of its socket, which no process limit counts
const programsOfPrefix = [
  ['nice', '-n', niceness],
  ['prlimit', `--fsize=${fileBytes}`, '--core=0', `--nofile=${maxDescriptors}`],
  ['setpriv', '--no-new-privs', '--pdeathsig', 'KILL'], // no runner outlives its parent, even in an endless loop
];
/** Guarantees without which the level is not used. */
const indispensable = ['files', 'environments'];
const openPromises = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

/**
 * Determines how scripts are isolated on this machine.
 *
 * @param hidden the data folder, if there is one
 * @throws StartError when the requested level does not work here, or the network must be closed and no level can do so
 */
export async function probeIsolation(
  options: IsolationOptions,
  hidden?: string,
): Promise<Isolation> {
  const works = await Promise.all(programsOfPrefix.map((each) => succeeds([...each, 'true'])));
  const prefix = programsOfPrefix.filter((_, at) => works[at]).flat();
  const common = { prefix, hasNetwork: options.network, hidden };
  const wanted: readonly Level[] =
    options.level === undefined ? ['bubblewrap', 'landlock', 'flags'] : [options.level];
  for (const level of wanted) {
    const found = await probeLevel(level, common);
    if (found !== undefined) return found;
  }
  throw new StartError(
    options.network
      ? `scripts cannot be held by ${wanted.join(', ')} here`
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

/** Checks Landlock's guarantees by a program that is isolated as scripts are. */
async function probeLandlock(common: Common): Promise<Isolation | undefined> {
  if (process.platform !== 'linux') return undefined;
  for (const candidate of usualPythons) {
    const wrapper = await describePython(candidate);
    if (wrapper === undefined) continue;
    const isolation = { ...common, level: 'landlock', wrapper } as const;
    const open = await tryPromises({ ...isolation, open: [] }, wrapper);
    if (open === undefined || indispensable.some((each) => open.includes(each))) continue;
    return { ...isolation, open };
  }
  return undefined;
}

/** Returns the guarantees that are not kept; undefined when no program starts. */
async function tryPromises(isolation: Isolation, python: FoundPython) {
  const { temporary, dispose } = await openRunFolder(isolation.level);
  try {
    const binds = [[python.folder, python.folder] as const];
    const command = enclose(isolation, { binds, temporary, isAlone: true });
    const tries = join(runtimeFolder, 'python/tries.py');
    const program = [python.program, ...pythonFlags, tries, String(process.pid)];
    const parsed = v.safeParse(openPromises, await outputOf([...command, ...program]));
    return parsed.success ? parsed.output : undefined;
  } finally {
    await dispose();
  }
}

/** Describes the isolation and the access of scripts in one line for the operator. */
export function describeIsolation(isolation: Isolation): string {
  const names = { bubblewrap: ['bubblewrap'], landlock: ['Landlock'], flags: [] };
  const holds = [...names[isolation.level], "Node's permission flags"].join(', ');
  const reach = isolation.hasNetwork
    ? 'they reach every network that this machine does'
    : 'they have no network';
  return [`Scripts: in processes held by ${holds}`, ...warningsOf(isolation), reach].join('; ');
}

function warningsOf(isolation: Isolation): readonly string[] {
  switch (isolation.level) {
    case 'bubblewrap':
      return [];
    case 'landlock': {
      const { open } = isolation;
      const holes = open.length === 0 ? [] : [`open on this machine: ${open.join(', ')}`];
      return ['bubblewrap does not work here', ...holes];
    }
    case 'flags':
      return [`neither bubblewrap nor Landlock works here, try: ${howToHold}`];
  }
}

/**
 * Checks whether scripts may be able to open a Unix socket in a folder. Only a box hides the folder; elsewhere a script
 * is kept from it only by the permissions that a runner has dropped.
 */
export function canOpenSocket({ level, hasNetwork }: Isolation, folder: string): boolean {
  const seen = [...systemFolders(hasNetwork), runtimeFolder];
  return level !== 'bubblewrap' || seen.some((path) => `${folder}/`.startsWith(`${path}/`));
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
    return undefined; // missing, too old or forbidden: all have the same result
  }
}
