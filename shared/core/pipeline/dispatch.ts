import type { Platform } from '../../ports/ports.ts';
import { isProbe, respondToProbe } from '../http/health.ts';
import type { Dispatch, Request, Response } from '../http/message.ts';
import { applyOverride } from '../http/override.ts';
import { type Caches, createCaches } from '../routing/caches.ts';
import { existingMatch } from '../routing/existing-match.ts';
import type { LazyRoutes } from '../routing/lazy-routes.ts';
import type { Route } from '../routing/route.ts';
import { createRouter } from '../routing/router.ts';
import { keyRing } from './caller/authentication.ts';
import { isParsed, mayOverride } from './caller/body-size.ts';
import { errorResponse } from './errors.ts';
import type { Arrived, ResponseRenderer, Service, Settled } from './exchange.ts';
import { keepForeignHeaders } from './foreign-headers.ts';
import { serve } from './index.ts';
import { describeRoute } from './rights.ts';
import { createThrottle } from './throttle.ts';
import { ignoredHeader, writeNames } from './unknown-names.ts';

/** Options of createDispatch. */
export interface DispatchOptions {
  /** Renders responses as requests ask for. */
  readonly renderer: ResponseRenderer;
  /** Caches of the process; others in tests. */
  readonly caches?: Caches | undefined;
}

/**
 * Creates the function that serves every request: over HTTP, inside a batch and in tests.
 *
 * @param routes the whole map, or the part of it that this process serves
 */
export function createDispatch(
  routes: readonly Route[] | LazyRoutes,
  platform: Platform,
  { renderer, caches = createCaches(platform.files) }: DispatchOptions,
): Dispatch {
  const { router, all } = 'router' in routes ? routes : loadedRoutes(routes);
  const service: Service = {
    routes: all,
    router,
    platform,
    caches,
    throttle: createThrottle(platform.settings.instanceRate, platform.clock),
    renderer,
  };
  const keys = keyRing(platform, caches);
  /** Applies the method override. The body of a request that is rejected by path, size or key is not parsed first. */
  const override = async (sent: Request, bodyBytes: number): Promise<Request> => {
    const match = await existingMatch(platform, await router(sent.path));
    if (match === undefined) return sent;
    return (await isParsed({ request: sent, bodyBytes, match, keys })) ? applyOverride(sent) : sent;
  };
  return async (sent) => {
    if (isProbe(sent)) return probe(platform, sent);
    const startedMs = performance.now();
    const bodyBytes = sent.body.kind === 'bytes' ? sent.body.bytes.byteLength : 0;
    const request = mayOverride(sent) ? await override(sent, bodyBytes) : sent;
    const outcome = await serve(service, { request, bodyBytes, startedMs });
    const { exchange } = outcome;
    const response = outcome.isDone
      ? outcome.exchange.response
      : errorResponse(outcome.error, exchange);
    const complete = finish(response, exchange.allow);
    return exchange.form === 'html' ? show(complete, exchange) : complete;
  };
}

async function probe(platform: Platform, request: Request): Promise<Response> {
  try {
    return await respondToProbe(platform.store);
  } catch (error) {
    return errorResponse(error, { request, platform });
  }
}

function loadedRoutes(routes: readonly Route[]): LazyRoutes {
  return { router: createRouter(routes), all: () => Promise.resolve(routes) };
}

function finish(response: Response, allow: string | undefined): Response {
  const own = allow === undefined ? undefined : { Allow: allow };
  const { ignored } = response;
  const named = ignored === undefined ? undefined : { [ignoredHeader]: writeNames(ignored) };
  const safe = isForeign(response) ? keepForeignHeaders(response) : response;
  const headers = Object.assign({}, own, safe.headers, named);
  return Object.assign({}, safe, { headers });
}

/** Whether what is sent is not the JSON of an operation, but made by foreign code. */
function isForeign({ content }: Response): boolean {
  return content !== undefined && content.isOwn !== true;
}

/** Shows a response as a page. Few requests want one, so the code of pages is loaded for the first of them. */
async function show(response: Response, exchange: Arrived & Partial<Settled>): Promise<Response> {
  if (response.body === undefined || response.content !== undefined) return response;
  try {
    const { toPage } = await import('../pages/to-page.ts');
    return await toPage(response, exchange, describeRoute);
  } catch (error) {
    return errorResponse(error, exchange);
  }
}
