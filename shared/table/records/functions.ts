import type { RunQueueData } from './scripts.ts';

/** State of the Lambda function that runs a script. The function may not exist yet; its creation is then pending. */
export interface ScriptFunctionData {
  readonly instance: number;
  readonly script: number;
  /** The script's version that it runs; 0: none yet. */
  readonly version: number;
  /** Everything except the script that its package and settings were made from; changes with a release of ours. */
  readonly release: string;
  readonly state: 'waiting' | 'ready' | 'failed';
  /** Name of the error when it was last created or changed. */
  readonly error?: string;
  /** Epoch milliseconds when a run last requested it. */
  readonly askedAt?: number;
}

/** Id of a deployment, from which the names of its script functions are derived. */
export interface DeploymentIdData {
  readonly id: string;
  /** Name of the table that the id was made for: a restored copy gets another one. */
  readonly table: string;
}

/** Mark that functions are compared with scripts each day. */
export type ScriptSweepData = Readonly<Record<string, never>>;

/** A slot that a run has taken. */
export type RunSlotData = {
  /** Sort key of the entry with which the run waits until it has ended; absent: it has none. */
  readonly waiter?: string;
};

/** A run that waits for a slot. */
export type RunWaiterData = {
  /** A run that the next free slot starts; absent: a process waits with the run. */
  readonly run?: RunQueueData;
};
