import type { Platform } from '../../ports/ports.ts';
import type { ApiError } from '../../values/errors/errors.ts';
import type { Body } from '../http/body/body.ts';
import type { Request, Response } from '../http/message.ts';
import type { Representation } from '../http/negotiation.ts';
import type { Caches } from '../routing/caches.ts';
import type { Load } from '../routing/loads.ts';
import type { Rendering } from '../routing/rendering.ts';
import type { Context, Operation, Session } from '../routing/route.ts';
import type { Match, Router } from '../routing/router.ts';
import type { Caller, KeyRing } from './caller/authentication.ts';
import type { LoadedRecords, LoadRequest } from './load.ts';
import type { SessionCall } from './session/session.ts';
import type { Throttle } from './throttle.ts';

/** Ports, routes and caches that serve requests, created once per process. */
export interface Service {
  readonly routes: Context['routes'];
  readonly router: Router;
  readonly platform: Platform;
  readonly caches: Caches;
  readonly throttle: Throttle;
  readonly renderer: ResponseRenderer;
}

/** Renders responses as their requests ask for; the feature that does so is passed to createDispatch. */
export interface ResponseRenderer {
  /** Returns the load of what the request names for its response; undefined: it names nothing. */
  readonly wanted: (request: Request) => Load<Rendering | undefined> | undefined;
  /** Checks, before the operation runs, whether its response can be rendered. Throws ApiError. */
  readonly check: (context: Context) => void;
  /** Renders a response; those without JSON, and error responses, stay unchanged. */
  readonly render: (
    context: Context,
    operation: Operation,
    response: Response,
  ) => Promise<Response>;
}

/** A request that has arrived. */
export interface Arrived extends Service {
  readonly request: Request;
  /** Size as sent; 0 inside a batch, whose own size counts. */
  readonly bodyBytes: number;
  /** By `performance.now()`. */
  readonly startedMs: number;
  /** Representation of the response, also of errors; or the error of a request that no representation suits. */
  readonly form: Representation | ApiError;
  /** Number of requests that differ only in their bodies, for which the shared checks run once. */
  readonly count: number;
  /** Session of a request inside another one. */
  readonly session: SessionCall | undefined;
  /** Opens a session for requests of the same caller. */
  readonly sessionOf: (exchange: LoadedExchange) => Session;
  /** Reads the records of a request again and repeats its checks; returns its new context. Throws ApiError. */
  readonly renewed: (exchange: Formed) => Promise<Context>;
}

/** A request whose path is known. */
export interface Matched extends Arrived {
  readonly match: Match;
  /** Value of the `Allow` header. */
  readonly allow: string | undefined;
  /** Undefined where the route does not have the method. */
  readonly operation: Operation | undefined;
  readonly keys: KeyRing;
  /** Parses the body, once. */
  readonly body: () => Promise<Body>;
}

/** A request with the claims of its credentials. */
export interface Authenticated extends Matched {
  readonly caller: Caller;
}

/** A request with the records that decide about it. */
export interface LoadedExchange extends Authenticated {
  readonly loading: LoadRequest;
  readonly loaded: LoadedRecords;
}

/** A request whose response has a form. */
export interface Formed extends LoadedExchange {
  /** Whether its response is the description of the route, as for OPTIONS. */
  readonly isDescription: boolean;
}

/** A request whose caller is known. */
export interface Settled extends Formed {
  readonly context: Context;
}

/** A request that its caller may make; without an operation where the route is described. */
export interface Allowed extends Settled {
  readonly allowed: Operation | undefined;
}

/** A request with its response. */
export interface Responded extends Allowed {
  readonly response: Response;
}

/** The fields that steps add. */
type Later = {
  readonly [Name in Exclude<keyof Responded, keyof Arrived>]: Responded[Name] | undefined;
};

/**
 * Begins the exchange of a request that has arrived. It has every field from the start, in one literal: an object whose
 * shape grows step by step doubles the time of a small request (32 in place of 16 microseconds).
 */
export function beginExchange(
  service: Service,
  {
    request,
    bodyBytes,
    startedMs,
    form,
    sessionOf,
    renewed,
  }: Omit<Arrived, keyof Service | 'count' | 'session'>,
): Arrived & Later {
  return {
    routes: service.routes,
    router: service.router,
    platform: service.platform,
    caches: service.caches,
    throttle: service.throttle,
    renderer: service.renderer,
    request,
    bodyBytes,
    startedMs,
    form,
    sessionOf,
    renewed,
    count: 1,
    session: undefined,
    match: undefined,
    allow: undefined,
    operation: undefined,
    keys: undefined,
    body: undefined,
    caller: undefined,
    loading: undefined,
    loaded: undefined,
    isDescription: undefined,
    context: undefined,
    allowed: undefined,
    response: undefined,
  };
}
