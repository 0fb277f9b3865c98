import * as v from 'valibot';
import { requestMessage } from '../../../core/http/request-log.ts';
import { callerKinds, type RequestFilter, type RequestRecord } from '../../../ports/request-log.ts';

const lineSchema = v.object({
  timestamp: v.pipe(v.string(), v.isoTimestamp()),
  message: v.literal(requestMessage),
  instance: v.number(),
  requestId: v.string(),
  method: v.string(),
  route: v.string(),
  status: v.number(),
  durationMs: v.number(),
  requestBytes: v.number(),
  ids: v.optional(v.string(), ''),
  parameters: v.optional(v.string(), ''),
  responseBytes: v.optional(v.number()),
  caller: v.optional(v.picklist(callerKinds)),
  callerId: v.optional(v.number()),
});

/** Reads the record of a line; undefined for a line that has none. */
export function readLine(line: string): RequestRecord | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), lineSchema), line);
  if (!parsed.success) return undefined;
  const {
    timestamp,
    message: _,
    durationMs,
    responseBytes,
    caller,
    callerId,
    ...others
  } = parsed.output;
  const atMicros = Date.parse(timestamp) * 1000;
  return {
    ...others,
    atMicros,
    durationMicros: Math.round(durationMs * 1000),
    responseBytes,
    caller,
    callerId,
  };
}

/**
 * Returns the pattern by which CloudWatch selects lines. The filter is applied again to each record; so the template of a
 * path, whose braces are a part of the language of patterns, is not in it.
 */
export function linePattern(instance: number, filter: RequestFilter): string {
  const { statusClass, errorsOnly, methods, requestId } = filter;
  const least = Math.max((statusClass ?? 0) * 100, errorsOnly ? 400 : 0);
  const conditions = [
    `$.message = "${requestMessage}"`,
    `$.instance = ${instance}`,
    ...(least > 0 ? [`$.status >= ${least}`] : []),
    ...(methods ? [methods.map((method) => `$.method = "${method}"`).join(' || ')] : []),
    ...(requestId === undefined ? [] : [`$.requestId = "${requestId}"`]),
  ];
  return `{ ${conditions.map((condition) => `(${condition})`).join(' && ')} }`;
}
