import type { CompiledCompositeIndex } from '../classes/rules/compiled-class.ts';
import { type Caches, defineCache } from '../core/resource/caches.ts';
import type { Context } from '../core/resource/route.ts';
import type { Scan } from '../platform/limits/scans.ts';
import type { ObjectData } from '../store/records/records.ts';
import { maxKeysRead, openWalk, pathName, type Walk, type Wanted } from './object-scan.ts';
import type { ObjectPlace } from './object-streams.ts';
import type { Condition } from './query/conditions.ts';
import { queryTookTooLong } from './query/errors.ts';
import { matcherOf } from './query/match.ts';
import type { Order } from './query/order.ts';
import { idBounds, type Plan, planCount, planList, type Reader } from './query/plan.ts';

const exactCount = 1000; // docs/reference/queries.md#count. Above it a count may be an estimate

/** A search among the objects of one class. */
export interface Search {
  readonly place: Omit<ObjectPlace, 'turns'>;
  readonly conditions: readonly Condition[];
  readonly reader: Reader;
  /** Pairs of the class. */
  readonly pairs: readonly CompiledCompositeIndex[];
  /** Whether the reader may see an object. */
  readonly isVisible: (object: ObjectData) => boolean;
  /** Says when others have their turn and when it has to end. */
  readonly scan: Scan;
  /** What is known of searches like it. */
  readonly caches: Caches;
  /** Hears how each part of the search came to its end, found or not. */
  readonly explain: (report: SearchReport) => void;
}

/** How a search came to its end, for those who wonder why it took so long. */
export interface SearchReport {
  /** Name of the path that had all that was wanted; undefined: none had. */
  readonly path: string | undefined;
  /** Of all paths together. */
  readonly keysRead: number;
  /** Objects that were found. */
  readonly kept: number;
  /** Every path that was followed. */
  readonly plans: readonly {
    readonly path: string;
    readonly keysRead: number;
    readonly kept: number;
  }[];
}

/** What a call needs to write reports into the log. */
export type ReportingCall = Pick<Context, 'platform' | 'request'>;

/** Makes what writes reports of searches into the log, as `message`, one line each. */
export function explainTo(
  { platform, request }: ReportingCall,
  message: string,
): Search['explain'] {
  const started = performance.now();
  return (report) =>
    platform.log({
      level: 'debug',
      message,
      requestId: request.id,
      ...report,
      durationMs: Math.round(performance.now() - started),
    });
}

/** How the last search of a form found its objects, by that form. */
const accessPaths = defineCache<string, KnownPath>();

/** A path on which a search of a form was first to find its objects. */
interface KnownPath {
  readonly path: string;
  /** Objects that were read on it. */
  readonly used: number;
}

/** The part of an ordered list that is wanted. */
export type Part = Pick<Wanted, 'order' | 'isDescending' | 'from' | 'limit' | 'isAhead'>;

/**
 * Finds a part of the objects that a search is for.
 *
 * @throws ApiError 408 when no path leads to them within 10,000 objects and the time
 */
export async function findObjects(search: Search, part: Part): Promise<Walk> {
  const { conditions, reader, pairs, caches } = search;
  const plans = planList({ conditions, order: part.order, reader, pairs });
  const form = formOf(search, part, plans);
  const known = accessPaths(caches);
  const hint = known.get(form);
  const { done } = await race(search, { plans, part, hint });
  if (done === undefined) throw queryTookTooLong();
  known.set(form, { path: done.name, used: done.used });
  return done;
}

/** What makes two searches alike, whatever values they compare with. */
function formOf(
  { place, conditions }: Search,
  { order, isDescending, limit }: Part,
  plans: readonly Plan[],
): string {
  const parts = [place.instance, place.classNumber, order.field.name, isDescending, limit];
  const compared = conditions.map(({ field, kind }) => `${field.name} ${kind}`);
  return [...parts, ...plans.map(({ path }) => pathName(path)), ...compared].join();
}

/**
 * Counts the objects that a search is for: exactly up to 1000, and beyond as far as one call may read.
 *
 * @param order any; nothing comes of it
 * @throws ApiError 408 when less than 1000 were found within 10,000 objects and the time
 */
export async function countObjects(search: Search, order: Order): Promise<number> {
  const limit = Number.POSITIVE_INFINITY;
  const everything = { order, isDescending: false, from: undefined, limit };
  const plans = planCount(search);
  const { done, walks } = await race(search, { plans, part: everything, hint: undefined });
  if (done !== undefined) return done.found.length;
  const most = Math.max(...walks.map(({ found }) => found.length));
  if (most < exactCount) throw queryTookTooLong();
  return most;
}

interface Outcome {
  /** The walk that came to its end first. */
  readonly done: Walk | undefined;
  readonly walks: readonly Walk[];
}

interface Race {
  readonly plans: readonly Plan[];
  readonly part: Part;
  /** What ended the last search of this form; absent: not known. */
  readonly hint: KnownPath | undefined;
}

/**
 * Follows plans side by side until one has what is wanted, or none may read on. A path that should end with its next
 * step goes alone for once: nobody knows it beforehand, but the last search of this form, or the step before, tells.
 */
async function race(search: Search, { plans, part, hint }: Race): Promise<Outcome> {
  const matches = matcherOf(search.conditions);
  const wanted: Wanted = {
    ...part,
    ids: idBounds(search.conditions),
    isKept: (object) => search.isVisible(object) && matches(object),
  };
  const place = { ...search.place, turns: search.scan };
  const walks = plans.map((plan) => {
    const isBest = pathName(plan.path) === hint?.path;
    return openWalk(place, plan, { ...wanted, usedBefore: isBest ? hint?.used : undefined });
  });
  let isTrusting = true;
  for (;;) {
    const going = walks.filter(({ keysRead }) => keysRead < maxKeysRead);
    const best: Walk | undefined = isTrusting
      ? going.find(({ isNearEnd }) => isNearEnd)
      : undefined;
    isTrusting &&= best === undefined;
    await Promise.all((best === undefined ? going : [best]).map((walk) => walk.step()));
    const done = walks.find(({ isDone }) => isDone);
    if (done !== undefined || going.length === 0 || search.scan.isSpent()) {
      search.explain(reportOf(done, walks));
      return { done, walks };
    }
  }
}

function reportOf(done: Walk | undefined, walks: readonly Walk[]): SearchReport {
  return {
    path: done?.name,
    keysRead: walks.reduce((sum, { keysRead }) => sum + keysRead, 0),
    kept: done?.found.length ?? 0,
    plans: walks.map(({ name, keysRead, found }) => ({
      path: name,
      keysRead,
      kept: found.length,
    })),
  };
}
