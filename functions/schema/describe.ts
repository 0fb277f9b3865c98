import { isInClass } from '../../shared/classes/class-record.ts';
import type { Fields, Route } from '../../shared/core/family.ts';
import { hasLink } from '../../shared/core/resource/links.ts';
import type { LinkForm, QueryParameters } from '../../shared/core/routing/forms.ts';
import { documentedName, documentedPath } from '../../shared/core/routing/path-parameters.ts';
import { type Method, methods, type Operation } from '../../shared/core/routing/route.ts';
import type { Version } from '../../shared/core/routing/versions.ts';
import type { Access, Right } from '../../shared/values/access.ts';
import {
  type PathParameter,
  pathParameter,
  pathParameters,
} from '../../shared/values/text/path-parameters.ts';
import { type DescribedResponse, type Model, Models } from './models.ts';
import { nameOperation } from './words.ts';

/** One method of one path, as clients use it. */
export interface DescribedOperation {
  /** Unique: `listApiKeys`. */
  readonly id: string;
  readonly summary: string;
  /** May be empty. */
  readonly description: string;
  readonly method: Method;
  readonly route: Route;
  /** From the root, with `{parameters}`. */
  readonly path: string;
  readonly pathParameters: readonly string[];
  readonly parameters: QueryParameters;
  readonly body: DescribedBody | undefined;
  readonly callers: readonly (keyof Access)[];
  readonly isPage: boolean;
  readonly response: DescribedResponse;
  /** Statuses of error responses to expect; the table of errors has the others. */
  readonly errorStatuses: readonly number[];
  /** Whether a script may determine the response. */
  readonly runsCode: boolean;
  /** Operations on the item that it creates. */
  readonly links: readonly ItemLink[];
}

/** An operation on an item that was created. */
export interface ItemLink {
  /** Of the operation. */
  readonly id: string;
  /** Values of its path parameters, as runtime expressions of OpenAPI. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The body of a request. */
export interface DescribedBody {
  readonly name: string;
  /** Absent: any JSON. */
  readonly fields: Fields | undefined;
  readonly links: readonly LinkForm[] | undefined;
  readonly isPartial: boolean;
  /** A class adds its own fields. */
  readonly isOpen: boolean;
}

/** A version of the interface. */
export interface Description {
  readonly version: Version;
  readonly operations: readonly DescribedOperation[];
  readonly models: readonly Model[];
}

/** Describes all operations of `routes` in a version, in their order. */
export function describeOperations(routes: readonly Route[], version: Version): Description {
  const models = new Models();
  const operations = routes.flatMap((route) => {
    const below = route.paths[version];
    if (below === undefined && !route.isRoot) return [];
    const path = route.isRoot ? '/' : `/${version}${documentedPath(below ?? '')}`;
    return methods.flatMap((method) => {
      const operation = route.operations[method];
      if (operation === undefined) return [];
      return [describeOperation({ route, version, path, method, operation, models })];
    });
  });
  return { version, operations: withLinks(operations), models: models.all };
}

/** Adds the operations on the items that operations create: those below the path of the list. */
function withLinks(operations: readonly DescribedOperation[]): readonly DescribedOperation[] {
  return operations.map((creating) => {
    const { response, route, method, path } = creating;
    if (route.kind !== 'list' || method !== 'POST' || response.model === undefined) return creating;
    const shown = Object.keys(response.model.fields);
    const links = operations.flatMap((each) => {
      const [, added] = each.path.startsWith(path)
        ? (/\{(\w+)\}/.exec(each.path.slice(path.length)) ?? [])
        : [];
      const isNext = each.pathParameters.length === creating.pathParameters.length + 1;
      const member = added && memberOf(added, shown);
      if (!isNext || !added || member === undefined) return [];
      const given = creating.pathParameters.map((name) => [name, `$request.path.${name}`] as const);
      const parameters = { ...Object.fromEntries(given), [added]: `$response.body#/${member}` };
      return [{ id: each.id, parameters }];
    });
    return { ...creating, links };
  });
}

/** Returns the member of an item's response that is the value of a path parameter. */
function memberOf(parameter: string, shown: readonly string[]): string | undefined {
  return [parameter, 'name', 'id'].find((member) => shown.includes(member));
}

interface OperationContext {
  readonly route: Route;
  readonly version: Version;
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
  readonly models: Models;
}

function describeOperation(described: OperationContext): DescribedOperation {
  const { route, path, method, operation } = described;
  const { id, summary, description = '' } = nameOperation(route, method);
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const body = bodyOf(described, `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`);
  const isPage = route.kind === 'list' && method === 'GET';
  const response = responseOf(described);
  return {
    id,
    summary,
    description,
    method,
    route,
    path,
    pathParameters,
    body,
    isPage,
    parameters: operation.parameters ?? {},
    callers: callersOf(route.access, operation.right),
    runsCode: operation.runsCode === true,
    links: [],
    response,
    errorStatuses: [
      ...(isPage || body !== undefined || response.status > 300 ? [400] : []),
      ...(route.ignoresCredentials ? [] : [403]),
      ...(pathParameters.length > 0 ? [404] : []),
    ],
  };
}

/** Returns the parameters of paths by their names in the document: those with a grammar of their own, then others. */
export function parametersOf({
  operations,
}: Pick<Description, 'operations'>): Readonly<Record<string, PathParameter>> {
  const all = new Map<string, PathParameter>(
    Object.entries(pathParameters).map(([name, each]) => [documentedName(name), each]),
  );
  for (const name of operations.flatMap((operation) => operation.pathParameters)) {
    if (!all.has(name)) all.set(name, pathParameter(name));
  }
  return Object.fromEntries(all);
}

/** Returns the callers that have a right, in the order of the table of rights. */
function callersOf(access: Access, right: Right): readonly (keyof Access)[] {
  return (Object.keys(access) as (keyof Access)[]).filter((who) => access[who]?.includes(right));
}

function bodyOf(
  { route, method, version }: OperationContext,
  name: string,
): DescribedBody | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  const { POST, PUT, links } = route.forms;
  // a POST on an item is a full update
  const fields = method === 'POST' && route.kind !== 'detail' ? POST : PUT;
  const takes = Object.values(fields ?? {}).some(({ writable }) => writable !== 'never');
  if (fields !== undefined && !takes) return undefined;
  return {
    name,
    fields,
    isOpen: isInClass(route),
    links: links?.filter((link) => hasLink(link, version)),
    isPartial: method === 'PATCH',
  };
}

function responseOf({ route, method, models }: OperationContext): DescribedResponse {
  const declared = route.forms.response?.status;
  if (method === 'DELETE' || declared === 204) return { status: 204 };
  const ofPost = route.kind === 'list' ? 201 : (declared ?? 200);
  const status = method === 'POST' ? ofPost : 200;
  const model = models.of(route);
  return { status, ...(model && { model }) };
}
