import type { ScriptResponse } from './rules/script-result.ts';

/** Runs scripts, each apart from all others: in processes of this machine, or in Lambda functions. */
export interface ScriptRunner {
  /**
   * Runs a script once, never twice.
   *
   * @returns what became of it, whatever that is; rejects only when the platform itself has failed
   */
  run(run: ScriptRun): Promise<ScriptOutcome>;
  /** Resolves when the places of runs that are over are given back, which no outcome waits for. Never rejects. */
  settled(): Promise<void>;
}

/** Languages that scripts are written in. */
export type ScriptRuntime = 'node' | 'python';

/** One run of a script. */
export interface ScriptRun {
  /** Ids of the instance and of the script in it. */
  readonly instance: number;
  readonly script: number;
  /** Id of the account that owns the instance: slots are shared between owners. */
  readonly owner: number;
  /** Grows with each change of source or runtime. */
  readonly version: number;
  readonly runtime: ScriptRuntime;
  /** Gives the source; called only where no process has it yet. */
  readonly source: () => Promise<string>;
  /** What the script sees as ARGS, CONFIG and META: JSON values. */
  readonly args: unknown;
  readonly config: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Longest run, counted from its start. */
  readonly timeoutMs: number;
  /** Longest wait for a start; after it the outcome is `queue_timeout`. */
  readonly waitMs: number;
  /** Somebody waits for its end: it begins before those for which nobody does. */
  readonly isAwaited: boolean;
  /**
   * Called when the run waits for a slot or for a process, and when its script is about to run. Without the first call
   * the script may run at once.
   */
  readonly onProgress?: (progress: 'queued' | 'started') => void;
}

/** What became of a run; `blocked`: not begun, too many wait; `queue_timeout`: not begun, it has waited too long. */
export type ScriptOutcome =
  | EndedRun
  | { readonly status: 'blocked' }
  | { readonly status: 'queue_timeout' };

/** A run that has begun, and is over. */
export interface EndedRun {
  readonly status: 'success' | 'failure' | 'timeout';
  /** Start of the execution, in milliseconds since 1970. */
  readonly executedAtMs: number;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** Without the newlines at their ends. */
  readonly stdout: string;
  readonly stderr: string;
  /** The custom response; absent without one, and always when the run is no success. */
  readonly response?: ScriptResponse;
}
