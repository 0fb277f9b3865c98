import { createDict, isEqual, Undefined, type Value } from './values.ts';

/** State of a loop that is kept between its items. */
export interface LoopMemory {
  /** Arguments of the last call of `loop.changed`. */
  lastArguments: Value | undefined;
}

/** Creates the variable `loop` for one item. */
export function createLoop(items: readonly Value[], at: number, memory: LoopMemory): Value {
  const outOfRange = (name: string) => new Undefined(`there is no ${name} item`);
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
    ['previtem', items[at - 1] ?? outOfRange('previous')],
    ['nextitem', items[at + 1] ?? outOfRange('next')],
    ['cycle', (choices) => choices[at % Math.max(choices.length, 1)] ?? null],
    [
      'changed',
      (values) => {
        const isNew =
          memory.lastArguments === undefined || !isEqual(memory.lastArguments, [...values]);
        memory.lastArguments = [...values];
        return isNew;
      },
    ],
  ]);
}
