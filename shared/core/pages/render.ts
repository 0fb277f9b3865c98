import type { Json } from '../../values/json/json.ts';
import { isFollowedLink, keyParameters, type Request, type Response } from '../http/message.ts';
import type { Context } from '../resource/route.ts';
import { renderDescription } from './description.ts';
import { renderForms } from './forms.ts';
import { attributes, type Html, html } from './html.ts';
import { isApiPath, isPageOfResults } from './json.ts';
import { type Offer, offerOf } from './offer.ts';
import { pageHeaders, renderShell } from './shell.ts';
import { statusText } from './status-text.ts';
import { renderBody } from './views/body.ts';
import { renderFilter } from './views/filter.ts';
import { renderLinks } from './views/links.ts';

/** The data that a page is rendered from. */
export interface PageSource {
  readonly request: Request;
  /** The response that other clients get, with a body. */
  readonly response: Response;
  /** Absent when the request failed before its caller was authenticated. */
  readonly context: Context | undefined;
}

/**
 * Renders a response as an HTML page: the same status, the body with its links, a description of the resource and
 * forms for the allowed methods.
 */
export function renderPage({ request, response, context }: PageSource): Response {
  const { status, headers } = response;
  const offer = offerOf(request, response, context);
  const page = {
    title: titleOf(offer, status),
    breadcrumb: breadcrumb(request.path),
    main: renderMain(request, response, offer),
  };
  return {
    status,
    headers: { ...headers, ...pageHeaders },
    content: { type: 'text/html; charset=utf-8', bytes: renderShell(page) },
  };
}

/** Returns the name of the resource, or the text of the error status. */
function titleOf(offer: Offer | undefined, status: number): string {
  return offer === undefined || status === 400 ? statusText(status) : offer.title;
}

function renderMain(request: Request, response: Response, offer: Offer | undefined): Html {
  const { status, headers, body } = response;
  const pages = renderPager(body);
  const current = request.method === 'OPTIONS' || status >= 400 ? undefined : body;
  const forms = offer && renderForms(offer, current);
  const sidebar =
    offer &&
    html`<div class="sidebar">${forms}
${renderDescription(offer.description, headers?.Allow)}</div>`;
  const hasRun = offer?.runsCode === true && !isFollowedLink(request);
  return html`<main id="main"${attributes({ 'data-status': status, 'data-ran': hasRun })}>
<div class="response">
<h1 id="title" tabindex="-1">${titleOf(offer, status)}</h1>
${renderRequest(request, status)}
${renderJumpLinks(offer, forms)}
${!hasRun && renderAdvice(status, offer)}
${renderFilterOf(request, offer)}
${pages('Pages')}
${renderLinks(body, [])}
${renderBody(body, titleOf(offer, status), offer?.hints)}
${pages('Pages, below the response')}
</div>
${sidebar}
</main>`;
}

/** Renders the filter form of a list that has one. */
function renderFilterOf({ path, query }: Request, offer: Offer | undefined): Html | undefined {
  if (offer?.hints === undefined || !offer.isList) return undefined;
  return renderFilter(offer.hints.queryable, path, query);
}

/** Renders a hint on the next step, if one is needed. */
function renderAdvice(status: number, offer: Offer | undefined): Html | undefined {
  if (status === 403) {
    return html`<p class="advice">Some places need a key, or another one: <a href="#keys">enter it under Keys</a>.</p>`;
  }
  if (offer?.runsCode) return html`<p class="advice">This runs a script: send the form.</p>`;
  if (status !== 405 || !offer?.methods.includes('POST')) return undefined;
  return html`<p class="advice">There is nothing to read here: send the form.</p>`;
}

/** Renders jump links for narrow windows, where these sections are far below. */
function renderJumpLinks(offer: Offer | undefined, forms: Html | undefined): Html | undefined {
  if (offer === undefined) return undefined;
  const formsLink = forms && html`<a class="scripts" href="#forms">Forms</a>`;
  return html`<p class="jumps">${formsLink}<a href="#about">About</a></p>`;
}

/** Renders the request and its status, without keys. */
function renderRequest({ method, path, query }: Request, status: number): Html {
  const shown = new URLSearchParams(query);
  for (const name of keyParameters) shown.delete(name);
  const address = shown.size === 0 ? path : `${path}?${shown}`;
  // a HEAD has the same content length as a GET
  const shownMethod = method === 'HEAD' ? 'GET' : method;
  return html`<p class="call"><span class="verb">${shownMethod}</span> <code>${address}</code> <span class="status ${status < 400 ? 'good' : 'bad'}">${status} ${statusText(status)}</span></p>`;
}

/** Returns a function that renders the links to the previous and next page; undefined for other bodies. */
function renderPager(body: unknown): (label: string) => Html | undefined {
  if (!isPageOfResults(body)) return () => undefined;
  const { prev, next } = body;
  const button = (path: Json, rel: string, text: string) =>
    isApiPath(path) ? [html`<a class="button" rel="${rel}" href="${path}">${text}</a>`] : [];
  const buttons = [
    ...button(prev, 'prev', '← Previous page'),
    ...button(next, 'next', 'Next page →'),
  ];
  return (label) =>
    buttons.length === 0
      ? undefined
      : html`<nav class="pages" aria-label="${label}">${buttons}</nav>`;
}

function breadcrumb(path: string): readonly Html[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const steps = segments.map((segment, at) => {
    const names = segments.slice(0, at + 1).map(encodeURIComponent);
    const isLast = at === segments.length - 1;
    const place = attributes({ href: `/${names.join('/')}/`, 'aria-current': isLast && 'page' });
    return html`<li><a${place}>${segment}</a></li>`;
  });
  const home = attributes({ href: '/', 'aria-current': segments.length === 0 && 'page' });
  return [html`<li><a${home}>root</a></li>`, ...steps];
}
