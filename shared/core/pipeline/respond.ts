import type { Response } from '../http/message.ts';
import { introspect } from '../resource/introspection.ts';
import type { Operation } from '../resource/route.ts';
import { errorResponse } from './errors.ts';
import type { Allowed, Responded } from './exchange.ts';
import { checkRendering, renderResponse } from './response-templates.ts';
import { checkNames, isStrict, unknownNames, withIgnored } from './unknown-names.ts';

/**
 * Runs the operation of an allowed request, or describes the route. The response, or the error response of the
 * operation, lists names of the request that the path does not know; a strict request fails for them. Never rejects.
 */
export async function respond(exchange: Allowed): Promise<Pick<Responded, 'response'>> {
  const { allowed, context } = exchange;
  if (allowed === undefined) return { response: { status: 200, body: introspect(context) } };
  return { response: await complete(exchange, allowed, runChecked(exchange, allowed)) };
}

/**
 * Responds to requests that differ only in their bodies, each as {@link respond} does; together where their operation
 * can. Never rejects.
 */
export function respondAll(exchanges: readonly Allowed[]): readonly Promise<Response>[] {
  const [first] = exchanges;
  const operation = first?.allowed;
  if (first === undefined || operation?.runAll === undefined || isStrict(first.request)) {
    return exchanges.map(async (exchange) => (await respond(exchange)).response);
  }
  const running = operation.runAll(exchanges.map(({ context }) => context));
  // one response for each, by the contract of `runAll`
  return exchanges.map((each, at) => complete(each, operation, running[at] as Promise<Response>));
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

async function runChecked({ context, loading }: Allowed, operation: Operation): Promise<Response> {
  if (isStrict(context.request)) await checkNames(context, operation);
  if (loading.rendering === undefined) return operation.run(context);
  checkRendering(context);
  return renderResponse(context, operation, await operation.run(context));
}
