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
let current: EntryState = markEntry('', -1); // history.state is null between a click and the event of it
addEventListener('hashchange', () => {
  const target = location.hash;
  const { path } = parseLocation(target);
  const next = markEntry(fragment.peek(), current.position);
  if (isSameView(target) || guardsOf(path).length === 0) {
    current = next;
    fragment.value = target;
    return;
  }
  const steps = next.position - current.position;
  history.go(-steps);
  void mayLeave(path).then((isSure) => {
    if (!isSure) return;
    dropGuards(path);
    history.go(steps);
  });
});

/** What is known of an entry of the history. */
interface EntryState {
  /** Identifies the entry. */
  readonly entry: number;
  /** Entries before it. */
  readonly position: number;
  /** The place before it. */
  readonly from: string;
}

/** Returns what is known of the entry that the browser is at, after it has marked a new one. */
function markEntry(from: string, last: number): EntryState {
  if (history.state === null) {
    history.replaceState({ entry: Math.random(), position: last + 1, from }, '');
  }
  return history.state as EntryState; // nothing else writes it
}

/** Returns the id of the current entry of the history: the same when the user comes back to it. */
export function currentEntry(): number {
  return current.entry;
}

interface Guard {
  readonly ask: () => Promise<boolean>;
  /** Checks whether nothing is lost when a path is opened. */
  readonly isKept: (path: string) => boolean;
}

const guards = new Set<Guard>();

/**
 * Has a question asked before another path, or another view of the path, is opened.
 *
 * @param isKept checks whether nothing is lost when a path is opened; absent: always something is
 * @returns a function that ends this
 */
export function guardLocation(
  ask: Guard['ask'],
  isKept: Guard['isKept'] = () => false,
): () => void {
  const guard = { ask, isKept };
  guards.add(guard);
  return () => guards.delete(guard);
}

function guardsOf(path: string): readonly Guard[] {
  return [...guards].filter(({ isKept }) => !isKept(path));
}

/** Asks once whether the current screen may be left for a path, if it has unsaved changes. */
export async function mayLeave(path = ''): Promise<boolean> {
  const [first] = guardsOf(path);
  return first === undefined || first.ask();
}

function isSameView(target: string): boolean {
  const [next, current] = [parseLocation(target), currentLocation.peek()];
  return next.path === current.path && next.query.get('view') === current.query.get('view');
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

/** Returns the address of a list with the form for a new record. */
export function hrefOfForm(list: RequestPath): string {
  return href(list, { form: 'new' });
}

/** Returns the current place as a text, to come back to it. */
export function hereText(): string {
  const { path, query } = currentLocation.peek();
  return addressOf(path, Object.fromEntries(query)).slice(1);
}

/** Parameters of a place; undefined and empty ones are left out. */
export type LocationQuery = Readonly<Record<string, string | undefined>>;

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

/** Replaces the current place in the history by another one, unless the user wants to keep unsaved changes. */
export async function openInstead(path: RequestPath, query: LocationQuery = {}): Promise<void> {
  if (!(await mayLeave(path))) return;
  dropGuards(path);
  replaceFragment(href(path, query));
}

/** Returns to the place from which the current one was opened; to another one as `openInstead` does. */
export async function returnTo(path: RequestPath, query: LocationQuery = {}): Promise<void> {
  if (current.from !== href(path, query)) return openInstead(path, query);
  if (!(await mayLeave(path))) return;
  dropGuards(path);
  history.back();
}

/** Drops the questions before a path is opened: what was changed does not exist any more. */
export function dropGuards(path: string): void {
  for (const guard of guardsOf(path)) guards.delete(guard);
}

function replaceFragment(target: string): void {
  history.replaceState(history.state, '', target);
  fragment.value = location.hash;
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
  replaceFragment(addressOf(path, { ...next, ...changes }));
}

/** Props of a screen: the names in its path. */
export interface ScreenProps {
  readonly names: PathNames;
  /** What follows in the path, where the screen is also shown below its own place: `new`, `14`. */
  readonly below?: string | undefined;
}
