import { defineFields, readOnlyField } from '../core/resource/field.ts';
import { linkPath, linksOf } from '../core/resource/links.ts';
import type { LoadsOf } from '../core/resource/loads/loads.ts';
import type { Context, Route } from '../core/routing/route.ts';
import type { TraceData, TraceKind } from '../table/records/scripts.ts';
import { type Access, allRights } from '../values/access.ts';
import type { JsonObject } from '../values/json/json.ts';

/** List of traces of one kind. */
export interface TraceList<Loaded extends object> {
  /** Name of what was run: `Script`. */
  readonly name: string;
  /** The same in plain English, with its article: `a script`. */
  readonly noun: string;
  /** The list of traces below the version, by version. */
  readonly paths: Route['paths'];
  /** Path parameter with the id of a trace. */
  readonly item: 'id' | 'member';
  readonly kind: TraceKind;
  /** Records that `parent` needs. */
  readonly loads: LoadsOf<Loaded>;
  /** Returns the id or list position of what was run. Throws ApiError 404. */
  readonly parent: (context: Context<Loaded>) => number;
  /** Whether a trace shows the inputs of its script. */
  readonly showsCall: boolean;
}

/** Links of a trace. */
export const traceLinks = [{ name: 'self', type: 'detail', to: '' }] as const;

/** Rights to traces, and to runs that repeat theirs. */
export const traceAccess: Access = {
  owner: allRights,
  full: allRights,
  write: allRights,
  read: 'LG',
};

/** Fields of a run in responses, without its inputs (docs/reference/scripts.md#traces). */
export const traceFields = defineFields({
  id: readOnlyField('integer'),
  status: readOnlyField('string'),
  executed_at: readOnlyField('datetime', { nullable: true }),
  duration: readOnlyField('integer', { nullable: true }),
  result: readOnlyField('field', { shows: 'object' }),
  request_id: { ...readOnlyField('string', { nullable: true }), isOptional: true as const },
  meta: { ...readOnlyField('field'), isOptional: true as const },
  args: { ...readOnlyField('field'), isOptional: true as const },
});

/** Formats a trace without a result yet, with its links. */
export function showPending(context: Context, paths: Route['paths'], data: TraceData): JsonObject {
  const { id, status, executed_at, duration } = data;
  const self = `${linkPath(context, paths)}${id}/`;
  const shown = { id, status, executed_at, duration, result: {} };
  return { ...shown, links: linksOf(context, traceLinks, self, data) };
}
