import { prepareControls } from './controls.ts';
import { byId, make, messageOf } from './dom.ts';
import { hasKeys, type Keys, keyHeaders, storeKeys } from './keys.ts';
import { isForeign, rawBody, typeOf } from './response.ts';

/*
 * Going from page to page: a link is followed by a fetch that carries the keys, since a browser sends no headers of
 * ours by itself. What has come replaces the path and the main part; the history is the browser's.
 */

/** How a page is loaded. */
interface LoadOptions {
  /** Makes an entry in the history, unless the address is the same. */
  readonly push?: boolean;
  /** Leaves the focus where it is and announces nothing. */
  readonly quiet?: boolean;
  /** Pixels from the top. */
  readonly scroll?: number;
  readonly notice?: string;
}

let shown = location.pathname + location.search;
let current = new AbortController();

/** Begins to follow links and the history. */
export function startNavigation(): void {
  history.scrollRestoration = 'manual';
  document.addEventListener('click', onClick);
  addEventListener('popstate', onHistory);
  byId('forget', HTMLElement).addEventListener('click', () => useKeys({ api: '', user: '' }));
  // what has run is not run again, nor shown as if it had not
  if (hasKeys() && !('ran' in byId('main', HTMLElement).dataset)) {
    void load(location.href, { quiet: true });
  }
}

/** Uses the keys from now on, and loads a page with them. */
export function useKeys(next: Keys, url = location.href): void {
  storeKeys(next);
  byId('keys', HTMLDetailsElement).open = false;
  const notice = hasKeys() ? 'Keys in use.' : 'Keys forgotten.';
  void load(url, { push: url !== location.href, notice });
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
  void load(link.href, { push: true });
}

/** Others are the browser's: of other sites, to be saved, or opened elsewhere. */
function isFollowed(link: HTMLAnchorElement, event: MouseEvent): boolean {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  return link.origin === location.origin && !link.hasAttribute('download');
}

/** Also comes when a link leads to a place on this very page. */
function onHistory({ state }: PopStateEvent): void {
  if (location.pathname + location.search === shown) return;
  void load(location.href, { scroll: Number(state?.scroll) || 0 });
}

/** Shows the page at an address instead of this one. Says so when there is no response; never fails. */
export async function load(
  url: string,
  { push = false, quiet = false, scroll = 0, notice = '' }: LoadOptions = {},
): Promise<void> {
  current.abort();
  const turn = new AbortController();
  current = turn;
  const notices = byId('notice', HTMLElement);
  byId('main', HTMLElement).setAttribute('aria-busy', 'true');
  notices.textContent = '';
  try {
    const response = await fetch(url, {
      headers: { ...keyHeaders('text/html'), 'X-Page': '1' },
      cache: 'no-store',
      credentials: 'omit',
      signal: turn.signal,
    });
    const fresh = await readPage(response);
    if (turn.signal.aborted) return;
    moveTo(url, push);
    showPage(fresh, quiet);
    notices.textContent = notice;
    scrollTo(0, scroll);
  } catch (error) {
    if (!turn.signal.aborted) notices.textContent = `No answer: ${messageOf(error)}`;
  } finally {
    if (!turn.signal.aborted) byId('main', HTMLElement).removeAttribute('aria-busy');
  }
}

function moveTo(url: string, push: boolean): void {
  const { pathname, search } = new URL(url, location.href);
  if (push && pathname + search !== shown) {
    history.replaceState({ scroll: scrollY }, '');
    history.pushState(null, '', pathname + search);
  }
  shown = pathname + search;
}

/** What is no page of ours is shown as what it is, never as a part of us. */
async function readPage(response: Response): Promise<Document> {
  const type = typeOf(response);
  const isOurs = response.headers.has('Content-Security-Policy') && !isForeign(response);
  if (type.startsWith('text/html') && isOurs) {
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  }
  const title = `${response.status}, ${type || 'nothing'}`;
  const fresh = document.implementation.createHTMLDocument(title);
  const main = make('main', { id: 'main' });
  const heading = make('h1', { id: 'title', tabIndex: -1, textContent: title });
  main.append(heading, await rawBody(response));
  fresh.body.append(pathTo(new URL(response.url).pathname), main);
  return fresh;
}

function pathTo(path: string): Node {
  const nav = byId('path', HTMLElement).cloneNode(true);
  const list = nav instanceof Element ? nav.querySelector('ol') : null;
  if (list === null) throw new Error('the path has no list');
  const names = path.split('/').filter((name) => name !== '');
  const steps = names.map((name, at) => {
    const item = make('li', {});
    const href = `/${names.slice(0, at + 1).join('/')}/`;
    item.append(make('a', { href, textContent: decodeURIComponent(name) }));
    return item;
  });
  list.replaceChildren(...[...list.children].slice(0, 1), ...steps);
  return nav;
}

function showPage(fresh: Document, quiet: boolean): void {
  for (const id of ['path', 'main']) {
    const part = fresh.getElementById(id);
    if (part === null) throw new Error(`the page has no ${id}`);
    byId(id, HTMLElement).replaceWith(document.adoptNode(part));
  }
  document.title = fresh.title;
  prepareControls();
  if (quiet) return;
  byId('title', HTMLElement).focus({ preventScroll: true });
  const status = document.querySelector('.status');
  byId('announcement', HTMLElement).textContent = status?.textContent ?? '';
}
