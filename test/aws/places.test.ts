import { describe, expect, test, vi } from 'vitest';
import { OutcomeUnknown } from '../../shared/platforms/aws/store/write.ts';
import { runSlotEntity, runWaiterEntity } from '../../shared/table/entities/runs.ts';
import { contentPartitions } from '../../shared/table/partitions.ts';
import {
  openTableHost,
  openVisitors,
  pass,
  type TableHost,
  type Visitors,
} from '../scripts/place-hosts.ts';

/* Slots in a table, in addition to the common tests of slots (test/scripts/places.test.ts). */

const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('host', async ({}, { onCleanup }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const opening = openTableHost();
    onCleanup(async () => {
      vi.useRealTimers();
      await (await opening).close();
    });
    return opening;
  })
  .extend('visitors', ({ host }) => openVisitors(host));

const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

it('a run without competitors costs one write before it and one after it', async ({
  host,
  visitors,
}) => {
  await visitors.come('a');
  await visitors.leave('a');

  expect(host.calls).toEqual(['write', 'write']);
  expect(await items(host)).toEqual([]);
});

it('a run that has waited leaves no items behind', async ({ host, visitors }) => {
  await fill(visitors);
  await visitors.come('ninth');
  await pass(host, 25);
  await visitors.come('late', { waitMs: 300 });
  await visitors.leave('a');
  await pass(host, 400);

  await visitors.leave(...eight, 'ninth');

  expect(visitors.refused).toEqual({ late: 'late' });
  expect(await items(host)).toEqual([]);
});

it('processes share the slots', async ({ host, visitors }) => {
  const [one, other] = [host.openProcess(), host.openProcess()];
  for (const name of ['a', 'b', 'c', 'd', 'e']) await visitors.come(name, { places: one });
  for (const name of ['f', 'g', 'h', 'i']) await visitors.come(name, { places: other });
  await pass(host, 1000);
  const before = [...visitors.entered];

  await visitors.leave('a');
  await pass(host, 1000);

  expect(before).toEqual(eight);
  expect(visitors.entered).toEqual([...eight, 'i']);
});

it('at most eight of many concurrent runs execute, and each has its turn', async ({
  host,
  visitors,
}) => {
  const processes = Array.from({ length: 6 }, () => host.openProcess());
  const names = Array.from({ length: 24 }, (_, n) => `run ${n}`);
  let most = 0;

  await Promise.all(
    names.map((name, n) => visitors.come(name, { places: processes[n % 6] ?? host.places })),
  );
  let left = 0;
  for (let turns = 0; turns < 200 && left < names.length; turns += 1) {
    const running = visitors.entered.slice(left);
    most = Math.max(most, running.length);
    left += running.length;
    await visitors.leave(...running);
    await pass(host, 250);
  }

  expect([most, left]).toEqual([8, names.length]);
  expect(visitors.refused).toEqual({});
  expect(await items(host)).toEqual([]);
});

describe('a process that has died', () => {
  it('keeps its slot until the limit of its run and some seconds are over', async ({
    host,
    visitors,
  }) => {
    await fill(visitors);
    await visitors.come('next', { waitMs: 120_000 });

    await pass(host, 49_000);
    const before = [...visitors.entered];
    await pass(host, 3000);

    expect(before).toEqual(eight);
    expect(visitors.entered).toContain('next');
  });

  it('takes no slot from others when it continues', async ({ host, visitors }) => {
    await fill(visitors);
    await pass(host, 52_000); // their slots have expired
    for (const name of eight) await visitors.come(`next ${name}`);

    await visitors.leave(...eight);
    await visitors.come('ninth');

    expect(visitors.entered).toEqual([...eight, ...eight.map((name) => `next ${name}`)]);
    expect(host.logged).toEqual([]);
  });

  it('delays those behind it in the queue for a moment only', async ({ host, visitors }) => {
    await fill(visitors);
    await dieInLine(host, 8);
    await visitors.come('next');
    await visitors.leave('a');

    await pass(host, 500);

    expect(visitors.entered).toEqual([...eight, 'next']);
  });

  it('is counted for ten seconds among the waiting runs', async ({ host, visitors }) => {
    await fill(visitors);
    await dieInLine(host, 16);
    await visitors.come('soon');
    await pass(host, 12_000);

    await visitors.come('later', { waitMs: 100 });
    await pass(host, 200);

    expect(visitors.refused).toEqual({ soon: 'full', later: 'late' });
  });
});

it('sixteen runs wait, however many arrive at once, and the others are told so at once', async ({
  host,
  visitors,
}) => {
  await fill(visitors);
  const processes = Array.from({ length: 40 }, () => host.openProcess());

  await Promise.all(processes.map((places, n) => visitors.come(`run ${n}`, { places })));

  const told = Object.values(visitors.refused);
  expect(told).toEqual(Array.from({ length: 24 }, () => 'full'));
  expect((await items(host)).filter((sk) => sk.startsWith('WAITER#'))).toHaveLength(16);
});

it('each release is reported, and so is a run that gave up: another may have left it a slot', async ({
  host,
  visitors,
}) => {
  await fill(visitors);
  await visitors.come('late', { waitMs: 300 });
  await pass(host, 400);
  const before = [...host.released];

  await visitors.leave('a');

  expect([before, host.released]).toEqual([[1], [1, 1]]);
});

it('a run that waits long stays in the queue', async ({ host, visitors }) => {
  await fill(visitors);
  await visitors.come('patient');

  await pass(host, 15_000);

  expect((await items(host)).filter((sk) => sk.startsWith('WAITER#'))).toHaveLength(1);
});

describe('a process that has seen a queue', () => {
  it('lets no run pass it', async ({ host, visitors }) => {
    await fill(visitors);
    await visitors.come('first');
    await visitors.leave('a');
    await pass(host, 25);
    host.calls.length = 0;

    await visitors.come('second'); // a slot is free, and the first one has not seen it yet

    expect(host.calls).toEqual(['query', 'write', 'query']); // it reads, enters the queue, and reads its place
    await pass(host, 1000);
    expect(visitors.entered).toEqual([...eight, 'first']);
  });

  it('forgets it when it is empty', async ({ host, visitors }) => {
    await fill(visitors);
    await visitors.come('first', { waitMs: 50 });
    await pass(host, 100);
    await visitors.leave(...eight);
    await visitors.come('i');
    await visitors.leave('i');
    host.calls.length = 0;

    await visitors.come('j');

    expect(host.calls).toEqual(['write']);
  });
});

describe('when the table fails', () => {
  it('a slot that may have been taken is not requested again', async ({ host, visitors }) => {
    const { write } = host.table;
    let failures = 0;
    host.table.write = async (transaction) => {
      failures += 1;
      if (failures === 1) throw new OutcomeUnknown(new Error('lost'));
      return write(transaction);
    };

    await visitors.come('a');

    expect(visitors.entered).toEqual(['a']);
    expect(host.calls).toEqual(['query', 'write']);
  });

  it('a slot that cannot be released is reported to the operator, and expires', async ({
    host,
    visitors,
  }) => {
    await visitors.come('a');
    const { write } = host.table;
    host.table.write = () => Promise.reject(new Error('no table'));
    await visitors.leave('a');
    await host.places.settled();
    host.table.write = write;

    await pass(host, 52_000);

    expect(host.logged).toEqual([
      {
        level: 'error',
        message: 'a slot could not be released',
        cause: expect.stringContaining('no table'),
      },
    ]);
    expect(await items(host)).toEqual([]);
  });

  it('a run without a response is rejected', async ({ host, visitors }) => {
    host.table.write = () => Promise.reject(new Error('no table'));

    await visitors.come('a');

    expect(visitors.refused).toEqual({ a: 'no table' });
  });
});

it('slots are deleted with their instance', () => {
  expect(contentPartitions(7, 0)).toContain(runSlotEntity.partition(7));
});

it('waiting for releases covers all of them', async ({ host, visitors }) => {
  await fill(visitors);
  await visitors.leave(...eight);

  await host.places.settled();

  expect(await items(host)).toEqual([]);
});

async function items(host: TableHost): Promise<readonly string[]> {
  const pk = runSlotEntity.partition(1);
  return (await host.table.query({ pk, limit: 1000 })).positions;
}

/** Fills all slots. */
async function fill(visitors: Visitors): Promise<void> {
  for (const name of eight) await visitors.come(name);
}

/** Enters the queue like a process that dies then. */
async function dieInLine(host: TableHost, count: number, sinceMs = 0): Promise<void> {
  const expiresAt = Math.ceil(Date.now() / 1000) + 10;
  const writes = Array.from({ length: count }, (_, n) => {
    const key = runWaiterEntity.key(1, { isAwaited: true, sinceMs, id: `dead${n}` });
    const { kind } = runWaiterEntity;
    return { action: 'put', key, kind, data: {}, expiresAt, condition: { kind: 'none' } } as const;
  });
  const change = { actor: {}, cause: 'maintenance', depth: 0 } as const;
  await host.table.write({ id: 'dead'.repeat(6), change, writes });
}
