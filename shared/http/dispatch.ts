import {
  ApiError,
  methodNotAllowed,
  notFound,
  parentNotFound,
  tooLarge,
} from '../domain/errors.ts';
import type { Body } from '../resource/input.ts';
import {
  type Context,
  type Method,
  methods,
  type Operation,
  type Route,
  type Session,
} from '../resource/route.ts';
import { checkTemplate, renderAnswer, wantedTemplate } from '../resource/templates.ts';
import { createHints } from '../services/hints.ts';
import type { Platform } from '../services/ports.ts';
import { createThrottle, type Throttle } from '../services/throttle.ts';
import { type Caller, identify, identifyLink } from './authentication.ts';
import { parseBody } from './body.ts';
import { createContext } from './context.ts';
import { isolate } from './isolation.ts';
import { type Found, type LoadRequest, load, recordsToShare } from './load.ts';
import { type Dispatch, queryValue, type Request, type Response } from './message.ts';
import { negotiate, type Representation } from './negotiation.ts';
import { applyOverride } from './override.ts';
import { checkInstance, checkRights, describe, rightOf } from './rights.ts';
import { createRouter, type Match, type Router, rememberPaths } from './router.ts';
import { openSession, type SessionCall } from './session.ts';

/**
 * Makes the function that answers every call: over HTTP, inside a batch and in tests.
 *
 * @param routes the whole map, or the part of it that this process serves
 */
export function createDispatch(routes: readonly Route[], platform: Platform): Dispatch {
  const router = createRouter(routes);
  const allow = new Map(routes.map((route) => [route, allowedMethods(route)]));
  const hints = createHints(platform.files);
  const throttle = createThrottle(platform.settings.instanceRate, platform.clock);
  return async (sent) => {
    const startedMs = performance.now();
    const request = applyOverride(sent);
    const bodyBytes = sent.body.kind === 'bytes' ? sent.body.bytes.byteLength : 0;
    return answer({
      ...{ request, bodyBytes, startedMs, routes, router, allow, platform, hints, throttle },
    });
  };
}

interface Call {
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
  readonly hints: LoadRequest['hints'];
  readonly throttle: Throttle;
  /** Of a call inside another one. */
  readonly session?: SessionCall;
}

/** Answers a call, whether it came by itself or in a session. */
async function answer(call: Call): Promise<Response> {
  const outcome: Outcome = { form: formOf(call.request), allow: undefined, context: undefined };
  let response: Response;
  try {
    response = await serve(call, outcome);
  } catch (error) {
    response = refusal(error, call);
  }
  if (call.session !== undefined) return response; // data, not a form of it
  const complete = finish(response, outcome);
  return outcome.form === 'html' ? toPage(call, complete, outcome) : complete;
}

/** The methods of a route as its `Allow` header lists them. */
export function allowedMethods({ operations }: Route): string {
  const own = methods.filter((method) => operations[method] !== undefined);
  return [...own, ...(operations.GET === undefined ? [] : ['HEAD']), 'OPTIONS'].join(', ');
}

/** What is known of the answer before there is one; errors use it too. */
interface Outcome {
  /** Or why there is none that suits the client, said when its turn in the order of checks has come. */
  form: Representation | ApiError;
  allow: string | undefined;
  /** Once it is settled who calls. */
  context: Context | undefined;
}

function formOf({ headers, query }: Request): Outcome['form'] {
  try {
    return negotiate(headers.accept, queryValue(query, 'format'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error;
  }
}

function finish(response: Response, { allow }: Outcome): Response {
  const own = allow === undefined ? { Vary: 'Accept' } : { Allow: allow, Vary: 'Accept' };
  const complete = { ...response, headers: { ...own, ...response.headers } };
  return response.content === undefined ? complete : isolate(complete);
}

/** Few calls want a page: what makes one is loaded when the first does. */
async function toPage(call: Call, response: Response, { context }: Outcome): Promise<Response> {
  if (response.body === undefined || response.content !== undefined) return response;
  try {
    const { renderPage } = await import('./page/render.ts');
    return renderPage({ request: call.request, response, context });
  } catch (error) {
    return refusal(error, call);
  }
}

function refusal(error: unknown, { request, platform }: Call): Response {
  if (error instanceof ApiError) {
    return { status: error.status, headers: error.headers, body: error.body };
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  platform.log({ level: 'error', message: 'a call failed', requestId: request.id, cause });
  return { status: 500, body: { detail: 'Internal server error.' } };
}

/** Serves one call; the order of checks is that of the reference (order of checks). */
async function serve(call: Call, outcome: Outcome): Promise<Response> {
  const { request, bodyBytes, routes, router, platform, hints, session } = call;
  const match = router(request.path);
  if (match === undefined) throw notFound();
  const { route } = match;
  outcome.allow = call.allow.get(route);
  const { maxBodyBytes = bodyBytes } = route;
  if (bodyBytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const body = bodyReader(request);
  const caller = await callerOf(call, match, body);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const operation = isMethod(method) ? route.operations[method] : undefined;
  const reading = method === 'OPTIONS' ? readingOf(route) : operation;
  const loading: LoadRequest = {
    template: templateName(call, route),
    match,
    operation: reading,
    caller,
    platform,
    hints,
    remembered: session?.remembered,
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
  if (method === 'OPTIONS') {
    const description = describe(context);
    admit(call, context);
    return { status: 200, body: description };
  }
  checkRights(context, [rightOf(route, method, operation)]);
  admit(call, context);
  if (operation === undefined) throw methodNotAllowed(request.method);
  operation.authorize?.(context);
  if (loading.template !== undefined) return runTemplated(context, operation);
  await session?.beforeRun?.(context);
  return operation.run(context);
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
    ...{ caller, remembered, platform: call.platform, router, startedMs: call.startedMs },
    answer: (request, session) =>
      answer({ ...call, request, bodyBytes: 0, router, platform: session.platform, session }),
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
  body: () => Promise<Body>,
): Promise<Caller> | Caller {
  const { request, platform, hints, session } = call;
  const keys = { secrets: platform.secrets, clock: platform.clock, known: hints.keys };
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
