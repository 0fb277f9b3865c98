import type { ClassContext } from '../classes/class-record.ts';
import { compiledClass } from '../classes/compiled-classes.ts';
import type { CompiledClass } from '../classes/rules/compiled-class.ts';
import { instanceBase } from '../core/resource/links.ts';
import type { PageHints, QueryableField } from '../core/routing/page-hints.ts';
import { type QueryType, systemTypes } from './query/fields.ts';
import { lookupsOf } from './query/lookups.ts';
import { systemOrders } from './query/order.ts';
import { nestedLookup } from './query/parse.ts';

/** Returns what pages of the objects of a class show in addition: links to other objects, and a filter form. */
export function objectPageHints(context: ClassContext): PageHints {
  const { loaded, caches } = context;
  const base = instanceBase(context);
  return {
    listOf: (target) => {
      if (target === 'user') return `${base}/users/`;
      const name = target === 'self' ? loaded.class.data.name : target;
      return `${base}/classes/${encodeURIComponent(name)}/objects/`;
    },
    queryable: queryableFields(compiledClass(caches, loaded.class)),
  };
}

/** Returns the fields that `query` and `order_by` may use, those of the class first, in schema order. */
function queryableFields({ fields }: CompiledClass): readonly QueryableField[] {
  const own = fields.map(({ name, type, index, definition }) => {
    const { filter_index, order_index, target } = definition;
    const isReady = index !== 'building';
    const nested = target === undefined ? [] : [nestedLookup];
    return {
      name,
      lookups: isReady && filter_index === true ? [...lookupsOf(type), ...nested] : [],
      isText: isText(type),
      isOrderable: isReady && order_index === true,
    };
  });
  const system = Object.entries(systemTypes).map(([name, type]) => ({
    name,
    lookups: lookupsOf(type),
    isText: isText(type),
    isOrderable: systemOrders.includes(name),
  }));
  return [...own, ...system];
}

function isText(type: QueryType): boolean {
  return type === 'string' || type === 'datetime' || type === 'channel' || type === 'room';
}
