/** What is known of the Lambda function that runs a script. Where there is none, the function is on its way. */
export interface ScriptFunctionData {
  readonly instance: number;
  readonly script: number;
  /** The script's version that it holds; 0: none yet. */
  readonly version: number;
  /** What its package and its settings were made from beside the script; changes with a release of ours. */
  readonly release: string;
  readonly state: 'waiting' | 'ready' | 'failed';
  /** Name of what went wrong when it was made or changed last. */
  readonly error?: string;
  /** Epoch milliseconds when a run last asked for it. */
  readonly askedAt?: number;
}

/** That functions are compared with scripts each day. */
export type ScriptSweepData = Readonly<Record<string, never>>;

/** That a place for a run is taken. */
export type RunPlaceData = Readonly<Record<string, never>>;

/** That a run waits for a place. */
export type RunWaiterData = Readonly<Record<string, never>>;
