import { prepareControls } from './controls.ts';
import { byId, createElement, thrownMessage } from './dom.ts';
import { hasKeys, type Keys, keyHeaders, storeKeys } from './keys.ts';
import { refreshWhilePending } from './refresh.ts';
import { isSandboxed, mediaTypeOf, rawBody } from './response.ts';

/*
 * Navigation: a link is followed by a fetch that sends the keys, because a browser sends no custom headers by itself.
 * The new page replaces the path and the main part; the history is the browser's.
 */

interface LoadOptions {
  /** Shows the same page again: nothing moves or flickers, and what is unfolded stays so. */
  readonly refresh?: boolean;
  /** Adds an entry to the history, unless the address is the same. */
  readonly push?: boolean;
  /** Neither moves the focus nor announces the page. */
  readonly quiet?: boolean;
  /** Pixels from the top. */
  readonly scroll?: number;
  readonly notice?: string;
}

let shown = location.pathname + location.search;
let current = new AbortController();

/** Starts to follow links and the history. */
export function startNavigation(): void {
  history.scrollRestoration = 'manual';
  document.addEventListener('click', onClick);
  addEventListener('popstate', onHistory);
  byId('forget', HTMLElement).addEventListener('click', () => useKeys({ api: '', user: '' }));
  // a page that ran a script is not loaded again, which would run the script twice
  const { ran, status = '' } = byId('main', HTMLElement).dataset;
  if (!hasKeys() || ran !== undefined) return;
  const loading = loadPage(location.href, { quiet: true });
  if (status >= '400') void hideUntil(loading);
}

/** Hides an error that the request without keys has led to, until the one with them is finished. */
async function hideUntil(loading: Promise<void>): Promise<void> {
  const { title, documentElement } = document;
  const waiting = 'Loading… · Groundwork';
  document.title = waiting;
  byId('notice', HTMLElement).textContent = 'Loading…';
  documentElement.classList.add('waiting');
  await loading;
  documentElement.classList.remove('waiting');
  if (document.title === waiting) document.title = title; // there was no response
}

/** Uses the keys from now on, and loads a page with them. */
export function useKeys(next: Keys, url = location.href): void {
  storeKeys(next);
  byId('keys', HTMLDetailsElement).open = false;
  const notice = hasKeys() ? 'Keys in use.' : 'Keys forgotten.';
  void loadPage(url, { push: url !== location.href, notice });
}

function onClick(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || !isFollowed(link, event)) return;
  if (link.hash === '#keys') {
    event.preventDefault();
    byId('keys', HTMLDetailsElement).open = true;
    byId('keys-api', HTMLElement).focus();
    return;
  }
  if (link.hash && link.pathname + link.search === shown) return;
  event.preventDefault();
  byId('keys', HTMLDetailsElement).open = false;
  void loadPage(link.href, { push: true });
}

/** Checks whether the script follows a link. Other sites, downloads, files and new tabs are left to the browser. */
function isFollowed(link: HTMLAnchorElement, event: MouseEvent): boolean {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  if (link.hasAttribute('download') || link.relList.contains('external')) return false;
  return link.origin === location.origin;
}

/** Also called for a link to a fragment of the current page, which needs no request. */
function onHistory({ state }: PopStateEvent): void {
  if (location.pathname + location.search === shown) return;
  void loadPage(location.href, { scroll: Number(state?.scroll) || 0 });
}

/** Loads and shows the page at an address. Never throws: shows a notice when no response arrives. */
export async function loadPage(
  url: string,
  { push = false, quiet = false, refresh = false, scroll = 0, notice = '' }: LoadOptions = {},
): Promise<void> {
  current.abort();
  const controller = new AbortController();
  current = controller;
  const notices = byId('notice', HTMLElement);
  if (!refresh) byId('main', HTMLElement).setAttribute('aria-busy', 'true');
  notices.textContent = '';
  try {
    const response = await fetch(url, {
      headers: { ...keyHeaders('text/html'), 'X-Page': '1' },
      cache: 'no-store',
      credentials: 'omit',
      signal: controller.signal,
    });
    const page = await readPage(response);
    if (controller.signal.aborted) return;
    updateHistory(url, push);
    const place = refresh ? scrollY : scroll;
    const unfolded = refresh ? unfoldedOnes() : [];
    showPage(page, quiet || refresh);
    notices.textContent = notice;
    for (const at of unfolded) foldsOf().item(at)?.setAttribute('open', '');
    scrollTo(0, place);
    if (!refresh) void refreshWhilePending(() => loadPage(location.href, { refresh: true }));
  } catch (error) {
    if (!controller.signal.aborted) notices.textContent = `No response: ${thrownMessage(error)}`;
  } finally {
    if (!controller.signal.aborted) byId('main', HTMLElement).removeAttribute('aria-busy');
  }
}

function foldsOf(): NodeListOf<HTMLDetailsElement> {
  return document.querySelectorAll('main details');
}

/** Returns the positions of what is unfolded. */
function unfoldedOnes(): readonly number[] {
  return [...foldsOf()].flatMap((each, at) => (each.open ? [at] : []));
}

function updateHistory(url: string, push: boolean): void {
  const { pathname, search } = new URL(url, location.href);
  if (push && pathname + search !== shown) {
    history.replaceState({ scroll: scrollY }, '');
    history.pushState(null, '', pathname + search);
  }
  shown = pathname + search;
}

/** Parses a page of this server. Other content is shown as text or as a download, never as part of the page. */
async function readPage(response: Response): Promise<Document> {
  const type = mediaTypeOf(response);
  const isPage = response.headers.has('Content-Security-Policy') && !isSandboxed(response);
  if (type.startsWith('text/html') && isPage) {
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  }
  const title = `${response.status}, ${type || 'nothing'}`;
  const page = document.implementation.createHTMLDocument(title);
  const main = createElement('main', { id: 'main' });
  const heading = createElement('h1', { id: 'title', tabIndex: -1, textContent: title });
  main.append(heading, await rawBody(response));
  page.body.append(renderPath(new URL(response.url).pathname), main);
  return page;
}

function renderPath(path: string): Node {
  const nav = byId('path', HTMLElement).cloneNode(true);
  const list = nav instanceof Element ? nav.querySelector('ol') : null;
  if (list === null) throw new Error('the path has no list');
  const names = path.split('/').filter((name) => name !== '');
  const steps = names.map((name, at) => {
    const item = createElement('li', {});
    const href = `/${names.slice(0, at + 1).join('/')}/`;
    item.append(createElement('a', { href, textContent: decodeURIComponent(name) }));
    return item;
  });
  list.replaceChildren(...[...list.children].slice(0, 1), ...steps);
  return nav;
}

function showPage(page: Document, quiet: boolean): void {
  for (const id of ['path', 'main']) {
    const part = page.getElementById(id);
    if (part === null) throw new Error(`the page has no ${id}`);
    byId(id, HTMLElement).replaceWith(document.adoptNode(part));
  }
  document.title = page.title;
  prepareControls();
  if (quiet) return;
  byId('title', HTMLElement).focus({ preventScroll: true });
  const status = document.querySelector('.status');
  byId('announcement', HTMLElement).textContent = status?.textContent ?? '';
}
