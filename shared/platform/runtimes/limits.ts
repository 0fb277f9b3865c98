/** Megabytes of heap of a Node script, beyond which the process ends. Buffers are not counted. */
export const maxHeapMegabytes = 160;

/** Most resident memory of all processes of a run together, in bytes. */
export const maxResidentBytes = 320 * 1024 * 1024;

/** Paths that a Node process may read and write; a folder includes its content. */
export interface Reach {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Whether it may use the network; Node before 26 cannot deny it. */
  readonly hasNetwork: boolean;
}

/** Returns flags that close files, processes, workers and addons, by the version of Node that runs. */
export function permissionFlags(
  knownFlags: ReadonlySet<string>,
  { readable, writable, hasNetwork }: Reach,
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

/** Returns the whole environment of a script: without variables of the host. */
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
