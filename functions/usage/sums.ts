import type { Query, Store, Stored } from '../../shared/store/store.ts';
import { usageEntity } from '../../shared/table/entities/instances.ts';
import type { UsageData } from '../../shared/table/records/records.ts';

/** A period over which usage is added up. */
export type Period = 'hour' | 'day';

/** Counted quantities: requests, seconds that scripts ran, and their runs; in the order of rows. */
export const sources = ['api', 'cbx', 'run'] as const;
export type Source = (typeof sources)[number];

/** The usage in a period. */
export interface Sum extends UsageData {
  /** `YYYY-MM-DDThh` or `YYYY-MM-DD`, in UTC. */
  readonly period: string;
}

/** A selection of sums. */
export interface SumRange {
  readonly period: Period;
  /** Periods without any of these are left out. */
  readonly sources: readonly Source[];
  /** Of sort keys. */
  readonly bounds: Pick<Query, 'lower' | 'upper'>;
  readonly descending: boolean;
  /** Maximum number of periods. */
  readonly limit: number;
}

const pageSize = 1000;
const hoursOf: Readonly<Record<Period, number>> = { hour: 1, day: 24 };
const lengthOf: Readonly<Record<Period, number>> = { hour: 13, day: 10 };

/** Reads the usage of an instance, whole periods, in the order of the scan. */
export async function readSums(
  store: Store,
  instance: number,
  range: SumRange,
): Promise<readonly Sum[]> {
  const { period, descending } = range;
  const limit = Math.min(pageSize, range.limit * hoursOf[period]);
  const sums: Sum[] = [];
  let after: string | undefined;
  do {
    const part = { ...range.bounds, after, descending, limit };
    const { items, last } = await usageEntity.list(store, [instance], part);
    for (const item of items) if (!add(sums, item, range)) return sums;
    after = last;
  } while (after !== undefined);
  return sums;
}

/** Adds an hour to the last sum, or begins another one; returns false above the limit. */
function add(
  sums: Sum[],
  { key, data }: Stored<UsageData>,
  { period: kind, sources: wanted, limit }: SumRange,
): boolean {
  if (!wanted.some((source) => amountOf(data, source) > 0)) return true;
  const period = key.sk.slice(0, lengthOf[kind]);
  const last = sums.at(-1);
  if (last?.period === period) {
    sums[sums.length - 1] = { period, ...plus(last, data) };
    return true;
  }
  if (sums.length === limit) return false;
  sums.push({ period, ...data });
  return true;
}

/** Returns the sum of two usages. */
export function plus(a: UsageData, b: UsageData): UsageData {
  return { api: a.api + b.api, run: a.run + b.run, cbxMs: a.cbxMs + b.cbxMs };
}

/** Returns the quantity of a source; started seconds count as whole ones. */
export function amountOf({ api, run, cbxMs }: UsageData, source: Source): number {
  switch (source) {
    case 'api':
      return api;
    case 'cbx':
      return Math.ceil(cbxMs / 1000);
    case 'run':
      return run;
  }
}
