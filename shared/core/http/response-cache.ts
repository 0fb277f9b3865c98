import type { JsonObject } from '../../values/json/json.ts';

/*
 * Showing an object and serializing its JSON is most of the cost of a list, and mostly both were done before, if only
 * when it was created. So the results are cached for as long as the item's data are referenced, which never change: a
 * change of the object creates new data. No entry can be outdated, and none has to be cleared.
 */

/** What shapes bodies, apart from the items that they show. */
export interface BodyShape {
  /** For example a class in one of its revisions; never changes. */
  readonly form: object;
  /** Path of the list that contains the items: links begin with it. */
  readonly list: string;
}

/** A body, and the shape that it was made with. */
interface Kept extends BodyShape {
  readonly body: JsonObject;
}

/** Bodies by the data that they show. */
const keptBodies = new WeakMap<object, Kept>();
/** JSON of cached bodies; empty until it is first serialized. */
const texts = new WeakMap<object, string>();

/** How bodies are made. */
export interface BodyMaking<View> {
  /** All data of a view that its body shows; they never change. */
  readonly of: (view: View) => object;
  readonly make: (view: View) => JsonObject;
}

/**
 * Creates a function that returns the body of a view: the cached one, if made of the same data in the same shape, or a
 * new one. Bodies are shared and frozen; copy one to change it.
 */
export function cachedBodies<View>(
  { form, list }: BodyShape,
  { of, make }: BodyMaking<View>,
): (view: View) => JsonObject {
  return (view) => {
    const data = of(view);
    const kept = keptBodies.get(data);
    if (kept !== undefined && kept.form === form && kept.list === list) return kept.body;
    const body = Object.freeze(make(view));
    keptBodies.set(data, { form, list, body });
    texts.set(body, '');
    return body;
  };
}

/** The last result for a body with other members. */
const joinedBodies = new WeakMap<
  object,
  { readonly members: JsonObject; readonly body: JsonObject }
>();

/**
 * Returns a cached body with other members in place of its own: the last result, when it has the very same members, or
 * a new one. It is cached and frozen as well.
 *
 * @param members cached bodies, alone or in lists; with anything else a new body is made each time
 */
export function joinedBody(base: JsonObject, members: JsonObject): JsonObject {
  const known = joinedBodies.get(base);
  if (known !== undefined && hasSame(known.members, members)) return known.body;
  const body: JsonObject = Object.freeze({ ...base, ...members });
  joinedBodies.set(base, { members, body });
  texts.set(body, '');
  return body;
}

function hasSame(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

function isSame(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((entry, at) => entry === b[at]);
}

/*
 * A few large bodies are the same for all clients for as long as the process lives. A request for one costs no more
 * than sending it: every form made of it is cached.
 */
const constants = new WeakMap<object, Map<string, unknown>>();

/** Marks a value as the same for all clients and constant. Only for few values: every form made of it is cached. */
export function markConstant<Value extends object>(value: Value): Value {
  constants.set(value, new Map());
  return value;
}

/** Checks whether a value is marked as constant. */
export function isConstant(value: unknown): boolean {
  return typeof value === 'object' && value !== null && constants.has(value);
}

/**
 * Makes a form of a value, or returns the cached one when the value is constant.
 *
 * @param form name of the form; one name, one type
 */
export function cachedForm<Form>(value: unknown, form: string, make: () => Form): Form {
  const known = typeof value === 'object' && value !== null ? constants.get(value) : undefined;
  if (known?.has(form)) return known.get(form) as Form; // one name, one type
  const made = make();
  known?.set(form, made);
  return made;
}

/** Sets the JSON of a body that will not change. It is not serialized again. */
export function keepText(body: object, text: string): void {
  texts.set(body, text);
}

/**
 * Serializes a body as JSON. Uses the cached text of cached bodies, also of those on a page of results.
 *
 * @param body a value that JSON can represent
 */
export function writeBody(body: unknown): string {
  if (typeof body !== 'object' || body === null) return JSON.stringify(body);
  return lastingText(body) ?? ('objects' in body ? writePage(body) : JSON.stringify(body));
}

function lastingText(body: object): string | undefined {
  const known = texts.get(body);
  if (known !== '') return known;
  const text = JSON.stringify(body);
  texts.set(body, text);
  return text;
}

function writePage(page: object): string {
  const members = Object.entries(page).map(([name, value]) => {
    const isList = name === 'objects' && Array.isArray(value);
    return `${JSON.stringify(name)}:${isList ? writeList(value) : JSON.stringify(value)}`;
  });
  return `{${members.join()}}`;
}

function writeList(objects: readonly object[]): string {
  return `[${objects.map((one) => lastingText(one) ?? JSON.stringify(one)).join()}]`;
}
