import { classOf } from '../../shared/resource/place.ts';
import type { Context } from '../../shared/resource/route.ts';
import { compiledClass } from '../../shared/services/save-object.ts';
import { showsOrder } from './order.ts';
import type { Item } from './steps.ts';

/**
 * Where writes of objects of one class meet when they were let through, before they do anything. They go on
 * together, or one by one where their order shows.
 */
export interface Gate {
  /** Waits for the turn of an item. */
  pass(item: Item, context: Context): Promise<void>;
  /** Says that an item has ended, whether or not it came here. */
  leave(item: Item): void;
}

/** Opens the gate of one step. */
export function openGate(step: readonly Item[]): Gate {
  const coming = new Set(step);
  const waiting = new Map<Item, () => void>();
  let arrived: Context | undefined;
  let isInOrder: boolean | undefined;

  function letThrough(): void {
    if (coming.size > 0 || arrived === undefined) return;
    const items = step.filter((item) => waiting.has(item));
    isInOrder ??= isOrderShown(arrived, items);
    for (const item of isInOrder ? items.slice(0, 1) : items) {
      waiting.get(item)?.();
      waiting.delete(item);
    }
  }

  return {
    pass: (item, context) =>
      new Promise((resolve) => {
        arrived = context;
        waiting.set(item, resolve);
        coming.delete(item);
        letThrough();
      }),
    leave: (item) => {
      coming.delete(item);
      letThrough();
    },
  };
}

/** All items are in the same class, so any of them tells. */
function isOrderShown(context: Context, items: readonly Item[]): boolean {
  const place = classOf(context);
  const requests = items.map(({ request }) => request);
  return showsOrder(compiledClass(context.hints, place), place.data.name, requests);
}
