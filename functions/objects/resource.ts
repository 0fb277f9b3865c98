import { type ClassContext, classOfPath, inClass } from '../../shared/classes/class-record.ts';
import {
  checkClassRights,
  checkObjectRights,
  type ObjectOperation,
} from '../../shared/classes/rules/permissions.ts';
import {
  allRights,
  type Family,
  idsFrom,
  type ListOf,
  listRoutes,
  type Route,
  recordAt,
  reservedId,
} from '../../shared/core/family.ts';
import { createObject } from '../../shared/objects/create-object.ts';
import { withAddresses, withItsAddresses } from '../../shared/objects/files/private-files.ts';
import { objectFields, objectFieldsAt } from '../../shared/objects/object-fields.ts';
import { objectInput } from '../../shared/objects/object-input.ts';
import { objectPageParameters, readObjectPage } from '../../shared/objects/object-page.ts';
import { saveCall } from '../../shared/objects/save-call.ts';
import { removeObject, updateObject } from '../../shared/objects/save-object.ts';
import { objectBodies, objectLinks, type ShownObject } from '../../shared/objects/show-object.ts';
import { objectPageHints } from '../../shared/search/object-page-hints.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import type { ObjectData } from '../../shared/table/records/records.ts';
import type { Right } from '../../shared/values/access.ts';
import { grants } from './grants.ts';
import { jobs } from './jobs.ts';
import { uploadRoute } from './uploads.ts';

const operations: Readonly<Record<Right, ObjectOperation>> = {
  L: 'read',
  G: 'read',
  C: 'create',
  U: 'update',
  D: 'delete',
  A: 'update',
};

const resource: ListOf<ObjectData, ShownObject, typeof objectFields, ClassContext['loaded']> = {
  name: 'Data Object',
  path: '/instances/{instance}/classes/{class}/objects/',
  item: 'id',
  access: {
    owner: allRights,
    full: allRights,
    write: allRights,
    read: 'LG',
    apiKey: 'CUD',
    ignoreAcl: allRights,
    user: allRights,
    allowAnonymousRead: 'LG',
  },
  fields: objectFields,
  fieldsAt: objectFieldsAt,
  pageHints: objectPageHints,
  parameters: objectPageParameters,
  links: objectLinks,
  record: recordAt(objectEntity, ['instance', classOfPath, '{id}']),
  loads: inClass,
  counter: idsFrom('object'),
  authorize: (context, right) =>
    checkClassRights(context.actor, context.loaded.class.data, operations[right]),
  authorizeItem: ({ actor }, { data }, right) => checkObjectRights(actor, data, operations[right]),
  page: readObjectPage,
  view: (context, items) => withAddresses(context, context.loaded.class, items),
  bodies: (context, list) => objectBodies(context, context.loaded.class, list),
  segment: ({ data }) => String(data.id),
  create: async (context, input) => {
    const created = { id: reservedId(context), parse: () => objectInput(input) };
    const object = await createObject(saveCall(context), created);
    return withItsAddresses(context, context.loaded.class, object);
  },
  update: async (context, { current, input }) => {
    const object = await updateObject(saveCall(context), current, objectInput(input));
    return withItsAddresses(context, context.loaded.class, object);
  },
  remove: (context, current) => removeObject(saveCall(context), current),
};

/** Adds POST to the route of an object, where it is a full update. */
function withPost(route: Route): Route {
  const { PUT } = route.operations;
  return PUT ? { ...route, operations: { ...route.operations, POST: PUT } } : route;
}

/** The data objects of a class. */
export const objects: Family = {
  name: 'objects',
  grants,
  jobs,
  places: {
    '/instances/{instance}/classes/': '/i/{instance}/data',
    '/instances/{instance}/classes/{class}/': '/i/{instance}/data/{class}',
    '/instances/{instance}/classes/{class}/objects/{id}/': '/i/{instance}/data/{class}/{id}',
  },
  routes: [...listRoutes(resource).map(withPost), uploadRoute],
};
