import { denialOf, isAllowed, type Right } from '../../values/access.ts';
import { forbidden, instanceSuspended } from '../../values/errors/errors.ts';
import type { JsonObject } from '../../values/json/json.ts';
import { introspect } from '../resource/introspection.ts';
import { requireLoaded } from '../resource/loads/loads.ts';
import type { Context, Operation, Route } from '../routing/route.ts';

/**
 * Closes a suspended instance to all requests but its owner's reads and exports. An API key of it is closed everywhere.
 *
 * @param isDescription whether the response is the description of the route
 * @throws ApiError 403
 */
export function checkActive(
  context: Context,
  operation: Operation | undefined,
  isDescription: boolean,
): void {
  const { instanceName, keyInstance, actor } = context;
  const isSuspended = instanceName?.data.isSuspended ?? keyInstance?.data.isSuspended ?? false;
  if (!isSuspended) return;
  const isOwner = actor.kind === 'admin' && actor.role === 'owner';
  if (!isOwner || !(isDescription || readsOrExports(context, operation))) throw instanceSuspended();
}

/** Checks whether a request only reads, or exports (docs/reference/instances.md#suspended). */
function readsOrExports({ route, request }: Context, operation: Operation | undefined): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return operation?.runsCode !== true;
  if (request.method !== 'POST' || operation === undefined) return false;
  return route.exportsData === true || route.isBatch === true; // items are checked themselves
}

/**
 * Checks the caller's rights. They come before the method: a method that the resource lacks fails like a write when the
 * caller may not write, and as an unknown method when it may (docs/reference/requests.md#order-of-checks).
 *
 * @param rights of which one is enough
 * @throws ApiError 403, or the error of a record of the path that does not exist
 */
export function checkRights(context: Context, rights: readonly Right[]): void {
  const { route, actor } = context;
  if (!rights.some((right) => isAllowed(route.access, actor, right))) {
    throw forbidden(denialOf(route.access, actor, rights));
  }
  requireLoaded(route.lookups, context.loaded);
}

/** Returns the right that a method needs: the operation's own, or without operation that of its kind. */
export function rightOf({ kind }: Route, method: string, operation: Operation | undefined): Right {
  if (operation !== undefined) return operation.right;
  if (method === 'GET') return kind === 'list' ? 'L' : 'G';
  if (kind === 'list') return 'C';
  if (method === 'DELETE') return 'D';
  return kind === 'detail' || method !== 'POST' ? 'U' : 'A';
}

/**
 * Checks the right to a description, which is the right to read.
 *
 * @param context of a request for which the records of a GET were read
 * @throws ApiError as a GET would; the item itself is not looked up
 */
export function checkReading(context: Context): void {
  checkRights(context, readRights(context.route));
  const { GET } = context.route.operations;
  if (GET !== undefined) checkOperation(context, GET);
}

/**
 * Checks the rules of an operation, and that the records exist which it requires.
 *
 * @throws ApiError
 */
export function checkOperation(context: Context, { loads = [], authorize }: Operation): void {
  requireLoaded(loads, context.loaded);
  authorize?.(context);
}

/**
 * Returns the description of a route, the response to OPTIONS.
 *
 * @throws ApiError as `hide` of the route and {@link checkReading} do
 */
export function describeRoute(context: Context): JsonObject {
  context.route.hide?.(context);
  checkReading(context);
  return introspect(context);
}

/** Returns the rights of which one allows the description: those of reading, on an action also the action's. */
function readRights({ kind }: Route): readonly Right[] {
  return kind === 'list' ? ['L'] : kind === 'detail' ? ['G'] : ['G', 'A'];
}
