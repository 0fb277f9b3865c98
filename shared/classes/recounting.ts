import type { ItemChange } from '../jobs/change-feed.ts';
import type { ClassCountData, RecountData, RecountPart } from '../table/records/class-counts.ts';

/*
 * A recount is exact although the class is written to. It reads the items in parts, in the order of their keys. Changes
 * of parts that are done are added to their numbers. A part that was read remains open for a while: changes that arrive
 * in this time may have been read or not, so for each of these items the state after the last change replaces what was
 * read. After the while each change that was committed before the read has arrived. One that arrives later is noticed,
 * because it is old by then: the recount starts again.
 */

/** How long a part remains open after it was read, in milliseconds. */
export const openMs = 20_000;

/** A change that is older when it arrives may have been read in a part that is closed. */
const lateMs = openMs - 2000; // clocks differ

const maxChanged = 5000; // of about 20 bytes each, in an item of 400 KB

const deleted = -1;

/** A change of an item, with its bytes before and after; absent: it did not exist. */
export interface SizedChange {
  readonly sk: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** Returns a recount after changes that were counted, in order. */
export function followRecount(recount: RecountData, changes: readonly SizedChange[]): RecountData {
  let { count, bytes } = recount;
  const changed = { ...recount.part?.changed };
  for (const { sk, before, after } of changes) {
    if (sk <= recount.after) {
      count += Number(after !== undefined) - Number(before !== undefined);
      bytes += (after ?? 0) - (before ?? 0);
    } else if (recount.part !== undefined && isIn(recount.part, sk)) {
      changed[sk] = after ?? deleted;
    }
  }
  return {
    ...recount,
    count,
    bytes,
    ...(recount.part && { part: limitPart(recount.part, changed) }),
  };
}

/** Returns an open part that ends with `to`: it opens before its end is known. */
export function endPart(part: RecountPart, to: string | undefined): RecountPart {
  if (to === undefined) return part;
  const changed = Object.entries(part.changed).filter(([sk]) => sk <= to);
  return { ...part, to, changed: Object.fromEntries(changed) };
}

/**
 * Returns a recount after its open part.
 *
 * @param read bytes of the items that were read, by sort key
 */
export function closePart(
  { part, ...recount }: RecountData,
  read: Readonly<Record<string, number>>,
): RecountData {
  const { changed = {}, to = recount.after } = part ?? {};
  const sizes = Object.values({ ...read, ...changed }).filter((bytes) => bytes !== deleted);
  const bytes = sizes.reduce((sum, size) => sum + size, recount.bytes);
  return { ...recount, after: to, count: recount.count + sizes.length, bytes };
}

/** Returns whether a recount that runs, or has ended, may include one of these changes twice. */
export function hasLate(
  { recount, recountedAt = 0 }: Pick<ClassCountData, 'recount' | 'recountedAt'>,
  changes: readonly ItemChange[],
  nowMs: number,
): boolean {
  return changes.some(
    ({ at = nowMs }) => nowMs - at >= lateMs && (recount !== undefined || at <= recountedAt),
  );
}

function isIn({ to }: RecountPart, sk: string): boolean {
  return to === undefined || sk <= to;
}

function limitPart(part: RecountPart, changed: Readonly<Record<string, number>>): RecountPart {
  if (part.isFull || Object.keys(changed).length > maxChanged) {
    return { ...part, changed: {}, isFull: true };
  }
  return { ...part, changed };
}
