import type { TargetCheck } from '../domain/object-values.ts';
import type { Context } from '../resource/route.ts';
import { as, classEntity, objectEntity, userEntity } from '../store/entities.ts';
import type { Key } from '../store/store.ts';
import { classHint } from './hints.ts';

/** What finding targets needs to know of the call. */
export type TargetCall = Pick<Context, 'platform' | 'hints'> & {
  readonly instance: number;
  readonly classNumber: number;
};

/**
 * Finds which of the objects that new values refer to are there, whoever asks (reference: existence check of
 * references). One step when hints are right; a class whose number is not known, or is another, costs a second.
 *
 * @returns the ids that exist for each check, in their order; undefined where the target's class is gone
 */
export async function findTargets(
  call: TargetCall,
  checks: readonly TargetCheck[],
): Promise<readonly (ReadonlySet<number> | undefined)[]> {
  if (checks.length === 0) return [];
  const { hints, instance, platform } = call;
  const names = classNames(checks);
  const guesses: Numbers = new Map(
    names.map((name) => [name, hints.classes.get(classHint(instance, name))]),
  );
  const guessed = checks.map((check) => keysOf(call, check, guesses));
  const classKeys = names.map((name) => classEntity.key(instance, name));
  const read = await platform.store.get([...classKeys, ...guessed.flat()]);
  const numbers: Numbers = new Map(
    names.map((name, at) => [name, as(classEntity, read[at])?.data.number]),
  );
  for (const [name, number] of numbers) hints.classes.set(classHint(instance, name), number);
  // what was read of a class that bears another number is not there
  const missed = checks.map((check) => {
    const isRight = numberOf(call, check, numbers) === numberOf(call, check, guesses);
    return isRight ? [] : keysOf(call, check, numbers);
  });
  const late = missed.some((keys) => keys.length > 0)
    ? await platform.store.get(missed.flat())
    : [];
  const early = takeFrom(read.slice(names.length));
  const later = takeFrom(late);
  return checks.map((check, at) => {
    const first = early(guessed[at]?.length ?? 0);
    const second = later(missed[at]?.length ?? 0);
    const number = numberOf(call, check, numbers);
    if (number === undefined) return undefined;
    const items = number === numberOf(call, check, guesses) ? first : second;
    return new Set(check.ids.filter((_, i) => items[i] !== undefined));
  });
}

/** Numbers of classes by name, as far as they are known. */
type Numbers = ReadonlyMap<string, number | undefined>;

/** The classes, but for the one of the call, that objects are looked for in; each once. */
function classNames(checks: readonly TargetCheck[]): readonly string[] {
  const names = checks.map(({ target }) => target.toLowerCase());
  return [...new Set(names)].filter((name) => name !== 'self' && name !== 'user');
}

/** Where a check looks; undefined: it is not known where. */
function numberOf(
  { classNumber }: TargetCall,
  { target }: TargetCheck,
  numbers: Numbers,
): number | 'user' | undefined {
  const name = target.toLowerCase();
  if (name === 'user') return name;
  return name === 'self' ? classNumber : numbers.get(name);
}

/** Where the objects of a check are; none where that is not known. */
function keysOf(call: TargetCall, check: TargetCheck, numbers: Numbers): readonly Key[] {
  const number = numberOf(call, check, numbers);
  if (number === undefined) return [];
  return check.ids.map((id) =>
    number === 'user'
      ? userEntity.key(call.instance, id)
      : objectEntity.key(call.instance, number, id),
  );
}

/** Gives the next so many of a list, each time. */
function takeFrom<Item>(list: readonly Item[]): (count: number) => readonly Item[] {
  let at = 0;
  return (count) => {
    at += count;
    return list.slice(at - count, at);
  };
}
