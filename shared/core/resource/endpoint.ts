import { type Access, allRights } from '../../values/access.ts';
import { computed, type Field, type Fields } from './field.ts';
import { type Body, bodyFor } from './input.ts';
import { pathOf } from './links.ts';
import type {
  AnswerForm,
  Context,
  Forms,
  Operation,
  OperationNames,
  Reads,
  Route,
} from './route.ts';
import type { Version } from './versions.ts';

/** A path that is no part of a list: a log-in, a page of links, an action on the account. */
export interface Endpoint {
  readonly name: string;
  readonly description?: string;
  /** See Route. */
  readonly noun?: string;
  /** See Route; required for POST. */
  readonly operationNames?: OperationNames;
  readonly path: string;
  /** Where version 1 has it under another path, or null where it does not have it. */
  readonly v1Path?: string | null;
  readonly access: Access;
  readonly operations: Route['operations'];
  readonly forms?: Forms;
  /** What its successes answer with; absent: see Forms. */
  readonly answer?: AnswerForm;
  /** Values of `format` that it knows beside those of every route. */
  readonly formats?: readonly string[];
  readonly ignoresCredentials?: true;
  /** To an account that is no member it is as if it were not there. */
  readonly isHidden?: true;
  /** No item of a batch may call it. */
  readonly isUnbatchable?: true;
  /** Bytes that a body may have, where that is less than everywhere. */
  readonly maxBodyBytes?: number;
  /** A call counts as the calls inside it. */
  readonly countsAsItems?: true;
  /** Its answers are rendered with no template. */
  readonly isUntemplated?: true;
}

/** Derives the route of an endpoint. */
export function endpointRoute(endpoint: Endpoint): Route {
  const { name, path, v1Path = path, access, operations } = endpoint;
  return {
    name,
    access,
    operations,
    resource: name,
    description: endpoint.description ?? '',
    kind: 'page',
    paths: { 'v1.1': path, ...(v1Path !== null && { v1: v1Path }) },
    instance: path.includes('{instance}') ? 'place' : 'none',
    inClass: false,
    ignoresCredentials: endpoint.ignoresCredentials === true,
    ...(endpoint.noun !== undefined && { noun: endpoint.noun }),
    ...(endpoint.operationNames && { operationNames: endpoint.operationNames }),
    ...(endpoint.isHidden && { isHidden: true }),
    ...(endpoint.formats && { formats: endpoint.formats }),
    ...(endpoint.isUnbatchable && { isUnbatchable: true }),
    ...(endpoint.countsAsItems && { countsAsItems: true }),
    ...(endpoint.maxBodyBytes && { maxBodyBytes: endpoint.maxBodyBytes }),
    ...(endpoint.isUntemplated && { isUntemplated: true }),
    forms: { ...endpoint.forms, ...(endpoint.answer && { answer: endpoint.answer }) },
  };
}

/** Access for everybody, with or without credentials; a bad key is still refused. */
export const open: Access = { account: allRights, apiKey: allRights, anonymous: allRights };

/** Access for accounts, whatever instances they belong to. */
export const accountsOnly: Access = { account: allRights };

/**
 * Links of a page by name: paths below the page's own place, or below the version when they start with `/`; or a
 * page below this one with its links.
 */
export interface PageLinks {
  readonly [name: string]: string | { readonly uri: string; readonly links: PageLinks };
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
  readonly links: PageLinks;
}): Route {
  const { name, noun, path, v1Path, access = open } = page;
  const route = endpointRoute({
    name,
    noun,
    path,
    access,
    isUntemplated: true as const,
    ...(v1Path !== undefined && { v1Path }),
    answer: { fields: { links: linkFields(page.links) } },
    operations: { GET: { right: 'G', run: (context) => Promise.resolve(pageOf(context)) } },
  });
  const pageOf = (context: Context) => ({
    status: 200,
    body: { links: absolute(page.links, pathOf(context, route.paths), context.version) },
  });
  return route;
}

/** Links as fields, for the interface document. */
function linkFields(links: PageLinks): Field {
  const children = Object.entries(links).map(([name, link]): [string, Field] => [
    name,
    typeof link === 'string'
      ? computed('string')
      : computed('nested object', {
          children: { uri: computed('string'), links: linkFields(link.links) },
        }),
  ]);
  return computed('nested object', { children: Object.fromEntries(children) });
}

/** Makes the paths of links absolute. */
function absolute(links: PageLinks, base: string, version: Version): PageLinks {
  const at = (path: string) => (path.startsWith('/') ? `/${version}${path}` : base + path);
  return Object.fromEntries(
    Object.entries(links).map(([name, link]) => {
      if (typeof link === 'string') return [name, at(link)];
      const uri = at(link.uri);
      return [name, { uri, links: absolute(link.links, uri, version) }];
    }),
  );
}

/** A POST that reads its fields from the body and answers as `run` says. */
export function post(
  fields: Fields,
  run: (context: Context, body: Body) => ReturnType<Operation['run']>,
  reads?: Reads,
): { readonly operations: Route['operations']; readonly forms: Forms } {
  return {
    operations: {
      POST: {
        right: 'A',
        ...(reads && { reads }),
        run: async (context) => run(context, await bodyFor(context, fields)),
      },
    },
    forms: { POST: fields },
  };
}
