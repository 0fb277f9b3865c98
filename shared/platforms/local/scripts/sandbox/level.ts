import type { FoundPython } from '../commands/find-python.ts';

/** Isolation of scripts in addition to Node's permission flags, the strongest first. */
export type Level = 'bubblewrap' | 'landlock' | 'flags';

/** Isolation of scripts on this machine, which is determined once at the start. */
export type Isolation = Common & (Landlock | { readonly level: Exclude<Level, 'landlock'> });

/** Properties that all levels share. */
export interface Common {
  /** Command prefix of each runner, which sets a lower priority and limits. */
  readonly prefix: readonly string[];
  /** True when scripts have access to the network of this machine. */
  readonly hasNetwork: boolean;
  /** The data folder, if any, which scripts cannot read. */
  readonly hidden?: string | undefined;
  /** True when the server is root: each program starts as root, and becomes another user before it runs a script. */
  readonly isRoot?: boolean;
  /** Protections that the user of this server does not get, at levels other than bubblewrap. */
  readonly gaps?: readonly string[];
  /** Why no script may run; absent when scripts run. */
  readonly obstacle?: string;
}

interface Landlock {
  readonly level: 'landlock';
  /** The python3 that applies the rules and then executes the runner. */
  readonly wrapper: FoundPython;
  /** Guarantees that do not hold on this kernel, such as `signals`. */
  readonly open: readonly string[];
}
