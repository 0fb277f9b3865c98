import type { Log } from '../../ports/ports.ts';
import type { RequestRecord } from '../../ports/request-log.ts';
import { originOf } from '../../values/caught.ts';
import { isErrorCode } from '../../values/errors/error-codes.ts';
import type { Request } from './message.ts';

/** The part of a log line that describes the response. */
interface RequestOutcome {
  readonly status: number;
  /** The code of the response header; absent without error. */
  readonly code?: string | undefined;
}

/** Message of the line of one request. */
export const requestMessage = 'request';

/** Logs the line of one request, with the template of its path, and without query, keys and device tokens. */
export function logRequest(
  log: Log,
  { id, method, path, served }: Request,
  { status, code }: RequestOutcome,
  micros: number,
  record?: RequestRecord,
): void {
  const { family, route } = served ?? {};
  log(
    {
      level: 'info',
      message: requestMessage,
      requestId: id,
      method,
      path: loggedPath(path),
      family,
      route,
      status,
      ...(isErrorCode(code) && { code }), // a script may set the header to anything
      durationMs: Math.round(micros) / 1000,
    },
    record,
  );
}

function loggedPath(path: string): string {
  if (path.length < 40) return path;
  return path
    .replace(/(\/push_notifications\/[^/]+\/devices\/)[^/]+/, '$1(token)')
    .replace(/[0-9a-f]{40,}/gi, '(key)');
}

/** Logs an unexpected error: where and why it happened, without the values that it may carry. */
export function logFault(log: Log, { id }: Request, error: unknown): void {
  log({
    level: 'error',
    message: 'request failed',
    requestId: id,
    ...originOf(error),
    error: describeFault(error),
  });
}

function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${typeof error}`;
  const cause = error.cause === undefined ? '' : `\ncaused by ${describeFault(error.cause)}`;
  return `${error.stack ?? error.name}${cause}`;
}
