import { addCompositeIndex } from '../classes/composite-index-job.ts';
import { planCompositeIndex, timeOfChange } from '../classes/rules/composite-indexes.ts';
import { defineCache } from '../core/resource/caches.ts';
import type { Context } from '../core/resource/route.ts';
import { newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { ClassData } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import { causeOf } from '../values/caught.ts';
import type { Part, Search, SearchReport } from './object-search.ts';
import { missingCompositeIndex } from './query/pairs.ts';

/** Properties of a list request. */
type ListCall = Pick<Context, 'platform' | 'caches'> & {
  readonly instance: number;
  readonly class: Stored<ClassData>;
};

/** A list whose page was searched. */
interface Searched extends Pick<Search, 'conditions' | 'pairs' | 'reader'>, Pick<Part, 'order'> {
  readonly report: SearchReport;
}

/** Keys that lists read in vain because a composite index was missing, by class and fields. */
const wastedReads = defineCache<string, number>();

const fairShare = 3; // keys read for each object found
const worthAPair = 1000; // keys that a process read in excess of that: some pages of a filter that one in ten matches

/**
 * Records the cost of a page, and requests a composite index when pages like it have read far more keys than they
 * returned objects. A failure is logged only, since the page itself is complete.
 */
export async function notePageCost(call: ListCall, searched: Searched): Promise<void> {
  const { keysRead, kept } = searched.report;
  const wasted = keysRead - fairShare * kept;
  const pair = wasted > 0 ? wantedCompositeIndex(call, searched) : undefined;
  if (pair === undefined) return;
  const { caches, instance, class: place } = call;
  const { number, epoch } = place.data;
  const name = [instance, number, epoch, pair.filter, pair.order].join();
  const wastedBefore = wastedReads(caches);
  const before = wastedBefore.get(name) ?? 0;
  wastedBefore.set(name, before + wasted);
  if (before >= worthAPair || before + wasted < worthAPair) return;
  const task = { instance, className: place.data.name, classNumber: number, ...pair };
  try {
    await maintain(call.platform, [newJob(call.platform, addCompositeIndex, task)]);
  } catch (error) {
    wastedBefore.set(name, undefined);
    const cause = causeOf(error);
    call.platform.log({
      level: 'error',
      message: 'a composite index could not be requested',
      cause,
    });
  }
}

/** Finds the composite index that leads straight to the page; undefined without one, or without room in the class. */
function wantedCompositeIndex(
  { class: { data } }: ListCall,
  { conditions, pairs, reader, order }: Searched,
): { readonly filter: string; readonly order: string } | undefined {
  if (reader.kind === 'bound' || data.status === 'migrating') return undefined;
  const names = missingCompositeIndex(conditions, order, pairs);
  if (names === undefined) return undefined;
  const storageOf = (name: string) =>
    data.storage[data.schema.findIndex((field) => field.name === name)]?.storage ?? timeOfChange;
  const pair = { filter: storageOf(names.filter), order: storageOf(names.order) };
  return planCompositeIndex(data, pair) && pair;
}
