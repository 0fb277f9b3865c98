import type { TargetCheck } from '../domain/object-values.ts';
import type { Context } from '../resource/route.ts';
import { as, classEntity, objectEntity, userEntity } from '../store/entities.ts';
import type { Key, Store, Stored } from '../store/store.ts';
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
  const names = [...new Set(checks.map(({ target }) => target.toLowerCase()))];
  const classes = names.filter((name) => name !== 'self' && name !== 'user');
  const guesses = new Map(
    classes.map((name) => [name, call.hints.classes.get(classHint(call.instance, name))]),
  );
  const guessed = keysOf(call, checks, guesses);
  const classKeys = classes.map((name) => classEntity.key(call.instance, name));
  const found = await read(call.platform.store, [...classKeys, ...guessed.flat()]);
  const numbers = new Map(
    classes.map((name, at) => [name, as(classEntity, found.get(text(classKeys[at])))?.data.number]),
  );
  for (const [name, number] of numbers) {
    call.hints.classes.set(classHint(call.instance, name), number);
  }
  const keys = keysOf(call, checks, numbers);
  const missing = keys.flat().filter((key) => !found.has(text(key)));
  const late = missing.length === 0 ? found : await read(call.platform.store, missing);
  return checks.map(({ ids, target }, at) => {
    if (!exists(target.toLowerCase(), numbers)) return undefined;
    const places = keys[at] ?? [];
    return new Set(
      ids.filter((_, i) => (found.get(text(places[i])) ?? late.get(text(places[i]))) !== undefined),
    );
  });
}

type Numbers = ReadonlyMap<string, number | undefined>;

function exists(name: string, numbers: Numbers): boolean {
  return !numbers.has(name) || numbers.get(name) !== undefined;
}

/** Where the objects of each check are; none where the class's number is not known. */
function keysOf(
  { instance, classNumber }: TargetCall,
  checks: readonly TargetCheck[],
  numbers: Numbers,
): readonly (readonly Key[])[] {
  return checks.map(({ target, ids }) => {
    const name = target.toLowerCase();
    if (name === 'user') return ids.map((id) => userEntity.key(instance, id));
    const number = name === 'self' ? classNumber : numbers.get(name);
    return number === undefined ? [] : ids.map((id) => objectEntity.key(instance, number, id));
  });
}

async function read(
  store: Store,
  keys: readonly Key[],
): Promise<ReadonlyMap<string, Stored | undefined>> {
  const distinct = [...new Map(keys.map((key) => [text(key), key])).values()];
  const items = await store.get(distinct);
  return new Map(distinct.map((key, at) => [text(key), items[at]]));
}

function text(key: Key | undefined): string {
  return key === undefined ? '' : `${key.pk}\u0000${key.sk}`;
}
