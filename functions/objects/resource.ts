import { compiledClass } from '../../shared/classes/compiled-classes.ts';
import {
  checkClassRights,
  checkObjectRights,
  type ObjectOperation,
} from '../../shared/classes/rules/permissions.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { classOf, idsFrom, reservedId } from '../../shared/core/resource/place.ts';
import type { Family } from '../../shared/core/resource/route.ts';
import { objectFields, objectFieldsAt } from '../../shared/objects/object-fields.ts';
import { objectInput, saveCall } from '../../shared/objects/object-input.ts';
import { objectPageParameters, readObjectPage } from '../../shared/objects/object-page.ts';
import { createObject, removeObject, updateObject } from '../../shared/objects/save-object.ts';
import { objectLinks, showObject } from '../../shared/objects/show-object.ts';
import { objectEntity } from '../../shared/store/entities.ts';
import type { ObjectData } from '../../shared/store/records/records.ts';
import { allRights, type Right } from '../../shared/values/access.ts';
import { uploadRoute } from './uploads.ts';

/** An object, without its storage location, which is not shown. */
interface View {
  readonly data: ObjectData;
}

const operations: Readonly<Record<Right, ObjectOperation>> = {
  L: 'read',
  G: 'read',
  C: 'create',
  U: 'update',
  D: 'delete',
  A: 'update',
};

const resource: ListResource<ObjectData, View> = {
  name: 'Data Object',
  path: '/instances/{instance}/classes/{class}/objects/',
  item: 'id',
  inClass: true,
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
  parameters: objectPageParameters,
  links: objectLinks,
  key: ({ instance, classNumber, params }) =>
    instance === undefined || classNumber === undefined || params.id === undefined
      ? undefined
      : objectEntity.key(instance, classNumber, params.id),
  counter: idsFrom('object'),
  authorize: (context, right) =>
    checkClassRights(context.actor, classOf(context).data, operations[right]),
  authorizeItem: ({ actor }, { data }, right) => checkObjectRights(actor, data, operations[right]),
  page: readObjectPage,
  view: (_, items) => Promise.resolve(items),
  show: (context, { data }) => showObject(compiledClass(context.caches, classOf(context)), data),
  cached: {
    form: (context) => compiledClass(context.caches, classOf(context)),
    of: ({ data }) => data,
  },
  segment: ({ data }) => String(data.id),
  create: async (context, body) => {
    const input = objectInput(body, 'create');
    return { data: await createObject(saveCall(context), reservedId(context), input) };
  },
  update: async (context, { current, body, mode }) => ({
    data: await updateObject(saveCall(context), current, objectInput(body, mode)),
  }),
  remove: (context, current) => removeObject(saveCall(context), current),
  postUpdates: true,
};

/** The data objects of a class. */
export const objects: Family = { name: 'objects', routes: [...listRoutes(resource), uploadRoute] };
