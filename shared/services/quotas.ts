import { quotaExceeded } from '../domain/errors.ts';
import { as, classCountPrefix, classFileCountEntity, usageEntity } from '../store/entities.ts';
import type { ClassCountData } from '../store/records.ts';
import type { Key } from '../store/store.ts';
import { allUnder } from './all-under.ts';
import { createHint } from './hints.ts';
import { hourKey, hourMicros } from './meter.ts';
import type { Changes, Platform } from './ports.ts';

/** What has a quota of bytes in each instance. */
export type QuotaKind = 'objects' | 'files' | 'traces';

/** The quotas of instances, where an operator has set some. */
export interface Quotas {
  isLimited(kind: QuotaKind): boolean;
  /**
   * Asks for room for more bytes, and counts them in when there is.
   *
   * @returns undefined when there is room; otherwise what callers are told
   */
  take(instance: number, kind: QuotaKind, bytes: number): Promise<string | undefined>;
}

/** What quotas are made of. */
export type QuotaServices = Pick<Platform, 'store' | 'clock' | 'meter' | 'settings'> &
  Pick<Changes, 'settled'>;

type Sums = Readonly<Record<QuotaKind, number>>;

/** What an instance has stored, as the table had it, and what this process has added since. */
interface Total {
  readonly sums: Sums;
  readonly added: Record<QuotaKind, number>;
  readonly readMs: number;
}

interface Entry {
  /** Absent before the first was read. */
  total?: Total;
  /** What is added while the next is being read: it may miss these. */
  reading?: { readonly added: Total['added']; readonly done: Promise<void> };
}

const freshMs = 10_000; // what other processes add, and what is deleted, shows so late
const minTraceAgeMs = 1000; // traces come back by the hour: asking more often is of no use

/**
 * Opens the quotas of a process. What an instance has stored is read from the counts of its classes, or from its usage
 * records, at most every ten seconds; between, what this process adds is added up. It is read anew before anything is
 * refused. Without settings nothing is read.
 */
export function openQuotas(services: QuotaServices): Quotas {
  const { clock, settings } = services;
  const limits: Readonly<Record<QuotaKind, number | undefined>> = {
    objects: settings.maxObjectBytes,
    files: settings.maxFileBytes,
    traces: settings.maxTraceBytes,
  };
  const entries = createHint<string, Entry>();

  function entryOf(instance: number, kind: QuotaKind): Entry {
    const name = `${instance}/${kind === 'traces' ? 'traces' : 'stored'}`;
    const known = entries.get(name);
    if (known !== undefined) return known;
    const entry: Entry = {};
    entries.set(name, entry);
    return entry;
  }

  /** Reads a total that is older than this. */
  async function refresh(at: { instance: number; kind: QuotaKind }, maxAgeMs: number) {
    const entry = entryOf(at.instance, at.kind);
    const ageMs = clock.steadyMs() - (entry.total?.readMs ?? Number.NEGATIVE_INFINITY);
    if (ageMs < maxAgeMs) return entry;
    entry.reading ??= startReading(entry, at);
    await entry.reading.done;
    return entry;
  }

  function startReading(entry: Entry, { instance, kind }: { instance: number; kind: QuotaKind }) {
    const added = { objects: 0, files: 0, traces: 0 };
    const read = async () => {
      try {
        const readSums = kind === 'traces' ? traceSums : storedSums;
        const sums = await readSums(services, instance);
        entry.total = { sums, added, readMs: clock.steadyMs() };
      } finally {
        delete entry.reading;
      }
    };
    return { added, done: read() };
  }

  return {
    isLimited: (kind) => limits[kind] !== undefined,
    take: async (instance, kind, bytes) => {
      const limit = limits[kind];
      if (limit === undefined || bytes <= 0) return undefined;
      let entry = await refresh({ instance, kind }, freshMs);
      if (usedOf(entry, kind) + bytes > limit) {
        entry = await refresh({ instance, kind }, kind === 'traces' ? minTraceAgeMs : 0);
      }
      if (usedOf(entry, kind) + bytes > limit) {
        return `Storage quota of the instance exceeded (${kind}: ${limit} bytes).`;
      }
      if (entry.total !== undefined) entry.total.added[kind] += bytes;
      if (entry.reading !== undefined) entry.reading.added[kind] += bytes;
      return undefined;
    },
  };
}

function usedOf({ total }: Entry, kind: QuotaKind): number {
  return total === undefined ? 0 : total.sums[kind] + total.added[kind];
}

async function storedSums(services: QuotaServices, instance: number): Promise<Sums> {
  await services.settled();
  const { pk }: Key = classFileCountEntity.key(instance, 0);
  const sums = { objects: 0, files: 0, traces: 0 };
  for (const { kind, data } of await allUnder(services.store, { pk, sk: classCountPrefix })) {
    const { bytes = 0 } = data as ClassCountData; // both kinds of counts have it
    sums[kind === classFileCountEntity.kind ? 'files' : 'objects'] += bytes;
  }
  return sums;
}

const hours = 24;

async function traceSums(services: QuotaServices, instance: number): Promise<Sums> {
  await services.meter.flush();
  const first = Math.floor(services.clock.micros() / hourMicros) - hours;
  const { pk, sk } = usageEntity.key(instance, hourKey(first));
  const lower = { key: sk, inclusive: false };
  const { items } = await services.store.query({ pk, lower, limit: 2 * hours });
  const bytes = items.map((item) => as(usageEntity, item).data.traceBytes ?? 0);
  return { objects: 0, files: 0, traces: bytes.reduce((sum, each) => sum + each, 0) };
}

/**
 * Takes room for bytes that a client wants to store.
 *
 * @throws ApiError 400 when there is none
 */
export async function takeRoom(
  { platform, instance }: { readonly platform: Pick<Platform, 'quotas'>; readonly instance: number },
  kind: QuotaKind,
  bytes: number,
): Promise<void> {
  const refusal = await platform.quotas.take(instance, kind, bytes);
  if (refusal !== undefined) throw quotaExceeded(refusal);
}
