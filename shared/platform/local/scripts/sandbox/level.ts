import type { FoundPython } from '../commands/find-python.ts';

/** What holds scripts, beside Node's permission flags: the best first. */
export type Level = 'bubblewrap' | 'landlock' | 'flags';

/** What this machine offers to keep scripts apart from it, found out once at the start. */
export type Isolation = Common & (Landlock | { readonly level: Exclude<Level, 'landlock'> });

/** What levels have in common. */
export interface Common {
  /** Programs, with their arguments, that each runner is started through: lower priority, limits. */
  readonly prefix: readonly string[];
  /** Whether scripts reach the network of this machine. */
  readonly hasNetwork: boolean;
  /** The data folder, if there is one: no script reads it. */
  readonly hidden?: string | undefined;
}

interface Landlock {
  readonly level: 'landlock';
  /** The python3 that applies the rules, then becomes the runner. */
  readonly wrapper: FoundPython;
  /** Promises that this kernel does not keep, such as `signals`. */
  readonly open: readonly string[];
}
