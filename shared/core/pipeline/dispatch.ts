import type { Platform } from '../../platform/ports.ts';
import { isParsed, mayOverride } from '../http/body/body-size.ts';
import type { Dispatch, Request, Response } from '../http/message.ts';
import { applyOverride } from '../http/override.ts';
import { isConstant, keptForm, markConstant } from '../http/response-cache.ts';
import { createRouter } from '../http/router.ts';
import { createCaches } from '../resource/caches.ts';
import { methods, type Route } from '../resource/route.ts';
import { isolate } from './isolation.ts';
import { type Call, formOf, type Outcome, refusal, serve } from './serve.ts';
import { createThrottle } from './throttle.ts';
import { ignoredHeader, writeNames } from './unknown-names.ts';

/**
 * Makes the function that answers every call: over HTTP, inside a batch and in tests.
 *
 * @param routes the whole map, or the part of it that this process serves
 */
export function createDispatch(routes: readonly Route[], platform: Platform): Dispatch {
  const router = createRouter(routes);
  const allow = new Map(routes.map((route) => [route, allowedMethods(route)]));
  const caches = createCaches(platform.files);
  const throttle = createThrottle(platform.settings.instanceRate, platform.clock);
  const keys = { secrets: platform.secrets, clock: platform.clock, known: caches.keys };
  /** What is refused by its path, its size or its key is not parsed before. */
  const override = async (sent: Request, bodyBytes: number): Promise<Request> => {
    const match = router(sent.path);
    if (match === undefined) return sent;
    return (await isParsed({ request: sent, bodyBytes, match, keys })) ? applyOverride(sent) : sent;
  };
  return async (sent) => {
    const startedMs = performance.now();
    const bodyBytes = sent.body.kind === 'bytes' ? sent.body.bytes.byteLength : 0;
    const request = mayOverride(sent) ? await override(sent, bodyBytes) : sent;
    return answer({
      request,
      bodyBytes,
      startedMs,
      routes,
      router,
      allow,
      platform,
      caches,
      throttle,
    });
  };
}

/** Answers a call that came by itself. */
async function answer(call: Call): Promise<Response> {
  const outcome: Outcome = { form: formOf(call.request), allow: undefined, context: undefined };
  let response: Response;
  try {
    response = await serve(call, outcome);
  } catch (error) {
    response = refusal(error, call);
  }
  const complete = finish(response, outcome);
  return outcome.form === 'html' ? toPage(call, complete, outcome) : complete;
}

/** The methods of a route as its `Allow` header lists them. */
export function allowedMethods({ operations }: Route): string {
  const own = methods.filter((method) => operations[method] !== undefined);
  return [...own, ...(operations.GET === undefined ? [] : ['HEAD']), 'OPTIONS'].join(', ');
}

function finish(response: Response, { allow }: Outcome): Response {
  const own = allow === undefined ? undefined : { Allow: allow };
  const { ignored } = response;
  const named = ignored === undefined ? undefined : { [ignoredHeader]: writeNames(ignored) };
  const complete = { ...response, headers: { ...own, ...response.headers, ...named } };
  return response.content === undefined ? complete : isolate(complete);
}

/** Few calls want a page: what makes one is loaded when the first does. */
async function toPage(call: Call, response: Response, { context }: Outcome): Promise<Response> {
  if (response.body === undefined || response.content !== undefined) return response;
  try {
    const { renderPage } = await import('../pages/render.ts');
    const { request } = call;
    const { body } = response;
    if (!isConstant(body)) return renderPage({ request, response, context });
    // whatever the query: it has no part in what is shown, though headers may name some of it
    const shown = { ...request, query: new URLSearchParams() };
    const page = keptForm(body, `page at ${request.path}`, () => {
      const made = renderPage({ request: shown, response, context });
      if (made.content !== undefined) markConstant(made.content);
      return made;
    });
    const { pageHeaders } = await import('../pages/shell.ts');
    return { ...page, headers: { ...response.headers, ...pageHeaders } };
  } catch (error) {
    return refusal(error, call);
  }
}
