import type { Shape, TextItem } from '../../store/text-item.ts';
import { BodyText } from '../../values/json/body-text.ts';
import { parseExactJson, writeExactJson } from '../../values/json/exact-number.ts';
import type { Json, JsonObject } from '../../values/json/json.ts';

/*
 * Showing an object as JSON is a large part of the cost of a list, and mostly it was done before. So the result is
 * cached for as long as the item, whose data never change: a change of the object creates a new item. No entry can be
 * outdated, and none has to be cleared.
 */

/** The body of one item. */
export type ItemBody = JsonObject | BodyText;

/** Returns the members of a body, which may be shared. */
export function membersOf(body: ItemBody): JsonObject {
  return body instanceof BodyText ? body.toJSON() : body;
}

/** Returns a body, or a list of bodies, with the members of all. */
export function sharedBodyMembers(body: unknown): unknown {
  return parseExactJson(writeBody(body));
}

/**
 * Returns the body of an item: the kept one, if it has the same shape, or a new one, which is kept with a shared item.
 *
 * @param item its body shows nothing else
 * @param write returns its JSON
 */
export function cachedBody(item: TextItem, shape: Shape, write: () => string): BodyText {
  const known = item.bodyIn(shape);
  if (known !== undefined) return known;
  const body = new BodyText(write());
  item.keepBody(shape, body);
  return body;
}

/** Members that a body gets: bodies of other items, alone or in lists, by name. */
export type BodyMembers = Readonly<Record<string, ItemBody | readonly ItemBody[]>>;

/** The last result for a body with other members, unless it is long. */
const joinedBodies = new WeakMap<
  object,
  { readonly members: BodyMembers; readonly body: BodyText }
>();

const maxKeptLength = 65_536; // each body that an item keeps could have one

/**
 * Returns a body with other members in place of its own: the last result, when it has the very same members, or a new
 * one.
 *
 * @param members cached bodies, alone or in lists; with anything else a new body is made each time
 */
export function joinedBody(base: ItemBody, members: BodyMembers): BodyText {
  const known = joinedBodies.get(base);
  if (known !== undefined && hasSame(known.members, members)) return known.body;
  const all = Object.entries({ ...(parseExactJson(writeBody(base)) as JsonObject), ...members });
  const texts = all.map(([name, value]) => `${JSON.stringify(name)}:${memberText(value)}`);
  const body = new BodyText(`{${texts.join(',')}}`);
  if (body.text.length <= maxKeptLength) joinedBodies.set(base, { members, body });
  return body;
}

function memberText(value: Json | ItemBody | readonly ItemBody[]): string {
  if (value instanceof BodyText) return value.text;
  const isList = Array.isArray(value) && value.some((each) => each instanceof BodyText);
  return isList ? `[${value.map(memberText).join(',')}]` : writeExactJson(value);
}

function hasSame(a: BodyMembers, b: BodyMembers): boolean {
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

/** JSON of bodies that were serialized before. */
const texts = new WeakMap<object, string>();

/** Sets the JSON of a body that will not change. It is not serialized again. */
export function keepText(body: object, text: string): void {
  texts.set(body, text);
}

/**
 * Serializes a body as JSON. Uses the text of bodies that have one, also of those on a page of results.
 *
 * @param body a value that JSON can represent, also with numbers that a double does not give back
 */
export function writeBody(body: unknown): string {
  if (typeof body !== 'object' || body === null) return writeExactJson(body);
  if (body instanceof BodyText) return body.text;
  return texts.get(body) ?? ('objects' in body ? writePage(body) : writeExactJson(body));
}

/** Writes a page as one flat text: a page of pieces would be copied once more. */
function writePage(page: object): string {
  const pieces: string[] = [];
  for (const [name, value] of Object.entries(page)) {
    pieces.push(pieces.length === 0 ? '{' : ',', JSON.stringify(name), ':');
    if (name === 'objects' && Array.isArray(value)) pushList(pieces, value);
    else pieces.push(writeExactJson(value));
  }
  pieces.push('}');
  return pieces.join('');
}

function pushList(pieces: string[], objects: readonly unknown[]): void {
  pieces.push('[');
  for (const [at, one] of objects.entries()) {
    if (at > 0) pieces.push(',');
    pieces.push(one instanceof BodyText ? one.text : writeExactJson(one));
  }
  pieces.push(']');
}
