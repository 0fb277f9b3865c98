import { LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { tickMessage } from '../../shared/platforms/aws/log/log.ts';
import type { FinishedTrace, RunReference, RunRequest } from '../../shared/ports/run-request.ts';
import { createItem, putItem } from '../../shared/store/writes.ts';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import { runSlotEntity, traceEntity } from '../../shared/table/entities/runs.ts';
import { scriptEntity } from '../../shared/table/entities/scripts.ts';
import { type Account, openAccount } from '../aws-emulator/account.ts';
import { write } from '../store/fixture.ts';
import { storedScript } from '../support/aws-platform.ts';

/* Runs of one instance on AWS that wait for a slot: what waits with them, and what happens when it dies. */

const lambda = mockClient(LambdaClient);
afterAll(() => lambda.restore()); // files after this one share the process
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('open', ({}, { onCleanup }) => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: 1_800_000_000_000,
  });
  lambda.reset();
  const opened: Account[] = [];
  onCleanup(async () => {
    for (const account of opened) await account.close();
    vi.useRealTimers();
  });
  return async (scriptMs: number, isLost = (): boolean => false) => {
    const client = new LambdaClient({ region: 'x' }); // one that was used keeps the functions of its mock
    opened[0] = await openAccount({ lambda, client, scriptMs, isLost });
    return fill(opened[0]);
  };
});

it('408 awaited and 400 direct runs at once hold at most 40 executions, and all have an end', async ({
  open,
}) => {
  const account = await open(1000);
  const responses: Promise<FinishedTrace | undefined>[] = [];
  const requests: Promise<void>[] = [];

  for (let n = 1; n <= 408; n += 1) {
    responses.push(account.callEndpoint(awaited(n)));
    if (n <= 400) requests.push(account.startDirect(direct(n)));
    await account.pass(10); // four seconds for all, in which an eighth of the runs that may wait could run
  }
  await settled(account, Promise.all(requests));
  const told = await settled(account, Promise.all(responses));
  const counts = await endOfDirect(account, 400, 120_000);

  const ran = told.filter((trace) => trace?.status === 'success').length;
  const blocked = told.filter((trace) => trace?.status === 'blocked').length;
  expect(account.mostExecutions()).toBeLessThanOrEqual(40);
  expect(ran).toBeGreaterThanOrEqual(24); // eight at once, and sixteen that wait
  expect(ran + blocked).toBe(408);
  expect(await statuses(account, 'endpoint', 5, 408)).toEqual({ success: ran, blocked });
  expect(counts).toEqual({ success: 400 });
  expect(account.logged.filter(({ message }) => message !== tickMessage)).toEqual([]);
}, 300_000);

it('as many runs in the same moment have a function each until they are told, and 40 a second later', async ({
  open,
}) => {
  const account = await open(1000);
  const responses = Array.from({ length: 408 }, (_, n) => account.callEndpoint(awaited(n + 1)));
  const requests = Array.from({ length: 400 }, (_, n) => account.startDirect(direct(n + 1)));

  const samples: number[] = [];
  while (samples.length < 60) {
    await account.pass(1000);
    samples.push(account.executions());
  }
  await Promise.all([...responses, ...requests]);

  expect(Math.max(...samples)).toBeLessThanOrEqual(40);
  expect(hasEnded(await statuses(account, 'endpoint', 5, 408))).toBe(true);
  expect(await statuses(account, 'script', 12, 400)).toEqual({ success: 400 });
}, 300_000);

it('an awaited run that takes longer than its request holds one function until its end', async ({
  open,
}) => {
  const account = await open(40_000);

  const response = await settled(account, account.callEndpoint(awaited(1)));
  const during = await statuses(account, 'endpoint', 5, 1);
  await account.pass(15_000);

  expect([response, during]).toEqual([undefined, { processing: 1 }]);
  expect(account.mostExecutions()).toBe(2);
  expect(await statuses(account, 'endpoint', 5, 1)).toEqual({ success: 1 });
});

it('beyond four hundred waiting direct runs the next ones are blocked', async ({ open }) => {
  const account = await open(100_000);

  for (let n = 1; n <= 408; n += 1) await settled(account, account.startDirect(direct(n)));
  await account.pass(10_000);
  for (let n = 409; n <= 412; n += 1) await settled(account, account.startDirect(direct(n)));
  await account.pass(5000);

  expect(await statuses(account, 'script', 12, 412)).toEqual({
    processing: 8,
    pending: 400,
    blocked: 4,
  });
}, 120_000);

it('direct runs start in their order', async ({ open }) => {
  const account = await open(1000);

  for (let n = 1; n <= 24; n += 1) {
    await settled(account, account.startDirect(direct(n)));
    await account.pass(1100); // one delivery of the stream for each
    if (n === 8) await account.pass(5000);
  }
  await endOfDirect(account, 24, 60_000);

  const found = await settled(
    account,
    Promise.all(
      Array.from({ length: 24 }, (_, n) => traceEntity.read(account.store, 3, 'script', 12, n + 1)),
    ),
  );
  const starts = found.map((item) => item?.data.executed_at ?? '');
  expect(starts).toEqual(starts.toSorted());
});

it('a run that has waited for long is not taken for one whose process has died', async ({
  open,
}) => {
  const account = await open(45_000);
  for (let n = 1; n <= 88; n += 1) await settled(account, account.startDirect(direct(n)));

  expect(await endOfDirect(account, 88, 900_000)).toEqual({ success: 88 });
});

describe('waiting runs are started', () => {
  it('when the slots of dead processes expire', async ({ open }) => {
    const account = await open(500);
    const expiresAt = Math.ceil(Date.now() / 1000) + 50;
    for (let number = 0; number < 8; number += 1) {
      const slot = createItem(runSlotEntity, runSlotEntity.key(3, number), {});
      await settled(account, write(account.store, { ...slot, expiresAt }));
    }
    for (let n = 1; n <= 20; n += 1) await settled(account, account.startDirect(direct(n)));

    await account.pass(45_000);
    const before = await statuses(account, 'script', 12, 20);

    expect(before).toEqual({ pending: 20 });
    expect(await endOfDirect(account, 20, 120_000)).toEqual({ success: 20 });
  });

  it('when a process dies after it has released a slot, or its start of a run is lost', async ({
    open,
  }) => {
    let isLost = false;
    const account = await open(500, () => isLost);
    for (let n = 1; n <= 40; n += 1) await settled(account, account.startDirect(direct(n)));
    await account.pass(1500); // the first have begun
    isLost = true;
    await account.pass(5000); // all slots have been handed over to nobody
    isLost = false;
    const before = await statuses(account, 'script', 12, 40);

    expect(before.pending).toBeGreaterThan(20);
    expect(await endOfDirect(account, 40, 300_000)).toEqual({ success: 40 });
  });
});

/** Stores what runs read. */
async function fill(account: Account): Promise<Account> {
  const place = { id: 3, name: 'blog', owner: 2 } as never; // runs read no more of it
  const writing = write(
    account.store,
    putItem(scriptEntity, scriptEntity.key(3, 12), storedScript),
    putItem(instanceEntity, instanceEntity.key(3), place),
  );
  await settled(account, writing);
  return account;
}

const awaited = (trace: number): RunRequest => ({
  instance: 3,
  kind: 'endpoint',
  parent: 5,
  trace,
  instanceName: 'blog',
  owner: 2,
  script: storedScript,
  config: {},
  args: {},
  meta: {},
  depth: 1,
  isAwaited: true,
});
const direct = (trace: number): RunReference => ({
  instance: 3,
  kind: 'script',
  parent: 12,
  trace,
});

/** Lets time pass until a request has its response. */
async function settled<Result>(account: Account, promise: Promise<Result>): Promise<Result> {
  let isOver = false;
  const over = promise.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  await account.until(() => isOver, 600_000);
  return over;
}

/** Counts traces by status. */
async function statuses(
  account: Account,
  kind: 'script' | 'endpoint',
  parent: number,
  count: number,
) {
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const found = await settled(
    account,
    Promise.all(numbers.map((n) => traceEntity.read(account.store, 3, kind, parent, n))),
  );
  const counts: Record<string, number> = {};
  for (const item of found) {
    const status = item?.data.status ?? 'none';
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const hasEnded = (counts: Record<string, number>) =>
  (counts.pending ?? 0) + (counts.processing ?? 0) + (counts.none ?? 0) === 0;

/** Lets time pass until no direct run is pending; returns their number by status. */
async function endOfDirect(account: Account, count: number, ms: number) {
  for (let passedMs = 0; ; passedMs += 1000) {
    const counts = await statuses(account, 'script', 12, count);
    if (hasEnded(counts) || passedMs > ms) return counts;
    await account.pass(1000);
  }
}
