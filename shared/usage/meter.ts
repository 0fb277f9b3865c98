import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { Clock, Meter, Platform } from '../ports/ports.ts';
import { readTogether } from '../store/entity.ts';
import type { Check, Stored } from '../store/store.ts';
import { createOrUpdate } from '../store/writes.ts';
import { instanceEntity, usageEntity } from '../table/entities/instances.ts';
import type { UsageData } from '../table/records/records.ts';
import { faultOf } from '../values/caught.ts';
import { ownerOfData } from '../values/keys/data-ids.ts';
import { openSessionUses } from './session-uses.ts';

/** Ports that a meter uses. */
export type MeterServices = Pick<Platform, 'store' | 'clock' | 'ids' | 'log'>;

/** Microseconds of an hour. */
export const hourMicros = 3_600_000_000;
const oldMs = 10_000; // usage of at most this time is lost if the process is killed
const writesAtOnce = 25;

/** Usage of an instance in an hour that is not written yet. */
interface Tally extends Mutable<Required<UsageData>> {
  readonly instance: number;
  /** In the format of the table's keys. */
  readonly hour: string;
}

type Mutable<Data> = { -readonly [name in keyof Data]: Data[name] };

/** Opens the meter of a process, with all counts at zero. */
export function openMeter(services: MeterServices): Meter {
  const { clock, log } = services;
  const tallies = createTallies(clock);
  const uses = openSessionUses(services);
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    const used = uses.take();
    const all = [...tallies.take().map((tally) => () => write(tally)), ...used];
    for (let at = 0; at < all.length; at += writesAtOnce) {
      await Promise.all(all.slice(at, at + writesAtOnce).map((start) => start()));
    }
  }

  async function write(tally: Tally): Promise<void> {
    try {
      await retryOnConflict(() => addTo(services, tally));
    } catch (error) {
      tallies.keep(tally);
      log({ level: 'error', message: 'usage could not be written yet', ...faultOf(error) });
    }
  }

  async function flush(): Promise<void> {
    while (writing !== undefined) await writing; // counts from before this request may be in that write
    if (tallies.ageMs() === undefined) return;
    writing = writeAll().finally(() => {
      writing = undefined;
    });
    await writing;
  }

  return {
    countRequest: (instance) => {
      tallies.of(instance).api += 1;
    },
    countRun: (instance, durationMs) => {
      const tally = tallies.of(instance);
      tally.run += 1;
      tally.cbxMs += Math.round(durationMs);
    },
    countTrace: (instance, bytes) => {
      tallies.of(instance).traceBytes += bytes;
    },
    noteSession: uses.note,
    flush,
    flushOld: () => {
      const isOld = (tallies.ageMs() ?? 0) >= oldMs;
      return isOld && writing === undefined ? flush() : undefined; // `write` logs errors
    },
  };
}

interface Tallies {
  /** Returns the current tally of the instance of a data id. */
  of(data: number): Tally;
  /** Puts a tally back. */
  keep(tally: Tally): void;
  /** Returns all tallies, and starts with none. */
  take(): readonly Tally[];
  /** Age of the oldest tally; undefined without any. */
  ageMs(): number | undefined;
}

function createTallies(clock: Clock): Tallies {
  let all: Tally[] = [];
  let oldest = 0;
  /** Newest tally of each instance, all of the same hour. */
  let current = new Map<number, Tally>();
  let currentHour = 0;

  function keep(tally: Tally): void {
    if (all.length === 0) oldest = clock.steadyMs();
    all.push(tally);
  }

  return {
    of: (data) => {
      const instance = ownerOfData(data);
      const hour = Math.floor(clock.micros() / hourMicros);
      if (hour !== currentHour) current = new Map();
      currentHour = hour;
      const known = current.get(instance);
      if (known !== undefined) return known;
      const tally = { instance, hour: hourKey(hour), api: 0, run: 0, cbxMs: 0, traceBytes: 0 };
      current.set(instance, tally);
      keep(tally);
      return tally;
    },
    keep,
    take: () => {
      const taken = all;
      all = [];
      current = new Map();
      return taken;
    },
    ageMs: () => (all.length === 0 ? undefined : clock.steadyMs() - oldest),
  };
}

/** Formats an hour, counted from 1970, for keys of usage. */
export function hourKey(hour: number): string {
  return new Date((hour * hourMicros) / 1000).toISOString().slice(0, 13);
}

/** Adds a tally to the record of its hour. Usage of a deleted instance is dropped. */
async function addTo(
  services: MeterServices,
  { instance, hour, api, run, cbxMs, traceBytes }: Tally,
): Promise<void> {
  const lookups = { before: usageEntity.at(instance, hour), record: instanceEntity.at(instance) };
  const { before, record } = await readTogether(services.store, lookups);
  if (record === undefined) return;
  const data: UsageData = before?.data ?? { api: 0, run: 0, cbxMs: 0 };
  const traces = (data.traceBytes ?? 0) + traceBytes;
  const sum: UsageData = {
    api: data.api + api,
    run: data.run + run,
    cbxMs: data.cbxMs + cbxMs,
    ...(traces > 0 && { traceBytes: traces }),
  };
  await maintain(services, [
    createOrUpdate(usageEntity, { key: lookups.before.key, current: before }, sum),
    ...(before === undefined ? [mustExist(record)] : []),
  ]);
}

/**
 * Returns the check for the first usage of an hour, which would otherwise outlive a deleted instance. An update needs
 * none: it fails when the clean-up has deleted the item. So a flush is one write, and not a transaction of two, which
 * costs four write units.
 */
function mustExist({ key }: Pick<Stored, 'key'>): Check {
  return { action: 'check', key, condition: { kind: 'present' } };
}
