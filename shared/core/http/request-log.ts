import type { Log } from '../../platform/ports.ts';
import { isErrorCode } from '../../values/errors/error-codes.ts';
import type { Request } from './message.ts';
import type { Match } from './router.ts';

/** Matches of requests, from when their paths have been matched: their responses may never come. */
const matches = new WeakMap<Request, Match>();

/** Remembers the route of a request for its log line. */
export function noteRoute(request: Request, match: Match): void {
  matches.set(request, match);
}

/** The part of a log line that describes the response. */
interface RequestOutcome {
  readonly status: number;
  /** The code of the response header; absent without error. */
  readonly code?: string | undefined;
}

/** Logs the line of one request, with the template of its path, and without query, keys and device tokens. */
export function logRequest(
  log: Log,
  request: Request,
  { status, code }: RequestOutcome,
  micros: number,
): void {
  const { id, method, path } = request;
  log({
    level: 'info',
    message: 'request',
    requestId: id,
    method,
    path: loggedPath(path),
    ...routeOf(request),
    status,
    ...(isErrorCode(code) && { code }), // a script may set the header to anything
    durationMs: Math.round(micros) / 1000,
  });
}

function routeOf(request: Request): { readonly family?: string; readonly route?: string } {
  const match = matches.get(request);
  if (match === undefined) return {};
  const { route, version } = match;
  const template = request.path === '/' ? '/' : `/${version}${route.paths[version] ?? ''}`;
  return { ...(route.family !== undefined && { family: route.family }), route: template };
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
    error: describeFault(error),
  });
}

function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${typeof error}`;
  const cause = error.cause === undefined ? '' : `\ncaused by ${describeFault(error.cause)}`;
  return `${error.stack ?? error.name}${cause}`;
}
