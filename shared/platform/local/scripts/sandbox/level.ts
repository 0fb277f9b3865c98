import type { FoundPython } from '../commands/find-python.ts';

/** Isolation of scripts in addition to Node's permission flags, the best first. */
export type Level = 'bubblewrap' | 'landlock' | 'flags';

/** Isolation of scripts on this machine, determined once at the start. */
export type Isolation = Common & (Landlock | { readonly level: Exclude<Level, 'landlock'> });

/** Properties that all levels share. */
export interface Common {
  /** Programs with their arguments that start each runner: lower priority, limits. */
  readonly prefix: readonly string[];
  /** Whether scripts have access to the network of this machine. */
  readonly hasNetwork: boolean;
  /** The data folder, if there is one: scripts cannot read it. */
  readonly hidden?: string | undefined;
}

interface Landlock {
  readonly level: 'landlock';
  /** The python3 that applies the rules, then becomes the runner. */
  readonly wrapper: FoundPython;
  /** Guarantees that this kernel does not keep, such as `signals`. */
  readonly open: readonly string[];
}
