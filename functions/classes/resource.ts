import { isClassVisible } from '../../shared/classes/rules/permissions.ts';
import {
  allRights,
  type Family,
  instanceOf,
  type ListOf,
  listRoutes,
  notFound,
  prefixParameters,
  recordAt,
  showFields,
} from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { cut } from '../../shared/core/resource/page.ts';
import { readTogether } from '../../shared/store/entity.ts';
import {
  classCountEntity,
  classEntity,
  classMetadataEntity,
} from '../../shared/table/entities/classes.ts';
import type { ClassData } from '../../shared/table/records/records.ts';
import { classFields } from './fields.ts';
import { grants } from './grants.ts';
import { jobs } from './jobs.ts';
import { migrationRoute } from './migration.ts';
import { type ClassView, createClass, removeClass, updateClass } from './write.ts';

const resource: ListOf<ClassData, ClassView, typeof classFields> = {
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
  record: recordAt(classEntity, ['instance', '{class}']),
  authorizeItem: ({ actor }, { data }) => {
    if (!isClassVisible(actor, data)) throw notFound();
  },
  readItems: async (context, range) => {
    const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
    const items = await classEntity.listAll(context.platform.store, [instanceOf(context)]);
    const visible = items.filter(
      ({ data }) => data.name.startsWith(prefix) && isClassVisible(context.actor, data),
    );
    return cut(
      visible.map((item) => ({ pk: item.data.number, item })),
      range,
    );
  },
  view: async (context, items) => {
    if (items.length === 0) return [];
    const { store, changes } = context.platform;
    const instance = instanceOf(context);
    await changes.settled();
    const { metadata, counts } = await readTogether(store, {
      metadata: items.map(({ data }) => classMetadataEntity.at(instance, data.name)),
      counts: items.map(({ data }) => classCountEntity.at(instance, data.number)),
    });
    return items.map(({ data }, at) => ({
      data,
      metadata: metadata[at]?.data.metadata ?? {},
      objects: counts[at]?.data.count ?? 0,
    }));
  },
  show: showFields(classFields, (_, { metadata, objects }) => ({
    objects_count: objects,
    metadata,
  })),
  segment: ({ data }) => data.name,
  create: createClass,
  update: updateClass,
  remove: removeClass,
};

/** The data classes of an instance. */
export const classes: Family = {
  name: 'classes',
  grants,
  jobs,
  places: {
    '/instances/{instance}/classes/': '/i/{instance}/data',
    '/instances/{instance}/classes/{class}/': '/i/{instance}/structure/{class}',
  },
  routes: [...listRoutes(resource), migrationRoute],
};
