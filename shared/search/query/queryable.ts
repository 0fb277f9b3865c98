import type { CompiledClass } from '../../classes/rules/compiled-class.ts';
import { type QueryType, systemTypes } from './fields.ts';
import { lookupsOf } from './lookups.ts';
import { systemOrders } from './order.ts';
import { nestedLookup } from './parse.ts';

/** A field that queries or orders may use. */
export interface Queryable {
  readonly name: string;
  /** Empty: it is for orders only. */
  readonly lookups: readonly string[];
  readonly isText: boolean;
  readonly isOrderable: boolean;
}

/** Returns the fields that `query` and `order_by` may use, those of the class first, in schema order. */
export function queryableFields({ fields }: CompiledClass): readonly Queryable[] {
  const own = fields.map(({ name, type, index, definition }): Queryable => {
    const isReady = index !== 'building';
    const { filter_index, order_index, target } = definition;
    const nested = target === undefined ? [] : [nestedLookup];
    return {
      name,
      lookups: isReady && filter_index === true ? [...lookupsOf(type), ...nested] : [],
      isText: isText(type),
      isOrderable: isReady && order_index === true,
    };
  });
  const system = Object.entries(systemTypes).map(([name, type]): Queryable => {
    const isOrderable = systemOrders.includes(name);
    return { name, lookups: lookupsOf(type), isText: isText(type), isOrderable };
  });
  return [...own, ...system].filter(
    ({ lookups, isOrderable }) => lookups.length > 0 || isOrderable,
  );
}

function isText(type: QueryType): boolean {
  return type === 'string' || type === 'datetime' || type === 'channel' || type === 'room';
}
