import { commonHeaders } from '../../../core/http/write-response.ts';
import type { Ids, Log } from '../../../ports/ports.ts';
import { codeOf } from '../../../values/caught.ts';
import type { ErrorCode } from '../../../values/errors/error-codes.ts';

interface ErrorResponse {
  readonly status: string;
  readonly detail: string;
  readonly code: ErrorCode;
}

interface Services {
  readonly ids: Ids;
  readonly log: Log;
}

/**
 * Returns the complete response to bytes that are no HTTP request, and logs it. It has the form of all error responses.
 *
 * @param error from the HTTP parser; it carries the bytes of an unknown method
 */
export function brokenRequestResponse(error: Error, services: Services): string {
  return write(responseTo(error), services);
}

/** Returns the complete response to `CONNECT`, and logs it: this server is no proxy. */
export function rejectTunnel(services: Services): string {
  return write(methodError('CONNECT'), services);
}

function write({ status, detail, code }: ErrorResponse, { ids, log }: Services): string {
  const requestId = ids.random();
  log({ level: 'info', message: 'unreadable request', requestId, code });
  const body = JSON.stringify({ detail });
  return [
    `HTTP/1.1 ${status}`,
    `x-request-id: ${requestId}`,
    `x-error-code: ${code}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`),
    'access-control-allow-origin: *', // the origin may not have been read yet
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

function responseTo(error: Error): ErrorResponse {
  switch (codeOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: '431 Request Header Fields Too Large',
        detail: headersTooLarge,
        code: 'headers_too_large',
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: '408 Request Timeout', detail: arrivedTooSlowly, code: 'request_timeout' };
    case 'HPE_INVALID_METHOD': {
      const method = unknownMethod(error);
      if (method === undefined) break;
      return methodError(method);
    }
  }
  return { status: '400 Bad Request', detail: malformedRequest, code: 'malformed_request' };
}

function methodError(method: string): ErrorResponse {
  return {
    status: '405 Method Not Allowed',
    detail: `Method "${method}" not allowed.`,
    code: 'method_not_allowed',
  };
}

/** Message of 431: the request line and headers exceed the limit of the gateway. */
export const headersTooLarge = 'Request headers are too large.';

/** Message of 408. */
export const arrivedTooSlowly = 'Request took too long to arrive.';

/** Message of 400: not HTTP, or an address that cannot be decoded. */
export const malformedRequest = 'Malformed request.';

function unknownMethod(error: Error): string | undefined {
  if (!('rawPacket' in error && error.rawPacket instanceof Buffer)) return undefined;
  const start = error.rawPacket.toString('latin1', 0, 8192);
  return /^([A-Za-z-]{1,32}) \S+ HTTP\/1\.[01]\r\n/.exec(start)?.[1];
}
