import { isDeepStrictEqual } from 'node:util';

/** Fields of an object and their values in responses. */
export type Values = Readonly<Record<string, unknown>>;

/** An object in responses. */
export type Shown = Values & { readonly id: number };

/** A write; it is open until its response is known. */
export type Write =
  | { readonly kind: 'create'; readonly values: Values }
  | { readonly kind: 'update'; readonly id: number; readonly values: Values }
  | { readonly kind: 'delete'; readonly id: number };

/** A writer's record of the objects of its own class. */
export interface Ledger {
  /** Records a write before it is sent. Call the returned function with the id after the acknowledgement. */
  begin(write: Write): (id: number) => void;
  /** Ids of objects whose state is known. */
  ids(): readonly number[];
  values(id: number): Values | undefined;
  /** Compares one object; returns the difference. */
  compare(shown: Shown): string | undefined;
  /**
   * Compares the complete class and determines the outcome of open writes.
   *
   * @returns the difference; undefined when the class contains all acknowledged writes and nothing else
   */
  settle(all: readonly Shown[]): string | undefined;
}

/** Creates a ledger of an empty class. */
export function createLedger(): Ledger {
  const known = new Map<number, Values>();
  const open = new Set<Write>();
  const after = (write: Write): Values | undefined => {
    if (write.kind === 'delete') return undefined;
    return write.kind === 'create' ? write.values : { ...known.get(write.id), ...write.values };
  };
  const openFor = (id: number) =>
    [...open].filter((write) => write.kind !== 'create' && write.id === id);
  /** Possible states of an object; undefined is its absence. */
  const states = (id: number) => [known.get(id), ...openFor(id).map(after)];

  const compare = (shown: Shown): string | undefined => {
    const possible = known.has(shown.id)
      ? states(shown.id)
      : [...open].filter(({ kind }) => kind === 'create').map(after);
    if (possible.some((values) => values !== undefined && matches(shown, values))) return undefined;
    const expected = JSON.stringify(possible).slice(0, 200);
    return `object ${shown.id} is ${JSON.stringify(shown).slice(0, 300)}, written was ${expected}`;
  };

  return {
    begin: (write) => {
      open.add(write);
      return (id) => {
        const values = after(write);
        open.delete(write);
        if (values === undefined) known.delete(id);
        else known.set(id, values);
      };
    },
    ids: () => [...known.keys()].filter((id) => openFor(id).length === 0),
    values: (id) => known.get(id),
    compare,
    settle: (all) => {
      const there = new Map(all.map((each) => [each.id, each]));
      const lost = [...known.keys()].find(
        (id) => !there.has(id) && !states(id).includes(undefined),
      );
      if (lost !== undefined) return `object ${lost} is lost`;
      const wrong = all.map(compare).find((each) => each !== undefined);
      if (wrong !== undefined) return wrong;
      const learned = all.map((shown): [number, Values] => {
        const names = Object.keys(known.get(shown.id) ?? [...open].map(after)[0] ?? {});
        const opened = openFor(shown.id).flatMap((write) => Object.keys(after(write) ?? {}));
        return [shown.id, pick(shown, [...names, ...opened])];
      });
      known.clear();
      open.clear();
      for (const [id, values] of learned) known.set(id, values);
      return undefined;
    },
  };
}

function matches(shown: Shown, values: Values): boolean {
  return Object.entries(values).every(([name, value]) => isDeepStrictEqual(shown[name], value));
}

function pick(shown: Shown, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, shown[name]]));
}
