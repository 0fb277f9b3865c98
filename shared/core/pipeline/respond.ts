import type { Request, Response } from '../http/message.ts';
import { introspect } from '../resource/introspection.ts';
import type { Operation, RequestPart, RunGroup } from '../routing/route.ts';
import { errorResponse } from './errors.ts';
import type { Allowed, Responded } from './exchange.ts';
import {
  checkNames,
  isStrict,
  unknownNames,
  unknownNamesOf,
  withIgnored,
} from './unknown-names.ts';

/**
 * Runs the operation of an allowed request, or describes the route. The response, or the error response of the
 * operation, lists names of the request that the path does not know; a strict request fails for them. Never rejects.
 */
export async function respond(exchange: Allowed): Promise<Pick<Responded, 'response'>> {
  const { allowed, context } = exchange;
  const response =
    allowed === undefined
      ? { status: 200, body: introspect(context) }
      : await complete(exchange, allowed, runChecked(exchange, allowed));
  const isSuspended = context.instanceName?.data.isSuspended === true;
  return { response: isSuspended ? markSuspended(response) : response };
}

/** Marks a response to the owner of a suspended instance, whose requests that only read succeed. */
function markSuspended(response: Response): Response {
  return { ...response, headers: { ...response.headers, 'X-Suspended': '1' } };
}

/** A request of a group, whose body is a value already. */
export interface GroupedRequest extends RequestPart {
  readonly request: Request;
}

/**
 * Responds to requests that differ only in their bodies, each as {@link respond} does, but together. Never rejects.
 *
 * @param exchange of the group
 * @returns undefined when they cannot be run together
 */
export function respondAll(
  { allowed, context, platform }: Allowed,
  all: readonly GroupedRequest[],
  together: RunGroup,
): readonly Promise<Response>[] | undefined {
  if (allowed === undefined || isStrict(context.request)) return undefined;
  if (all.some(({ reserved }) => Number.isNaN(reserved))) return undefined; // each has its own error
  const namesOf = unknownNamesOf(context, allowed);
  return together(context, all).map((running, at) => {
    // one response for each, by the contract of `RunGroup`
    const { request, body } = all[at] as GroupedRequest;
    return running.then(
      (response) => withIgnored(response, namesOf(body)),
      (error: unknown) => withIgnored(errorResponse(error, { request, platform }), namesOf(body)),
    );
  });
}

/** Completes the response of an operation, or its error response. */
async function complete(
  exchange: Allowed,
  operation: Operation,
  running: Promise<Response>,
): Promise<Response> {
  let response: Response;
  try {
    response = await running;
  } catch (error) {
    response = errorResponse(error, exchange);
  }
  return withIgnored(response, await unknownNames(exchange.context, operation));
}

async function runChecked(
  { context, loading, renderer }: Allowed,
  operation: Operation,
): Promise<Response> {
  if (isStrict(context.request)) await checkNames(context, operation);
  if (loading.rendering === undefined) return operation.run(context);
  renderer.check(context);
  return renderer.render(context, operation, await operation.run(context));
}
