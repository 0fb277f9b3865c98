import { computed, signal } from '@preact/signals';
import type { RequestPath } from '../../shared/values/text/request-path.ts';
import type { PathNames } from './place-names.ts';

// The route is the fragment of the address: the console works below any path, and queries stay out of server logs.

/** The place in the console. */
export interface ConsoleLocation {
  /** For example `/i/blog/data/book`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const fragment = signal(location.hash);
addEventListener('hashchange', () => {
  const target = location.hash;
  if (guards.size === 0 || parseLocation(target).path === currentPath.peek()) {
    fragment.value = target;
    return;
  }
  history.replaceState(null, '', fragment.peek() || '#/');
  void mayLeave().then((isSure) => {
    if (!isSure) return;
    guards.clear();
    location.hash = target;
  });
});

type Guard = () => Promise<boolean>;

const guards = new Set<Guard>();

/**
 * Has a question asked before another path is opened.
 *
 * @returns a function that ends this
 */
export function guardLocation(ask: Guard): () => void {
  guards.add(ask);
  return () => guards.delete(ask);
}

/** Asks once whether the current screen may be left, if it has unsaved changes. */
export async function mayLeave(): Promise<boolean> {
  const [first] = guards;
  return first === undefined || first();
}

/** The current place. */
export const currentLocation = computed(() => parseLocation(fragment.value));

/** The path of the current place; unlike `place` it does not change with the query. */
export const currentPath = computed(() => currentLocation.value.path);

function parseLocation(hash: string): ConsoleLocation {
  const [path = '', query = ''] = hash.slice(1).split('?', 2);
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query) };
}

/** Returns the address of a place, for links: `` href(at`/i/${instance}/data`) ``. */
export function href(path: RequestPath, query: LocationQuery = {}): string {
  return addressOf(path, query);
}

/** Returns the current place as a text, to come back to it. */
export function hereText(): string {
  const { path, query } = currentLocation.peek();
  return addressOf(path, Object.fromEntries(query)).slice(1);
}

/** Parameters of a place; undefined and empty ones are left out. */
type LocationQuery = Readonly<Record<string, string | undefined>>;

function addressOf(path: string, query: LocationQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  return parameters.size === 0 ? `#${path}` : `#${path}?${parameters}`;
}

/** Opens a place. */
export function navigate(path: RequestPath, query: LocationQuery = {}): void {
  location.hash = href(path, query);
}

/** Opens a place without the question of `guardLocation`: what was changed does not exist any more. */
export function leaveTo(path: RequestPath): void {
  guards.clear();
  navigate(path);
}

/**
 * Replaces parameters of the current place; undefined and empty ones are removed. No step back is added. Does nothing
 * while another place is being opened.
 */
export function setQuery(changes: LocationQuery): void {
  const { path, query } = currentLocation.peek();
  if (parseLocation(location.hash).path !== path) return;
  const next = Object.fromEntries(query);
  const target = addressOf(path, { ...next, ...changes });
  history.replaceState(null, '', target);
  fragment.value = location.hash;
}

/** Props of a screen: the names in its path. */
export interface ScreenProps {
  readonly names: PathNames;
}
