import type { Request } from '../../shared/core/http/message.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';

/** Headers of the transport, or with keys: scripts do not see them. */
const hidden = new Set([
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-host',
  'x-original-forwarded-for',
  'x-real-ip',
  'x-scheme',
  'via',
  'host-type',
  'connection',
  'x-api-key',
  'x-user-key',
  'authorization',
  'content-type',
  'content-length',
]);
const ofTheWay = /^(x-amzn-|x-amz-|cloudfront-)/;

/**
 * Returns META.request of a script, which its trace shows as `meta` (docs/reference/scripts.md#meta).
 *
 * @param isReplaced the arguments have U+FFFD where the request has bytes that are no text
 */
export function describeCall(request: Request, isReplaced: boolean): JsonObject {
  const { method, path, headers } = request;
  const shown = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || hidden.has(name) || ofTheWay.test(name)
      ? []
      : [[`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, value] as const],
  );
  return {
    PATH_INFO: path,
    REQUEST_METHOD: method,
    REMOTE_ADDR: addressOf(request),
    ...Object.fromEntries(shown),
    ...(isReplaced && { REPLACED_TEXT: true }),
  };
}

/** Returns the client address of a request, as far as proxies report it. */
function addressOf({ headers, sourceAddress }: Request): string {
  const first = headers['x-forwarded-for']?.split(',')[0]?.trim();
  return first || headers['x-real-ip']?.trim() || sourceAddress;
}
