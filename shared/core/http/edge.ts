import type { Clock, Log } from '../../ports/ports.ts';
import { ApiError, serverError, serverTimeout, tooLarge } from '../../values/errors/errors.ts';
import { compressResponse } from './compression.ts';
import { addCorsHeaders, respondToPreflight } from './cors.ts';
import { isRequestTooLarge, maxEventBytes } from './event-size.ts';
import { isolateForeign } from './foreign-content.ts';
import type { Dispatch, Request, Response } from './message.ts';
import { logFault, logRequest } from './request-log.ts';
import { requestRecord } from './request-record.ts';
import { addHeaders, limitResponseSize, serialize, withoutBody } from './write-response.ts';

/**
 * A step of the edge: what happens to every request before it is dispatched, and to every response before it is sent.
 * Platforms run the same steps: the local server calls them, on AWS they are middlewares.
 */
export interface EdgeStep {
  readonly name: string;
  /**
   * Returns the response to a request that is not dispatched; undefined for all others.
   *
   * @throws ApiError the error response in its place
   */
  readonly before?: (request: Request) => Response | undefined;
  /**
   * Completes any response.
   *
   * @param startedMicros when the request arrived
   * @throws ApiError the error response in its place, completed in turn
   */
  readonly after?: (
    request: Request,
    response: Response,
    startedMicros: number,
  ) => Response | Promise<Response>;
  /** Returns the response to a request that failed. */
  readonly onError?: (request: Request, error: unknown) => Response;
}

/** The parts of a platform that steps use. */
export interface EdgePorts {
  readonly log: Log;
  readonly clock: Clock;
}

/** Thrown shortly before the platform ends a request that takes too long. */
export class OutOfTime extends Error {}

/**
 * THE STEPS of the edge, the outermost first (docs/reference/requests.md#cors, docs/reference/responses.md#headers):
 * requests pass them in this order, responses in reverse. Bodies are parsed later, when the caller is known.
 */
export function edgeSteps({ log, clock }: EdgePorts): readonly EdgeStep[] {
  return [
    {
      name: 'log',
      after: (request, response, startedMicros) => {
        const outcome = { status: response.status, code: response.headers?.['x-error-code'] };
        const atMicros = clock.micros();
        const record = requestRecord(request, response, { atMicros, startedMicros });
        logRequest(log, request, outcome, atMicros - startedMicros, record);
        return response;
      },
    },
    { name: 'HEAD', after: withoutBody },
    { name: 'response size', after: (_, response) => limitResponseSize(response) },
    { name: 'compression', after: compressResponse },
    { name: 'CORS', before: respondToPreflight, after: addCorsHeaders },
    { name: 'headers', after: addHeaders },
    { name: 'JSON', after: serialize },
    { name: 'foreign content', after: isolateForeign },
    { name: 'request size', before: limitRequest },
    { name: 'errors', onError: (request, error) => toResponse(log, request, error) },
  ];
}

function limitRequest(request: Request): undefined {
  if (isRequestTooLarge(request)) throw tooLarge(maxEventBytes);
}

/** Returns the response of an error: its own, or a 500 with a fixed text, which is logged. */
function toResponse(log: Log, request: Request, error: unknown): Response {
  if (error instanceof ApiError) return error;
  logFault(log, request, error);
  return error instanceof OutOfTime ? serverTimeout() : serverError();
}

/**
 * Creates the function that serves requests through the steps, without a gateway. Its responses are complete: `headers`
 * has all headers, and `content` the bytes that are sent, if any. Never rejects.
 *
 * @example const serve = createServe({ dispatch: createDispatch(routes, platform), ...platform });
 */
export function createServe(
  { dispatch, ...ports }: EdgePorts & { readonly dispatch: Dispatch },
  steps: readonly EdgeStep[] = edgeSteps(ports),
): Dispatch {
  return async (request) => {
    const startedMicros = ports.clock.micros();
    try {
      const response = respondAtOnce(steps, request) ?? (await dispatch(request));
      return await complete(steps, { request, startedMicros }, { response });
    } catch (error) {
      return complete(steps, { request, startedMicros }, { error });
    }
  };
}

function respondAtOnce(steps: readonly EdgeStep[], request: Request): Response | undefined {
  for (const { before } of steps) {
    const response = before?.(request);
    if (response !== undefined) return response;
  }
  return undefined;
}

/** A request, and when it arrived. */
export interface EdgeRequest {
  readonly request: Request;
  readonly startedMicros: number;
}

/** Completes a response, or that of an error. */
export async function complete(
  steps: readonly EdgeStep[],
  { request, startedMicros }: EdgeRequest,
  { response: given, error }: { readonly response?: Response; readonly error?: unknown },
): Promise<Response> {
  let response = given;
  for (let at = steps.length - 1; at >= 0; at -= 1) {
    const { onError, after } = steps[at] ?? {};
    response ??= onError?.(request, error);
    if (response === undefined || after === undefined) continue;
    const made = after(request, response, startedMicros);
    response = made instanceof Promise ? await made : made;
  }
  if (response === undefined) throw error;
  return response;
}
