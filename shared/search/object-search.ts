import type { CompiledCompositeIndex } from '../classes/rules/compiled-class.ts';
import { type Caches, defineCache } from '../core/routing/caches.ts';
import type { Context } from '../core/routing/route.ts';
import type { Scan } from '../ports/limits/scans.ts';
import type { Stored } from '../store/store.ts';
import type { ObjectData } from '../table/records/records.ts';
import { byClass, type ClassUse } from './class-use.ts';
import {
  maxKeysRead,
  type ObjectScan,
  openObjectScan,
  pathName,
  type Wanted,
} from './object-scan.ts';
import type { ClassScope } from './object-streams.ts';
import { queriedObject } from './queried.ts';
import type { Condition } from './query/conditions.ts';
import { queryTookTooLong } from './query/errors.ts';
import { matcherOf } from './query/match.ts';
import type { Order } from './query/order.ts';
import { idBounds, type ObjectReader, planCount, planList, type SearchPlan } from './query/plan.ts';

const exactCount = 1000; // docs/reference/queries.md#count. A higher count may be an estimate

/** A search among the objects of one class. */
export interface Search {
  readonly scope: Omit<ClassScope, 'turns'>;
  readonly conditions: readonly Condition[];
  readonly reader: ObjectReader;
  /** Composite indexes of the class. */
  readonly compositeIndexes: readonly CompiledCompositeIndex[];
  /** Whether the reader may see an object. */
  readonly isVisible: (item: Stored<ObjectData>) => boolean;
  /** Limits the time of the search, and yields to other requests. */
  readonly scan: Scan;
  /** Hold the best access path of earlier searches of the same form. */
  readonly caches: Caches;
  /** Receives a report on each part of the search at its end, successful or not. */
  readonly explain: (report: SearchReport) => void;
}

/** Report on a finished search, to explain its duration. */
export interface SearchReport {
  /** Name of the access path that completed the result; undefined: none did. */
  readonly path: string | undefined;
  /** Sum over all access paths. */
  readonly keysRead: number;
  /** Objects found. */
  readonly kept: number;
  /** Every access path that was read. */
  readonly plans: readonly {
    readonly path: string;
    readonly keysRead: number;
    readonly kept: number;
  }[];
}

/** Properties of the request that are logged with a report. */
export type ReportingCall = Pick<Context, 'platform' | 'request'>;

/** Returns a function that logs reports of searches as `message`, one line each. */
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

/**
 * Access path that was the fastest in the last search of a form, by form.
 *
 * Measured 2026-11 with repeated pages of 20 out of 100,000 objects, as objects read, steps, read units of DynamoDB:
 *
 * | List                                   | With the cache | Without       |
 * |----------------------------------------|----------------|---------------|
 * | in order, one in ten matches           | 244, 1, 37     | 280, 3, 43    |
 * | in order, one in a thousand matches    | 102, 1, 16     | 293, 3, 45    |
 * | the same, for a user                   | 102, 1, 16     | 420, 5, 210   |
 * | a range of 50, in another order        | 50, 1, 8       | 114, 2, 72    |
 * | a nested query that finds 20, in order | 40, 2, 14      | 1,061, 2, 317 |
 *
 * It takes up to five times less CPU on one machine. The first list of a process gains nothing, nor does one with a
 * single path whose first batch is enough.
 */
const accessPaths = defineCache<ClassUse, CachedPath>(byClass);

/** Access path that was the fastest in a search. */
interface CachedPath {
  readonly path: string;
  /** Objects that the scan of this path examined. */
  readonly used: number;
}

/** Part of an ordered list. */
export type SearchPart = Pick<Wanted, 'order' | 'isDescending' | 'from' | 'limit' | 'isAhead'>;

/**
 * Finds a part of the objects that match a search.
 *
 * @throws ApiError 408 when no access path leads to them within 10,000 objects and the time
 */
export async function findObjects(search: Search, part: SearchPart): Promise<ObjectScan> {
  const { conditions, reader, compositeIndexes, caches } = search;
  const plans = planList({ conditions, order: part.order, reader, compositeIndexes });
  const form = formOf(search, part, plans);
  const cached = accessPaths(caches);
  const cachedPath = cached.get(form);
  const { done } = await race(search, { plans, part, cachedPath });
  if (done === undefined) throw queryTookTooLong();
  cached.set(form, { path: done.name, used: done.used() });
  return done;
}

/** Returns the form of a search: everything except the values it compares with. */
function formOf(
  { scope, conditions }: Search,
  { order, isDescending, limit }: SearchPart,
  plans: readonly SearchPlan[],
): ClassUse {
  const { instance, classNumber } = scope;
  const parts = [order.field.name, isDescending, limit];
  const compared = conditions.map(({ field, kind }) => `${field.name} ${kind}`);
  const text = [...parts, ...plans.map(({ path }) => pathName(path)), ...compared].join();
  return { instance, classNumber, text };
}

/**
 * Counts the objects that match a search: exactly up to 1000, above that as far as one request may read.
 *
 * @param order any; it does not affect the result
 * @throws ApiError 408 when less than 1000 were found within 10,000 objects and the time
 */
export async function countObjects(search: Search, order: Order): Promise<number> {
  const limit = Number.POSITIVE_INFINITY;
  const everything = { order, isDescending: false, from: undefined, limit };
  const plans = planCount(search);
  const { done, scans } = await race(search, { plans, part: everything, cachedPath: undefined });
  if (done !== undefined) return done.found().length;
  const most = Math.max(...scans.map((scan) => scan.found().length));
  if (most < exactCount) throw queryTookTooLong();
  return most;
}

interface Outcome {
  /** Scan that ended first. */
  readonly done: ObjectScan | undefined;
  readonly scans: readonly ObjectScan[];
}

interface Race {
  readonly plans: readonly SearchPlan[];
  readonly part: SearchPart;
  /** Access path that ended the last search of this form; absent: not known. */
  readonly cachedPath: CachedPath | undefined;
}

/**
 * Scans plans in parallel until one result is complete, or all scans are at their limit. The best path is not known
 * beforehand. A scan that the last search of this form, or the previous step, predicts to end with its next step runs
 * alone for that one step.
 */
async function race(search: Search, { plans, part, cachedPath }: Race): Promise<Outcome> {
  const matches = matcherOf(search.conditions);
  const { order, isDescending, from, limit, isAhead } = part;
  const ids = idBounds(search.conditions);
  const isKept: Wanted['isKept'] = (item) => search.isVisible(item) && matches(queriedObject(item));
  const wanted: Wanted = { order, isDescending, from, ids, limit, isAhead, isKept };
  const { store, instance, classNumber } = search.scope;
  const scope = { store, instance, classNumber, turns: search.scan };
  const scans = plans.map((plan) => {
    const isBest = pathName(plan.path) === cachedPath?.path;
    return openObjectScan(scope, plan, {
      wanted,
      usedBefore: isBest ? cachedPath?.used : undefined,
    });
  });
  let isTrusting = true;
  for (;;) {
    const going = scans.filter((scan) => scan.keysRead() < maxKeysRead);
    const best: ObjectScan | undefined = isTrusting
      ? going.find((scan) => scan.isNearEnd())
      : undefined;
    isTrusting &&= best === undefined;
    await Promise.all((best === undefined ? going : [best]).map((scan) => scan.step()));
    const done = scans.find((scan) => scan.isDone());
    if (done !== undefined || going.length === 0 || search.scan.isSpent()) {
      search.explain(reportOf(done, scans));
      return { done, scans };
    }
  }
}

function reportOf(done: ObjectScan | undefined, scans: readonly ObjectScan[]): SearchReport {
  return {
    path: done?.name,
    keysRead: scans.reduce((sum, scan) => sum + scan.keysRead(), 0),
    kept: done?.found().length ?? 0,
    plans: scans.map((scan) => ({
      path: scan.name,
      keysRead: scan.keysRead(),
      kept: scan.found().length,
    })),
  };
}
