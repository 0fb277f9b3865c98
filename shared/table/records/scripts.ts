import type { Json, JsonObject } from '../../values/json/json.ts';
import type { Keyed, NamedPositionData } from './records.ts';

/* Data of items for scripts, their endpoints and their runs. */

/** A script, without its source: read by each of its runs. */
export interface ScriptData {
  readonly id: number;
  /** As sent, possibly an alias. */
  readonly runtime_name: string;
  readonly label: string;
  readonly description: string;
  /** Including the keys that are settings of the run. */
  readonly config: JsonObject;
  readonly created_at: string;
  readonly updated_at: string;
  /** From 1; incremented by each change of source or runtime. */
  readonly version: number;
}

/** The source of a script. */
export interface ScriptSourceData {
  /** The script's version that has this source. */
  readonly version: number;
  /** The whole source, or, where `file` has it, the part that lists show. */
  readonly text: string;
  /** Key of the file with the whole source. */
  readonly file?: string;
}

/** A name under which a script is run over HTTP. Its public link is derived from its list position. */
export interface ScriptEndpointData extends Keyed {
  readonly name: string;
  /** List position, in order of creation. */
  readonly row: number;
  readonly description: string;
  /** Id of its script: the endpoint is deleted with it. */
  readonly script: number;
  /** Whether its public link is open. */
  readonly public: boolean;
  /** Whether runs get the exact bytes of the body. */
  readonly raw?: true;
}

/** A script endpoint's entry in the list: a request by public link need not read the endpoint first. */
export interface ScriptEndpointPositionData extends NamedPositionData {
  /** Id of its script, as in the endpoint itself. */
  readonly script: number;
}

/** The kinds of parents of traces: they run scripts. */
export const traceKinds = ['script', 'endpoint', 'trigger', 'schedule'] as const;
export type TraceKind = (typeof traceKinds)[number];

/** State of a run, or how it ended (docs/reference/scripts.md#traces). */
export type TraceStatus =
  | 'pending'
  | 'processing'
  | 'success'
  | 'failure'
  | 'timeout'
  | 'blocked'
  | 'queue_timeout';

/** A run of a script. It expires after a day. */
export interface TraceData {
  readonly id: number;
  readonly status: TraceStatus;
  /** Epoch milliseconds. */
  readonly createdMs: number;
  /** Start of the execution; null while it is pending. */
  readonly executed_at: string | null;
  /** Milliseconds; null until the run has ended, and when unknown. */
  readonly duration: number | null;
  readonly result: TracePart;
  /** The payload of a direct run; for an endpoint the arguments, by `GET` and `POST`. */
  readonly args: TracePart;
  /** META.request of an endpoint's script. */
  readonly meta?: JsonObject;
  /** Id of the request that started the run; absent: no request did. */
  readonly requestId?: string;
  /** Scripts between the client and this run, including itself. */
  readonly depth: number;
  /** Data that a run starts with, in addition to its arguments; absent for a direct run, which is of its parent. */
  readonly run?: PlannedRun;
  /** Whether the trace has not all arguments: the run was blocked or had a raw body, or the quota was exceeded. */
  readonly lacksArguments?: true;
}

/** Script of a run, and what else depends on the kind of run. */
export interface PlannedRun {
  readonly script: number;
  /** Keys of META that depend on the kind of run, such as `executed_by`; for an endpoint without `request`. */
  readonly meta: JsonObject;
  /** Place in the queue in which it waits; absent: it waits for no other run. */
  readonly queue?: QueuePosition;
  /** Number of the attempt, from 1; absent: a failure is not followed by another attempt. */
  readonly attempt?: number;
}

/** Place of a run in a queue whose runs start one after the end of another, in the order of their positions. */
export type QueuePosition = {
  readonly queue: string;
  readonly position: string;
};

/** A run in a queue, until it has ended. */
export interface RunQueueData {
  readonly kind: TraceKind;
  readonly parent: number;
  readonly trace: number;
}

/** A value of a trace; a large one is in a file, which expires by itself. */
export type TracePart =
  | { readonly value: Json }
  /** `length`: characters of its JSON text. */
  | { readonly file: string; readonly length: number };
