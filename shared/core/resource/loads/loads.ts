import { as, type Kind } from '../../../store/entity.ts';
import type { Key, Stored } from '../../../store/store.ts';
import type { Right } from '../../../values/access.ts';
import type { ApiError } from '../../../values/errors/errors.ts';
import { byRecord, defineCache } from '../../routing/caches.ts';
import { type Known, type KnownName, type KnownValue, readerOf } from '../../routing/known.ts';
import type { Gives, Load, NamedLoad, NamedLookup } from '../../routing/loads.ts';

/*
 * LOADS: the records that a route declares. They are read together with those of the caller, in as few steps as names
 * allow, and handlers get them typed in `context.loaded`.
 */

/** A load of the record of an entity. */
export interface RecordLoad<Data extends object, Value = Stored<Data> | undefined>
  extends Load<Value> {
  readonly entity: Kind<Data>;
}

/**
 * A load whose record gives a value for the keys of others, as a class gives its number. The value is cached: it is used
 * in the step that reads the record, which proves it. It belongs to the path: all methods load it, the checks require
 * it together with the right, and requests of a session share it.
 */
export interface Lookup<Given, Data extends object, Value = Stored<Data> | undefined>
  extends RecordLoad<Data, Value> {
  readonly gives: Gives<Given>;
}

/** Declarations of what handlers get as `Loaded`, by the same names. */
export type LoadsOf<Loaded extends object> = {
  readonly [Name in keyof Loaded]: Load<Loaded[Name]>;
};

/** Values that handlers get for loads that are declared. */
export type LoadedOf<Loads extends object> = {
  readonly [Name in keyof Loads]: Loads[Name] extends Load<infer Value> ? Value : never;
};

/** A value of which a key is made: one of the request, or the value of a lookup of the same route. */
type Source = KnownName | { readonly gives: Gives<unknown> };
type ValueOf<From> = From extends { readonly gives: Gives<infer Value> } ? Value : KnownValue<From>;
type ValuesOf<From extends readonly Source[]> = {
  readonly [At in keyof From]: ValueOf<From[At]>;
};

/**
 * Declares a record to load.
 *
 * @param from   the values of which its key is made; it has no key while one of them is not known
 * @param makeKey makes the key of these values; absent: they are the arguments of the entity's key
 */
export function recordAt<Data extends object, const From extends readonly Source[]>(
  entity: Kind<Data> & { readonly key: (...values: ValuesOf<From>) => Key },
  from: From,
): RecordLoad<Data>;
export function recordAt<Data extends object, const From extends readonly Source[]>(
  entity: Kind<Data>,
  from: From,
  makeKey: (...values: ValuesOf<From>) => Key | undefined,
): RecordLoad<Data>;
export function recordAt<Data extends object, const From extends readonly Source[]>(
  entity: Kind<Data> & { readonly key?: (...values: never) => Key },
  from: From,
  makeKey: (...values: ValuesOf<From>) => Key | undefined = entity.key as (
    ...values: ValuesOf<From>
  ) => Key, // by the first signature
): RecordLoad<Data> {
  return { entity, key: keyFrom(from, makeKey), take: (item) => as(entity, item) };
}

/** Returns a function that makes a key once all its values are known. */
function keyFrom<const From extends readonly Source[]>(
  from: From,
  makeKey: (...values: ValuesOf<From>) => Key | undefined,
): (known: Known) => Key | undefined {
  const readers = from.map((source) =>
    typeof source === 'string' ? readerOf(source) : (known: Known) => givenValue(known, source),
  );
  return (known) => {
    const values: unknown[] = [];
    for (const read of readers) {
      const value = read(known);
      if (value === undefined) return undefined;
      values.push(value);
    }
    return makeKey(...(values as unknown as ValuesOf<From>)); // one for each source
  };
}

/** Returns the value that a lookup of the same route has given. */
export function givenValue<Value>(
  { given }: Pick<Known, 'given'>,
  { gives }: { readonly gives: Gives<Value> },
): Value | undefined {
  return given.get(gives) as Value | undefined; // stored by it
}

/**
 * Declares a lookup.
 *
 * @param value returns the value that its record gives
 * @param more  `cache`: the cache of the values, where other code uses it as well
 */
export function lookup<Given, Data extends object>(
  record: RecordLoad<Data>,
  value: (data: Data) => Given,
  {
    cache = defineCache<Key, Given>(byRecord),
    listed,
  }: Partial<Pick<Gives<Given>, 'cache' | 'listed'>> = {},
): Lookup<Given, Data> {
  const gives = {
    value: (item: Stored) => value(as(record.entity, item).data),
    cache,
    ...(listed && { listed }),
  };
  return { ...record, gives };
}

/** Returns a load whose record exists: the checks throw `absent` otherwise. */
export function requiredLoad<Data extends object, Of extends RecordLoad<Data>>(
  load: Of & RecordLoad<Data>,
  absent: () => ApiError,
): Omit<Of, 'take'> & Pick<Load<Stored<Data>>, 'take'> {
  // the checks have thrown before a handler gets undefined
  return { ...load, absent, take: load.take as Load<Stored<Data>>['take'] };
}

/** Limits a load to operations with one of some rights. */
export function onlyFor<Of extends Load<unknown>>(rights: readonly Right[], load: Of): Of {
  return { ...load, rights };
}

const none: readonly never[] = [];

/** Returns those of a route's loads that belong to its path: the lookups. */
export function lookupsIn<Loaded extends object>(
  loads: LoadsOf<Loaded> | undefined,
): readonly NamedLookup[] {
  return loads === undefined ? none : namedLoads(loads).filter(isLookup);
}

function isLookup(each: NamedLoad): each is NamedLookup {
  return each.load.gives !== undefined;
}

/** Returns those of a route's loads that operations with a right need. */
export function loadsFor<Loaded extends object>(
  loads: LoadsOf<Loaded> | undefined,
  right: Right,
): readonly NamedLoad[] {
  if (loads === undefined) return none;
  return namedLoads(loads).filter(
    ({ load: { gives, rights } }) =>
      gives === undefined && (rights === undefined || rights.includes(right)),
  );
}

function namedLoads<Loaded extends object>(loads: LoadsOf<Loaded>): readonly NamedLoad[] {
  const all: Readonly<Record<string, Load<unknown>>> = loads;
  return Object.entries(all).map(([name, load]) => ({
    name,
    slot: `load ${name}`,
    listedSlot: `list ${name}`,
    load,
  }));
}

/** Throws the error of the first required record that is absent. */
export function requireLoaded(loads: readonly NamedLoad[], loaded: object): void {
  for (const { name, load } of loads) {
    if (load.absent !== undefined && Reflect.get(loaded, name) === undefined) throw load.absent();
  }
}
