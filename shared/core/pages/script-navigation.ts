/**
 * Keys, and going from page to page: a link is followed by a fetch that carries the keys, since a browser sends no
 * headers of ours by itself. What has come replaces the path and the main part; the history stays the browser's.
 */
export const navigationScript = String.raw`
const byId = (id) => document.getElementById(id);
const names = { api: 'groundwork-key', user: 'groundwork-user-key' };
let keys = readKeys();
let shown = location.pathname + location.search;
let current = new AbortController();

function start() {
  document.documentElement.classList.add('scripted');
  history.scrollRestoration = 'manual';
  document.addEventListener('click', onClick);
  document.addEventListener('submit', onSubmit);
  document.addEventListener('keydown', onKey);
  for (const type of ['pointerdown', 'pointerup', 'pointercancel']) document.addEventListener(type, onPointer);
  document.addEventListener('focusout', onEditorLeft);
  addEventListener('popstate', onHistory);
  byId('forget').addEventListener('click', () => useKeys({ api: '', user: '' }));
  showKeys();
  prepareForms();
  // what has run is not run again, nor shown as if it had not
  if ((keys.api || keys.user) && !('ran' in byId('main').dataset)) load(location.href, { quiet: true });
}

// Storage may be blocked: then the keys live as long as this document.
function readKeys() {
  try {
    return { api: sessionStorage.getItem(names.api) || '', user: sessionStorage.getItem(names.user) || '' };
  } catch {
    return { api: '', user: '' };
  }
}

function useKeys(next, url = location.href) {
  keys = { api: next.api.trim(), user: next.user.trim() };
  try {
    for (const kind of ['api', 'user']) {
      if (keys[kind]) sessionStorage.setItem(names[kind], keys[kind]);
      else sessionStorage.removeItem(names[kind]);
    }
  } catch {}
  showKeys();
  byId('keys').open = false;
  return load(url, { push: url !== location.href, notice: keys.api || keys.user ? 'Keys in use.' : 'Keys forgotten.' });
}

function showKeys() {
  byId('keys-api').value = keys.api;
  byId('keys-user').value = keys.user;
  byId('keys-state').textContent = keys.api || keys.user ? ': in use' : ': none';
}

function keyHeaders(accept) {
  const headers = { Accept: accept };
  if (keys.api) headers['X-API-KEY'] = keys.api;
  if (keys.user) headers['X-USER-KEY'] = keys.user;
  return headers;
}

function onClick(event) {
  const link = event.target.closest('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || link.hasAttribute('download')) return;
  if (link.hash === '#keys') {
    event.preventDefault();
    byId('keys').open = true;
    byId('keys-api').focus();
    return;
  }
  if (link.hash && link.pathname + link.search === shown) return;
  event.preventDefault();
  byId('keys').open = false;
  load(link.href, { push: true });
}

// Also comes when a link leads to a place on this very page.
function onHistory(event) {
  if (location.pathname + location.search === shown) return;
  load(location.href, { scroll: (event.state && event.state.scroll) || 0 });
}

async function load(url, { push = false, quiet = false, scroll = 0, notice = '' } = {}) {
  current.abort();
  const turn = (current = new AbortController());
  byId('main').setAttribute('aria-busy', 'true');
  byId('notice').textContent = '';
  try {
    const response = await fetch(url, {
      headers: { ...keyHeaders('text/html'), 'X-Page': '1' }, cache: 'no-store', credentials: 'omit', signal: turn.signal,
    });
    const fresh = await readPage(response);
    if (turn.signal.aborted) return;
    moveTo(url, push);
    showPage(fresh, quiet);
    byId('notice').textContent = notice;
    scrollTo(0, scroll);
  } catch (error) {
    if (!turn.signal.aborted) byId('notice').textContent = 'No answer: ' + error.message;
  } finally {
    if (!turn.signal.aborted) byId('main').removeAttribute('aria-busy');
  }
}

function moveTo(url, push) {
  const { pathname, search } = new URL(url, location.href);
  if (push && pathname + search !== shown) {
    history.replaceState({ scroll: scrollY }, '');
    history.pushState(null, '', pathname + search);
  }
  shown = pathname + search;
}

// What a script or a template has made comes with a sandbox, and is shown as what it is, never as a part of us.
async function readPage(response) {
  const type = response.headers.get('Content-Type') || '';
  if (type.startsWith('text/html') && response.headers.has('Content-Security-Policy') && !isForeign(response)) {
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  }
  const title = response.status + ', ' + (type || 'nothing');
  const fresh = document.implementation.createHTMLDocument(title);
  const main = make('main', { id: 'main' });
  main.append(make('h1', { id: 'title', tabIndex: -1, textContent: title }), await rawAnswer(response, type));
  fresh.body.append(pathTo(new URL(response.url).pathname), main);
  return fresh;
}

function pathTo(path) {
  const nav = byId('path').cloneNode(true);
  const list = nav.querySelector('ol');
  const names = path.split('/').filter(Boolean);
  list.replaceChildren(list.firstElementChild, ...names.map((name, at) => {
    const item = make('li', {});
    const href = '/' + names.slice(0, at + 1).join('/') + '/';
    item.append(make('a', { href, textContent: decodeURIComponent(name) }));
    return item;
  }));
  return nav;
}

// What a script or a template has made.
function isForeign(response) {
  return (response.headers.get('Content-Security-Policy') || '').includes('sandbox');
}

// A blob has our origin: of a type that browsers show, it would run there with the keys of the tab at hand.
async function rawAnswer(response, type) {
  const blob = await response.blob();
  if (/^(text\/|application\/(json|javascript|xml))/.test(type) && blob.size < 1e6) {
    return make('pre', { textContent: await blob.text() });
  }
  const href = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  return make('a', { className: 'button', href, download: '', textContent: 'Save ' + blob.size + ' bytes' });
}

function make(tag, members) {
  return Object.assign(document.createElement(tag), members);
}

function showPage(fresh, quiet) {
  for (const id of ['path', 'main']) byId(id).replaceWith(document.adoptNode(fresh.getElementById(id)));
  document.title = fresh.title;
  prepareForms();
  if (quiet) return;
  byId('title').focus({ preventScroll: true });
  const status = document.querySelector('.status');
  byId('announcement').textContent = status ? status.textContent : '';
}
`;
