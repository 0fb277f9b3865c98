import type { RequestRecord } from '../../ports/request-log.ts';
import type { Actor } from '../../values/access.ts';
import type { Request, RequestFacts, Response } from './message.ts';

/** Parameters of paths that name resources. Public links, and tokens of devices, are credentials or like them. */
const shownParameters = ['class', 'endpoint', 'template', 'channel', 'id', 'member'];
/** Keys have more digits; a key in place of a name by mistake is not shown. */
const longHex = /[0-9a-f]{32}/i;

/**
 * Makes the record of a request for the log of its instance.
 *
 * @returns undefined for a request in no instance, or one that was rejected before its instance was known
 */
export function requestRecord(
  { id, method, body, served }: Request,
  { status, content, stream }: Response,
  { atMicros, startedMicros }: Readonly<Record<'atMicros' | 'startedMicros', number>>,
): RequestRecord | undefined {
  if (served?.facts === undefined || served.route === undefined) return undefined;
  const { instance, params, parameters, actor } = served.facts;
  return {
    atMicros,
    instance,
    requestId: id,
    method,
    route: served.route,
    ids: shownIds(params),
    parameters,
    status,
    durationMicros: Math.round(atMicros - startedMicros),
    requestBytes: body.kind === 'bytes' ? body.bytes.byteLength : 0,
    responseBytes: stream === undefined ? sizeOf(content?.bytes) : undefined,
    caller: actor && callerOf(actor),
  };
}

function shownIds(params: RequestFacts['params']): Readonly<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const name of shownParameters) {
    const value = params[name];
    if (value !== undefined) ids[name] = shownId(value);
  }
  return ids;
}

function shownId(value: string | number): string {
  return typeof value === 'string' && longHex.test(value) ? 'hidden' : String(value);
}

function sizeOf(bytes: Uint8Array | string | undefined): number {
  return typeof bytes === 'string' ? Buffer.byteLength(bytes) : (bytes?.byteLength ?? 0);
}

function callerOf(actor: Actor): RequestRecord['caller'] {
  switch (actor.kind) {
    case 'anonymous':
      return { kind: 'anonymous', id: undefined };
    case 'admin':
      return { kind: actor.depth === undefined ? 'account' : 'script', id: actor.account };
    case 'apiKey':
      return actor.user === undefined
        ? { kind: 'api_key', id: actor.key }
        : { kind: 'user', id: actor.user.id };
  }
}
