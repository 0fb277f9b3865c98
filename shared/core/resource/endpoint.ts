import { type Access, allRights } from '../../values/access.ts';
import type { Body } from '../http/body/body.ts';
import type { Field, Fields } from '../routing/forms.ts';
import type {
  Context,
  Forms,
  Operation,
  OperationNames,
  Operations,
  ResponseForm,
  Route,
} from '../routing/route.ts';
import type { Version } from '../routing/versions.ts';
import { readOnlyField } from './field.ts';
import { bodyFor } from './input.ts';
import { linkPath } from './links.ts';
import { loadedForms, loadedOperations } from './loads/loaded-operations.ts';
import { type LoadsOf, lookupsIn } from './loads/loads.ts';

/**
 * A path that is not part of a list: a log-in, a page of links, an action on the account.
 *
 * @typeParam Loaded the records that it loads
 */
export interface Endpoint<Loaded extends object = object> {
  readonly name: string;
  readonly description?: string;
  /** See Route. */
  readonly noun?: string;
  /** See Route; required for POST. */
  readonly operationNames?: OperationNames;
  readonly path: string;
  /** Its path in version 1, where that differs; null where version 1 does not have it. */
  readonly v1Path?: string | null;
  readonly access: Access;
  /** Records that its operations get in `context.loaded`. */
  readonly loads?: LoadsOf<Loaded>;
  readonly operations: Operations<Loaded>;
  readonly forms?: Forms<Loaded>;
  /** Form of successful responses; absent: see Forms. */
  readonly response?: ResponseForm;
  /** See Route. */
  readonly formats?: readonly string[];
  readonly ignoresCredentials?: true;
  /** See Route. */
  readonly exists?: Route['exists'];
  /** See Route. */
  readonly otherwise?: NonNullable<Route['otherwise']>;
  /** See Route. */
  readonly hide?: (context: Context) => void;
  /** Not allowed as an item of a batch. */
  readonly isUnbatchable?: true;
  /** Maximum bytes of a body, where lower than everywhere. */
  readonly maxBodyBytes?: number;
  /** Its requests contain requests; see Route. */
  readonly isBatch?: true;
  /** Its responses are not rendered with templates. */
  readonly isUntemplated?: true;
}

/** Derives the route of an endpoint. */
export function endpointRoute<Loaded extends object>(endpoint: Endpoint<Loaded>): Route {
  const { path, v1Path = path, loads, operations, forms, response, ...others } = endpoint;
  return {
    ...others,
    lookups: lookupsIn(loads),
    operations: loadedOperations(loads, operations),
    resource: endpoint.name,
    description: endpoint.description ?? '',
    kind: 'page',
    paths: { 'v1.1': path, ...(v1Path !== null && { v1: v1Path }) },
    instance: path.includes('{instance}') ? 'place' : 'none',
    ignoresCredentials: endpoint.ignoresCredentials === true,
    forms: loadedForms({ ...forms, ...(response && { response }) }),
  };
}

/** Access with or without credentials; a bad key is still rejected. */
export const open: Access = { account: allRights, apiKey: allRights, anonymous: allRights };

/** Access for all accounts, independent of their instances. */
export const accountsOnly: Access = { account: allRights };

/**
 * Links of a page by name: paths below the page's own path, or below the version when they start with `/`; or a page
 * below this one with its links.
 */
export interface EndpointLinks {
  readonly [name: string]: string | { readonly uri: string; readonly links: EndpointLinks };
}

/**
 * Derives a page of links (docs/reference/responses.md#link-pages).
 *
 * @param page.noun   `version links`: for the interface document
 * @param page.access open to all when absent
 */
export function linkPage(page: {
  readonly name: string;
  readonly noun: string;
  readonly path: string;
  readonly v1Path?: string | null;
  readonly access?: Access;
  readonly links: EndpointLinks;
}): Route {
  const { name, noun, path, v1Path, access = open } = page;
  const route: Route = endpointRoute({
    name,
    noun,
    path,
    access,
    isUntemplated: true as const,
    ...(v1Path !== undefined && { v1Path }),
    response: { fields: { links: linkFields(page.links) } },
    operations: { GET: { right: 'G', run: (context) => Promise.resolve(pageOf(context)) } },
  });
  const pageOf = (context: Context) => ({
    status: 200,
    body: { links: absolute(page.links, linkPath(context, route.paths), context.version) },
  });
  return route;
}

/** Describes links as fields, for the interface document. */
function linkFields(links: EndpointLinks): Field {
  const children = Object.entries(links).map(([name, link]): [string, Field] => [
    name,
    typeof link === 'string'
      ? readOnlyField('string')
      : readOnlyField('nested object', {
          children: { uri: readOnlyField('string'), links: linkFields(link.links) },
        }),
  ]);
  return readOnlyField('nested object', { children: Object.fromEntries(children) });
}

/** Makes the paths of links absolute. */
function absolute(links: EndpointLinks, base: string, version: Version): EndpointLinks {
  const at = (path: string) => (path.startsWith('/') ? `/${version}${path}` : base + path);
  return Object.fromEntries(
    Object.entries(links).map(([name, link]) => {
      if (typeof link === 'string') return [name, at(link)];
      const uri = at(link.uri);
      return [name, { uri, links: absolute(link.links, uri, version) }];
    }),
  );
}

/** Describes a POST that reads its fields from the body and returns the response of `run`. */
export function post<Loaded extends object = object>(
  fields: Fields,
  run: (context: Context<Loaded>, body: Body) => ReturnType<Operation['run']>,
): { readonly operations: Operations<Loaded>; readonly forms: Forms<Loaded> } {
  return {
    operations: {
      POST: {
        right: 'A',
        run: async (context) => run(context, await bodyFor(context, fields)),
      },
    },
    forms: { POST: fields },
  };
}
