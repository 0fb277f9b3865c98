import {
  type LoadedOf,
  type Lookup,
  lookup,
  type RecordLoad,
  recordAt,
  requiredLoad,
} from '../core/resource/loads/loads.ts';
import { byRecord, defineCache } from '../core/routing/caches.ts';
import type { Gives } from '../core/routing/loads.ts';
import type { Context, Route } from '../core/routing/route.ts';
import { as } from '../store/entity.ts';
import type { Key, Stored } from '../store/store.ts';
import { classEntity } from '../table/entities/classes.ts';
import { classNumbersEntity } from '../table/entities/instances.ts';
import type { ClassData } from '../table/records/records.ts';
import { parentNotFound } from '../values/errors/errors.ts';

/* The class of a request: its number leads to its objects. A later class of the same name has another number. */

/** Numbers of classes, by their records. */
export const classNumbers = defineCache<Key, number>(byRecord);

/**
 * Declares a class of which the number is known as well. A process without cached numbers reads those of all classes:
 * references lead to others.
 */
export function classLookup(record: RecordLoad<ClassData>): Lookup<number, ClassData> {
  return lookup(record, ({ number }) => number, { cache: classNumbers, listed: allNumbers });
}

const allNumbers: NonNullable<Gives<number>['listed']> = {
  key: recordAt(classNumbersEntity, ['instanceName']).key,
  entries: (item, { instance }) => {
    if (instance === undefined) return [];
    const { numbers } = as(classNumbersEntity, item).data;
    return Object.entries(numbers).map(([name, number]) => [
      classEntity.key(instance, name),
      number,
    ]);
  },
};

/** Declares the class whose objects a route serves. */
export function classOfObjects<Of extends Pick<Lookup<number, ClassData>, 'gives'>>(
  load: Of,
): Of & { readonly isOfObjects: true } {
  return { ...load, isOfObjects: true };
}

/** The class that the path names. */
export const classOfPath = requiredLoad(
  classLookup(recordAt(classEntity, ['instance', '{class}'])),
  () => parentNotFound('Class'),
);

/** Loads of routes in a class, which is required. */
export const inClass = { class: classOfObjects(classOfPath) };

/** A request in a class. */
export type ClassContext = Context<LoadedOf<typeof inClass>>;

/** Checks whether a route serves objects of a class. */
export function isInClass(route: Pick<Route, 'lookups'>): boolean {
  return lookupOfClass(route) !== undefined;
}

/** Returns the class of a request that is in one. */
export function classOf({ loaded, route }: Context): Stored<ClassData> {
  const { name } = lookupOfClass(route) ?? {};
  if (name === undefined) throw new Error(`${route.name} is in no class`);
  return as(classEntity, Reflect.get(loaded, name));
}

function lookupOfClass({ lookups }: Pick<Route, 'lookups'>) {
  return lookups.find(({ load }) => 'isOfObjects' in load);
}
