import { defineCache } from '../core/resource/caches.ts';
import {
  keyFrom,
  type Listed,
  type LoadedOf,
  type Lookup,
  lookup,
  type RecordLoad,
  recordAt,
  required,
} from '../core/resource/loads/loads.ts';
import type { Context, Route } from '../core/resource/route.ts';
import { classEntity, classNumbersEntity } from '../store/entities.ts';
import { as } from '../store/entity.ts';
import type { ClassData } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import { parentNotFound } from '../values/errors/errors.ts';

/* The class of a request: its number, which does not change with its name, leads to its objects. */

/** Numbers of classes, by the names of their records in caches. */
export const classNumbers = defineCache<string, number>();

/**
 * Declares a class of which the number is known as well. A process without cached numbers reads those of all classes:
 * references lead to others.
 */
export function classLookup(record: RecordLoad<ClassData>): Lookup<number, ClassData> {
  return lookup(record, ({ number }) => number, { cache: classNumbers, listed: allNumbers });
}

const allNumbers: Listed<number> = {
  key: keyFrom(['instanceName'], classNumbersEntity.key),
  entries: (item, { instance }) => {
    if (instance === undefined) return [];
    const { numbers } = as(classNumbersEntity, item).data;
    return Object.entries(numbers).map(([name, number]) => [
      classEntity.key(instance, name),
      number,
    ]);
  },
};

/** The class that the path names. */
export const classOfPath = required(classLookup(recordAt(classEntity, ['instance', 'class'])), () =>
  parentNotFound('Class'),
);

/** Loads of routes in a class, which is required. */
export const inClass = { class: classOfPath };

/** A request in a class. */
export type ClassContext = Context<LoadedOf<typeof inClass>>;

/** Tells whether the paths of a route are in a class. */
export function isInClass({ lookups }: Pick<Route, 'lookups'>): boolean {
  return lookups.some(({ load }) => load.gives.cache === classNumbers);
}

/** Returns the class of a request that is in one. */
export function classOf({ loaded, route }: Context): Stored<ClassData> {
  const found = 'class' in loaded && isInClass(route) ? loaded.class : undefined;
  if (found === undefined) throw new Error(`${route.name} is in no class`);
  return found as Stored<ClassData>; // loaded by inClass
}
