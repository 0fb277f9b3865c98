import { isAllowed, type Right } from '../domain/access.ts';
import {
  ApiError,
  forbidden,
  methodNotAllowed,
  notFound,
  parentNotFound,
} from '../domain/errors.ts';
import type { Body } from '../resource/input.ts';
import { introspect } from '../resource/introspection.ts';
import {
  type Context,
  type Method,
  methods,
  type Operation,
  type Route,
} from '../resource/route.ts';
import { createHints } from '../services/hints.ts';
import type { Platform } from '../services/ports.ts';
import { identify } from './authentication.ts';
import { parseBody } from './body.ts';
import { createContext } from './context.ts';
import { type LoadRequest, load } from './load.ts';
import { type Dispatch, queryValue, type Request, type Response } from './message.ts';
import { negotiate, type Representation } from './negotiation.ts';
import { applyOverride } from './override.ts';
import { renderPage } from './page.ts';
import { createRouter, type Router } from './router.ts';

/**
 * Makes the function that answers every call: over HTTP, inside a batch and in tests.
 *
 * @param routes the whole map, or the part of it that this process serves
 */
export function createDispatch(routes: readonly Route[], platform: Platform): Dispatch {
  const router = createRouter(routes);
  const allow = new Map(routes.map((route) => [route, allowedMethods(route)]));
  const hints = createHints();
  return async (sent) => {
    const request = applyOverride(sent);
    const outcome: Outcome = { form: formOf(request), allow: undefined };
    try {
      const response = await serve({ request, routes, router, allow, platform, hints }, outcome);
      return finish(request, response, outcome);
    } catch (error) {
      return finish(request, refusal(error, request, platform), outcome);
    }
  };
}

interface Call {
  readonly request: Request;
  readonly routes: readonly Route[];
  readonly router: Router;
  /** The `Allow` header of each route. */
  readonly allow: ReadonlyMap<Route, string>;
  readonly platform: Platform;
  readonly hints: LoadRequest['hints'];
}

/** The methods of a route as its `Allow` header lists them. */
export function allowedMethods({ operations }: Route): string {
  const own = methods.filter((method) => operations[method] !== undefined);
  return [...own, ...(operations.GET === undefined ? [] : ['HEAD']), 'OPTIONS'].join(', ');
}

/** What is known of the answer before there is one; errors use it too. */
interface Outcome {
  /** Or why there is none that suits the client, said when its turn in the order of checks has come. */
  readonly form: Representation | ApiError;
  allow: string | undefined;
}

function formOf({ headers, query }: Request): Outcome['form'] {
  try {
    return negotiate(headers.accept, queryValue(query, 'format'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error;
  }
}

function finish(request: Request, response: Response, outcome: Outcome): Response {
  const allow = outcome.allow === undefined ? {} : { Allow: outcome.allow };
  const complete = { ...response, headers: { ...allow, ...response.headers } };
  return outcome.form === 'html' ? renderPage(request, complete) : complete;
}

function refusal(error: unknown, { id }: Request, { log }: Platform): Response {
  if (error instanceof ApiError) {
    return { status: error.status, headers: error.headers, body: error.body };
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log({ level: 'error', message: 'a call failed', requestId: id, cause });
  return { status: 500, body: { detail: 'Internal server error.' } };
}

/** Serves one call; the order of checks is that of the reference (order of checks). */
async function serve(call: Call, outcome: Outcome): Promise<Response> {
  const { request, routes, router, platform, hints } = call;
  const keys = { secrets: platform.secrets, known: hints.keys };
  const match = router(request.path);
  if (match === undefined) throw notFound();
  const { route } = match;
  outcome.allow = call.allow.get(route);
  const body = bodyReader(request);
  const caller = route.ignoresCredentials ? {} : await identify(request, body, keys);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const operation = isMethod(method) ? route.operations[method] : undefined;
  const reading = method === 'OPTIONS' ? route.operations.GET : operation; // to describe is to read
  const loading: LoadRequest = { match, operation: reading, caller, platform, hints };
  const loaded = await load(loading);
  if (route.instance === 'place' && loaded.records.instanceName === undefined) {
    throw parentNotFound('Instance');
  }
  if (outcome.form instanceof ApiError && !isOwnFormat(route, request)) throw outcome.form;
  if (caller.bodyFault !== undefined) throw caller.bodyFault;
  const context = createContext({ request, routes, load: loading, loaded, body });
  checkInstance(context);
  if (method === 'OPTIONS') {
    checkRights(context, readRights(route));
    route.operations.GET?.authorize?.(context);
    return { status: 200, body: introspect(context) };
  }
  checkRights(context, [rightOf(route, method, operation)]);
  if (operation === undefined) throw methodNotAllowed(request.method);
  operation.authorize?.(context);
  return operation.run(context);
}

/** Some routes know a form of their answer that no other has. */
function isOwnFormat({ formats }: Route, { query }: Request): boolean {
  const format = queryValue(query, 'format');
  return format !== undefined && formats?.includes(format) === true;
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

/** Where the instance is the thing itself, or holds one that is hidden, who is no part of it learns nothing. */
function checkInstance({ route, actor, instanceName, instanceId }: Context): void {
  const isOpen = route.instance !== 'thing' && route.isHidden !== true;
  if (isOpen || actor.kind === 'anonymous') return;
  const isInside =
    actor.kind === 'admin' ? actor.role !== undefined : actor.instance === instanceId;
  if (instanceName === undefined || !isInside) throw notFound();
}

/**
 * Rights come before the method: a method that the resource lacks is refused like a write when the caller may not
 * write, and as a method when it may (reference: order of checks).
 */
function checkRights(context: Context, rights: readonly Right[]): void {
  const { route, actor } = context;
  if (!rights.some((right) => isAllowed(route.access, actor, right))) throw forbidden();
  if (route.inClass && context.class === undefined) throw parentNotFound('Class');
}

/** The right that a method needs: the operation's own, or that of its kind where there is no operation. */
function rightOf({ kind }: Route, method: string, operation: Operation | undefined): Right {
  if (operation !== undefined) return operation.right;
  if (method === 'GET') return kind === 'list' ? 'L' : 'G';
  if (kind === 'list') return 'C';
  if (method === 'DELETE') return 'D';
  return kind === 'detail' || method !== 'POST' ? 'U' : 'A';
}

/** Rights of which one opens the description of a route: those of reading, on an action also the action's. */
function readRights({ kind }: Route): readonly Right[] {
  return kind === 'list' ? ['L'] : kind === 'detail' ? ['G'] : ['G', 'A'];
}
