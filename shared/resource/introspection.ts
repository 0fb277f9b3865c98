import { isAllowed, type Right } from '../domain/access.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { Field, Fields } from './field.ts';
import { isIn } from './links.ts';
import type { Context, Route } from './route.ts';

const renders = ['application/json', 'text/html'];
const parses = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

/**
 * Describes a route to a caller: what it renders and parses, and the fields of the writes that this caller may
 * make (reference: OPTIONS introspection). Keys stand in the order of the reference.
 */
export function introspect({ route, actor, version, class: place }: Context): JsonObject {
  const { classFields } = route.forms;
  const links = route.forms.links?.filter((link) => isIn(link, version));
  const added = place === undefined ? {} : (classFields?.(place.data.schema) ?? {});
  const actions: Record<string, Json> = {};
  for (const method of ['POST', 'PUT'] as const) {
    const fields = route.forms[method];
    if (fields === undefined || !isAllowed(route.access, actor, writeRight(route, method)))
      continue;
    actions[method] = describeFields({ ...fields, ...added }, links);
  }
  return {
    name: route.name,
    description: route.description,
    renders,
    parses,
    ...(Object.keys(actions).length > 0 && { actions }),
  };
}

function writeRight(route: Route, method: 'POST' | 'PUT'): Right {
  if (method === 'PUT') return 'U';
  return route.kind === 'list' ? 'C' : 'A';
}

/** Describes fields in display order; `links` comes last where there are links. */
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

function describeField(name: string, field: Field): JsonObject {
  const isWritable = field.writable !== 'never';
  return {
    type: field.type,
    required: field.shownRequired ?? field.required ?? false,
    read_only: !isWritable,
    label: field.label ?? labelOf(name),
    ...(field.helpText !== undefined && { help_text: field.helpText }),
    ...(field.minLength !== undefined && { min_length: field.minLength }),
    ...(field.maxLength !== undefined && { max_length: field.maxLength }),
    ...(field.children !== undefined && { children: describeFields(field.children, undefined) }),
    ...(isWritable &&
      field.choices !== undefined && { choices: field.choices.map(describeChoice) }),
  };
}

function describeChoice(word: string): JsonObject {
  return { value: word, display_name: word };
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
