import { isClassVisible } from '../../shared/classes/rules/permissions.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { cut } from '../../shared/core/resource/page.ts';
import { instanceOf } from '../../shared/core/resource/place.ts';
import { prefixParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Context, Family } from '../../shared/core/resource/route.ts';
import { allUnder } from '../../shared/store/all-under.ts';
import {
  as,
  classCountEntity,
  classEntity,
  classMetadataEntity,
  classPrefix,
} from '../../shared/store/entities.ts';
import type { ClassData } from '../../shared/store/records/records.ts';
import type { Stored } from '../../shared/store/store.ts';
import { allRights } from '../../shared/values/access.ts';
import { notFound } from '../../shared/values/errors/errors.ts';
import { classFields } from './fields.ts';
import { type ClassView, createClass, removeClass, updateClass } from './write.ts';

const resource: ListResource<ClassData, ClassView> = {
  name: 'Klass',
  noun: 'class',
  path: '/instances/{instance}/classes/',
  item: 'class',
  access: {
    owner: allRights,
    full: allRights,
    write: allRights,
    read: 'LG',
    apiKey: 'LG', // those that the key may see; no API key ever changes a class
  },
  fields: classFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    { name: 'objects', type: 'list', to: 'objects/' },
    {
      name: 'group',
      type: 'detail',
      to: ({ data }, base) => (data.group === null ? undefined : `${base}/groups/${data.group}/`),
    },
  ],
  parameters: prefixParameters('name'),
  key: ({ instance, params }) =>
    instance === undefined || params.class === undefined
      ? undefined
      : classEntity.key(instance, params.class),
  authorizeItem: ({ actor }, { data }) => {
    if (!isClassVisible(actor, data)) throw notFound();
  },
  rows: async (context, range) => {
    const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
    const { pk } = classEntity.key(instanceOf(context), '');
    const items = await allUnder(context.platform.store, { pk, sk: classPrefix });
    const visible = items
      .map((item) => as(classEntity, item))
      .filter(({ data }) => data.name.startsWith(prefix) && isClassVisible(context.actor, data));
    return cut(
      visible.map((item) => ({ pk: item.data.number, item })),
      range,
    );
  },
  view: async (context, items) => {
    const beside = await readBeside(context, items);
    return items.map(({ data }, at) => ({
      data,
      metadata: as(classMetadataEntity, beside[at])?.data.metadata ?? {},
      objects: as(classCountEntity, beside[items.length + at])?.data.count ?? 0,
    }));
  },
  show: (_, { data, metadata, objects }) => ({
    name: data.name,
    description: data.description,
    schema: data.schema as unknown as readonly Record<string, string | boolean>[],
    status: data.status,
    created_at: data.created_at,
    updated_at: data.updated_at,
    objects_count: objects,
    revision: data.revision,
    group: data.group,
    group_permissions: data.group_permissions,
    other_permissions: data.other_permissions,
    metadata,
  }),
  segment: ({ data }) => data.name,
  create: createClass,
  update: updateClass,
  remove: removeClass,
};

/** Reads the free data of classes, then their counts, in one step. */
async function readBeside(
  context: Context,
  items: readonly Stored<ClassData>[],
): Promise<readonly (Stored | undefined)[]> {
  const { store, changes } = context.platform;
  const instance = instanceOf(context);
  if (items.length === 0) return [];
  await changes.settled();
  return store.get([
    ...items.map(({ data }) => classMetadataEntity.key(instance, data.name)),
    ...items.map(({ data }) => classCountEntity.key(instance, data.number)),
  ]);
}

/** The data classes of an instance. */
export const classes: Family = { name: 'classes', routes: listRoutes(resource) };
