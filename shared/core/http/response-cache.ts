import type { JsonObject } from '../../values/json/json.ts';

/*
 * Showing an object and writing its JSON is most of what a list costs, and mostly both were done before, if only when
 * it was made. So what was made of an item's data is kept for as long as somebody holds the data, which never change:
 * a change of the object makes others. Nothing can be outdated, and nothing has to be cleared.
 */

/** What shapes bodies beside the items that they show. */
export interface BodyShape {
  /** Such as a class in one of its revisions; never changes. */
  readonly form: object;
  /** Path of the list that the items are in: links begin with it. */
  readonly list: string;
}

/** A body, and what it was made by. */
interface Kept extends BodyShape {
  readonly body: JsonObject;
}

/** By the data that they show. */
const keptBodies = new WeakMap<object, Kept>();
/** JSON of kept bodies; empty until it is written for the first time. */
const texts = new WeakMap<object, string>();

/** How bodies are made. */
export interface BodyMaking<View> {
  /** All of a view that its body shows; it never changes. */
  readonly of: (view: View) => object;
  readonly make: (view: View) => JsonObject;
}

/**
 * Makes a function that gives the body of a view: the one that was made of the same data in the same shape before, or a
 * new one. Bodies are shared, and frozen: who wants another one copies it.
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

/** What was last made of a body and other members. */
const joinedBodies = new WeakMap<
  object,
  { readonly members: JsonObject; readonly body: JsonObject }
>();

/**
 * Gives a lasting body with other members in place of its own: the one that was made last, when it has the very same
 * ones, or a new one. It lasts and is frozen as well.
 *
 * @param members lasting bodies, alone or in lists; with anything else it is made anew each time
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
 * A few large bodies are the same for everybody and for as long as the process lives. Whoever asks for one costs no more
 * than sending it: what was made of it is kept in each form.
 */
const constants = new WeakMap<object, Map<string, unknown>>();

/** Says that a value is the same for everybody and never changes; for few: all that is made of it is kept. */
export function markConstant<Value extends object>(value: Value): Value {
  constants.set(value, new Map());
  return value;
}

/** Tells whether a value is the same for everybody. */
export function isConstant(value: unknown): boolean {
  return typeof value === 'object' && value !== null && constants.has(value);
}

/**
 * Makes something of a value, or gives what was made before when the value is constant.
 *
 * @param form what is made; one name, one type
 */
export function cachedForm<Form>(value: unknown, form: string, make: () => Form): Form {
  const known = typeof value === 'object' && value !== null ? constants.get(value) : undefined;
  if (known?.has(form)) return known.get(form) as Form; // one name, one type
  const made = make();
  known?.set(form, made);
  return made;
}

/** Says that the JSON of a body that will not change is `text`: it is not written again. */
export function keepText(body: object, text: string): void {
  texts.set(body, text);
}

/**
 * Writes a body as JSON: a lasting one, and lasting ones on a page of results, from what was written before.
 *
 * @param body a value that JSON can carry
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
