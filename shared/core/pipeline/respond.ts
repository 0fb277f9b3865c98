import type { Response } from '../http/message.ts';
import { introspect } from '../resource/introspection.ts';
import type { Context, Operation } from '../resource/route.ts';
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
  const response = await runChecked(exchange, allowed);
  return { response: withIgnored(response, await unknownNames(context, allowed)) };
}

async function runChecked(exchange: Allowed, operation: Operation): Promise<Response> {
  const { context, loading } = exchange;
  try {
    if (isStrict(context.request)) await checkNames(context, operation);
    const isRendered = loading.rendering !== undefined;
    return await (isRendered ? runRendered(context, operation) : operation.run(context));
  } catch (error) {
    return errorResponse(error, exchange);
  }
}

async function runRendered(context: Context, operation: Operation): Promise<Response> {
  checkRendering(context);
  return renderResponse(context, operation, await operation.run(context));
}
