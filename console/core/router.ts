import { computed, signal } from '@preact/signals';

// The route is the fragment of the address: the console works below any path, and queries stay out of server logs.

/** The place in the console. */
export interface Place {
  /** For example `/i/blog/data/book`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const fragment = signal(location.hash);
addEventListener('hashchange', () => {
  const target = location.hash;
  if (guard === undefined || parsePlace(target).path === path.peek()) {
    fragment.value = target;
    return;
  }
  history.replaceState(null, '', fragment.peek() || '#/');
  void mayLeave().then((isSure) => {
    if (!isSure) return;
    guard = undefined;
    location.hash = target;
  });
});

let guard: (() => Promise<boolean>) | undefined;

/**
 * Has a question asked before another path is opened.
 *
 * @returns a function that ends this
 */
export function guardPlace(ask: () => Promise<boolean>): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
}

/** Asks whether the current screen may be left, if it has unsaved changes. */
export async function mayLeave(): Promise<boolean> {
  return guard === undefined || guard();
}

/** The current place. */
export const place = computed(() => parsePlace(fragment.value));

/** The path of the current place; unlike `place` it does not change with the query. */
export const path = computed(() => place.value.path);

function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.slice(1).split('?', 2);
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query) };
}

/** Returns the address of a place, for links. Names must be encoded: see `at`. */
export function href(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  return parameters.size === 0 ? `#${path}` : `#${path}?${parameters}`;
}

/** Returns a path of encoded segments: `` at`/i/${instance}/data` ``. */
export function at(texts: TemplateStringsArray, ...names: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...names.map((name) => encodeURIComponent(String(name))));
}

/** Opens a place. */
export function navigate(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): void {
  location.hash = href(path, query);
}

/** Opens a place without the question of `guardPlace`: what was changed does not exist any more. */
export function leaveTo(path: string): void {
  guard = undefined;
  navigate(path);
}

/**
 * Replaces parameters of the current place; undefined and empty ones are removed. No step back is added. Does nothing
 * while another place is being opened.
 */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = place.peek();
  if (parsePlace(location.hash).path !== path) return;
  const next = Object.fromEntries(query);
  const target = href(path, { ...next, ...changes });
  history.replaceState(null, '', target);
  fragment.value = location.hash;
}

/** Values of the parameters in a path. */
export type PathNames = Readonly<Record<string, string>>;

/** Props of a screen: the names in its path. */
export interface ScreenProps {
  readonly names: PathNames;
}

/**
 * Compares a path with a pattern such as `/i/:instance/data/:class`.
 *
 * @returns the decoded names; undefined when they differ
 */
export function matchPath(pattern: string, path: string): PathNames | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const names: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith(':')) names[part.slice(1)] = decode(text);
    else if (part !== text) return undefined;
  }
  return names;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}
