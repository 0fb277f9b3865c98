import { byInstance, type CacheKey, createCache } from '../core/routing/caches.ts';
import type {
  ChangeProcessing,
  Platform,
  QuotaKind,
  Quotas,
  Reservation,
  Settings,
} from '../ports/ports.ts';
import { readRange } from '../store/entity.ts';
import { classCountEntity, classFileCountEntity } from '../table/entities/classes.ts';
import { usageEntity } from '../table/entities/instances.ts';
import { quotaExceeded } from '../values/errors/errors.ts';
import { hourKey, hourMicros } from './meter.ts';

const kinds: readonly QuotaKind[] = ['objects', 'files', 'traces'];

/** Ports that quotas use. */
export type QuotaServices = Pick<Platform, 'store' | 'clock' | 'meter'> &
  Pick<ChangeProcessing, 'settled'> & {
    readonly settings: Pick<Settings, 'maxObjectBytes' | 'maxFileBytes' | 'maxTraceBytes'>;
  };

type Sums = Readonly<Record<QuotaKind, number>>;

/** Bytes stored by an instance: those in the table, and those that this process has added since. */
interface Total {
  readonly sums: Sums;
  readonly added: Record<QuotaKind, number>;
  readonly readMs: number;
}

interface Entry {
  /** Taken and not released. */
  readonly held: Record<QuotaKind, number>;
  /** Absent before the first reading. */
  total?: Total;
  /** Bytes stored during a reading, which it may miss. */
  reading?: { readonly added: Total['added']; readonly done: Promise<void> };
}

/** A quota of an instance. */
interface QuotaKey {
  /** Data id of the instance. */
  readonly instance: number;
  readonly kind: string;
}

/** Returns the key of what counts for a quota. */
export function byQuota({ instance, kind }: QuotaKey): CacheKey {
  return byInstance(instance, kind);
}

const freshMs = 10_000; // delay of what other processes add, and of deletions
const minTraceAgeMs = 1000; // traces expire by the hour: reading more often is useless

/**
 * Opens the quotas of a process. The bytes stored by an instance are read from the counts of its classes, or from its
 * usage records, at most every ten seconds; in between, the bytes that this process adds are counted. They are read
 * again before a request is rejected. Without settings nothing is read.
 */
export function openQuotas(services: QuotaServices): Quotas {
  const { clock, settings } = services;
  const limits: Readonly<Record<QuotaKind, number | undefined>> = {
    objects: settings.maxObjectBytes,
    files: settings.maxFileBytes,
    traces: settings.maxTraceBytes,
  };
  const entries = createCache<QuotaKey, Entry>(byQuota);

  function entryOf(instance: number, kind: QuotaKind): Entry {
    const quota = { instance, kind: kind === 'traces' ? 'traces' : 'stored' };
    const known = entries.get(quota);
    if (known !== undefined) return known;
    const entry: Entry = { held: nothing() };
    entries.set(quota, entry);
    return entry;
  }

  /** Reads the total again if it is older than `maxAgeMs`. */
  async function refresh(at: { instance: number; kind: QuotaKind }, maxAgeMs: number) {
    const entry = entryOf(at.instance, at.kind);
    const ageMs = clock.steadyMs() - (entry.total?.readMs ?? Number.NEGATIVE_INFINITY);
    if (ageMs < maxAgeMs) return entry;
    entry.reading ??= startReading(entry, at);
    await entry.reading.done;
    return entry;
  }

  function startReading(entry: Entry, { instance, kind }: { instance: number; kind: QuotaKind }) {
    const added = nothing();
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
      if (limit === undefined || bytes <= 0) return freeRoom;
      let entry = await refresh({ instance, kind }, freshMs);
      if (usedOf(entry, kind) + bytes > limit) {
        entry = await refresh({ instance, kind }, kind === 'traces' ? minTraceAgeMs : 0);
      }
      if (usedOf(entry, kind) + bytes > limit) {
        const message = `Storage quota of the instance exceeded (${kind}: ${limit} bytes).`;
        return { ...freeRoom, exceeded: message };
      }
      return hold(entry, kind, bytes);
    },
  };
}

const freeRoom: Reservation = { exceeded: undefined, release: () => undefined };

function hold(entry: Entry, kind: QuotaKind, bytes: number): Reservation {
  entry.held[kind] += bytes;
  return {
    exceeded: undefined,
    release: (isStored) => {
      entry.held[kind] -= bytes;
      if (!isStored) return;
      if (entry.total !== undefined) entry.total.added[kind] += bytes;
      if (entry.reading !== undefined) entry.reading.added[kind] += bytes;
    },
  };
}

function nothing(): Record<QuotaKind, number> {
  return { objects: 0, files: 0, traces: 0 };
}

function usedOf({ total, held }: Entry, kind: QuotaKind): number {
  const known = total === undefined ? 0 : total.sums[kind] + total.added[kind];
  return known + held[kind];
}

/** Bytes of an instance; of traces only where they are counted: with a quota. */
export type UsedBytes = Omit<Sums, 'traces'> & { readonly traces: number | null };

/** Returns the bytes that an instance has stored, and those of traces that it has written in 24 hours. */
export async function readUsedBytes(services: QuotaServices, instance: number): Promise<UsedBytes> {
  const isCounted = services.settings.maxTraceBytes !== undefined;
  const [stored, traces] = await Promise.all([
    storedSums(services, instance),
    isCounted ? traceSums(services, instance) : undefined,
  ]);
  return { ...stored, traces: traces?.traces ?? null };
}

async function storedSums(services: QuotaServices, instance: number): Promise<Sums> {
  await services.settled();
  const sums = nothing();
  for (const item of await readRange(services.store, classCountEntity.range(instance))) {
    if (classCountEntity.matches(item)) sums.objects += item.data.bytes ?? 0;
    else if (classFileCountEntity.matches(item)) sums.files += item.data.bytes ?? 0;
  }
  return sums;
}

const hours = 24;

async function traceSums(services: QuotaServices, instance: number): Promise<Sums> {
  await services.meter.flush();
  const first = Math.floor(services.clock.micros() / hourMicros) - hours;
  const part = { after: hourKey(first), limit: 2 * hours };
  const { items } = await usageEntity.list(services.store, [instance], part);
  const bytes = items.map(({ data }) => data.traceBytes ?? 0);
  return { objects: 0, files: 0, traces: bytes.reduce((sum, each) => sum + each, 0) };
}

/** Bytes that a write would add, by quota. */
export type Growth = Partial<Readonly<Record<QuotaKind, number>>>;

/** Checks whether a write adds bytes that have a quota. */
export function isGrowing(growth: Growth): boolean {
  return kinds.some((kind) => (growth[kind] ?? 0) > 0);
}

/**
 * Calls `store` if the instance's quotas leave room for its data.
 *
 * @throws ApiError 400 when they do not, and nothing is stored; any error of `store`
 */
export async function withRoom<Result>(
  {
    platform,
    instance,
  }: { readonly platform: Pick<Platform, 'quotas'>; readonly instance: number },
  growth: Growth,
  store: () => Promise<Result>,
): Promise<Result> {
  const growing = kinds.filter((kind) => (growth[kind] ?? 0) > 0);
  if (growing.length === 0) return store();
  const rooms: Reservation[] = [];
  let isStored = false;
  try {
    for (const kind of growing) {
      const room = await platform.quotas.take(instance, kind, growth[kind] ?? 0);
      rooms.push(room);
      if (room.exceeded !== undefined) throw quotaExceeded(room.exceeded);
    }
    const result = await store();
    isStored = true;
    return result;
  } finally {
    for (const room of rooms) room.release(isStored);
  }
}
