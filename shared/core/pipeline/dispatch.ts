import type { Platform } from '../../ports/ports.ts';
import { isParsed, mayOverride } from '../http/body/body-size.ts';
import { isProbe, respondToProbe } from '../http/health.ts';
import type { Dispatch, Request, Response } from '../http/message.ts';
import { applyOverride } from '../http/override.ts';
import { cachedForm, isConstant, markConstant, parsedBody } from '../http/response-cache.ts';
import { createCaches } from '../resource/caches.ts';
import type { LazyRoutes } from '../routing/lazy-routes.ts';
import type { Context, Route } from '../routing/route.ts';
import { createRouter } from '../routing/router.ts';
import { keyRing } from './caller/authentication.ts';
import { errorResponse } from './errors.ts';
import type { Arrived, Service } from './exchange.ts';
import { serve } from './index.ts';
import { isolate } from './isolation.ts';
import { createThrottle } from './throttle.ts';
import { ignoredHeader, writeNames } from './unknown-names.ts';

/**
 * Creates the function that serves every request: over HTTP, inside a batch and in tests.
 *
 * @param routes the whole map, or the part of it that this process serves
 * @param caches those of the process; others in tests
 */
export function createDispatch(
  routes: readonly Route[] | LazyRoutes,
  platform: Platform,
  caches = createCaches(platform.files),
): Dispatch {
  const { router, all } = 'router' in routes ? routes : loadedRoutes(routes);
  const service: Service = {
    routes: all,
    router,
    platform,
    caches,
    throttle: createThrottle(platform.settings.instanceRate, platform.clock),
  };
  const keys = keyRing(platform, caches);
  /** Applies the method override. The body of a request that is rejected by path, size or key is not parsed first. */
  const override = async (sent: Request, bodyBytes: number): Promise<Request> => {
    const match = await router(sent.path);
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
    return exchange.form === 'html' ? toPage(complete, exchange) : complete;
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
  const safe = response.content === undefined ? response : isolate(response);
  const headers = Object.assign({}, own, safe.headers, named);
  return Object.assign({}, safe, { headers });
}

type Shown = Arrived & { readonly context?: Context };

/** Renders a response as a page. Few requests want one, so the code of pages is loaded for the first of them. */
async function toPage(response: Response, exchange: Shown): Promise<Response> {
  if (response.body === undefined || response.content !== undefined) return response;
  try {
    const [{ renderPage }, { offerOf }, { findRun }] = await Promise.all([
      import('../pages/render.ts'),
      import('../pages/offer.ts'),
      import('../pages/run.ts'),
    ]);
    const { request, context, router } = exchange;
    const { body } = response;
    if (!isConstant(body)) {
      const shown = parsedBody(body);
      const offer = offerOf(request, response, context);
      const full = offer && { ...offer, run: await findRun(router, context, shown) };
      return renderPage({ request, response: { ...response, body: shown }, offer: full });
    }
    // independent of the query, which does not affect the page, though headers may name some of it
    const shown = { ...request, query: new URLSearchParams() };
    const page = cachedForm(body, `page at ${request.path}`, () => {
      const offer = offerOf(shown, response, context);
      const made = renderPage({ request: shown, response, offer });
      if (made.content !== undefined) markConstant(made.content);
      return made;
    });
    const { pageHeaders } = await import('../pages/shell.ts');
    return { ...page, headers: { ...response.headers, ...pageHeaders } };
  } catch (error) {
    return errorResponse(error, exchange);
  }
}
