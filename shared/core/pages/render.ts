import { isJsonObject } from '../../values/json/json.ts';
import { isFollowedLink, type Request, type Response } from '../http/message.ts';
import type { Match } from '../routing/router.ts';
import { renderDescription } from './description.ts';
import { renderForms } from './forms.ts';
import { attributes, type Html, html } from './html.ts';
import { isPageOfResults } from './json.ts';
import type { Offer } from './offer.ts';
import { pageHeaders, renderShell } from './shell.ts';
import { statusText } from './status-text.ts';
import { isFormOnly, renderAdvice, requestAddress } from './views/advice.ts';
import { renderBody } from './views/body.ts';
import { renderConsoleLink } from './views/console-link.ts';
import { renderFilter } from './views/filter.ts';
import { product, renderHome } from './views/home.ts';
import { renderLinks } from './views/links.ts';
import { renderPager } from './views/pager.ts';

/** The data that a page is rendered from. */
export interface PageSource {
  readonly request: Request;
  /** The response that other clients get, with a body. */
  readonly response: Response;
  /** Absent for an unknown path. */
  readonly match: Match | undefined;
  /** Absent where the caller may not know of the resource. */
  readonly offer: Offer | undefined;
}

/**
 * Renders a response as an HTML page: the same status, the body with its links, a description of the resource and
 * forms for the allowed methods.
 */
export function renderPage(source: PageSource): Response {
  const { request, response, offer } = source;
  const { status, headers } = response;
  const page = {
    title: titleOf(request, offer, status),
    breadcrumb: breadcrumb(request.path),
    main: renderMain(source),
  };
  return {
    status,
    headers: { ...headers, ...pageHeaders },
    content: { type: 'text/html; charset=utf-8', bytes: renderShell(page), isOwn: true },
  };
}

/** Returns the title of the resource, or the text of the error status. */
function titleOf({ path }: Request, offer: Offer | undefined, status: number): string {
  if (offer === undefined || status === 400) return statusText(status);
  return path === '/' ? product : offer.title;
}

function renderMain({ request, response, match, offer }: PageSource): Html {
  const { status, headers, body } = response;
  const title = titleOf(request, offer, status);
  const current = request.method === 'OPTIONS' || status >= 400 ? undefined : body;
  const forms = offer && renderForms(offer, current);
  const about = offer && renderDescription(offer.description, headers?.Allow);
  const hasRun = offer?.runsCode === true && !isFollowedLink(request);
  const isHome = title === product; // which has a link to the console, and what it is
  const heading = html`<div class="heading"><h1 id="title" tabindex="-1">${title}</h1>
${!isHome && renderConsoleLink(request.path, match)}</div>`;
  const marks = attributes({
    id: 'main',
    'data-status': status,
    'data-ran': hasRun,
    'data-pending': isPending(current, offer),
  });
  if (isHome) {
    return html`<main${marks}><div class="response">${heading}${renderHome()}${renderBody(body, title, undefined)}</div></main>`;
  }
  if (isFormOnly(response, offer)) {
    return html`<main${marks}><div class="response alone">${heading}
${renderCall('POST', request)}
${forms}
${about}</div></main>`;
  }
  const pages = renderPager(body);
  return html`<main${marks}>
<div class="response">
${heading}
${renderRequest(request, status)}
${renderJumpLinks(offer, forms)}
${!hasRun && renderAdvice(request, response, offer)}
${renderFilterOf(request, offer)}
${pages('Pages')}
${renderLinks(body)}
${renderBody(body, title, offer?.hints)}
${pages('Pages, below the response')}
</div>
${
  offer &&
  html`<div class="sidebar">${forms}
${about}</div>`
}
</main>`;
}

/** Checks whether the item, or one of a list, will change soon by itself. */
function isPending(body: unknown, offer: Offer | undefined): boolean {
  const check = offer?.hints?.isPending;
  if (check === undefined) return false;
  return (isPageOfResults(body) ? body.objects : [body]).some(
    (item) => isJsonObject(item) && check(item),
  );
}

/** Renders the filter form of a list that has one. */
function renderFilterOf({ path, query }: Request, offer: Offer | undefined): Html | undefined {
  const { queryable } = offer?.hints ?? {};
  return offer?.isItem === false && queryable ? renderFilter(queryable, path, query) : undefined;
}

/** Renders jump links for narrow windows, where these sections are far below. */
function renderJumpLinks(offer: Offer | undefined, forms: Html | undefined): Html | undefined {
  if (offer === undefined) return undefined;
  const formsLink = forms && html`<a class="scripts" href="#forms">Forms</a>`;
  return html`<p class="jumps">${formsLink}<a href="#about">About</a></p>`;
}

/** Renders the request and its status, without keys. */
function renderRequest(request: Request, status: number): Html {
  // a HEAD has the same content length as a GET
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const state = html`<span class="status ${status < 400 ? 'good' : 'bad'}">${status} ${statusText(status)}</span>`;
  return renderCall(method, request, state);
}

function renderCall(method: string, request: Request, state?: Html): Html {
  return html`<p class="call"><span class="verb">${method}</span> <code>${requestAddress(request)}</code> ${state}</p>`;
}

function breadcrumb(path: string): readonly Html[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const steps = segments.map((segment, at) => {
    const names = segments.slice(0, at + 1).map(encodeURIComponent);
    const isLast = at === segments.length - 1;
    const step = attributes({ href: `/${names.join('/')}/`, 'aria-current': isLast && 'page' });
    return html`<li><a${step}>${segment}</a></li>`;
  });
  const home = attributes({ href: '/', 'aria-current': segments.length === 0 && 'page' });
  return [html`<li><a${home}>root</a></li>`, ...steps];
}
