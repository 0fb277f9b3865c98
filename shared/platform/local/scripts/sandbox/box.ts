import { runtimeFolder, systemFolders } from './system-files.ts';

/** Paths inside a box. */
export const boxedPaths = { node: '/node', runtimes: '/runtimes', temporary: '/tmp' } as const;

/** Most bytes of one file, and of all files in a box. */
export const fileBytes = 128 * 1024 * 1024;

const nobody = '65534';

/** Properties of a box. */
export interface Box {
  readonly hasNetwork: boolean;
  /** The data folder, if there is one: hidden, wherever it is. */
  readonly hidden?: string | undefined;
  /** Paths that are visible in addition to system libraries and the runtimes: here and in the box. */
  readonly binds: readonly (readonly [string, string])[];
}

/** Returns the bubblewrap command that creates a box; append the program to run in it, with its arguments. */
export function boxCommand({ hasNetwork, hidden, binds }: Box): readonly string[] {
  const { runtimes, temporary } = boxedPaths;
  const seen = systemFolders(hasNetwork);
  const folders = [...seen, ...binds.map(([path]) => path)];
  const isBelow = hidden !== undefined && folders.some((path) => hidden.startsWith(`${path}/`));
  return [
    'bwrap',
    '--unshare-all',
    ...(hasNetwork ? ['--share-net'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL', // no session of its own: the launcher ends a process group
    '--uid',
    nobody,
    '--gid',
    nobody,
    '--hostname',
    'script',
    ...seen.flatMap((path) => ['--ro-bind-try', path, path]),
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
    '/', // the only writable folder has a limit
  ];
}
