import { describe, expect, test } from 'vitest';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { Store } from '../../shared/store/store.ts';
import { createItem } from '../../shared/store/writes.ts';
import { instanceEntity, usageEntity } from '../../shared/table/entities/instances.ts';
import type { InstanceData } from '../../shared/table/records/records.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { makeFaulty } from '../support/faulty-store.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { temporaryStore } from '../support/temporary.ts';

const it = test
  .extend('store', temporaryStore({ now: Date.now, watches: [] }))
  .extend('given', ({ store }) => setUp(store));

const hour = 3600;
const ids = openIds();
const change = { actor: {}, cause: 'client', depth: 0 } as const;

describe('a meter', () => {
  it('writes requests, runs and their time, by instance', async ({ given: { meter, written } }) => {
    meter.countRequest(1);
    meter.countRequest(1);
    meter.countRun(1, 1500.4);
    meter.countRun(2, 20);

    await meter.flush();

    expect([await written(1), await written(2)]).toEqual([[[2, 1, 1500]], [[0, 1, 20]]]);
  });

  it('adds to earlier counts, its own and those of others', async ({
    given: { meter, newMeter, written },
  }) => {
    const other = newMeter();
    meter.countRequest(1);
    await meter.flush();
    meter.countRequest(1);
    other.countRequest(1);

    await Promise.all([meter.flush(), other.flush()]);

    expect(await written()).toEqual([[3, 0, 0]]);
  });

  it('keeps hours separate, by the time of the count', async ({
    given: { clock, meter, written },
  }) => {
    meter.countRequest(1);
    clock.forward(hour);
    meter.countRequest(1);
    meter.countRequest(1);

    await meter.flush();

    expect(await written()).toEqual([
      [1, 0, 0],
      [2, 0, 0],
    ]);
  });

  it('keeps counts that cannot be written for the next time, and logs that', async ({
    given: { faulty, logged, meter, written },
  }) => {
    faulty.failNext('not applied');
    meter.countRequest(1);
    await meter.flush();
    meter.countRequest(1);

    await meter.flush();

    expect(await written()).toEqual([[2, 0, 0]]);
    expect(logged.map(({ message }) => message)).toEqual(['usage could not be written yet']);
  });

  it('writes nothing for a deleted instance, also when it is deleted during the write', async ({
    store,
    given: { faulty, logged, meter, written },
  }) => {
    const key = instanceEntity.key(1);
    const deletion = { action: 'delete', key, condition: { kind: 'none' } } as const;
    faulty.beforeNextWrite(() => store.write({ id: ids.random(), change, writes: [deletion] }));
    meter.countRequest(1);
    meter.countRequest(3);

    await meter.flush();

    expect([await written(1), await written(3), logged]).toEqual([[], [], []]);
  });

  it('updates the record of an hour in one write, and creates it only with its instance', async ({
    given: { faulty, clock, meter },
  }) => {
    const actions: (readonly string[])[] = [];
    const note = () =>
      faulty.beforeNextWrite(async ({ writes }) => {
        actions.push(writes.map(({ action }) => action));
      });
    const flush = async () => {
      meter.countRequest(1);
      note();
      await meter.flush();
    };

    await flush();
    await flush();
    await flush();
    clock.forward(hour);
    await flush();

    expect(actions).toEqual([['put', 'check'], ['put'], ['put'], ['put', 'check']]);
  });

  it('does not bring back the usage of an instance that is deleted during the write', async ({
    store,
    given: { faulty, logged, meter, written },
  }) => {
    meter.countRequest(1);
    await meter.flush();
    const [before] = (await usageEntity.list(store, [1], { limit: 1 })).items;
    const deletions = [instanceEntity.key(1), before?.key ?? instanceEntity.key(1)].map(
      (key) => ({ action: 'delete', key, condition: { kind: 'none' } }) as const,
    );
    faulty.beforeNextWrite(() => store.write({ id: ids.random(), change, writes: deletions }));
    meter.countRequest(1);

    await meter.flush();

    expect([await written(), logged]).toEqual([[], []]);
  });

  it('loses only the counts since its last write when its process is killed', async ({
    given: { meter, newMeter, written },
  }) => {
    meter.countRequest(1);
    await meter.flush();
    meter.countRequest(1);

    const next = newMeter(); // of the process after it
    next.countRequest(1);
    await next.flush();

    expect(await written()).toEqual([[2, 0, 0]]);
  });
});

describe('old counts', () => {
  it('are written once they are ten seconds old', async ({
    store,
    given: { clock, meter, written },
  }) => {
    meter.countRequest(1);
    clock.forward(9.9);
    meter.countRequest(2);
    await meter.flushOld();
    await settled(store);
    const before = [await written(1), await written(2)];
    clock.forward(0.2);

    await meter.flushOld();
    await settled(store);

    expect(before).toEqual([[], []]);
    expect([await written(1), await written(2)]).toEqual([[[1, 0, 0]], [[1, 0, 0]]]);
  });

  it('have a new age after each write', async ({ store, given: { clock, meter, written } }) => {
    meter.countRequest(1);
    clock.forward(11);
    await meter.flush();
    meter.countRequest(1);

    await meter.flushOld();
    await settled(store);

    expect(await written()).toEqual([[1, 0, 0]]);
  });
});

async function setUp(store: Store) {
  const faulty = makeFaulty(store);
  const clock = openMovedClock();
  const logged: LogEntry[] = [];
  const newMeter = () =>
    openMeter({ store: faulty, clock, ids, log: (entry) => logged.push(entry) });
  for (const instance of [1, 2]) {
    const data: Partial<InstanceData> = { id: instance };
    const put = createItem(instanceEntity, instanceEntity.key(instance), data as InstanceData);
    await store.write({ id: ids.random(), change, writes: [put] });
  }
  /** Returns the written counts of an instance, by hour, as `[api, run, cbxMs]`. */
  async function written(instance = 1): Promise<readonly (readonly number[])[]> {
    const { items } = await usageEntity.list(store, [instance], { limit: 100 });
    return items.map(({ data: { api, run, cbxMs } }) => [api, run, cbxMs]);
  }
  return { faulty, clock, logged, meter: newMeter(), newMeter, written };
}

/** All counts are written by then: a flush without new counts waits for the active one. */
async function settled(store: Store): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await store.get([usageEntity.key(1, 'x')]);
  const probe = {
    action: 'delete',
    key: { pk: 'P', sk: 'P' },
    condition: { kind: 'none' },
  } as const;
  await store.write({ id: ids.random(), change, writes: [probe] });
}
