import { methods, type Route } from '../resource/route.ts';
import { createHints } from '../services/hints.ts';
import type { Platform } from '../services/ports.ts';
import { createThrottle } from '../services/throttle.ts';
import { isolate } from './isolation.ts';
import type { Dispatch, Response } from './message.ts';
import { applyOverride } from './override.ts';
import { createRouter } from './router.ts';
import { type Call, formOf, type Outcome, refusal, serve } from './serve.ts';
import { ignoredHeader, writeNames } from './unknown-names.ts';

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
    const { renderPage } = await import('./page/render.ts');
    return renderPage({ request: call.request, response, context });
  } catch (error) {
    return refusal(error, call);
  }
}
