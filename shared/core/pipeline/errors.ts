import type { Platform } from '../../ports/ports.ts';
import { CounterEnded, StoreBusy } from '../../store/store.ts';
import { faultOf } from '../../values/caught.ts';
import {
  ApiError,
  serverBusy,
  serverError,
  throttled,
  tooManyIds,
} from '../../values/errors/errors.ts';
import { queryValue, type Request, type Response } from '../http/message.ts';
import { chooseForm } from '../http/negotiation.ts';
import type { Arrived } from './exchange.ts';

/** The parts of a failed request that its error response needs. */
interface Failed {
  readonly request: Request;
  readonly platform: Pick<Platform, 'log'>;
}

/** Returns the response to a failed request. An error that no response stands for is logged, and is a 500. */
export function errorResponse(error: unknown, { request, platform }: Failed): Response {
  const known = knownError(error, request);
  if (known !== undefined) return responseOf(known);
  const fault = { requestId: request.id, ...faultOf(error) };
  platform.log({ level: 'error', message: 'request failed', ...fault });
  return responseOf(serverError());
}

const retryAfterSeconds = 1;
const reads: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Returns the error response that an error stands for, if any. */
function knownError(error: unknown, { method }: Request): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof CounterEnded) return tooManyIds();
  if (!(error instanceof StoreBusy)) return undefined;
  return reads.includes(method) ? serverBusy(retryAfterSeconds) : throttled(retryAfterSeconds);
}

function responseOf({ status, headers, body }: ApiError): Response {
  return { status, headers, body };
}

/** Returns the representation that a request asks for, or an error when none suits it. */
export function errorForm({ headers, query }: Request): Arrived['form'] {
  try {
    return chooseForm(headers.accept, queryValue(query, 'format'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error;
  }
}
