import type { Platform } from '../../platform/ports.ts';
import { anonymousBodyBytes } from '../../values/bounds.ts';
import { causeOf } from '../../values/cause.ts';
import {
  ApiError,
  methodNotAllowed,
  parentNotFound,
  pathNotFound,
  serverError,
} from '../../values/errors/errors.ts';
import { parseBody } from '../http/body/body.ts';
import { sizeError } from '../http/body/body-size.ts';
import { isFollowedLink, queryValue, type Request, type Response } from '../http/message.ts';
import { negotiate, type Representation } from '../http/negotiation.ts';
import { type Match, type Router, rememberPaths } from '../http/router.ts';
import type { Body } from '../resource/input.ts';
import {
  type Context,
  type Method,
  methods,
  type Opened,
  type Operation,
  type Route,
  type Session,
} from '../resource/route.ts';
import { type Caller, identify, identifyLink, type KeyRing } from './authentication.ts';
import { createContext } from './context.ts';
import { type Found, type LoadRequest, load, recordsToShare } from './load.ts';
import { checkTemplate, renderAnswer, wantedTemplate } from './response-templates.ts';
import { checkInstance, checkRights, describe, rightOf } from './rights.ts';
import { openSession, type SessionCall } from './session.ts';
import type { Throttle } from './throttle.ts';
import { checkNames, isStrict, unknownNames, withIgnored } from './unknown-names.ts';

/** A call and what serving it needs. */
export interface Call {
  readonly request: Request;
  /** As it was sent; inside another call it is that one's affair. */
  readonly bodyBytes: number;
  /** By `performance.now()`. */
  readonly startedMs: number;
  readonly routes: readonly Route[];
  readonly router: Router;
  /** The `Allow` header of each route. */
  readonly allow: ReadonlyMap<Route, string>;
  readonly platform: Platform;
  readonly caches: LoadRequest['caches'];
  readonly throttle: Throttle;
  /** Of a call inside another one. */
  readonly session?: SessionCall;
}

/** What is known of the answer before there is one; errors use it too. */
export interface Outcome {
  /** Or why there is none that suits the client, said when its turn in the order of checks has come. */
  form: Representation | ApiError;
  allow: string | undefined;
  /** Once it is settled who calls. */
  context: Context | undefined;
}

/**
 * Serves one call that came by itself, in the order of checks (docs/reference/requests.md#order-of-checks).
 *
 * @throws ApiError when it is refused
 */
export async function serve(call: Call, outcome: Outcome): Promise<Response> {
  const { context, operation, isTemplated } = await prepare(call, outcome, 1);
  if (isDescribed(call.request, context.route, outcome)) {
    const description = describe(context);
    admit(call, context);
    return { status: 200, body: description };
  }
  checkRights(context, [rightOf(context.route, methodOf(call.request), operation)]);
  const allowed = letThrough(call, context, operation);
  return runNaming(call, context, allowed, () =>
    isTemplated ? runTemplated(context, allowed) : allowed.run(context),
  );
}

/**
 * Runs an operation that the caller was let through to. Its response, or its error response, names what of the request
 * the path does not know; a strict request is refused for it. Never rejects.
 */
async function runNaming(
  call: Call,
  context: Context,
  operation: Operation,
  run: () => Promise<Response>,
): Promise<Response> {
  let response: Response;
  try {
    if (isStrict(context.request)) await checkNames(context, operation);
    response = await run();
  } catch (error) {
    response = refusal(error, call);
  }
  return withIgnored(response, await unknownNames(context, operation));
}

/**
 * Lets calls of a session through that differ in their bodies only: what they are judged by is read once, and the
 * numbers that they need are taken at once, in their order. Never rejects.
 */
async function open(call: Call, requests: readonly Request[]): Promise<readonly Opened[]> {
  const outcome: Outcome = { form: formOf(call.request), allow: undefined, context: undefined };
  try {
    const { context, operation } = await prepare(call, outcome, requests.length);
    checkRights(context, [rightOf(context.route, methodOf(call.request), operation)]);
    const first = context.reserved;
    return requests.map((request, at) => {
      const reserved = first === undefined ? undefined : first + at;
      const own = { ...context, request, reserved, body: bodyReader(request) };
      return openOne({ ...call, request }, own, operation);
    });
  } catch (error) {
    const response = refusal(error, call);
    return requests.map(() => ({ context: undefined, run: () => Promise.resolve(response) }));
  }
}

function openOne(call: Call, context: Context, operation: Operation | undefined): Opened {
  try {
    const allowed = letThrough(call, context, operation);
    return {
      context,
      run: () => runNaming(call, context, allowed, () => allowed.run(context)),
    };
  } catch (error) {
    const response = refusal(error, call);
    return { context: undefined, run: () => Promise.resolve(response) };
  }
}

interface Prepared {
  readonly context: Context;
  readonly operation: Operation | undefined;
  /** Whether the answer is to be rendered with a template. */
  readonly isTemplated: boolean;
}

/**
 * Reads what a call needs and settles who calls.
 *
 * @param count calls that it is for
 */
async function prepare(call: Call, outcome: Outcome, count: number): Promise<Prepared> {
  const { request, bodyBytes, routes, router, platform, caches, session } = call;
  const match = router(request.path);
  if (match === undefined) throw unknownPath(request.path, router);
  const { route } = match;
  outcome.allow = call.allow.get(route);
  const keys = { secrets: platform.secrets, clock: platform.clock, known: caches.keys };
  if (bodyBytes > Math.min(anonymousBodyBytes, route.maxBodyBytes ?? anonymousBodyBytes)) {
    const error = await sizeError({ request, bodyBytes, match, keys });
    if (error !== undefined) throw error;
  }
  const body = bodyReader(request);
  const caller = await callerOf(call, match, { body, keys });
  const method = methodOf(request);
  const operation = isMethod(method) ? route.operations[method] : undefined;
  const reading = isDescribed(request, route, outcome) ? readingOf(route) : operation;
  const loading: LoadRequest = {
    template: templateName(call, route),
    match,
    operation: reading,
    caller,
    platform,
    caches,
    remembered: session?.remembered,
    count,
  };
  const loaded = await load(loading);
  if (route.instance === 'place' && loaded.records.instanceName === undefined) {
    throw parentNotFound('Instance');
  }
  settleForm(outcome, loading, request);
  if (caller.bodyFault !== undefined) throw caller.bodyFault;
  const context = createContext({
    request,
    routes,
    load: loading,
    loaded,
    body,
    openSession: () => sessionIn(call, caller, recordsToShare(loaded.found)),
  });
  outcome.context = context;
  checkInstance(context);
  return { context, operation, isTemplated: loading.template !== undefined };
}

/** The most common mistake in a path has a code of its own. */
function unknownPath(path: string, router: Router): ApiError {
  return pathNotFound(router(`${path}/`) === undefined ? 'path_unknown' : 'no_trailing_slash');
}

/** Tells whether a request wants to know what the place is, and nothing done. */
function isDescribed(request: Request, { operations }: Route, { form }: Outcome): boolean {
  if (request.method === 'OPTIONS') return true;
  const runs = request.method === 'GET' && operations.GET?.runsCode === true;
  return runs && form === 'html' && isFollowedLink(request);
}

/** HEAD is served as the GET whose body is left out. */
function methodOf({ method }: Request): string {
  return method === 'HEAD' ? 'GET' : method;
}

/**
 * Counts a call whose caller has the right to it, and asks its operation.
 *
 * @throws ApiError 429, 405, or what the operation says
 */
function letThrough(call: Call, context: Context, operation: Operation | undefined): Operation {
  admit(call, context);
  if (operation === undefined) throw methodNotAllowed(call.request.method);
  operation.authorize?.(context);
  return operation;
}

/** Name of the template that a call inside an instance wants its answer to be rendered with; items of a batch do not. */
function templateName({ request, session }: Call, { instance }: Route): string | undefined {
  return instance === 'place' && session === undefined ? wantedTemplate(request) : undefined;
}

async function runTemplated(context: Context, operation: Operation): Promise<Response> {
  checkTemplate(context);
  return renderAnswer(context, operation, await operation.run(context));
}

/**
 * Counts a call that its caller may make, in the instance that its path names.
 *
 * @throws ApiError 429 when there were too many; those do not count as used
 */
function admit({ throttle, platform }: Call, { route, instanceId }: Context): void {
  if (route.instance === 'none' || instanceId === undefined) return;
  throttle(instanceId);
  if (!route.countsAsItems) platform.meter.countRequest(instanceId);
}

/** A template stands in place of other forms, and refusals beside it are JSON. */
function settleForm(outcome: Outcome, { template, match }: LoadRequest, request: Request): void {
  if (template !== undefined) outcome.form = 'json';
  else if (outcome.form instanceof ApiError && !isOwnFormat(match.route, request)) {
    throw outcome.form;
  }
}

/** Some routes know a form of their answer that no other has. */
function isOwnFormat({ formats }: Route, { query }: Request): boolean {
  const format = queryValue(query, 'format');
  return format !== undefined && formats?.includes(format) === true;
}

function sessionIn(call: Call, caller: Caller, remembered: Map<string, Found>): Session {
  const router = rememberPaths(call.router);
  return openSession({
    caller,
    remembered,
    platform: call.platform,
    router,
    startedMs: call.startedMs,
    open: (requests, first, session) =>
      open(
        { ...call, request: first, bodyBytes: 0, router, platform: session.platform, session },
        requests,
      ),
  });
}

/** To describe is to read; no number is spent on it. */
function readingOf({ operations: { GET } }: Route): Operation | undefined {
  if (GET?.counter === undefined) return GET;
  const { counter: _, ...others } = GET;
  return others;
}

function callerOf(
  call: Call,
  { route, params }: Match,
  { body, keys }: { readonly body: () => Promise<Body>; readonly keys: KeyRing },
): Promise<Caller> | Caller {
  const { request, session } = call;
  if (params.link !== undefined) return identifyLink(params.link, keys);
  if (route.ignoresCredentials) return {};
  return session?.caller ?? identify(request, body, keys);
}

function bodyReader(request: Request): () => Promise<Body> {
  let body: Promise<Body> | undefined;
  return () => {
    body ??= parseBody(request);
    return body;
  };
}

function isMethod(method: string): method is Method {
  return (methods as readonly string[]).includes(method);
}

/** The answer to a call that was refused, or that failed: then with 500, and the error is logged. */
export function refusal(error: unknown, { request, platform }: Call): Response {
  if (error instanceof ApiError) return errorResponse(error);
  const cause = causeOf(error);
  platform.log({ level: 'error', message: 'a call failed', requestId: request.id, cause });
  return errorResponse(serverError());
}

function errorResponse({ status, headers, body }: ApiError): Response {
  return { status, headers, body };
}

/** The form of the answer that a call asks for, or why there is none. */
export function formOf({ headers, query }: Request): Outcome['form'] {
  try {
    return negotiate(headers.accept, queryValue(query, 'format'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error;
  }
}
