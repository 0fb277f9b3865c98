import type { Json, JsonObject } from '../../values/json/json.ts';
import type { Keyed, NamedRowData } from './records.ts';

/*
 * What the items of scripts, of their endpoints and of their runs hold.
 */

/** A script, without its source: read by each of its runs. */
export interface ScriptData {
  readonly id: number;
  /** As it was sent, an alias too. */
  readonly runtime_name: string;
  readonly label: string;
  readonly description: string;
  /** With the keys that are settings of the run. */
  readonly config: JsonObject;
  readonly created_at: string;
  readonly updated_at: string;
  /** From 1; grows with each change of source or runtime. */
  readonly version: number;
}

/** The source of a script. */
export interface ScriptSourceData {
  /** The script's version that it belongs to. */
  readonly version: number;
  /** The whole source, or as much of it as lists show where `file` holds it whole. */
  readonly text: string;
  /** Key of the file that holds the whole source. */
  readonly file?: string;
}

/** A name under which a script is run over HTTP. Its public link is derived from its row. */
export interface ScriptEndpointData extends Keyed {
  readonly name: string;
  /** Place in the list of all, in the order of creation. */
  readonly row: number;
  readonly description: string;
  /** Id of its script: with it the endpoint goes. */
  readonly script: number;
  /** Whether its public link is open. */
  readonly public: boolean;
}

/** What a script endpoint's place in the list says: who comes by a public link need not ask the endpoint first. */
export interface ScriptEndpointRowData extends NamedRowData {
  /** Id of its script, as the endpoint itself has it. */
  readonly script: number;
}

/** What runs scripts, and so has traces. */
export const traceKinds = ['script', 'endpoint'] as const;
/** One of them. */
export type TraceKind = (typeof traceKinds)[number];

/** How far a run has come, or how it has ended (docs/reference/scripts.md#traces). */
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
  /** Milliseconds; null until the run has ended, and when nobody knows. */
  readonly duration: number | null;
  readonly result: TracePart;
  /** The payload of a direct run; of an endpoint what it was called with, by `GET` and `POST`. */
  readonly args: TracePart;
  /** What an endpoint's script saw as META.request. */
  readonly meta?: JsonObject;
  /** How many scripts stand between a client and this run, itself counted. */
  readonly depth: number;
}

/** A value of a trace; a large one lies in a file, which expires by itself. */
export type TracePart =
  | { readonly value: Json }
  /** `length`: characters of its JSON text. */
  | { readonly file: string; readonly length: number };
