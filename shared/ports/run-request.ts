import type { ScriptResponse } from '../scripts/rules/script-response.ts';
import type { ScriptData, TraceKind, TraceStatus } from '../table/records/scripts.ts';
import type { Json, JsonObject } from '../values/json/json.ts';

/** Maximum bytes of a body that a run accepts (docs/reference/scripts.md#direct-runs). */
export const maxPayloadBytes = 524_288;

/** Reference to the trace of a run. */
export type RunReference = {
  readonly instance: number;
  readonly kind: TraceKind;
  /** Id of the script, trigger or schedule, or list position of the endpoint, that has the trace. */
  readonly parent: number;
  readonly trace: number;
};

/** Run to make, with all its inputs: plain data, which can be passed to another process. */
export interface RunRequest extends RunReference {
  /** Name of the instance in META. */
  readonly instanceName: string;
  /** Id of the account that owns the instance. */
  readonly owner: number;
  readonly script: ScriptData;
  /** Configuration of the instance; that of the script takes precedence. */
  readonly config: JsonObject;
  readonly args: Json;
  /** Keys of META that depend on the kind of run, such as `executed_by` and `executor`. */
  readonly meta: JsonObject;
  /** `args` and `meta` of the trace; absent: the arguments, and no `meta`. */
  readonly shown?: ShownInputs;
  /** Id of the request that waits for the run. */
  readonly requestId?: string;
  /** Number of scripts between the client and this run, including this run: 1 if a client runs it. */
  readonly depth: number;
  /** Whether a request waits for the end. */
  readonly isAwaited: boolean;
}

/** Inputs of a run, as its trace shows them. */
export interface ShownInputs {
  readonly args: Json;
  readonly meta: JsonObject;
  /** Whether `args` has not all arguments, so that the run cannot be repeated. */
  readonly lacksArguments?: true;
}

/** Finished run, as its trace shows it. */
export interface FinishedTrace {
  readonly id: number;
  readonly status: Exclude<TraceStatus, 'pending' | 'processing'>;
  readonly executed_at: string;
  /** Milliseconds; null when it did not start. */
  readonly duration: number | null;
  readonly result: TraceResult;
  /** Custom response, sent instead of the trace; only after a success. */
  readonly response?: ScriptResponse;
  /** Whether the failure is the server's, and not the script's. Is not stored. */
  readonly isServerError?: true;
}

/** Output of a run; empty when it was blocked. */
export type TraceResult =
  | Record<string, never>
  | {
      readonly stdout: string;
      readonly stderr: string;
      /** The custom response; `headers` only if it has any. */
      readonly response?: JsonObject;
    };
