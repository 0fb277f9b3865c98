import { ApiError, namesUnknown } from '../../values/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../values/json/json.ts';
import type { Body } from '../http/body/body.ts';
import { keyMembers, keyParameters, type Request, type Response } from '../http/message.ts';
import type { Field, Fields } from '../routing/forms.ts';
import type { Context, Operation, Route } from '../routing/route.ts';

/*
 * Clients of the service send more than a path knows, so such names have to be ignored. A header lists them, or, if the
 * client asks for it, an error: this makes a mistyped name visible at once. The known names follow from the resource
 * values.
 */

/** The response header that lists the ignored names. */
export const ignoredHeader = 'X-Ignored';

const parametersOfAll = new Set([...keyParameters, 'format', 'template', 'template_response']);
const membersOfAll = new Set([...keyMembers, '_method']);
const bodyMethods = new Set(['POST', 'PUT', 'PATCH']);

const maxNames = 20;
const maxBytes = 512;
const none: readonly string[] = [];

/** Checks whether names that a path does not know are an error for this request. */
export function isStrict({ headers }: Request): boolean {
  return headers['x-strict'] === '1';
}

/**
 * Checks a strict request before the operation changes anything.
 *
 * @throws ApiError 400 with the names that its path does not know; the errors of the body's parser
 */
export async function checkNames(context: Context, operation: Operation): Promise<void> {
  if (readsBody(context, operation)) await context.body();
  const names = await unknownNames(context, operation);
  if (names.length > 0) throw namesUnknown(names);
}

/**
 * Finds the names in a request that its path does not know, at most 20: query parameters, then members of the body.
 * A body that cannot be parsed has none.
 */
export async function unknownNames(
  context: Context,
  operation: Operation,
): Promise<readonly string[]> {
  if (operation.runsCode) return none;
  const body = readsBody(context, operation) ? await parsedBody(context) : undefined;
  return unknownNamesOf(context, operation)(body);
}

/** Creates the function that finds these names for requests that differ only in their bodies; undefined: no body. */
export function unknownNamesOf(
  context: Context,
  operation: Operation,
): (body: Body | undefined) => readonly string[] {
  const { query } = context.request;
  const parameters = query.size === 0 ? none : unknownParameters(query, operation);
  const fields = readsBody(context, operation)
    ? fieldsOf(context.route, context.request.method)
    : undefined;
  const membersIn = fields && unknownMembersOf(context, fields);
  return (body) => {
    const members = body === undefined || membersIn === undefined ? none : membersIn(body);
    if (parameters.length + members.length === 0) return none;
    return [...new Set([...parameters, ...members])].slice(0, maxNames);
  };
}

/** Writes the names as the value of the header: percent-encoded, as many as fit into 512 bytes. */
export function writeNames(names: readonly string[]): string {
  let text = '';
  for (const name of names) {
    const shown = encodeURIComponent(name.toWellFormed()); // U+FFFD for half of a character
    const longer = text === '' ? shown : `${text}, ${shown}`;
    if (longer.length <= maxBytes) text = longer;
  }
  return text;
}

/** Adds names to those of a response; that of a batch already has those of its items. */
export function withIgnored(response: Response, names: readonly string[]): Response {
  if (names.length === 0) return response;
  const { ignored = none } = response;
  return { ...response, ignored: [...new Set([...names, ...ignored])] };
}

function unknownParameters(query: URLSearchParams, operation: Operation): readonly string[] {
  return firstOf(query.keys(), (name) => isParameter(name, operation));
}

function isParameter(name: string, { parameters = {} }: Pick<Operation, 'parameters'>): boolean {
  return parametersOfAll.has(name) || Object.hasOwn(parameters, name);
}

/** Joins the names of a query that the path knows, and `other` for all others: a name may be a secret as well. */
export function knownParametersIn(
  query: URLSearchParams,
  operation: Pick<Operation, 'parameters'> = {},
): string {
  if (query.size === 0) return '';
  const names = new Set<string>();
  for (const name of query.keys()) names.add(isParameter(name, operation) ? name : 'other');
  return [...names].join();
}

/** Checks whether the operation reads its body. Without fields a body is ignored. */
function readsBody({ request, route }: Context, { runsCode }: Operation): boolean {
  return (
    !runsCode && bodyMethods.has(request.method) && fieldsOf(route, request.method) !== undefined
  );
}

/** Returns the fields of a method's bodies; undefined when it has none. POST updates an item like PUT. */
function fieldsOf({ forms }: Route, method: string): Fields | undefined {
  const fields = method === 'POST' ? (forms.POST ?? forms.PUT) : forms.PUT;
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : fields;
}

function unknownMembersOf(context: Context, fields: Fields): (body: Body) => readonly string[] {
  const known = knownIn(context, fields);
  const nested = nestedIn(fields);
  const isKnown = (name: string) => membersOfAll.has(name) || known(name) !== undefined;
  const isKnownInForm = (name: string) => isKnown(name) || isPart(known, name);
  return (body) => {
    const { form, value } = body;
    if (!isJsonObject(value)) return none;
    const beyond = firstOf(namesIn(body, value), form ? isKnownInForm : isKnown);
    if (nested.length === 0) return beyond;
    return [...beyond, ...nested.flatMap((name) => unknownInside(known, name, value))];
  };
}

async function parsedBody({ body }: Context): Promise<Body | undefined> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined; // the operation that reads it throws the error
  }
}

type Known = (name: string) => Field | undefined;

/** Returns a function that finds a field by name. A class adds fields of its own, which are read only when needed. */
function knownIn(context: Context, fields: Fields): Known {
  const { fieldsAt, links } = context.route.forms;
  let all = fieldsAt === undefined ? fields : undefined;
  return (name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const isSure = field?.children === undefined && field?.isOptional !== true;
    if (field !== undefined && isSure) return field;
    if (name === 'links' && links !== undefined) return linksField;
    all ??= fieldsAt?.(fields, context) ?? fields;
    return Object.hasOwn(all, name) ? all[name] : undefined;
  };
}

const linksField: Field = { type: 'field', writable: 'never' };

/** Checks whether a form's name is a member of a nested object, written with a dot: `profile.avatar`. */
function isPart(known: Known, name: string): boolean {
  const dot = name.indexOf('.');
  const children = dot < 0 ? undefined : known(name.slice(0, dot))?.children;
  return children !== undefined && Object.hasOwn(children, name.slice(dot + 1));
}

/** Returns the nested objects of a body whose members may be written. */
function nestedIn(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((name) => {
    const field = fields[name];
    return field?.type === 'nested object' && field.writable !== 'never';
  });
}

function unknownInside(known: Known, name: string, value: JsonObject): readonly string[] {
  const inner = value[name];
  const { children, links } = known(name) ?? {};
  if (children === undefined || !isJsonObject(inner)) return none;
  const isKnown = (each: string) =>
    Object.hasOwn(children, each) || (each === 'links' && links !== undefined);
  return firstOf(Object.keys(inner), isKnown).map((each) => `${name}.${each}`);
}

function* namesIn({ files = [] }: Body, value: JsonObject): Iterable<string> {
  // a body may have 100,000 members, so they are not listed first
  for (const name in value) yield name;
  for (const { field } of files) yield field;
}

/** Returns the first unknown names. */
function firstOf(names: Iterable<string>, isKnown: (name: string) => boolean): readonly string[] {
  const found: string[] = [];
  for (const name of names) {
    if (isKnown(name)) continue;
    found.push(name);
    if (found.length === maxNames) break;
  }
  return found;
}
