import { classNumbers } from '../classes/class-record.ts';
import { type ItemReference, readTogether } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { classEntity, objectEntity } from '../table/entities/classes.ts';
import { userEntity } from '../table/entities/users.ts';
import type { TargetCheck } from './rules/object-values.ts';
import type { SaveCall } from './save-call.ts';

type TargetCall = Pick<SaveCall, 'platform' | 'caches' | 'instance' | 'classNumber'>;

/**
 * Finds the existing objects that new values refer to, regardless of the actor (docs/reference/objects.md#references).
 * Takes one step if the cached class numbers are correct, and a second one if a number is missing or outdated.
 *
 * @returns the ids that exist for each check, in their order; undefined if the target class does not exist
 */
export async function findTargets(
  call: TargetCall,
  checks: readonly TargetCheck[],
): Promise<readonly (ReadonlySet<number> | undefined)[]> {
  if (checks.length === 0) return [];
  const { store } = call.platform;
  const names = classNames(checks);
  const numbersOf = classNumbers(call.caches);
  const classes = names.map((name) => classEntity.at(call.instance, name));
  const guesses = classes.map(({ key }) => numbersOf.get(key));
  const guessed = checks.map((check) => lookupOf(call, check, names, guesses));
  const read = await readTogether(store, {
    classes,
    targets: guessed.flatMap(({ targets }) => targets),
  });
  const numbers = read.classes.map((item) => item?.data.number);
  if (numbers.every((number, at) => number === guesses[at]))
    return existingIds(guessed, read.targets);
  for (const [at, { key }] of classes.entries()) numbersOf.set(key, numbers[at]);
  const proved = checks.map((check) => lookupOf(call, check, names, numbers));
  const again = await readTogether(store, { targets: proved.flatMap(({ targets }) => targets) });
  return existingIds(proved, again.targets);
}

/** The objects to read. */
interface Lookup {
  readonly ids: readonly number[];
  /** Of each id; empty if the location of the objects is not known. */
  readonly targets: readonly ItemReference<object>[];
  /** False if their class does not exist, or its number is not known. */
  readonly hasClass: boolean;
}

/** Returns the names of the target classes, each once, without the class of the request. */
function classNames(checks: readonly TargetCheck[]): readonly string[] {
  const names: string[] = [];
  for (const { target } of checks) {
    const name = target.toLowerCase();
    if (name !== 'self' && name !== 'user' && !names.includes(name)) names.push(name);
  }
  return names;
}

/** @param numbers of the classes, in the order of `names` */
function lookupOf(
  { instance, classNumber }: TargetCall,
  { target, ids }: TargetCheck,
  names: readonly string[],
  numbers: readonly (number | undefined)[],
): Lookup {
  const name = target.toLowerCase();
  if (name === 'user') {
    return { ids, targets: ids.map((id) => userEntity.at(instance, id)), hasClass: true };
  }
  const number = name === 'self' ? classNumber : numbers[names.indexOf(name)];
  if (number === undefined) return { ids, targets: [], hasClass: false };
  return { ids, targets: ids.map((id) => objectEntity.at(instance, number, id)), hasClass: true };
}

/** Returns the existing ids of each lookup; `items` are those of all their targets, in order. */
function existingIds(
  lookups: readonly Lookup[],
  items: readonly (Stored | undefined)[],
): readonly (ReadonlySet<number> | undefined)[] {
  let at = 0;
  return lookups.map(({ ids, targets, hasClass }) => {
    const first = at;
    at += targets.length;
    if (!hasClass) return undefined;
    return new Set(ids.filter((_, i) => items[first + i] !== undefined));
  });
}
