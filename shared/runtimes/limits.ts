/** Megabytes of heap of a Node script: beyond, the process ends. Buffers are outside of it. */
export const maxHeapMegabytes = 160;

/** Most memory of a process that runs scripts, where nothing else limits it. */
export const maxResidentBytes = 320 * 1024 * 1024;

/** Flags that close files, processes, workers and addons, by the version of Node that is to run. */
export function permissionFlags(
  knownFlags: ReadonlySet<string>,
  { readable, writable }: { readonly readable: string; readonly writable: string },
): readonly string[] {
  return [
    knownFlags.has('--permission') ? '--permission' : '--experimental-permission',
    '--disable-warning=ExperimentalWarning',
    `--max-old-space-size=${maxHeapMegabytes}`,
    `--allow-fs-read=${readable}`,
    `--allow-fs-read=${writable}`,
    `--allow-fs-write=${writable}`,
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
