import type { ScriptData, TraceKind, TraceStatus } from '../store/records/scripts.ts';
import type { Json, JsonObject } from '../values/json/json.ts';
import type { ScriptResponse } from './rules/script-result.ts';

/** Bytes of a body that a run takes (docs/reference/scripts.md#direct-runs). */
export const maxPayloadBytes = 524_288;

/** A trace that stands for a run. */
export type RunReference = {
  readonly instance: number;
  readonly kind: TraceKind;
  /** Id of the script, or row of the endpoint, that has the trace. */
  readonly parent: number;
  readonly trace: number;
};

/** A run that is to be made, with all that it needs: plain data, which can be handed to another process. */
export interface RunRequest extends RunReference {
  /** The instance's name, as META shows it. */
  readonly instanceName: string;
  /** Id of the account that owns the instance. */
  readonly owner: number;
  readonly script: ScriptData;
  /** Configuration of the instance; that of the script is laid over it. */
  readonly config: JsonObject;
  readonly args: Json;
  /** Who runs it: the keys of META that depend on the kind of run, `executed_by` and `executor` among them. */
  readonly meta: JsonObject;
  /** What the trace keeps as `args` and `meta`; absent: the arguments, and nothing. */
  readonly shown?: { readonly args: Json; readonly meta: JsonObject };
  /** Scripts between the client and this run, itself counted: 1 where a client runs it. */
  readonly depth: number;
}

/** A run that is over, as its trace shows it. */
export interface FinishedTrace {
  readonly id: number;
  readonly status: Exclude<TraceStatus, 'pending' | 'processing'>;
  readonly executed_at: string;
  /** Milliseconds; null when it was not begun. */
  readonly duration: number | null;
  readonly result: TraceResult;
  /** What the script answers with in place of the trace; only after a success. */
  readonly response?: ScriptResponse;
}

/** What a run has put out; empty when it was blocked. */
export type TraceResult =
  | Record<string, never>
  | {
      readonly stdout: string;
      readonly stderr: string;
      /** The custom response; `headers` only where there are some. */
      readonly response?: JsonObject;
    };
