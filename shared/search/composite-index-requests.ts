import { addCompositeIndex } from '../classes/composite-index-job.ts';
import { planCompositeIndex, timeOfChange } from '../classes/rules/composite-indexes.ts';
import { defineCache } from '../core/routing/caches.ts';
import type { Context } from '../core/routing/route.ts';
import { newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { Stored } from '../store/store.ts';
import type { ClassData } from '../table/records/records.ts';
import { faultOf } from '../values/caught.ts';
import { byClass, type ClassUse } from './class-use.ts';
import type { Search, SearchPart, SearchReport } from './object-search.ts';
import { missingCompositeIndex } from './query/composite-indexes.ts';

/** Properties of a list request. */
type ListCall = Pick<Context, 'platform' | 'caches'> & {
  readonly instance: number;
  readonly class: Stored<ClassData>;
};

/** A list whose page was searched. */
interface Searched
  extends Pick<Search, 'conditions' | 'compositeIndexes' | 'reader'>,
    Pick<SearchPart, 'order'> {
  readonly report: SearchReport;
}

/** Keys that lists read in vain because a composite index was missing, by class and fields. */
const wastedReads = defineCache<ClassUse, number>(byClass);

const fairShare = 3; // keys read for each object found
/**
 * Keys that a process read in excess of the fair share: about six pages of a filter that one in ten matches. Pages are
 * faster from then on; on DynamoDB, the 500,000 write units for an index over 100,000 objects are saved after 60,000
 * such pages, or 6,000 of a filter that one in a hundred matches.
 */
const worthAnIndex = 1000;

/**
 * Records the cost of a page, and requests a composite index when pages like it have read far more keys than they
 * returned objects. A failure is logged only, since the page itself is complete.
 */
export async function notePageCost(call: ListCall, searched: Searched): Promise<void> {
  const { keysRead, kept } = searched.report;
  const wasted = keysRead - fairShare * kept;
  const index = wasted > 0 ? wantedCompositeIndex(call, searched) : undefined;
  if (index === undefined) return;
  const { caches, instance, class: classRecord } = call;
  const { number, epoch } = classRecord.data;
  const text = [epoch, index.filter, index.order].join();
  const use = { instance, classNumber: number, text };
  const wastedBefore = wastedReads(caches);
  const before = wastedBefore.get(use) ?? 0;
  wastedBefore.set(use, before + wasted);
  if (before >= worthAnIndex || before + wasted < worthAnIndex) return;
  const task = { instance, className: classRecord.data.name, classNumber: number, ...index };
  try {
    await maintain(call.platform, [newJob(call.platform, addCompositeIndex, task)]);
  } catch (error) {
    wastedBefore.set(use, undefined);
    call.platform.log({
      level: 'error',
      message: 'a composite index could not be requested',
      ...faultOf(error),
    });
  }
}

/** Finds the composite index that leads straight to the page; undefined without one, or without room in the class. */
function wantedCompositeIndex(
  { class: { data } }: ListCall,
  { conditions, compositeIndexes, reader, order }: Searched,
): { readonly filter: string; readonly order: string } | undefined {
  if (reader.kind === 'bound' || data.status === 'migrating') return undefined;
  const names = missingCompositeIndex(conditions, order, compositeIndexes);
  if (names === undefined) return undefined;
  const storageOf = (name: string) =>
    data.storage[data.schema.findIndex((field) => field.name === name)]?.storage ?? timeOfChange;
  const fields = { filter: storageOf(names.filter), order: storageOf(names.order) };
  return planCompositeIndex(data, fields) && fields;
}
