import type { CompiledClass } from '../domain/compiled-class.ts';
import type { Condition, NestedQuery } from '../domain/query/conditions.ts';
import { queryErrors } from '../domain/query/errors.ts';
import { parseOrder } from '../domain/query/order.ts';
import { parseQuery } from '../domain/query/parse.ts';
import type { Context } from '../resource/route.ts';
import { as, classEntity } from '../store/entities.ts';
import type { ClassData } from '../store/records.ts';
import type { Stored } from '../store/store.ts';
import { findObjects } from './object-search.ts';
import { compiledClass } from './save-object.ts';

const maxFound = 1000; // reference: `_is`. What is found beyond, by id, is left out

/** What nested queries need of the call that they are part of. */
export type NestedCall = Pick<Context, 'platform' | 'hints'> & {
  readonly instance: number;
  readonly class: Stored<ClassData>;
  readonly deadline: number;
};

/**
 * Makes conditions of nested queries: the field refers to one of the objects that were found. Whoever asks, all
 * objects of the target are looked at, as clients expect who filter by private profiles (reference: `_is`).
 *
 * @throws ApiError 400 when a target is gone or a nested query does not suit it, 408 as for any list
 */
export async function resolveNested(
  call: NestedCall,
  nested: readonly NestedQuery[],
): Promise<readonly Condition[]> {
  if (nested.length === 0) return [];
  const classes = await targetClasses(call, nested);
  const searches = nested.map((one) => {
    const { data, compiled } = classOf(classes, one);
    return { one, data, compiled, ...parseQuery(one.query, compiled) };
  });
  return Promise.all(
    searches.map(async ({ one, data, compiled, conditions }) => {
      const ids = await findIds(call, data.number, { compiled, conditions });
      return conditionOf(one, ids);
    }),
  );
}

interface Target {
  readonly data: ClassData;
  readonly compiled: CompiledClass;
}

/** The classes that nested queries are about, by name; read in one step. */
async function targetClasses(
  call: NestedCall,
  nested: readonly NestedQuery[],
): Promise<ReadonlyMap<string, Target>> {
  const users = nested.find(({ target }) => target === 'user');
  if (users !== undefined) throw queryErrors.usersTarget(users.field.name);
  const names = [...new Set(nested.map(({ target }) => target))].filter((name) => name !== 'self');
  const keys = names.map((name) => classEntity.key(call.instance, name));
  const items = keys.length === 0 ? [] : await call.platform.store.get(keys);
  const found = items.flatMap((item) => (item === undefined ? [] : [as(classEntity, item)]));
  const targets = new Map(found.map((item) => [item.data.name, toTarget(call, item)]));
  return targets.set('self', toTarget(call, call.class));
}

function toTarget({ hints }: NestedCall, item: Stored<ClassData>): Target {
  return { data: item.data, compiled: compiledClass(hints, item) };
}

function classOf(classes: ReadonlyMap<string, Target>, { target }: NestedQuery): Target {
  const found = classes.get(target);
  if (found === undefined) throw queryErrors.noTarget(target);
  return found;
}

async function findIds(
  { platform, hints, instance, deadline }: NestedCall,
  classNumber: number,
  query: { readonly compiled: CompiledClass; readonly conditions: readonly Condition[] },
): Promise<readonly number[]> {
  const walk = await findObjects(
    {
      place: { store: platform.store, instance, classNumber },
      conditions: query.conditions,
      reader: { kind: 'unbound' },
      isVisible: () => true,
      deadline,
      hints,
    },
    {
      order: parseOrder(undefined, query.compiled),
      ...{ isDescending: false, from: undefined, limit: maxFound },
    },
  );
  return walk.found.map(({ data }) => data.id);
}

function conditionOf({ field }: NestedQuery, ids: readonly number[]): Condition {
  return field.type === 'relation'
    ? { kind: 'meets', field, ids: new Set(ids) }
    : { kind: 'among', field, values: ids, isNegated: false };
}
