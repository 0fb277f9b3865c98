import { anonymousBodyBytes } from '../../values/bounds.ts';
import {
  ApiError,
  detailError,
  methodNotAllowed,
  notFound,
  parentNotFound,
  pathNotFound,
  serverBusy,
} from '../../values/errors/errors.ts';
import { ownerOfData } from '../../values/keys/data-ids.ts';
import { type Body, parseBody } from '../http/body/body.ts';
import { isFollowedLink, queryValue, type Request } from '../http/message.ts';
import { allowedMethods } from '../resource/introspection.ts';
import { existingMatch } from '../routing/existing-match.ts';
import {
  type Context,
  type Method,
  methods,
  type Operation,
  type Route,
} from '../routing/route.ts';
import type { Match } from '../routing/router.ts';
import { type Caller, identify, identifyLink, keyRing } from './caller/authentication.ts';
import { sizeError } from './caller/body-size.ts';
import { createContext } from './context.ts';
import type {
  Allowed,
  Arrived,
  Authenticated,
  Formed,
  LoadedExchange,
  Matched,
  Settled,
} from './exchange.ts';
import { type LoadedRecords, loadExchange, loadedRecord } from './load.ts';
import { checkActive, checkOperation, checkReading, checkRights, rightOf } from './rights.ts';
import { knownParametersIn } from './unknown-names.ts';

/*
 * The checks of a request, each a step of the lists in ./index.ts: it reads the results of the steps before it, returns
 * its own, and throws the ApiError of its line in docs/reference/requests.md#order-of-checks.
 */

type Adds<After extends Before, Before> = Omit<After, keyof Before>;

type Found = Adds<Matched, Arrived>;

/** Finds the route of the path. */
export function matchPath(exchange: Arrived): Found | Promise<Found> {
  const match = exchange.router(exchange.request.path);
  const isFound = match !== undefined && !(match instanceof Promise);
  return isFound && match.route.exists === undefined
    ? toMatched(exchange, match)
    : matchLoaded(exchange, match);
}

/** Waits until the code of the route is loaded, if there is a route, and it is known whether its path exists. */
async function matchLoaded(
  exchange: Arrived,
  loading: Promise<Match | undefined> | Match | undefined,
): Promise<Found> {
  const match = await existingMatch(exchange.platform, await loading);
  if (match === undefined) throw await unknownPath(exchange);
  return toMatched(exchange, match);
}

function toMatched({ request, platform, caches }: Arrived, match: Match): Found {
  noteRoute(request, match);
  const method = methodOf(request);
  const operation = isMethod(method) ? match.route.operations[method] : undefined;
  return {
    match,
    allow: allowedMethods(match.route),
    operation,
    keys: keyRing(platform, caches),
    body: bodyReader(request, operation),
  };
}

/** Remembers the family and the template of a request's path for its log line. */
function noteRoute({ path, served }: Request, { route, version }: Match): void {
  if (served === undefined) return;
  served.family = route.family;
  served.route = path === '/' ? path : `/${version}${route.paths[version] ?? ''}`;
}

/** Rejects a body over the limit of the path, or over that without a genuine key. */
export function limitSize({ request, bodyBytes, match, keys }: Matched): Promise<void> | undefined {
  const { maxBodyBytes = anonymousBodyBytes } = match.route;
  if (bodyBytes <= Math.min(anonymousBodyBytes, maxBodyBytes)) return undefined;
  return checkSize({ request, bodyBytes, match, keys });
}

async function checkSize(arrived: Parameters<typeof sizeError>[0]): Promise<void> {
  const error = await sizeError(arrived);
  if (error !== undefined) throw error;
}

/** Reads the claims of the credentials; inside a session those of the outer request count. */
export async function authenticate(exchange: Matched): Promise<Adds<Authenticated, Matched>> {
  return { caller: await callerOf(exchange) };
}

function callerOf({ request, match, session, body, keys }: Matched): Promise<Caller> | Caller {
  const { route, params } = match;
  if (params.link !== undefined) return identifyLink(params.link, keys);
  if (route.ignoresCredentials) return {};
  return session?.caller ?? identify(request, body, { keys, instance: params.instance });
}

/** Reads all records that the checks need, in as few steps as possible, and reserves ids. */
export async function loadRecords(
  exchange: Authenticated,
): Promise<Adds<LoadedExchange, Authenticated>> {
  const { request, match, operation, caller, platform, caches, session, count, form } = exchange;
  const { route } = match;
  const loading = {
    rendering: session === undefined ? renderingOf(exchange) : undefined, // not of a batch's item
    match,
    operation: isDescribed(request, route, form) ? readingOf(route) : operation,
    caller,
    platform,
    caches,
    remembered: session?.remembered,
    count,
  };
  const records = await loadExchange(loading);
  noteInstance(exchange, records);
  return { loading, loaded: records };
}

/** Notes the instance of a request, and what its log shows of the request. */
function noteInstance(
  { request, match: { route, params }, operation, platform }: Authenticated,
  { known, wanted, found }: LoadedRecords,
): void {
  const isInside = route.instance !== 'none' && known.instance !== undefined;
  if (!isInside || loadedRecord({ wanted, found }, 'instanceName') === undefined) return;
  const instance = ownerOfData(known.instance);
  request.noteInstance?.(instance);
  const { served, query } = request;
  if (served === undefined || platform.requestLog.offReason !== undefined) return;
  served.facts = {
    instance,
    params,
    parameters: knownParametersIn(query, operation),
    actor: undefined,
  };
}

/**
 * Requires the instance of the path. For a genuine API key this comes before all else, also once the deletion of the
 * instance has deleted the key (docs/reference/requests.md#order-of-checks).
 */
export function requireInstance({ match, loaded, loading }: LoadedExchange): void {
  const { instance } = match.route;
  if (instance === 'none' || loadedRecord(loaded, 'instanceName') !== undefined) return;
  if (instance === 'place') throw parentNotFound('Instance');
  if (loading.caller.apiKey !== undefined) throw notFound();
}

/** Determines the form of the response: a rendered one replaces other forms, and errors are then JSON. */
export function negotiate({
  request,
  match,
  loading,
  form,
  session,
}: LoadedExchange): FormOfResponse {
  const { route } = match;
  if (loading.rendering !== undefined) return { form: 'json', isDescription: isOptions(request) };
  if (form instanceof ApiError && !isOwnForm(route, request)) throw form;
  return { form, isDescription: session === undefined && isDescribed(request, route, form) };
}

type FormOfResponse = Pick<Formed, 'form' | 'isDescription'>;

/** Rejects a query whose bytes are no text, except for a script, which gets it with U+FFFD. */
export function requireText({ request: { brokenParameter }, allowed }: Allowed): void {
  if (brokenParameter === undefined || allowed === undefined || allowed.runsCode) return;
  const what = `the value of ${JSON.stringify(brokenParameter)}`;
  throw detailError(400, `Query parse error - ${what} is not valid utf-8`, 'malformed_request');
}

/** Rejects a body that was read for its key and cannot be parsed. */
export function checkBodyOfKey({ caller }: Formed): void {
  if (caller.bodyFault !== undefined) throw caller.bodyFault;
}

/** Checks that the records still agree with the credentials, and creates the context. */
export function settleCaller(exchange: Formed): Adds<Settled, Formed> {
  const { request, routes, loading, loaded, body, sessionOf, renewed } = exchange;
  const openSession = () => sessionOf(exchange);
  const renew = () => renewed(exchange);
  const parts = { request, routes, load: loading, loaded, body, openSession, renew };
  const context = createContext(parts);
  const { facts } = request.served ?? {};
  if (facts !== undefined) facts.actor = context.actor;
  return { context };
}

/** Hides the route from callers who must not see that it exists: an instance from callers outside it. */
export function hideInstance({ context }: Settled): void {
  context.route.hide?.(context);
}

/** Closes a suspended instance, except to its owner, who may read and export. */
export function requireActive({ operation, context, isDescription }: Settled): void {
  checkActive(context, operation, isDescription);
}

/** Requires the right to the operation; for a description, the right to read. */
export function requireRight({ request, operation, context, isDescription }: Settled): void {
  if (isDescription) checkReading(context);
  else checkRights(context, [rightOf(context.route, methodOf(request), operation)]);
}

/** Limits the rate of requests in an instance, and counts the allowed ones; rejected ones do not count. */
export function limitRate({ throttle, platform, context }: Settled): void {
  const { route, instanceId } = context;
  if (route.instance === 'none' || instanceId === undefined) return;
  throttle(instanceId);
  const { session, user } = context;
  if (!route.isBatch) platform.meter.countRequest(instanceId);
  if (session !== undefined) platform.meter.noteSession(session, user?.data.guestUntil);
}

/** Requires the method. */
export function requireMethod(exchange: Settled): Adds<Allowed, Settled> {
  const { request, operation, isDescription } = exchange;
  if (isDescription) return { allowed: undefined };
  if (operation === undefined) throw methodNotAllowed(request.method);
  return { allowed: operation };
}

/** Checks the operation's own rules, and rejects one that may write while a restore replaces the contents. */
export function authorize({ allowed, context }: Allowed): void {
  if (allowed === undefined) return;
  checkOperation(context, allowed);
  if (isClosedTo(context, allowed)) throw serverBusy(restoreSeconds);
}

const restoreSeconds = 5;

/** Checks whether a restore is replacing the contents of the instance, and the operation may write. */
function isClosedTo({ route, instanceName }: Context, { right }: Operation): boolean {
  if (route.instance !== 'place' || instanceName?.data.isClosed !== true) return false;
  return right !== 'G' && right !== 'L';
}

/** Returns the 404 of an unknown path. The most common mistake in a path has a code of its own. */
async function unknownPath({ request, router, platform }: Arrived): Promise<ApiError> {
  const other = await existingMatch(platform, await router(`${request.path}/`));
  return pathNotFound(other === undefined ? 'path_unknown' : 'no_trailing_slash');
}

/** Checks whether the response is the description of the route. */
function isDescribed(request: Request, { operations }: Route, form: Arrived['form']): boolean {
  if (isOptions(request)) return true;
  if (request.method !== 'GET' || form !== 'html') return false;
  const { runsCode, waits } = operations.GET ?? {};
  return waits === true || (runsCode === true && isFollowedLink(request));
}

function isOptions({ method }: Request): boolean {
  return method === 'OPTIONS';
}

/** Returns the method. HEAD is served as GET without body. */
function methodOf({ method }: Request): string {
  return method === 'HEAD' ? 'GET' : method;
}

function isMethod(method: string): method is Method {
  return (methods as readonly string[]).includes(method);
}

/** Returns the load of what a response in an instance is rendered with. */
function renderingOf({ request, match, renderer }: Matched) {
  return match.route.instance === 'place' ? renderer.wanted(request) : undefined;
}

/** Checks whether the request's `format`, or else its `Accept`, is one of the route's own. */
function isOwnForm({ formats }: Route, { query, headers }: Request): boolean {
  const form = queryValue(query, 'format') ?? headers.accept;
  return form !== undefined && formats?.includes(form) === true;
}

/** Returns the operation that a description loads records for: GET, which reserves no id here. */
function readingOf({ operations: { GET } }: Route): Operation | undefined {
  if (GET?.counter === undefined) return GET;
  const { counter: _, ...others } = GET;
  return others;
}

/**
 * Returns the parser of a request's body, which parses it once. Third parties choose the bytes of a script's arguments:
 * those that are no text become U+FFFD there, and are an error for all other operations.
 */
export function bodyReader(
  request: Request,
  operation: Operation | undefined,
): () => Promise<Body> {
  let body: Promise<Body> | undefined;
  return () => {
    body ??= parseBody(request, operation?.runsCode);
    return body;
  };
}
