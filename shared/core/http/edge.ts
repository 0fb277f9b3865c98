import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Clock, Ids, Log } from '../../platform/ports.ts';
import { isErrorCode } from '../../values/errors/error-codes.ts';
import { serverError, serverTimeout, tooLarge } from '../../values/errors/errors.ts';
import { isPreflight, preflightResponse } from './cors.ts';
import { toRequest } from './event.ts';
import type { Dispatch } from './message.ts';
import { isTooLarge, maxEventBytes, type Result, toResult } from './write-response.ts';

/** The parts of the edge: the map as one function, and three of a platform's ports. */
export interface Edge {
  readonly dispatch: Dispatch;
  readonly log: Log;
  readonly ids: Ids;
  readonly clock: Clock;
}

/**
 * A Lambda handler for an HTTP API with payload 2.0. Never rejects.
 *
 * @param context of the invocation; only with it can a function that runs out of time still send a response
 */
export type Handler = (event: APIGatewayProxyEventV2, context?: Context) => Promise<Result>;

/** Thrown shortly before the platform would kill the function. */
class OutOfTime extends Error {}

const timing = {
  timeoutEarlyInMillis: 500,
  timeoutEarlyResponse: () => {
    throw new OutOfTime('no answer in time');
  },
};

/**
 * Creates the handler that serves `dispatch` behind a gateway (docs/reference/requests.md#cors,
 * docs/reference/responses.md#headers). It responds to preflights itself, rejects requests over the platform's size,
 * turns unexpected errors into a 500 with a fixed text, sets `X-Request-Id` on every response and logs one line per
 * request, without query, keys and bodies.
 *
 * @example export const handler = toHandler({ dispatch: createDispatch(api, platform), ...platform });
 */
export function toHandler({ dispatch, log, ids, clock }: Edge): Handler {
  const serve = middy<APIGatewayProxyEventV2, Result>(timing)
    .before(({ event }) => answerAtOnce(event))
    .onError(async (failed) => {
      failed.response = await answerFault(failed.event, failed.error, log);
    })
    .handler(async (event: APIGatewayProxyEventV2) =>
      toResult(event, await dispatch(toRequest(event))),
    );
  return async (event, context) => {
    const started = clock.micros();
    event.requestContext.requestId ||= ids.random();
    // Without a context there is no time limit: the local server passes none.
    const result = await serve(event, context ?? ({} as Context));
    const outcome = { status: result.statusCode, code: result.headers['x-error-code'] };
    logRequest(log, event, outcome, clock.micros() - started);
    return result;
  };
}

/** Responds to requests that need neither routing nor credentials; undefined for all others. */
function answerAtOnce(event: APIGatewayProxyEventV2): Promise<Result> | undefined {
  if (isPreflight(event)) return toResult(event, preflightResponse);
  if (isTooLarge(event)) return toResult(event, tooLarge(maxEventBytes));
  return undefined;
}

function answerFault(event: APIGatewayProxyEventV2, error: unknown, log: Log): Promise<Result> {
  const { requestId } = event.requestContext;
  log({ level: 'error', message: 'request failed', requestId, error: describeFault(error) });
  return toResult(event, error instanceof OutOfTime ? serverTimeout() : serverError());
}

/** Describes where and why an error happened, without the values that it may carry. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${typeof error}`;
  const cause = error.cause === undefined ? '' : `\ncaused by ${describeFault(error.cause)}`;
  return `${error.stack ?? error.name}${cause}`;
}

/** The part of a log line that describes the response. */
interface RequestOutcome {
  readonly status: number;
  /** The code of the response header; absent without error. */
  readonly code?: string | undefined;
}

/** Logs the line of one request, without keys and device tokens in its path. */
export function logRequest(
  log: Log,
  { requestContext: { http, requestId }, rawPath }: APIGatewayProxyEventV2,
  { status, code }: RequestOutcome,
  micros: number,
): void {
  log({
    level: 'info',
    message: 'request',
    requestId,
    method: http.method,
    path: loggedPath(rawPath),
    status,
    ...(isErrorCode(code) && { code }), // a script may set the header to anything
    durationMs: Math.round(micros) / 1000,
  });
}

function loggedPath(path: string): string {
  if (path.length < 40) return path;
  return path
    .replace(/(\/push_notifications\/[^/]+\/devices\/)[^/]+/, '$1(token)')
    .replace(/[0-9a-f]{40,}/gi, '(key)');
}
