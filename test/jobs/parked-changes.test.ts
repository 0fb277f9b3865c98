import { describe, expect, test } from 'vitest';
import type { ChangeConsumer, ItemChange, Services } from '../../shared/jobs/change-feed.ts';
import type { JobContext } from '../../shared/jobs/jobs.ts';
import { openParking, parkedJob } from '../../shared/jobs/parked-changes.ts';
import { openClock } from '../../shared/ports/clock.ts';
import type { FileContent, FileStore } from '../../shared/ports/file-store.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { type Store, StoreBusy } from '../../shared/store/store.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import {
  deadLetterEntity,
  jobEntity,
  jobShards,
  parkedLaneEntity,
} from '../../shared/table/entities/jobs.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { change } from '../store/fixture.ts';
import { noFiles } from '../support/no-files.ts';
import { temporaryStore } from '../support/temporary.ts';

/* Changes that wait for their consumer: their lanes, and the job that delivers them. */

const it = test.extend('store', temporaryStore()).extend('given', ({ store }) => setUp(store));

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const lane = { consumer: 'picky', owner: '1' };

describe('parked changes', () => {
  it('have one job, keep their order, and end their lane', async ({
    given: { services, lanes, jobs },
  }) => {
    const { consumer, taken, seen } = collector();

    await park(
      services,
      range(1, 4).map((id) => changeOf(id)),
    );
    const { mustWait } = await openParking(services);
    await park(
      services,
      range(4, 8).map((id) => changeOf(id)),
    );
    const planned = await jobs();
    await runJob(services, consumer);

    expect([mustWait(lane), mustWait({ ...lane, owner: '2' })]).toEqual([true, false]);
    expect(planned).toMatchObject([{ kind: 'deliver-parked', task: lane }]);
    expect(taken).toEqual(range(1, 8));
    expect(seen[0]).toEqual(changeOf(1));
    expect(await lanes()).toEqual([]);
  });

  it('that are large are in a file until they are consumed', async ({
    given: { services, files },
  }) => {
    const { consumer, seen } = collector();
    const large = changeOf(1, { text: 'é'.repeat(200_000) });

    await park(services, [large, changeOf(2)]);
    const kept = files.size;
    await runJob(services, consumer);

    expect([kept, files.size]).toEqual([1, 0]);
    expect(seen).toEqual([large, changeOf(2)]);
  });

  it('wait with growing pauses, and the operator hears of it after a quarter of an hour', async ({
    given: { services, logged, time, letters },
  }) => {
    let isBusy = true;
    const { consumer, taken } = collector(async () => {
      if (isBusy) throw new StoreBusy(1);
    });
    await park(services, [changeOf(1)]);

    const pauses = await runJob(services, consumer, 8);
    const quiet = logged.map(({ level }) => level);
    time.nowMs += 16 * 60_000;
    await runJob(services, consumer, 1);
    isBusy = false;
    await runJob(services, consumer);

    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30].map((seconds) => seconds * 1000));
    expect(new Set(quiet)).toEqual(new Set(['info']));
    expect(logged.at(-1)).toMatchObject({ level: 'error', message: 'changes still wait', ...lane });
    expect([taken, await letters()]).toEqual([[1], []]);
  });

  it('one that is poisoned is one dead letter, also when transient errors repeat the part', async ({
    given: { services, letters },
  }) => {
    let busy = 5;
    const { consumer, taken } = collector(async (ids) => {
      if (ids.includes(3)) throw new Error('never this one');
      if (ids.includes(5) && busy > 0) {
        busy -= 1;
        throw new StoreBusy(1);
      }
    });

    await park(
      services,
      range(1, 8).map((id) => changeOf(id)),
    );
    await runJob(services, consumer);

    expect([...new Set(taken)]).toEqual([1, 2, 4, 5, 6, 7]);
    expect((await letters()).map(({ data }) => Number(data.key.sk))).toEqual([3]);
  });

  it('one that kills processes is alone until it is found, also when transient errors intervene', async ({
    given: { services },
  }) => {
    let busy = 0;
    const deaths: number[] = [];
    const { consumer, taken } = collector((ids) => {
      if (ids.length === 1 && ids.includes(1) && busy < 3) {
        busy += 1;
        return Promise.reject(new StoreBusy(1));
      }
      if (!ids.includes(3)) return Promise.resolve();
      deaths.push(ids.length);
      return new Promise(() => undefined);
    });

    await park(
      services,
      range(1, 5).map((id) => changeOf(id)),
    );
    await runJob(services, consumer);

    expect(taken).toEqual([1, 2, 4]);
    expect(deaths).toEqual([4, 4, 4, 1, 1, 1]);
  });

  it('one that kills each process that delivers it is found, and becomes a dead letter', async ({
    given: { services, lanes, letters },
  }) => {
    const { consumer, taken } = collector((ids) =>
      ids.includes(3) ? new Promise(() => undefined) : Promise.resolve(),
    );

    await park(
      services,
      range(1, 8).map((id) => changeOf(id)),
    );
    await runJob(services, consumer);

    expect(taken).toEqual([1, 2, 4, 5, 6, 7]);
    expect((await letters()).map(({ data }) => [Number(data.key.sk), data.error])).toEqual([
      [3, 'the process ended each time that it was delivered'],
    ]);
    expect(await lanes()).toEqual([]);
  });
});

function setUp(store: Store) {
  const time = { nowMs: 1_800_000_000_000 };
  const logged: LogEntry[] = [];
  const files = new Map<string, FileContent>();
  const fileStore: FileStore = {
    ...noFiles,
    put: async (_, key, file) => void files.set(key, file),
    get: async (_, key) => files.get(key),
    remove: async (_, keys) => {
      for (const key of keys) files.delete(key);
    },
  };
  const clock = { ...openClock(), micros: () => time.nowMs * 1000 };
  const log = (entry: LogEntry) => logged.push(entry);
  const services: Partial<Services> = { store, clock, ids: openIds(), log, files: fileStore };
  return {
    time,
    logged,
    files,
    services: services as Services,
    lanes: async () => (await parkedLaneEntity.listAll(store, [])).map(({ key }) => key.sk),
    letters: async () => (await deadLetterEntity.list(store, [], { limit: 100 })).items,
    jobs: async () => {
      const shards = jobShards.map((shard) => jobEntity.list(store, [shard], { limit: 10 }));
      return (await Promise.all(shards)).flatMap(({ items }) => items.map(({ data }) => data));
    },
  };
}

function changeOf(id: number, data: object = { id }): ItemChange {
  const key = objectEntity.key(1, 2, id);
  const after = { key, kind: 'object', version: 'w1', data };
  return { key, kind: 'object', after, change, position: String(id).padStart(40, '0') };
}

async function park(services: Services, changes: readonly ItemChange[]) {
  const { park: store } = await openParking(services);
  return store([{ ...lane, changes, error: new StoreBusy(1) }]);
}

/** A consumer that records its changes. */
function collector(consume: (ids: readonly number[]) => Promise<void> = async () => undefined) {
  const taken: number[] = [];
  const seen: ItemChange[] = [];
  const consumer: ChangeConsumer = {
    name: 'picky',
    watches: [{ kind: 'object', actions: ['create'] }],
    consume: async (changes) => {
      const ids = changes.map(({ key }) => Number(key.sk));
      await consume(ids);
      taken.push(...ids);
      seen.push(...changes);
    },
  };
  return { consumer, taken, seen };
}

/** Runs steps of the job of the lane until it ends; a step that does not end is one whose process died. */
async function runJob(services: Services, consumer: ChangeConsumer, maxSteps = 100) {
  const context = services as JobContext;
  const { step } = parkedJob([consumer], { sleep: async () => undefined, maxFailed: 1 });
  const pauses: number[] = [];
  let task: JsonObject = lane;
  for (let steps = 0; steps < maxSteps; steps += 1) {
    const died = new Promise<'died'>((resolve) => setTimeout(resolve, 100, 'died'));
    const result = await Promise.race([step(context, task), died]);
    if (result === 'done') return pauses;
    if (result === 'died') continue; // the lease expires, and the task is as before
    if (result.afterMs !== undefined) pauses.push(result.afterMs);
    task = result.task;
  }
  return pauses;
}
