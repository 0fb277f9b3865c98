import type { ScriptResponse } from '../scripts/rules/script-response.ts';

/** Runs scripts in isolation from each other: in processes of this machine, or in Lambda functions. */
export interface ScriptRunner {
  /**
   * Runs a script once, never twice.
   *
   * @returns the outcome, including failures; rejects only when the platform itself has failed
   */
  run(run: ScriptRun): Promise<ScriptOutcome>;
  /** Resolves when the slots of finished runs are released, which outcomes do not wait for. Never rejects. */
  settled(): Promise<void>;
}

/** Isolation of scripts: a level of the sandbox on one machine, or a Lambda function for each script. */
export type ScriptIsolation = 'bubblewrap' | 'landlock' | 'flags' | 'lambda';

/** Language of a script. */
export type ScriptRuntime = 'node' | 'python';

/** One run of a script. */
export interface ScriptRun {
  /** Ids of the instance and of the script in it. */
  readonly instance: number;
  readonly script: number;
  /** Id of the account that owns the instance: slots are shared between owners. */
  readonly owner: number;
  /** Increases with each change of source or runtime. */
  readonly version: number;
  readonly runtime: ScriptRuntime;
  /** Returns the source; called only if no process has it yet. */
  readonly source: () => Promise<string>;
  /** Values of ARGS, CONFIG and META in the script: JSON values. */
  readonly args: unknown;
  readonly config: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Maximum duration, counted from the start of the run. */
  readonly timeoutMs: number;
  /** Maximum wait for the start; after it the outcome is `queue_timeout`. */
  readonly waitMs: number;
  /** Whether a request waits for the end of the run: such runs start before all others. */
  readonly isAwaited: boolean;
  /** Asked before the start of a run that has waited; false: its outcome is `blocked`. */
  readonly mayStart?: () => Promise<boolean>;
  /**
   * Called when the run waits for a slot or for a process, and when its script is about to run. Without the first
   * notification the script may run at once.
   */
  readonly onProgress?: (progress: 'queued' | 'started') => void;
}

const askAfterMs = 500; // a run that waited for less is not asked for: its instance was read when it began

/**
 * Waits for a slot; checks whether a run that has waited for long may still start. The slot is released if not.
 *
 * @param waitedMs how long the run has waited: for slots, and for what it needed before
 */
export async function enterSlot<Refusal extends string>(
  { mayStart, waitedMs }: Pick<ScriptRun, 'mayStart'> & { readonly waitedMs: () => number },
  enter: () => Promise<(() => void) | Refusal>,
): Promise<(() => void) | Refusal | 'full'> {
  const release = await enter();
  if (typeof release === 'string' || mayStart === undefined) return release;
  if (waitedMs() < askAfterMs) return release;
  try {
    if (await mayStart()) return release;
  } catch (error) {
    release();
    throw error;
  }
  release();
  return 'full'; // as where no run may wait any more: the outcome is `blocked`
}

/** Outcome of a run; `blocked`: not started, the queue was full; `queue_timeout`: not started in time. */
export type ScriptOutcome =
  | EndedRun
  | { readonly status: 'blocked' }
  | { readonly status: 'queue_timeout' };

/** Run that has started and ended. */
export interface EndedRun {
  readonly status: 'success' | 'failure' | 'timeout';
  /** Start of the execution, in milliseconds since 1970. */
  readonly executedAtMs: number;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** Without trailing newlines. */
  readonly stdout: string;
  readonly stderr: string;
  /** The custom response; absent without one, and always when the run is not a success. */
  readonly response?: ScriptResponse;
  /** Whether the script could not be run for a reason that is the server's. It is logged. */
  readonly isServerError?: true;
}
