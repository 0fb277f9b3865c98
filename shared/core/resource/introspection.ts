import { isAllowed } from '../../values/access.ts';
import { ApiError } from '../../values/errors/errors.ts';
import type { Json, JsonObject } from '../../values/json/json.ts';
import type { Field, Fields } from '../routing/forms.ts';
import { type Context, methods, type Operation, type Route } from '../routing/route.ts';
import { hasLink } from './links.ts';

const renders = ['application/json', 'text/html'];
const parses = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

const allowed = new WeakMap<Route, string>();

/** Returns the methods of a route for its `Allow` header, which every response has: the text is cached. */
export function allowedMethods(route: Route): string {
  const known = allowed.get(route);
  if (known !== undefined) return known;
  const { operations } = route;
  const own = methods.filter((method) => operations[method] !== undefined);
  const text = [...own, ...(operations.GET === undefined ? [] : ['HEAD']), 'OPTIONS'].join(', ');
  allowed.set(route, text);
  return text;
}

/**
 * Describes a route to a client: what it renders and parses, and the fields of the writes that this client may make
 * (docs/reference/requests.md#options). Keys have the order given there.
 */
export function introspect(context: Context): JsonObject {
  const { route, version } = context;
  const { forms } = route;
  const links = forms.links?.filter((link) => hasLink(link, version));
  const actions: Record<string, Json> = {};
  for (const method of ['POST', 'PUT'] as const) {
    const fields = forms[method];
    if (fields === undefined || !mayCall(context, route.operations[method])) continue;
    actions[method] = describeFields(forms.fieldsAt?.(fields, context) ?? fields, links);
  }
  return {
    name: route.name,
    description: route.description,
    renders,
    parses,
    ...(Object.keys(actions).length > 0 && { actions }),
  };
}

/** Checks whether the client may use an operation. Applies the access table and the operation's own rules. */
function mayCall(context: Context, operation: Operation | undefined): boolean {
  const { route, actor } = context;
  if (operation === undefined || !isAllowed(route.access, actor, operation.right)) return false;
  try {
    operation.authorize?.(context);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}

/** Describes fields in display order; `links` comes last if present. */
export function describeFields(fields: Fields, links: Route['forms']['links']): JsonObject {
  const described = Object.entries(fields).map(([name, field]) => [
    name,
    describeField(name, field),
  ]);
  return {
    ...Object.fromEntries(described),
    ...(links !== undefined && { links: describeLinks(links) }),
  };
}

/** Describes one field. An element of a list has no name, and so no label. */
function describeField(name: string | undefined, field: Field): JsonObject {
  const label = field.label ?? (name === undefined ? undefined : labelOf(name));
  const isWritable = field.writable !== 'never';
  return {
    type: field.type,
    required: field.shownRequired ?? field.required ?? false,
    read_only: !isWritable,
    ...(label !== undefined && { label }),
    ...(field.helpText !== undefined && { help_text: field.helpText }),
    ...(field.minLength !== undefined && { min_length: field.minLength }),
    ...(field.maxLength !== undefined && { max_length: field.maxLength }),
    ...(field.minValue !== undefined && { min_value: field.minValue }),
    ...(field.maxValue !== undefined && { max_value: field.maxValue }),
    ...(field.child !== undefined && { child: describeField(undefined, field.child) }),
    ...(field.children !== undefined && { children: describeFields(field.children, undefined) }),
    ...(isWritable && field.choices !== undefined && { choices: describeChoices(field.choices) }),
  };
}

/** Describes the values of a field that has a choice of them. */
export function describeChoices(words: readonly string[]): readonly JsonObject[] {
  return words.map((word) => ({ value: word, display_name: word }));
}

function labelOf(name: string): string {
  if (name === 'id') return 'ID';
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describeLinks(links: NonNullable<Route['forms']['links']>): JsonObject {
  return {
    type: 'links',
    required: false,
    read_only: true,
    label: 'Links',
    links: links.map(({ name, type }) => ({ name, type })),
  };
}
