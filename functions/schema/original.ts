import type { Fields, Route } from '../../shared/core/family.ts';
import { describeChoices, describeFields } from '../../shared/core/resource/introspection.ts';
import { hasLink } from '../../shared/core/resource/links.ts';
import type { LinkForm } from '../../shared/core/routing/forms.ts';
import type { Method } from '../../shared/core/routing/route.ts';
import type { Version } from '../../shared/core/routing/versions.ts';
import { isJsonObject, type JsonObject } from '../../shared/values/json/json.ts';
import { pathParameter } from '../../shared/values/text/path-parameters.ts';
import type { Description } from './describe.ts';
import { groupBy } from './group.ts';
import { typeNameOf } from './words.ts';

/** A route at its path below the version. */
interface RoutePath {
  readonly route: Route;
  readonly path: string;
}

/**
 * Returns the schema in the form of the original service (docs/reference/README.md#schema-of-v1): an array of resources
 * with their endpoints. The Ruby library reads it when it connects.
 */
export function toOriginal({ operations, version }: Description): readonly JsonObject[] {
  const routes = [...new Set(operations.map(({ route }) => route))];
  const routePaths = routes.flatMap((route) => {
    const path = route.paths[version];
    return path === undefined ? [] : [{ route, path }];
  });
  const byEntry = groupBy(routePaths, (routePath) => entryOf(routePath, routePaths));
  return [...byEntry].map(([entry, own]) => ({
    name: alone[entry.route.resource]?.name ?? nameOf(entry.route),
    endpoints: Object.fromEntries(
      own.map((routePath) => [endpointName(routePath), endpointOf(routePath, entry, version)]),
    ),
  }));
}

function endpointOf({ route, path }: RoutePath, entry: RoutePath, version: Version): JsonObject {
  return {
    methods: methodsOf(route),
    ...namedPath(`/${version}${path}`, entry),
    fields: fieldsOf(route, (link) => hasLink(link, version)),
  };
}

/** Names of the original service, where they are not those of our resources in camel case. */
const names: Readonly<Record<string, string>> = {
  Account: 'AccountView',
  'Account Invitation': 'AdminInvitation',
  Klass: 'Class',
  'Data Object': 'Object',
  Script: 'CodeBox',
  'Script Trace': 'CodeBoxTrace',
  'Script Endpoint': 'Webhook',
  'Script Endpoint Trace': 'WebhookTrace',
};

/** Resources that were entries of their own in the original service, with the name of their only endpoint. */
const alone: Readonly<Record<string, { readonly name: string; readonly endpoint: string }>> = {
  'Script Runtimes': { name: 'Runtime', endpoint: 'list' },
  'Script Endpoint Public Run': { name: 'WebhookPublicView', endpoint: 'run' },
  'Script Endpoint Public Named Run': { name: 'WebhookPublicNamedView', endpoint: 'run' },
};

function nameOf({ resource }: Route): string {
  return names[resource] ?? typeNameOf(resource);
}

/** Returns the path that a path is an endpoint of: the list, or the page, that it is below and is named after. */
function entryOf(one: RoutePath, routePaths: readonly RoutePath[]): RoutePath {
  const { kind, resource } = one.route;
  if (kind === 'list' || resource in alone) return one;
  const above = routePaths.filter(
    (other) =>
      (other.route.kind === 'list' || other.route.kind === 'page') &&
      other.path.length < one.path.length &&
      one.path.startsWith(other.path) &&
      `${resource} `.startsWith(`${other.route.resource} `),
  );
  const [nearest] = above.toSorted((a, b) => b.path.length - a.path.length);
  return nearest === undefined ? one : entryOf(nearest, routePaths);
}

/** Returns `list`, `detail`, or the last word of the path. */
function endpointName({ route, path }: RoutePath): string {
  const { kind, resource } = route;
  if (kind === 'list' || kind === 'detail') return kind;
  const words = path.split('/').filter((word) => word !== '' && !word.startsWith('{'));
  return alone[resource]?.endpoint ?? words.at(-1) ?? 'links';
}

const order: readonly Method[] = ['POST', 'PUT', 'GET', 'PATCH', 'DELETE'];

function methodsOf({ operations }: Route): readonly string[] {
  return order
    .filter((method) => operations[method] !== undefined)
    .map((method) => method.toLowerCase());
}

/**
 * Returns a path with its parameters named as in the original service. The parameters of the entry name what it is in,
 * such as `class_name`; the next one is a field of the item.
 */
function namedPath(path: string, entry: RoutePath) {
  const properties: string[] = [];
  const inside = [...entry.path.matchAll(/\{/g)].length;
  const words = path.split('/').map((word, at, all) => {
    const [, parameter] = /^\{(\w+)\}$/.exec(word) ?? [];
    if (parameter === undefined) return word;
    const name = parameterName(parameter, properties.length < inside ? all[at - 1] : undefined);
    properties.push(name);
    return `{${name}}`;
  });
  return { path: words.join('/'), properties };
}

function parameterName(parameter: string, list: string | undefined): string {
  const { type, documentedAs = parameter } = pathParameter(parameter);
  if (/^(device|link|backend)$/.test(parameter)) return documentedAs;
  const own = type === 'integer' ? 'id' : 'name';
  return list === undefined || list.startsWith('{') ? own : `${singular(list)}_${own}`;
}

/** Returns the singular of the last word of a list's path. */
function singular(list: string): string {
  return list.replace(/(?<=x|ss)es$|s$/, '');
}

/** Returns the fields of a route as OPTIONS shows them; clients need the choices of read-only ones as well. */
function fieldsOf({ kind, forms }: Route, isShown: (link: LinkForm) => boolean): JsonObject {
  const sent = kind === 'detail' ? (forms.PUT ?? forms.POST) : (forms.POST ?? forms.PUT);
  const fields = sent ?? responseFields(forms.response?.fields);
  const links = sent === undefined ? forms.response?.links : forms.links;
  const described = Object.entries(describeFields(fields, links?.filter(isShown)));
  return Object.fromEntries(
    described.map(([name, field]) => {
      const choices = fields[name]?.choices;
      const isWhole = choices === undefined || !isJsonObject(field);
      return [name, isWhole ? field : { ...field, choices: describeChoices(choices) }];
    }),
  );
}

function responseFields(fields: Fields = {}): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, { writeOnly }]) => !writeOnly));
}
