import { useState } from 'preact/hooks';
import type { ShownRecord } from '../../shared/core/resource/shown.ts';
import type { traceFields } from '../../shared/scripts/trace-list.ts';
import type { RequestPath } from '../../shared/values/text/request-path.ts';
import { send } from './api.ts';
import { type Loading, useLoad } from './load.ts';
import { type LocationQuery, setQuery } from './router.ts';

/** A run of a script, as lists of traces show it. */
export type TraceEntry = ShownRecord<
  Omit<typeof traceFields, 'result' | 'args'>,
  { readonly links: { readonly self: string } }
>;

/** A run of a script; output and response are there when it has ended. */
export type Trace = TraceEntry & {
  readonly result: {
    readonly stdout?: string;
    readonly stderr?: string;
    readonly response?: TraceResponse;
  };
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: TraceCause;
};

/** What started a run. */
export interface TraceCause {
  /** Absent: it is a run of an endpoint, and the other members are those of the request. */
  readonly executed_by?: string;
  /** Of triggers. */
  readonly event?: { readonly class: string };
  readonly signal?: string;
  readonly changes?: readonly string[] | null;
}

/** The response that a script has set. */
export interface TraceResponse {
  readonly status: number;
  readonly content_type: string;
  readonly content: string;
  /** The content is bytes that are no text. */
  readonly encoding?: 'base64';
  /** A list has several cookies. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Members of a trace that are read: also its request and its input, which only those see who ask for them. */
const fields = 'id,status,executed_at,duration,result,args,meta,request_id,links';
const firstPauseMs = 150;
const longestPauseMs = 2_000;

let wanted: string | undefined; // a run that was just chosen or started

/** Shows a run, in the query of the place, with other changes of it; its view takes the focus. */
export function showRun(id: number, changes: LocationQuery = {}): void {
  wanted = String(id);
  setQuery({ ...changes, run: wanted });
}

/** Checks, once for each `showRun`, whether the view of a run takes the focus. */
export function takesFocus(id: string): boolean {
  const isWanted = id === wanted;
  wanted = undefined;
  return isWanted;
}

/** Checks whether a run has ended. */
export function isEnded({ status }: Pick<TraceEntry, 'status'>): boolean {
  return status !== 'pending' && status !== 'processing';
}

/** Reads a trace, again and again until its run has ended. */
export function useTrace(path: RequestPath): Loading<Trace> {
  const [latest, setLatest] = useState<Trace>();
  const ended = useLoad<Trace>((signal) => follow(path, signal, setLatest), [path]);
  const isOfPath = latest?.links.self.endsWith(path);
  return { ...ended, data: ended.data ?? (isOfPath === true ? latest : undefined) };
}

async function follow(
  path: RequestPath,
  signal: AbortSignal,
  show: (trace: Trace) => void,
): Promise<Trace> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const isQuiet = pauseMs > firstPauseMs;
    const trace = await send<Trace>({ method: 'GET', path, query: { fields }, signal, isQuiet });
    if (isEnded(trace)) return trace;
    show(trace);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
