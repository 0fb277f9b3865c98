import { describe, expect, test } from 'vitest';
import { openIds } from '../../shared/ports/ids.ts';
import type { Quotas } from '../../shared/ports/ports.ts';
import type { Store } from '../../shared/store/store.ts';
import { classCountEntity, classFileCountEntity } from '../../shared/table/entities/classes.ts';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { openQuotas, withRoom } from '../../shared/usage/quotas.ts';
import { put, write } from '../store/fixture.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { temporaryStore } from '../support/temporary.ts';

const it = test.extend('store', temporaryStore()).extend('given', ({ store }) => setUp(store));

describe('a quota', () => {
  it('is not read where it is not set', async ({ given: { counted, open } }) => {
    const quotas = open({});

    expect((await quotas.take(1, 'objects', 1e12)).exceeded).toBeUndefined();
    expect([quotas.isLimited('objects'), counted.queries]).toEqual([false, 0]);
  });

  it('adds up the counts of all classes, objects and files separately', async ({
    store,
    given: { open },
  }) => {
    await count(store, classCountEntity, 1, 40);
    await count(store, classCountEntity, 2, 50);
    await count(store, classFileCountEntity, 2, 7);
    const quotas = open({ maxObjectBytes: 100, maxFileBytes: 10 });

    const text = 'Storage quota of the instance exceeded (objects: 100 bytes).';
    expect((await quotas.take(1, 'objects', 11)).exceeded).toBe(text);
    expect((await quotas.take(1, 'objects', 10)).exceeded).toBeUndefined();
    expect((await quotas.take(1, 'files', 4)).exceeded).toContain('(files: 10 bytes)');
    expect((await quotas.take(1, 'files', 3)).exceeded).toBeUndefined();
    expect((await quotas.take(2, 'objects', 100)).exceeded).toBeUndefined();
  });

  it('is read once in ten seconds, and before a rejection', async ({
    store,
    given: { clock, counted, open },
  }) => {
    const quotas = open({ maxObjectBytes: 100 });
    const store10 = () =>
      withRoom({ platform: { quotas }, instance: 1 }, { objects: 10 }, async () => undefined);
    for (let n = 0; n < 10; n += 1) await store10();
    expect(counted.queries).toBe(1);

    await count(store, classCountEntity, 1, 100);
    await expect(store10()).rejects.toMatchObject({ status: 400, code: 'quota_exceeded' });
    expect(counted.queries).toBe(2);

    await count(store, classCountEntity, 1, 0);
    await store10();
    clock.forward(11);
    await store10();
    expect(counted.queries).toBe(4);
  });

  it('reserves room for an active write, and frees it when that fails', async ({
    given: { open },
  }) => {
    const quotas = open({ maxObjectBytes: 100 });
    const first = await quotas.take(1, 'objects', 60);
    expect((await quotas.take(1, 'objects', 60)).exceeded).toBeDefined();

    first.release(false);

    expect((await quotas.take(1, 'objects', 60)).exceeded).toBeUndefined();
  });

  it('of traces covers the writes of 24 hours, also by an earlier process', async ({
    store,
    given: { clock, meter, open },
  }) => {
    const owner = put(instanceEntity.key(1), { kind: instanceEntity.kind });
    await write(store, owner);
    meter.countTrace(1, 90);
    await meter.flush();
    const quotas = open({ maxTraceBytes: 100 });

    expect((await quotas.take(1, 'traces', 11)).exceeded).toContain('(traces: 100 bytes)');
    clock.forward(25 * 3600);
    expect((await quotas.take(1, 'traces', 100)).exceeded).toBeUndefined();
  });
});

function setUp(store: Store) {
  const clock = openMovedClock();
  const meter = openMeter({ store, clock, ids: openIds(), log: () => undefined });
  const counted = { queries: 0 };
  const watched: Store = {
    ...store,
    query: (query) => {
      counted.queries += 1;
      return store.query(query);
    },
  };
  const settled = () => Promise.resolve();
  const open = (settings: Parameters<typeof openQuotas>[0]['settings']): Quotas =>
    openQuotas({ store: watched, clock, meter, settings, settled });
  return { clock, meter, counted, open };
}

async function count(
  store: Store,
  entity: typeof classCountEntity,
  classNumber: number,
  bytes: number,
) {
  const data = { count: 1, bytes, position: '1' };
  const kind = entity.kind;
  await write(store, put(entity.key(1, classNumber), { kind, data, condition: { kind: 'none' } }));
}
