import { classNumberName } from '../core/resource/caches.ts';
import type { Context } from '../core/resource/route.ts';
import { as, classEntity, objectEntity, userEntity } from '../store/entities.ts';
import type { Key, Stored } from '../store/store.ts';
import type { TargetCheck } from './rules/object-values.ts';

/** What finding targets needs to know of the call. */
export type TargetCall = Pick<Context, 'platform' | 'caches'> & {
  readonly instance: number;
  readonly classNumber: number;
};

/**
 * Finds which of the objects that new values refer to are there, whoever asks (docs/reference/objects.md#references).
 * One step when caches are right; a class whose number is not known, or is another, costs a second.
 *
 * @returns the ids that exist for each check, in their order; undefined where the target's class is gone
 */
export async function findTargets(
  call: TargetCall,
  checks: readonly TargetCheck[],
): Promise<readonly (ReadonlySet<number> | undefined)[]> {
  if (checks.length === 0) return [];
  const { store } = call.platform;
  const names = classNames(checks);
  const guesses = names.map((name) =>
    call.caches.classes.get(classNumberName(call.instance, name)),
  );
  const guessed = checks.map((check) => look(call, check, names, guesses));
  const classKeys = names.map((name) => classEntity.key(call.instance, name));
  const read = await store.get([...classKeys, ...guessed.flatMap(({ keys }) => keys)]);
  const numbers = names.map((_, at) => as(classEntity, read[at])?.data.number);
  if (numbers.every((number, at) => number === guesses[at])) {
    return existing(guessed, read.slice(names.length));
  }
  for (const [at, name] of names.entries()) {
    call.caches.classes.set(classNumberName(call.instance, name), numbers[at]);
  }
  const proved = checks.map((check) => look(call, check, names, numbers));
  const keys = proved.flatMap((each) => each.keys);
  return existing(proved, keys.length === 0 ? [] : await store.get(keys));
}

/** Where objects are looked for. */
interface Look {
  readonly ids: readonly number[];
  /** Of each id; none where it is not known where the objects are. */
  readonly keys: readonly Key[];
  /** False where their class is not there, or its number not known. */
  readonly isPlaced: boolean;
}

/** The classes, but for the one of the call, that objects are looked for in; each once. */
function classNames(checks: readonly TargetCheck[]): readonly string[] {
  const names: string[] = [];
  for (const { target } of checks) {
    const name = target.toLowerCase();
    if (name !== 'self' && name !== 'user' && !names.includes(name)) names.push(name);
  }
  return names;
}

/** @param numbers of the classes, in the order of `names` */
function look(
  { instance, classNumber }: TargetCall,
  { target, ids }: TargetCheck,
  names: readonly string[],
  numbers: readonly (number | undefined)[],
): Look {
  const name = target.toLowerCase();
  if (name === 'user') {
    return { ids, keys: ids.map((id) => userEntity.key(instance, id)), isPlaced: true };
  }
  const number = name === 'self' ? classNumber : numbers[names.indexOf(name)];
  if (number === undefined) return { ids, keys: [], isPlaced: false };
  return { ids, keys: ids.map((id) => objectEntity.key(instance, number, id)), isPlaced: true };
}

/** The ids of each look that were found, given what was read at all their keys, in their order. */
function existing(
  looks: readonly Look[],
  items: readonly (Stored | undefined)[],
): readonly (ReadonlySet<number> | undefined)[] {
  let at = 0;
  return looks.map(({ ids, keys, isPlaced }) => {
    const first = at;
    at += keys.length;
    if (!isPlaced) return undefined;
    return new Set(ids.filter((_, i) => items[first + i] !== undefined));
  });
}
