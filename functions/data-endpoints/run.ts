import { compiledClass } from '../../shared/classes/compiled-classes.ts';
import { checkClassRights } from '../../shared/classes/rules/permissions.ts';
import {
  allRights,
  endpointRoute,
  idsFrom,
  type Route,
  reservedId,
} from '../../shared/core/family.ts';
import { queryValue, type Response } from '../../shared/core/http/message.ts';
import { inputOf } from '../../shared/core/resource/input.ts';
import { linkPath } from '../../shared/core/resource/links.ts';
import { bodyForm } from '../../shared/core/resource/lists/list-forms.ts';
import { pageBody } from '../../shared/core/resource/page.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import {
  pageParameters,
  projectionParameters,
} from '../../shared/core/resource/query-parameters.ts';
import { createObject } from '../../shared/objects/create-object.ts';
import { withAddresses, withItsAddresses } from '../../shared/objects/files/private-files.ts';
import { objectFields, objectFieldsAt } from '../../shared/objects/object-fields.ts';
import { objectInput } from '../../shared/objects/object-input.ts';
import { objectPageParameters, readObjectPage } from '../../shared/objects/object-page.ts';
import { saveCall } from '../../shared/objects/save-call.ts';
import {
  objectBodies,
  objectLinks,
  objectListPath,
  wholeObject,
} from '../../shared/objects/show-object.ts';
import { mapInTurns } from '../../shared/ports/limits/time-slices.ts';
import { objectPageHints } from '../../shared/search/object-page-hints.ts';
import type { DataEndpointData } from '../../shared/table/records/records.ts';
import { expandedFields, expandObjects, readTargets } from './expand.ts';
import { type DataEndpointContext, inEndpoint } from './loads.ts';
import { dataEndpointsPath, dataEndpointsV1Path } from './paths.ts';

const getRoute: Route = endpointRoute({
  name: 'Data Endpoint Get',
  operationNames: {
    GET: { id: 'listDataEndpointObjects', summary: 'List the data objects of a data endpoint' },
  },
  path: `${dataEndpointsPath}{endpoint}/get/`,
  v1Path: `${dataEndpointsV1Path}{endpoint}/get/`,
  access: {
    owner: allRights,
    full: allRights,
    write: allRights,
    read: 'G',
    ignoreAcl: allRights,
    user: 'G',
    allowAnonymousRead: 'G',
  },
  loads: inEndpoint,
  forms: { pageHints: objectPageHints },
  operations: {
    GET: {
      right: 'G',
      action: 'list',
      parameters: {
        ...pageParameters,
        ...projectionParameters,
        ...objectPageParameters,
        expand: {
          type: 'string',
          description: 'Comma-separated names of the reference and relation fields to embed.',
        },
      },
      authorize: (context) => checkClassRights(context.actor, context.loaded.class.data, 'read'),
      run: listObjects,
    },
  },
});

const postRoute: Route = endpointRoute({
  name: 'Data Endpoint Post',
  operationNames: {
    POST: {
      id: 'createDataEndpointObject',
      summary: 'Create a data object in the class of a data endpoint',
    },
  },
  path: `${dataEndpointsPath}{endpoint}/post/`,
  v1Path: `${dataEndpointsV1Path}{endpoint}/post/`,
  access: { owner: allRights, full: allRights, write: allRights, apiKey: allRights },
  loads: inEndpoint,
  operations: {
    POST: {
      right: 'A',
      action: 'create',
      counter: idsFrom('object'),
      authorize: (context) => checkClassRights(context.actor, context.loaded.class.data, 'create'),
      run: async (context) => {
        const input = inputOf(objectFields, await context.body(), 'create');
        const created = { id: reservedId(context), parse: () => objectInput(input) };
        const object = await createObject(saveCall(context), created);
        const shown = await withItsAddresses(context, context.loaded.class, object);
        return { status: 201, body: wholeObject(context, context.loaded.class, shown) };
      },
    },
  },
  response: { status: 201, fields: objectFields, links: objectLinks, name: 'Data Object' },
  forms: {
    POST: bodyForm({ fields: objectFields }, 'create'),
    links: objectLinks,
    fieldsAt: objectFieldsAt,
  },
});

/** Routes that run a data endpoint: list its objects, and create new ones. */
export const dataEndpointRunRoutes: readonly Route[] = [getRoute, postRoute];

/** Lists the objects that the endpoint selects and the caller may read (docs/reference/data-endpoints.md#get). */
async function listObjects(context: DataEndpointContext): Promise<Response> {
  const { data: endpoint } = context.loaded.endpoint;
  const query = overlaid(context.request.query, endpoint);
  const filter = Object.keys(endpoint.query).length === 0 ? '' : JSON.stringify(endpoint.query);
  const classRecord = context.loaded.class;
  const project = parseProjection(query);
  const isShown = (name: string) => Object.hasOwn(project({ [name]: null }, objectFields), name);
  const fields = expandedFields(
    compiledClass(context.caches, classRecord),
    queryValue(query, 'expand'),
  ).filter(({ name }) => isShown(name));
  const [page, targets] = await Promise.all([
    readObjectPage(context, linkPath(context, context.route.paths), { query, filter }),
    readTargets(context, fields),
  ]);
  const shown = objectBodies(context, classRecord, objectListPath(context, classRecord));
  const items = page.listItems.map(({ item }) => item);
  const views = await withAddresses(context, classRecord, items);
  const expandedObjects = page.listItems.map(({ item }, at) => ({
    item,
    shown: shown(views[at] ?? item),
  }));
  await expandObjects(context, targets, expandedObjects);
  const objects = await mapInTurns(expandedObjects, (each) => project(each.shown, objectFields));
  return { status: 200, body: pageBody(page, objects) };
}

const overlaidNames = ['excluded_fields', 'order_by', 'page_size', 'expand'] as const;

/**
 * Merges the parameters of a request over those of the endpoint; an empty one counts as absent. A stored page size of 0
 * counts as absent.
 */
function overlaid(sent: URLSearchParams, endpoint: DataEndpointData): URLSearchParams {
  let query = sent;
  for (const name of overlaidNames) {
    const value = queryValue(sent, name);
    const stored = endpoint[name];
    if (value || (value === undefined && !stored)) continue;
    if (query === sent) query = new URLSearchParams(sent);
    if (stored) query.set(name, String(stored));
    else query.delete(name);
  }
  return query;
}
