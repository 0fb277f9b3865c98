/** Megabytes of heap of a Node script: beyond, the process ends. Buffers are outside of it. */
export const maxHeapMegabytes = 160;

/** Most resident memory of all processes of a run together. */
export const maxResidentBytes = 320 * 1024 * 1024;

/** What a process of Node may read, and write: paths, of folders with all that is in them. */
export interface Reach {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Whether it may use the network; Node before 26 cannot refuse. */
  readonly hasNetwork: boolean;
}

/** Flags that close files, processes, workers and addons, by the version of Node that is to run. */
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

/** The whole environment of a script: nothing of the host's. */
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
