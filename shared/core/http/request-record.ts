import type { CallerKind, RequestRecord } from '../../ports/request-log.ts';
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
    caller: actor && kindOf(actor),
    callerId: actor && idOf(actor),
  };
}

function shownIds(params: RequestFacts['params']): string {
  let ids = '';
  for (const name of shownParameters) {
    const value = params[name];
    if (value !== undefined) ids += `${ids === '' ? '' : ','}${name}=${shownId(value)}`;
  }
  return ids;
}

function shownId(value: string | number): string | number {
  return typeof value === 'string' && value.length > 31 && longHex.test(value) ? 'hidden' : value;
}

function sizeOf(bytes: Uint8Array | string | undefined): number {
  return typeof bytes === 'string' ? Buffer.byteLength(bytes) : (bytes?.byteLength ?? 0);
}

function kindOf(actor: Actor): CallerKind {
  if (actor.kind === 'anonymous') return 'anonymous';
  if (actor.kind === 'admin') return actor.depth === undefined ? 'account' : 'script';
  return actor.user === undefined ? 'api_key' : 'user';
}

function idOf(actor: Actor): number | undefined {
  if (actor.kind === 'anonymous') return undefined;
  return actor.kind === 'admin' ? actor.account : (actor.user?.id ?? actor.key);
}
