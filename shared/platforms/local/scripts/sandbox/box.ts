import { dirname } from 'node:path';
import { nobodyId } from './other-user.ts';
import { runtimeFolder, systemFolders } from './system-files.ts';

/** Paths inside a box. */
export const boxedPaths = {
  node: '/node',
  packages: '/packages',
  runtimes: '/runtimes',
  client: '/runtimes-packages', // begins like another: with a third name, Node's permission flags open `/` itself
  temporary: '/tmp',
} as const;

/** Maximum bytes of one file, and of all files in a box. */
export const fileBytes = 128 * 1024 * 1024;

const nobody = String(nobodyId);
/** Namespaces and user of a box that an ordinary user makes: its only user is that user under another name. */
const ownNamespaces = ['--unshare-all', '--uid', nobody, '--gid', nobody];
/**
 * The same for root. In a user namespace, root could be renamed only, and would stay root for the kernel. So there is
 * none, and the program in the box becomes another user: it can read its files before, wherever they are.
 */
const rootNamespaces = [
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--unshare-net',
];
const toLeaveRoot = ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'];

/** Properties of a box. */
export interface Box {
  readonly hasNetwork: boolean;
  /** True when root makes the box. */
  readonly isRoot?: boolean | undefined;
  /** The data folder, if any, which is hidden from the box. */
  readonly hidden?: string | undefined;
  /** Further visible paths, on this machine and in the box. System libraries and runtimes are always visible. */
  readonly binds: readonly (readonly [string, string])[];
}

/** Returns the bubblewrap command that creates a box. Append the program to run in it, with its arguments. */
export function boxCommand({ hasNetwork, isRoot, hidden, binds }: Box): readonly string[] {
  const { runtimes, temporary } = boxedPaths;
  const visible = systemFolders(hasNetwork);
  const folders = [...visible, ...binds.map(([path]) => path)];
  const isBelow = hidden !== undefined && folders.some((path) => hidden.startsWith(`${path}/`));
  return [
    'bwrap',
    ...(isRoot ? rootNamespaces : ownNamespaces),
    ...(hasNetwork ? ['--share-net'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL', // without a new session, because the launcher kills a process group
    ...(isRoot ? toLeaveRoot : []),
    '--hostname',
    'script',
    ...(isRoot ? openParents([...visible, ...binds.map(([, path]) => path)]) : []),
    ...visible.flatMap((path) => ['--ro-bind-try', path, path]),
    ...[[runtimeFolder, runtimes], ...binds].flatMap((paths) => ['--ro-bind', ...paths]),
    ...(isBelow ? ['--tmpfs', hidden, '--remount-ro', hidden] : []),
    '--proc',
    '/proc',
    '--ro-bind',
    '/proc/sys',
    '/proc/sys',
    '--remount-ro',
    '/proc', // settings of the kernel and of the process, such as its priority when memory runs out
    '--dev',
    '/dev',
    '--remount-ro',
    '/dev',
    '--size',
    String(fileBytes),
    ...(isRoot ? ['--perms', '1777'] : []),
    '--tmpfs',
    temporary,
    '--chdir',
    temporary,
    '--remount-ro',
    '/', // so the only writable folder is the one with a size limit
  ];
}

/** Returns the options that make the parents of these paths; bubblewrap itself makes them for root alone. */
export function openParents(paths: readonly string[]): readonly string[] {
  const parents = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); at !== '/'; at = dirname(at)) parents.add(at);
  }
  const fromTop = [...parents].sort((a, b) => a.length - b.length);
  return fromTop.flatMap((path) => ['--perms', '0755', '--dir', path]);
}
