import { type Context, type LoadedOf, recordAt } from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { type ListPosition, neighbours } from '../../shared/core/resource/page.ts';
import { ownedEntity } from '../../shared/table/entities/accounts.ts';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import { incorrectPage, invalid } from '../../shared/values/errors/errors.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { inListOrder, parsePaging, rangeAhead } from '../../shared/values/paging.ts';
import { readFilter, type UsageFilter } from './filter.ts';
import { amountOf, type Period, plus, readSums, type Source, type Sum, sources } from './sums.ts';

/** A line of the list: the usage of a source by an instance in a period. */
export interface UsageRow extends ListPosition {
  readonly period: string;
  /** Absent where all instances are added up. */
  readonly instance: string | undefined;
  readonly source: Source;
  readonly value: number;
}

/** A page of rows, in list order. */
export interface UsagePage {
  readonly rows: readonly UsageRow[];
  readonly next: string | null;
  readonly prev: string | null;
}

/** Records of a list of usage: the instances that the account owns. */
export const usageLoads = { owned: recordAt(ownedEntity, ['account']) };
export type UsageLoaded = LoadedOf<typeof usageLoads>;

const instancesAtOnce = 25;
const maxTotalRows = 50_000; // about 4 MB of JSON, of the 6 MB that a response may have

/**
 * Reads the page that a request selects. Rows are ordered by period, instance and source; a link names the row next to
 * the page by its period and by a number for the other two.
 *
 * @param path of the list, as links show it
 * @throws ApiError 400 for a bad parameter
 */
export async function readUsage(
  context: Context<UsageLoaded>,
  period: Period,
  path: string,
): Promise<UsagePage> {
  const { query } = context.request;
  const paging = parsePaging((name) => queryValue(query, name));
  const filter = readFilter(query, period);
  const cursor =
    paging.lastPk === undefined
      ? undefined
      : { pk: paging.lastPk, period: readCursor(query, period) };
  await context.platform.meter.flush(); // on one machine the usage is then up to date
  const { descending, limit } = rangeAhead(paging, true);
  const asked: Asked = { period, filter, descending, cursor };
  if (filter.isTotal) return { rows: await readTotals(context, asked), next: null, prev: null };
  const found = paging.size === 0 ? [] : await readRows(context, asked, limit);
  const rows = inListOrder(found.slice(0, paging.size), paging);
  const { route } = context;
  return { rows, ...neighbours({ route, path, query, paging }, rows, found.length > paging.size) };
}

type UsagePosition = Pick<UsageRow, 'period' | 'pk'>;

interface Asked {
  readonly period: Period;
  readonly filter: UsageFilter;
  readonly descending: boolean;
  /** The row next to the page. */
  readonly cursor: UsagePosition | undefined;
}

/** Returns rows beyond the cursor, in the order of the scan. */
async function readRows(
  context: Context<UsageLoaded>,
  asked: Asked,
  limit: number,
): Promise<readonly UsageRow[]> {
  const { cursor, filter } = asked;
  // the cursor's period may have no row beyond it
  const used = await sumsOf(context, asked, limit + 1);
  const order = orderOf(asked);
  return used
    .flatMap(({ instance, sums }) => sums.flatMap((sum) => rowsOf(sum, filter, instance)))
    .sort(order)
    .filter((row) => cursor === undefined || order(row, cursor) > 0)
    .slice(0, limit);
}

/** Returns all rows at once, of all instances together. */
async function readTotals(
  context: Context<UsageLoaded>,
  asked: Asked,
): Promise<readonly UsageRow[]> {
  const totals = new Map<string, Sum>();
  const used = await sumsOf(context, { ...asked, cursor: undefined }, maxTotalRows);
  for (const sum of used.flatMap(({ sums }) => sums)) {
    const known = totals.get(sum.period);
    totals.set(sum.period, known === undefined ? sum : { ...sum, ...plus(known, sum) });
  }
  const rows = [...totals.values()].flatMap((sum) => rowsOf(sum, asked.filter, undefined));
  if (rows.length > maxTotalRows) throw invalid({ start: 'Too many rows: ask for less time.' });
  return rows.sort(orderOf(asked));
}

interface Instance {
  readonly id: number;
  readonly name: string;
}

/** Returns the instances that the caller owns and the filter selects. */
async function ownInstances(
  context: Context<UsageLoaded>,
  filter: UsageFilter,
): Promise<readonly Instance[]> {
  const ids = context.loaded.owned?.data.instances ?? [];
  const items = await instanceEntity.readAll(
    context.platform.store,
    ids.map((id) => [id]),
  );
  return items.flatMap((item) => {
    const data = item?.data;
    const isWanted = filter.instance === undefined || data?.name === filter.instance;
    return data !== undefined && isWanted ? [{ id: data.id, name: data.name }] : [];
  });
}

interface Used {
  readonly instance: Instance;
  readonly sums: readonly Sum[];
}

/** Reads the usage of the caller's instances from the cursor's period on, so many periods of each. */
async function sumsOf(
  context: Context<UsageLoaded>,
  { period, filter, descending, cursor }: Asked,
  limit: number,
): Promise<readonly Used[]> {
  const { start, end } = filter;
  const beyond = cursor?.period;
  // the hours of a day begin with it, and '~' is greater than all their characters
  const upper = descending && beyond !== undefined ? least(`${beyond}~`, end) : end;
  const lower = !descending && beyond !== undefined ? most(beyond, start) : start;
  const range = {
    period,
    descending,
    limit,
    sources: filter.sources,
    bounds: {
      ...(lower !== undefined && { lower: { key: lower, inclusive: true } }),
      ...(upper !== undefined && { upper: { key: upper, inclusive: true } }),
    },
  };
  const instances = await ownInstances(context, filter);
  const all: Used[] = [];
  for (let at = 0; at < instances.length; at += instancesAtOnce) {
    const some = instances.slice(at, at + instancesAtOnce).map(async (instance) => {
      return { instance, sums: await readSums(context.platform.store, instance.id, range) };
    });
    all.push(...(await Promise.all(some)));
  }
  return all;
}

function least(a: string, b: string | undefined): string {
  return b === undefined || a < b ? a : b;
}

function most(a: string, b: string | undefined): string {
  return b === undefined || a > b ? a : b;
}

function rowsOf(
  sum: Sum,
  filter: UsageFilter,
  instance: Instance | undefined,
): readonly UsageRow[] {
  const { period } = sum;
  return filter.sources.flatMap((source) => {
    const value = amountOf(sum, source);
    const pk = (instance?.id ?? 0) * sources.length + sources.indexOf(source);
    const row = { pk, lastValue: period, period, instance: instance?.name, source, value };
    return value === 0 ? [] : [row];
  });
}

/** Compares by period, then by instance and source; reversed for a descending scan. */
function orderOf({ descending }: Asked): (a: UsagePosition, b: UsagePosition) => number {
  const order = (a: UsagePosition, b: UsagePosition) =>
    a.period === b.period ? a.pk - b.pk : a.period < b.period ? -1 : 1;
  return descending ? (a, b) => order(b, a) : order;
}

const cursors: Readonly<Record<Period, RegExp>> = {
  hour: /^\d{4}-\d\d-\d\dT\d\d$/,
  day: /^\d{4}-\d\d-\d\d$/,
};

function readCursor(query: URLSearchParams, period: Period): string {
  const text = queryValue(query, 'last_value');
  if (text === undefined || !cursors[period].test(text)) throw incorrectPage();
  return text;
}

/** Returns a row as responses show it. */
export function showRow(period: Period, row: UsageRow): JsonObject {
  const moment = period === 'day' ? { date: row.period } : { hour: `${row.period}:00:00.000000Z` };
  const instance = row.instance === undefined ? {} : { instance: row.instance };
  return { ...moment, source: row.source, ...instance, value: row.value };
}
