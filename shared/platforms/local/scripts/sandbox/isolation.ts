import { join } from 'node:path';
import { StartError } from '../../server/start-error.ts';
import {
  describePython,
  type FoundPython,
  pythonFlags,
  usualPythons,
} from '../commands/find-python.ts';
import { probeCommand } from '../commands/node-command.ts';
import { fileBytes } from './box.ts';
import { enclose } from './enclosure.ts';
import type { Common, Isolation, Level } from './level.ts';
import { gapsOfRoot, isServerRoot, userArguments } from './other-user.ts';
import { holdsRequired, probeGuarantees, succeeds } from './probe.ts';
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
  /** Folder with a set of Python packages, where the data folder has none. */
  readonly packages?: string | undefined;
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
const noneWorks = "not even Node's permission flags isolate them here";
const rootAdvice = '; a server of root also needs a TMPDIR that all users may enter';
const rootObstacle =
  'this server is root, and cannot run them as another user here. Start it as an ordinary user, or with the capabilities SETUID, SETGID and CHOWN and a TMPDIR that all users may enter';

/**
 * Determines how scripts are isolated on this machine.
 *
 * @param hidden the data folder, if there is one
 * @returns an isolation with an obstacle when no level works
 * @throws StartError when the requested level does not work here, or no level can deny the network as requested
 */
export async function probeIsolation(
  options: IsolationOptions,
  hidden?: string,
): Promise<Isolation> {
  const works = await Promise.all(programsOfPrefix.map((each) => succeeds([...each, 'true'])));
  const prefix = programsOfPrefix.filter((_, at) => works[at]).flat();
  const user = { isRoot: isServerRoot, gaps: gapsOfRoot() };
  const common = { prefix, hasNetwork: options.network, hidden, ...user };
  const candidates: readonly Level[] =
    options.level === undefined ? ['bubblewrap', 'landlock', 'flags'] : [options.level];
  for (const level of candidates) {
    const found = await probeLevel(level, common);
    if (found !== undefined) return found;
  }
  if (options.network && options.level === undefined) {
    return { ...common, level: 'flags', obstacle: isServerRoot ? rootObstacle : noneWorks };
  }
  throw new StartError(
    options.network
      ? `scripts cannot be isolated by ${candidates.join(', ')} here${isServerRoot ? rootAdvice : ''}`
      : `--no-script-network needs bubblewrap (bwrap), Landlock or Node 26, and none works here`,
  );
}

function probeLevel(level: Level, common: Common): Promise<Isolation | undefined> {
  switch (level) {
    case 'bubblewrap':
      return probeBubblewrap(common);
    case 'landlock':
      return probeLandlock(common);
    case 'flags':
      return probeFlags(common);
  }
}

async function probeBubblewrap(common: Common): Promise<Isolation | undefined> {
  const isolation = { ...common, level: 'bubblewrap' } as const;
  return holdsRequired(await probeNode(isolation)) ? isolation : undefined;
}

async function probeFlags(common: Common): Promise<Isolation | undefined> {
  const closesNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
  if (!common.hasNetwork && !closesNetwork) return undefined;
  const isolation = { ...common, level: 'flags' } as const;
  return holdsRequired(await probeNode(isolation)) ? isolation : undefined;
}

/** Checks Landlock's guarantees with programs that are isolated like scripts. */
async function probeLandlock(common: Common): Promise<Isolation | undefined> {
  if (process.platform !== 'linux') return undefined;
  for (const candidate of usualPythons) {
    const wrapper = await describePython(candidate);
    if (wrapper === undefined) continue;
    const isolation = { ...common, level: 'landlock', wrapper } as const;
    const isolated = { ...isolation, open: [] };
    const [open, openToNode] = await Promise.all([
      probePython(isolated, wrapper),
      probeNode(isolated),
    ]);
    if (holdsRequired(open) && holdsRequired(openToNode)) return { ...isolation, open };
  }
  return undefined;
}

function probePython(isolation: Isolation, { program, folder }: FoundPython) {
  return probeGuarantees(isolation.level, (temporary) => {
    const binds = [[folder, folder] as const];
    const command = enclose(isolation, { binds, temporary, isAlone: true });
    const probe = [join(runtimeFolder, 'python/probe.py'), String(process.pid), temporary];
    return [...command, program, ...pythonFlags, ...probe, ...userArguments(isolation)];
  });
}

function probeNode(isolation: Isolation) {
  return probeGuarantees(isolation.level, (temporary) => probeCommand(isolation, temporary));
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
    case 'landlock':
      return ['bubblewrap does not work here', ...describeGaps(isolation, isolation.open)];
    case 'flags': {
      const advice = `neither bubblewrap nor Landlock works here, try: ${installCommand}`;
      return [advice, ...describeGaps(isolation, [])];
    }
  }
}

function describeGaps({ gaps = [] }: Common, open: readonly string[]): readonly string[] {
  const all = [...open, ...gaps];
  return all.length === 0 ? [] : [`not isolated on this machine: ${all.join(', ')}`];
}

/**
 * Checks whether scripts may be able to open a Unix socket in a folder. Only a box hides the folder; at other levels
 * only the dropped permissions of the runner deny access.
 */
export function canOpenSocket({ level, hasNetwork }: Isolation, folder: string): boolean {
  const visible = [...systemFolders(hasNetwork), runtimeFolder];
  return level !== 'bubblewrap' || visible.some((path) => `${folder}/`.startsWith(`${path}/`));
}
