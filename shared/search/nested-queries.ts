import { compiledClass } from '../classes/compiled-classes.ts';
import type { CompiledClass } from '../classes/rules/compiled-class.ts';
import { profileClass } from '../classes/rules/permissions.ts';
import type { Context } from '../core/routing/route.ts';
import type { Scan } from '../ports/limits/scans.ts';
import type { Stored } from '../store/store.ts';
import { classEntity } from '../table/entities/classes.ts';
import type { ClassData, ObjectData } from '../table/records/records.ts';
import { explainTo, findObjects } from './object-search.ts';
import type { Condition, NestedQuery } from './query/conditions.ts';
import { queryErrors } from './query/errors.ts';
import { userIdField, usernameField } from './query/fields.ts';
import { parseOrder } from './query/order.ts';
import { parseQuery, parseUserQuery } from './query/parse.ts';
import { findUsersByName } from './user-search.ts';

const maxFound = 1000; // docs/reference/queries.md#nested-queries. Further matches, by id, are left out

/** Properties of the request that nested queries use. */
export type NestedCall = Pick<Context, 'platform' | 'caches' | 'request'> & {
  readonly instance: number;
  readonly class: Stored<ClassData>;
  readonly scan: Scan;
};

/**
 * Converts nested queries to conditions: the field refers to one of the objects found. For every actor, all objects of
 * the target are searched, because clients filter by private profiles (docs/reference/queries.md#nested-queries).
 *
 * @throws ApiError 400 when a target does not exist or a nested query does not suit it, 408 as for any list
 */
export async function resolveNested(
  call: NestedCall,
  nested: readonly NestedQuery[],
): Promise<readonly Condition[]> {
  if (nested.length === 0) return [];
  const classes = await targetClasses(call, nested);
  const searches = nested.map((one) => {
    const { data, compiled } = classOf(classes, one);
    const parse = one.target === 'user' ? parseUserQuery : parseQuery;
    return { one, data, compiled, ...parse(one.query, compiled) };
  });
  return Promise.all(
    searches.map(async (search) => {
      const ids = search.one.target === 'user' ? findUsers(call, search) : findIds(call, search);
      return conditionOf(search.one, await ids);
    }),
  );
}

interface Target {
  readonly data: ClassData;
  readonly compiled: CompiledClass;
}

/** Reads the target classes of nested queries, by name, in one step. */
async function targetClasses(
  call: NestedCall,
  nested: readonly NestedQuery[],
): Promise<ReadonlyMap<string, Target>> {
  const names = [...new Set(nested.map(classNameOf))].filter((name) => name !== 'self');
  const items = await classEntity.readAll(
    call.platform.store,
    names.map((name) => [call.instance, name]),
  );
  const found = items.filter((item) => item !== undefined);
  const targets = new Map(found.map((item) => [item.data.name, toTarget(call, item)]));
  return targets.set('self', toTarget(call, call.class));
}

function toTarget({ caches }: NestedCall, item: Stored<ClassData>): Target {
  return { data: item.data, compiled: compiledClass(caches, item) };
}

/** Returns the class of a target; users are found by their profiles. */
function classNameOf({ target }: NestedQuery): string {
  return target === 'user' ? profileClass : target;
}

function classOf(classes: ReadonlyMap<string, Target>, one: NestedQuery): Target {
  const found = classes.get(classNameOf(one));
  if (found === undefined) throw queryErrors.noTarget(one.target);
  return found;
}

/** Search in one class. */
interface Inner extends Target {
  readonly conditions: readonly Condition[];
}

async function findIds(call: NestedCall, inner: Inner): Promise<readonly number[]> {
  return (await findInside(call, inner)).map(({ id }) => id);
}

/** Finds users; conditions on names are resolved to ids first, since names are not part of profiles. */
async function findUsers(call: NestedCall, inner: Inner): Promise<readonly number[]> {
  const named = inner.conditions.filter(({ field }) => field === usernameField);
  const others = inner.conditions.filter(({ field }) => field !== usernameField);
  if (named.length > 0) {
    const values = await findUsersByName(call, named);
    if (others.length === 0) return values.slice(0, maxFound);
    others.push({ kind: 'among', field: userIdField, values, isNegated: false });
  }
  const profiles = await findInside(call, { ...inner, conditions: others });
  return profiles.flatMap(({ owner }) => owner ?? []);
}

async function findInside(
  call: NestedCall,
  { data, compiled, conditions }: Inner,
): Promise<readonly ObjectData[]> {
  const { platform, caches, instance, scan } = call;
  const { found } = await findObjects(
    {
      scope: { store: platform.store, instance, classNumber: data.number },
      conditions,
      scan,
      caches,
      explain: explainTo(call, 'nested query resolved'),
      reader: { kind: 'bypasses-acl' },
      isVisible: () => true,
      compositeIndexes: [], // equal values are in the order of ids
    },
    {
      order: parseOrder(undefined, compiled),
      isDescending: false,
      from: undefined,
      limit: maxFound,
    },
  );
  return found().map((item) => item.data);
}

function conditionOf({ field }: NestedQuery, ids: readonly number[]): Condition {
  return field.type === 'relation'
    ? { kind: 'meets', field, ids: new Set(ids) }
    : { kind: 'among', field, values: ids, isNegated: false };
}
