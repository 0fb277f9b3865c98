import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openParents } from '../../shared/platforms/local/scripts/sandbox/box.ts';
import { systemFolders } from '../../shared/platforms/local/scripts/sandbox/system-files.ts';
import { type FunctionProcess, nodeHost, pythonHost, startFunction } from './function-process.ts';

/*
 * A box like Lambda's, for the functions of scripts: the language is in /var/lang, and Python finds its library there by
 * LD_LIBRARY_PATH alone; the code is in /var/task, which nothing can write; there is no /dev/shm; the user is an ordinary
 * one, with at most 1024 processes; and the kernel refuses calls that are reported to be refused there.
 */

/** A language in the box. */
export interface BoxedLanguage {
  readonly runtime: 'node' | 'python';
  /** Path of the program inside. */
  readonly program: string;
  /** What is visible in it, besides the system and the function: paths of this machine and inside. */
  readonly binds: readonly (readonly [string, string])[];
  /** False for a Python that does not need LD_LIBRARY_PATH, unlike Lambda's. */
  readonly needsPath: boolean;
}

/** What Lambda and its base images set for a function in any language. */
const imageVariables = {
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
  AWS_LAMBDA_FUNCTION_NAME: 'script',
  AWS_ACCESS_KEY_ID: 'of-the-role-of-scripts',
  LAMBDA_RUNTIME_DIR: '/var/runtime',
  LAMBDA_TASK_ROOT: '/var/task',
  LANG: 'en_US.UTF-8',
  LD_LIBRARY_PATH:
    '/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:/var/task:/var/task/lib:/opt/lib',
  PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
  TZ: ':UTC',
};

/** Calls that the kernel refuses there, by their numbers on x64 and arm64. */
const refused = {
  fallocate: [285, 47],
  memfd_create: [319, 279],
  ptrace: [101, 117],
  seccomp: [317, 277],
  unshare: [272, 97],
} as const;
type Refused = keyof typeof refused;
const prctl = [157, 167] as const;
const setNoNewPrivileges = 38;

/** Opens Node in the box. */
export function boxedNode(program: string): BoxedLanguage {
  const inside = '/var/lang/bin/node';
  return {
    runtime: 'node',
    program: inside,
    binds: [[realpathSync(program), inside]],
    needsPath: false,
  };
}

/** Opens a Python in the box: one with a shared library, if this machine has one. Undefined without any. */
export async function boxedPython(
  candidates: readonly string[],
): Promise<BoxedLanguage | undefined> {
  const found = await Promise.all(candidates.map(describePython));
  const usable = found.filter((each) => each !== undefined);
  const { program, folder } = usable.find((each) => each.isShared) ?? usable[0] ?? {};
  if (program === undefined || folder === undefined) return undefined;
  const isSystem = folder === '/usr'; // its folders are visible anyway, and much else would be in /var/lang
  const language: BoxedLanguage = {
    runtime: 'python',
    program: isSystem ? program : join('/var/lang', program.slice(folder.length)),
    binds: isSystem ? [] : [[folder, '/var/lang']],
    needsPath: false,
  };
  return { ...language, needsPath: !(await isStarting(language)) };
}

const describeItself = `
import json, os, sys, sysconfig
assert sys.version_info >= (3, 9)
print(json.dumps({
    'program': os.path.realpath(sys.executable),
    'folder': sys.base_prefix,
    'isShared': sysconfig.get_config_var('Py_ENABLE_SHARED') == 1,
}))`;

interface Described {
  readonly program: string;
  readonly folder: string;
  readonly isShared: boolean;
}

async function describePython(candidate: string): Promise<Described | undefined> {
  try {
    const { stdout } = await promisify(execFile)(candidate, ['-I', '-c', describeItself]);
    return JSON.parse(stdout) as Described; // printed by the program above
  } catch {
    return undefined; // missing, or too old
  }
}

/** Checks whether the language starts in the box without LD_LIBRARY_PATH. */
async function isStarting(language: BoxedLanguage): Promise<boolean> {
  const [box = '', ...args] = boxOf(language, tmpdir());
  try {
    await promisify(execFile)(box, [...args, language.program, '-c', '']);
    return true;
  } catch (error) {
    if (String(error).includes('libpython')) return false;
    throw error;
  }
}

/** Options of a function in the box. */
export interface BoxedOptions {
  /** Variables of the function besides those of Lambda; undefined removes one of those. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Calls that this kernel refuses; all of them when absent. */
  readonly refuses?: readonly Refused[];
}

/** Starts the function whose zip was unpacked to a folder, and waits until it is initialised. */
export async function startInBox(
  language: BoxedLanguage,
  folder: string,
  { variables = {}, refuses = Object.keys(refused) as Refused[] }: BoxedOptions = {},
): Promise<FunctionProcess> {
  const hosts = {
    node: ['--input-type=module', '--eval', nodeHost],
    python: ['-S', '-c', pythonHost],
  };
  const draft = mkdtempSync(join(tmpdir(), 'groundwork-filter-'));
  const filter = join(draft, 'filter');
  writeFileSync(filter, filterOf(refuses));
  const descriptor = openSync(filter, 'r');
  try {
    const { runtime, program } = language;
    const command = [...boxOf(language, folder, ['--seccomp', '3'])];
    return await startFunction(
      { command, program: [program, ...hosts[runtime]], descriptors: [descriptor] },
      withoutUndefined({ ...imageVariables, ...variables }),
    );
  } finally {
    closeSync(descriptor);
    rmSync(draft, { recursive: true });
  }
}

function withoutUndefined(values: Readonly<Record<string, string | undefined>>) {
  const isSet = (entry: readonly [string, string | undefined]): entry is [string, string] =>
    entry[1] !== undefined;
  return Object.fromEntries(Object.entries(values).filter(isSet));
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const isRoot = process.getuid?.() === 0;

/** Returns the command of the box, and of the user in it. A program follows. */
function boxOf(
  { binds }: BoxedLanguage,
  folder: string,
  options: readonly string[] = [],
): readonly string[] {
  // the number of processes is limited by user, so each box has its own; 993 is Lambda's
  const user = String(isRoot ? 100_000 + randomInt(900_000) : 993);
  const system = systemFolders(true);
  const visible = [...binds, [folder, '/var/task'] as const];
  const inside = [
    ...['prlimit', '--nproc=1024', '--nofile=1024', '--core=0'],
    ...(isRoot
      ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all']
      : []),
  ];
  return [
    ...['bwrap', '--die-with-parent', '--unshare-ipc', '--unshare-pid', '--unshare-uts'],
    ...(isRoot ? ['--cap-drop', 'ALL'] : ['--unshare-user', '--uid', user, '--gid', user]),
    ...(isRoot ? ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'] : []),
    ...['--hostname', 'lambda'],
    ...openParents([...system, ...visible.map(([, path]) => path)]),
    ...system.flatMap((path) => ['--ro-bind-try', path, path]),
    ...system.flatMap(pythonLibraries).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...visible.flatMap((paths) => ['--ro-bind', ...paths]),
    ...['--proc', '/proc', '--perms', '0755', '--dir', '/dev'],
    ...devices.flatMap((name) => ['--dev-bind-try', `/dev/${name}`, `/dev/${name}`]),
    ...['--symlink', '/proc/self/fd', '/dev/fd'],
    ...['--size', String(512 * 2 ** 20), '--perms', '1777', '--tmpfs', '/tmp'],
    ...['--remount-ro', '/', '--chdir', '/var/task'],
    ...options,
    ...inside,
  ];
}

/** Returns the libraries of the system's Python in and below a folder, which another Python of its version would use. */
function pythonLibraries(folder: string): readonly string[] {
  const namesIn = (path: string) => {
    try {
      return readdirSync(path).map((name) => join(path, name));
    } catch {
      return []; // absent, or no folder
    }
  };
  if (!/\/lib(32|64)?$/.test(folder)) return [];
  const folders = [folder, ...namesIn(folder).filter((path) => path.endsWith('-linux-gnu'))];
  return folders.flatMap(namesIn).filter((path) => /\/libpython3[^/]*\.so/.test(path));
}

const [loadWord, jumpIfEqual, end] = [0x20, 0x15, 0x06];
const [allow, notPermitted] = [0x7fff0000, 0x00050001];

/** Returns the code of a filter of system calls that refuses some: they, and `prctl(PR_SET_NO_NEW_PRIVS)`, return EPERM. */
export function filterOf(names: readonly Refused[]): Buffer {
  const at = process.arch === 'arm64' ? 1 : 0;
  const calls = names.flatMap((name) => [
    [jumpIfEqual, 0, 1, refused[name][at]],
    [end, 0, 0, notPermitted],
  ]);
  const steps = [
    [loadWord, 0, 0, 0], // the number of the call
    ...calls,
    [jumpIfEqual, 0, 3, prctl[at]],
    [loadWord, 0, 0, 16], // its first argument
    [jumpIfEqual, 0, 1, setNoNewPrivileges],
    [end, 0, 0, notPermitted],
    [end, 0, 0, allow],
  ];
  const code = Buffer.alloc(8 * steps.length);
  for (const [index, [operation = 0, ifTrue = 0, ifFalse = 0, value = 0]] of steps.entries()) {
    code.writeUInt16LE(operation, 8 * index);
    code.writeUInt8(ifTrue, 8 * index + 2);
    code.writeUInt8(ifFalse, 8 * index + 3);
    code.writeUInt32LE(value, 8 * index + 4);
  }
  return code;
}
