/** Maximum heap of a Node script in megabytes, above which the process ends. Buffers are not counted. */
export const maxHeapMegabytes = 160;

/** Maximum resident memory of all processes of a run together, in bytes. */
export const maxResidentBytes = 320 * 1024 * 1024;

/** Maximum threads of all processes of a run together. */
export const maxThreads = 1000;

/** Paths that a Node process may read and write; a folder includes its content. */
export interface ProcessAccess {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** True when it may use the network. Versions of Node before 26 cannot deny it. */
  readonly hasNetwork: boolean;
}

/** Returns the flags of this version of Node that deny files, processes, workers and addons. */
export function permissionFlags(
  knownFlags: ReadonlySet<string>,
  { readable, writable, hasNetwork }: ProcessAccess,
): readonly string[] {
  return [
    knownFlags.has('--permission') ? '--permission' : '--experimental-permission',
    '--disable-warning=ExperimentalWarning',
    `--max-old-space-size=${maxHeapMegabytes}`,
    ...[...readable, ...writable].map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...(hasNetwork && knownFlags.has('--allow-net') ? ['--allow-net'] : []),
  ];
}

/** Returns the complete environment of a script, without variables of the host. */
export function scriptVariables(temporary: string): Readonly<Record<string, string>> {
  return {
    HOME: temporary,
    LANG: 'en_US.UTF-8',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    PWD: temporary,
    TMPDIR: temporary,
    TZ: 'UTC',
  };
}
