import type { Key } from '../store/store.ts';
import { maxId } from '../values/bounds.ts';
import { ofOwn } from './key-parts.ts';
import type { DeclaredKind } from './kind.ts';
import { countersOf, kinds } from './kinds.ts';

type Counting = Extract<(typeof kinds)[number]['facts'], { readonly counter: unknown }>['counter'];

/** A counter of an instance. */
export type InstanceCounter = Counting extends infer Each
  ? Each extends readonly (infer Name extends string)[]
    ? Name
    : Each
  : never;

/** The counters of an instance. */
export const instanceCounters = kinds.flatMap(countersOf) as readonly InstanceCounter[];

/** Returns the key of a counter of an instance. */
export function instanceCounter(instance: number, what: InstanceCounter): Key {
  return { pk: `${ofOwn(instance)}#SEQUENCE`, sk: what };
}

/** Returns the key of a counter of the deployment. */
export function deploymentCounter(what: 'account' | 'instance' | 'invitation' | 'backup'): Key {
  return { pk: 'SEQUENCE', sk: what };
}

const declared: readonly DeclaredKind[] = kinds;
const ordered = new Set(declared.filter(({ facts }) => facts.hasOrderedIds).flatMap(countersOf));
const long = new Set(declared.filter(({ facts }) => facts.hasLongIds).flatMap(countersOf));

/** Checks whether the numbers of a counter order items of several processes: none may be taken in advance. */
export function isOrdered({ sk }: Key): boolean {
  return ordered.has(sk);
}

const maxLongNumber = 9_999_999_999; // ten digits, as in keys

/** Returns the highest number of a counter. */
export function lastNumber({ sk }: Key): number {
  return long.has(sk) ? maxLongNumber : maxId;
}
