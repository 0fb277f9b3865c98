import { runtimeFolder, systemFolders } from './system-files.ts';

/** Paths inside a box. */
export const boxedPaths = { node: '/node', runtimes: '/runtimes', temporary: '/tmp' } as const;

/** Maximum bytes of one file, and of all files in a box. */
export const fileBytes = 128 * 1024 * 1024;

const nobody = '65534';

/** Properties of a box. */
export interface Box {
  readonly hasNetwork: boolean;
  /** The data folder, if any, which is hidden from the box. */
  readonly hidden?: string | undefined;
  /** Further visible paths, on this machine and in the box. System libraries and runtimes are always visible. */
  readonly binds: readonly (readonly [string, string])[];
}

/** Returns the bubblewrap command that creates a box. Append the program to run in it, with its arguments. */
export function boxCommand({ hasNetwork, hidden, binds }: Box): readonly string[] {
  const { runtimes, temporary } = boxedPaths;
  const visible = systemFolders(hasNetwork);
  const folders = [...visible, ...binds.map(([path]) => path)];
  const isBelow = hidden !== undefined && folders.some((path) => hidden.startsWith(`${path}/`));
  return [
    'bwrap',
    '--unshare-all',
    ...(hasNetwork ? ['--share-net'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL', // without a new session, because the launcher kills a process group
    '--uid',
    nobody,
    '--gid',
    nobody,
    '--hostname',
    'script',
    ...visible.flatMap((path) => ['--ro-bind-try', path, path]),
    ...[[runtimeFolder, runtimes], ...binds].flatMap((paths) => ['--ro-bind', ...paths]),
    ...(isBelow ? ['--tmpfs', hidden, '--remount-ro', hidden] : []),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--remount-ro',
    '/dev',
    '--size',
    String(fileBytes),
    '--tmpfs',
    temporary,
    '--chdir',
    temporary,
    '--remount-ro',
    '/', // so the only writable folder is the one with a size limit
  ];
}
