import { as, classCountEntity, objectEntity } from '../store/entities.ts';
import { replace } from '../store/writes.ts';
import { itemsAfter } from './items-after.ts';
import { maintain } from './maintain.ts';
import type { StepResult, WorkContext, WorkKind } from './work.ts';

/** A class whose objects are to be counted again. */
export type RecountedClass = { readonly instance: number; readonly classNumber: number };

type Progress = RecountedClass & {
  /** Position of the count when this round began. */
  readonly position?: string;
  /** Sort key of the last object that was counted; empty when all are. */
  readonly last?: string;
  readonly counted?: number;
  /** Rounds during which the class has changed. */
  readonly rounds?: number;
};

const stepSize = 500;
const restMs = 60_000; // changes of the last seconds are still on their way
const retryMs = 600_000;
const maxRounds = 5;

/**
 * Counts the objects of a class one by one, and corrects the count that was kept from changes. A class that
 * changes meanwhile is counted again later; one that never rests keeps its count.
 */
export const recountClass: WorkKind = {
  name: 'recount-class',
  step: async (context, task) => {
    const progress = task as Progress; // so it was stored
    const { instance, classNumber, rounds = 0 } = progress;
    const [item] = await context.store.get([classCountEntity.key(instance, classNumber)]);
    const current = as(classCountEntity, item);
    if (current === undefined) return 'done'; // the class is gone
    const { position = current.data.position, last, counted = 0 } = progress;
    if (last !== '') return countSome(context, { ...progress, position });
    const rested = current.data.position === position;
    if (!rested && rounds < maxRounds) {
      return { task: { instance, classNumber, rounds: rounds + 1 }, afterMs: retryMs };
    }
    const { recountAt: _, ...data } = current.data;
    await maintain(context, [replace(current, rested ? { ...data, count: counted } : data)]);
    return 'done';
  },
};

async function countSome({ store }: WorkContext, progress: Progress): Promise<StepResult> {
  const { instance, classNumber, counted = 0 } = progress;
  const { pk } = objectEntity.key(instance, classNumber, 0);
  const { items, last } = await itemsAfter(store, pk, progress.last, stepSize);
  const task = { ...progress, counted: counted + items.length };
  return last === undefined
    ? { task: { ...task, last: '' }, afterMs: restMs }
    : { task: { ...task, last } };
}
