import { createDict, isEqual, Undefined, type Value } from './values.ts';

/** What a loop remembers from one item to the next. */
export interface LoopMemory {
  /** The arguments of the last call of `loop.changed`. */
  seen: Value | undefined;
}

/** What a loop tells of itself at one of its items, as `loop`. */
export function createLoop(items: readonly Value[], at: number, memory: LoopMemory): Value {
  const beyond = (name: string) => new Undefined(`there is no ${name} item`);
  return createDict([
    ['index', at + 1],
    ['index0', at],
    ['revindex', items.length - at],
    ['revindex0', items.length - at - 1],
    ['first', at === 0],
    ['last', at === items.length - 1],
    ['length', items.length],
    ['depth', 1],
    ['depth0', 0],
    ['previtem', items[at - 1] ?? beyond('previous')],
    ['nextitem', items[at + 1] ?? beyond('next')],
    ['cycle', (choices) => choices[at % Math.max(choices.length, 1)] ?? null],
    [
      'changed',
      (values) => {
        const isNew = memory.seen === undefined || !isEqual(memory.seen, [...values]);
        memory.seen = [...values];
        return isNew;
      },
    ],
  ]);
}
