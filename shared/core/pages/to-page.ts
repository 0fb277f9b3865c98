import { nextRound } from '../../ports/limits/event-loop-rounds.ts';
import { sendPieceBytes } from '../../values/bounds.ts';
import { parseExactJson } from '../../values/json/exact-number.ts';
import type { JsonObject } from '../../values/json/json.ts';
import { hasTakenEffect, indentedSizeError, itemPageForm, pageForm } from '../http/event-size.ts';
import type { Request, Response } from '../http/message.ts';
import { cachedForm, isConstant, markConstant, writeBody } from '../http/response-cache.ts';
import type { Context } from '../routing/route.ts';
import type { Match, Router } from '../routing/router.ts';
import { offerOf } from './offer.ts';
import { renderPage } from './render.ts';
import { findRun } from './run.ts';
import { pageHeaders } from './shell.ts';

/** The request of a page, and what its response depends on. */
export interface Viewed {
  readonly request: Request;
  /** Absent when the request was rejected before its caller was known. */
  readonly context?: Context;
  /** Absent for an unknown path. */
  readonly match?: Match | undefined;
  readonly router: Router;
}

/**
 * Renders a response as a page.
 *
 * @param describe returns the description of a route, as for OPTIONS; throws ApiError where the client may not see it
 */
export async function toPage(
  response: Response,
  { request, context, match, router }: Viewed,
  describe: (context: Context) => JsonObject,
): Promise<Response> {
  const { body } = response;
  if (!isConstant(body)) {
    const text = writeBody(body);
    const error = indentedSizeError(text, isList(body) ? pageForm : itemPageForm);
    if (error !== undefined) {
      const shown = hasTakenEffect(request, response)
        ? { ...response, body: { detail: written } }
        : { ...error, headers: { ...response.headers, ...error.headers } };
      return renderPage({ request, match, response: shown, offer: undefined });
    }
    if (text.length > sendPieceBytes) await nextRound();
    const shown = parseExactJson(text);
    const offer = offerOf(request, response, { context, describe });
    const full = offer && { ...offer, run: await findRun(router, context, shown) };
    return renderPage({ request, match, response: { ...response, body: shown }, offer: full });
  }
  // independent of the query, which does not affect the page, though headers may name some of it
  const shown = { ...request, query: new URLSearchParams() };
  const page = cachedForm(body, `page at ${request.path}`, () => {
    const offer = offerOf(shown, response, { context, describe });
    const made = renderPage({ request: shown, match, response, offer });
    if (made.content !== undefined) markConstant(made.content);
    return made;
  });
  return { ...page, headers: { ...response.headers, ...pageHeaders } };
}

const written =
  'The request succeeded. Its response is too large to be shown as a page. Do not repeat it: read the result with format=json.';

/** Checks for a list, or a page of one, whose items are shown once. */
function isList(body: unknown): boolean {
  return Array.isArray(body) || (typeof body === 'object' && body !== null && 'objects' in body);
}
