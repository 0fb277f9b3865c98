import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scriptVariables } from '../../runtimes/limits.ts';
import { StartError } from '../start-error.ts';

/** What this machine offers to keep scripts apart from it, found out once at the start. */
export interface Isolation {
  /** Programs, with their arguments, that each runner is started through: lower priority, limits. */
  readonly prefix: readonly string[];
  /** Whether runners see a file system, processes and users of their own. */
  readonly hasBubblewrap: boolean;
  /** Whether scripts reach the network of this machine. */
  readonly hasNetwork: boolean;
  /** The data folder, if there is one: no script sees it. */
  readonly hidden?: string | undefined;
}

/** What to look for; tests leave some out. */
export interface IsolationOptions {
  /** False cuts scripts off from all networks. */
  readonly network: boolean;
  /** False does without bubblewrap although it is there. */
  readonly bubblewrap?: boolean;
  /** False does without Pyodide although it is there. */
  readonly pyodide?: boolean;
}

const probeMs = 5_000;
const niceness = '10'; // the server goes first when scripts want all cores
const dataBytes = 400_000_000; // Buffers are outside of Node's own heap limit
const fileBytes = 128 * 1024 * 1024;
const programsOfPrefix = [
  ['nice', '-n', niceness],
  ['prlimit', `--data=${dataBytes}`, `--fsize=${fileBytes}`, '--core=0', '--nofile=512'],
  ['setpriv', '--no-new-privs', '--pdeathsig', 'KILL'], // no runner outlives the server, not even one that spins
];

/** The runtimes' files, as they lie in the project and as a runner in a box of its own sees them. */
export const runtimeFolder = fileURLToPath(new URL('../../runtimes', import.meta.url));
/** Where things are inside a box. */
export const boxedPaths = { node: '/node', runtimes: '/runtimes', temporary: '/tmp' } as const;

/**
 * Finds out what holds scripts here.
 *
 * @param hidden the data folder, if there is one
 * @throws StartError when the network is to be closed and nothing here can do so
 */
export async function probeIsolation(
  options: IsolationOptions,
  hidden?: string,
): Promise<Isolation> {
  const { network, bubblewrap = true } = options;
  const works = await Promise.all(programsOfPrefix.map((each) => succeeds([...each, 'true'])));
  const prefix = programsOfPrefix.filter((_, at) => works[at]).flat();
  const box = [...prefix, ...boxCommand({ hasNetwork: network, hidden, binds: [] }), 'true'];
  const hasBubblewrap = bubblewrap && (await succeeds(box));
  if (!network && !hasBubblewrap) {
    throw new StartError(
      '--no-script-network needs bubblewrap (bwrap) on Linux, and it does not work here',
    );
  }
  return { prefix, hasBubblewrap, hasNetwork: network, hidden };
}

/** One line for the operator: what holds scripts, and what they can reach. */
export function describeIsolation({ hasBubblewrap, hasNetwork, prefix }: Isolation): string {
  const holds = [
    ...(hasBubblewrap ? ['bubblewrap'] : []),
    "Node's permission flags",
    ...(prefix.includes('prlimit') ? ['memory limit'] : []),
  ].join(', ');
  const warning = hasBubblewrap ? '' : '; bubblewrap does not work here';
  const reach = hasNetwork
    ? 'they reach every network that this machine does'
    : 'they have no network';
  return `Scripts: in processes held by ${holds}${warning}; ${reach}`;
}

/** System libraries and programs; the rest of /usr is not theirs alone. */
const readOnly = [
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'share'].map((name) => `/usr/${name}`),
  ...['/usr/local/bin', '/usr/local/lib', '/usr/local/lib64'],
  ...['/lib', '/lib32', '/lib64', '/bin', '/sbin'],
];
/** What names and certificates are looked up in. Private keys lie beside these. */
const forNetwork = [
  ...['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/gai.conf'],
  ...['/etc/ssl/certs', '/etc/ssl/openssl.cnf', '/etc/ca-certificates'],
  ...['/etc/pki/tls/certs', '/etc/pki/tls/openssl.cnf', '/etc/pki/ca-trust/extracted'],
];
const nobody = '65534';

/** A box to be made. */
export interface Box {
  readonly hasNetwork: boolean;
  /** The data folder, if there is one: not seen, wherever it is. */
  readonly hidden?: string | undefined;
  /** What is seen in it beside system libraries and the runtimes: paths here and in it. */
  readonly binds: readonly (readonly [string, string])[];
}

/** The command that makes a box; what runs in it, with its arguments, is to follow. */
export function boxCommand({ hasNetwork, hidden, binds }: Box): readonly string[] {
  const { runtimes, temporary } = boxedPaths;
  const seen = hasNetwork ? [...readOnly, ...forNetwork] : readOnly;
  const folders = [...seen, ...binds.map(([path]) => path)];
  const isBelow = hidden !== undefined && folders.some((path) => hidden.startsWith(`${path}/`));
  return [
    ...['bwrap', '--unshare-all', ...(hasNetwork ? ['--share-net'] : [])],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--uid', nobody, '--gid', nobody, '--hostname', 'script'],
    ...seen.flatMap((path) => ['--ro-bind-try', path, path]),
    ...[[runtimeFolder, runtimes], ...binds].flatMap((paths) => ['--ro-bind', ...paths]),
    ...(isBelow ? ['--tmpfs', hidden, '--remount-ro', hidden] : []),
    ...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'],
    ...['--size', String(fileBytes), '--tmpfs', temporary, '--chdir', temporary],
    ...['--remount-ro', '/'], // the one folder to write to has a limit
  ];
}

/**
 * Tells whether scripts can open a Unix socket in a folder. Without a box, permission flags do not guard sockets: it is
 * then only what a runner has taken from itself that keeps a script from them.
 */
export function canOpenSocket({ hasBubblewrap }: Isolation, folder: string): boolean {
  const seen = [...readOnly, ...forNetwork, runtimeFolder];
  return !hasBubblewrap || seen.some((path) => `${folder}/`.startsWith(`${path}/`));
}

/** Tells whether a program with these arguments starts here and ends well. */
export async function succeeds([program = '', ...args]: readonly string[]): Promise<boolean> {
  try {
    const options = { env: scriptVariables('/tmp'), timeout: probeMs };
    await promisify(execFile)(program, args, options);
    return true;
  } catch {
    return false; // missing, too old or forbidden: all the same to us
  }
}
