import type { Platform } from '../../platform/ports.ts';
import { causeOf } from '../../values/caught.ts';
import { ApiError, serverError } from '../../values/errors/errors.ts';
import { queryValue, type Request, type Response } from '../http/message.ts';
import { negotiate } from '../http/negotiation.ts';
import type { Arrived } from './exchange.ts';

/** The parts of a failed request that its error response needs. */
interface Failed {
  readonly request: Request;
  readonly platform: Pick<Platform, 'log'>;
}

/** Returns the response to a failed request: an error that is not an ApiError is logged, and its status is 500. */
export function errorResponse(error: unknown, failed: Failed): Response {
  logFailure(error, failed);
  return responseOf(error instanceof ApiError ? error : serverError());
}

/** Logs the cause of a failed request; an ApiError is a response, and not logged. */
export function logFailure(error: unknown, { request, platform }: Failed): void {
  if (error instanceof ApiError) return;
  const cause = causeOf(error);
  platform.log({ level: 'error', message: 'request failed', requestId: request.id, cause });
}

function responseOf({ status, headers, body }: ApiError): Response {
  return { status, headers, body };
}

/** Returns the representation that a request asks for, or an error when none suits it. */
export function formOf({ headers, query }: Request): Arrived['form'] {
  try {
    return negotiate(headers.accept, queryValue(query, 'format'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error;
  }
}
