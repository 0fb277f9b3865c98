import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JobContext } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { PushFailure } from '../../shared/push/push-failure.ts';
import { sendPush } from '../../shared/push/push-send.ts';
import type { Store } from '../../shared/store/store.ts';
import { createItem } from '../../shared/store/writes.ts';
import { pushMessageEntity, pushPartEntity } from '../../shared/table/entities/push.ts';
import type { PushMessageData, PushPartData } from '../../shared/table/records/push.ts';
import { type Api, openWorld, startApi, type World } from '../support/api.ts';
import { dataIdOf } from '../support/moved-store.ts';
import { configure } from '../support/push.ts';

/** The outcome of a message whose sender dies, or has no recipients. */

const tokens = Array.from({ length: 25 }, (_, at) => `token-${at}`);
const scope = { instance: dataIdOf(1), provider: 'gcm' } as const;
const task = { ...scope, message: 1, part: 0 };
let api: Api;
let world: World;
let published: string[];

beforeEach(async () => {
  api = await startApi();
  world = await openWorld(api);
  await configure(world, 'gcm');
  published = [];
});
afterEach(() => api.close());

/** Stores a message without a job. */
async function plant(created_at = new Date(api.platform.clock.micros() / 1000).toISOString()) {
  const message: PushMessageData = {
    id: 1,
    status: 'scheduled',
    environment: 'development',
    content: { data: { a: 1 } },
    parts: 1,
    partsDone: 0,
    delivered: 0,
    failed: 0,
    created_at,
    updated_at: created_at,
  };
  const states = tokens.map(() => 'waiting' as const);
  const part: PushPartData = { tokens, states, busyRounds: 0, isDone: false };
  await maintain(api.platform, [
    createItem(pushMessageEntity, pushMessageEntity.key(scope.instance, 'gcm', 1), message),
    createItem(pushPartEntity, pushPartEntity.key(scope.instance, 'gcm', 1, 0), part),
  ]);
}

/** A process; a mortal one dies with its first write after a push. */
function processOf(isMortal: boolean): JobContext {
  const { platform } = api;
  const store: Store = {
    ...platform.store,
    get: (keys) => platform.store.get(keys),
    write: (transaction) => {
      const isResult = published.length > 0 && JSON.stringify(transaction).includes('outbox:');
      return isMortal && isResult
        ? Promise.reject(new Error('killed'))
        : platform.store.write(transaction);
    },
  };
  return {
    ...platform,
    store,
    push: {
      ...platform.push,
      publish: (endpoint, push) => {
        published.push(endpoint.split('/').at(-1) ?? '');
        return platform.push.publish(endpoint, push);
      },
    },
    settled: () => Promise.resolve(),
    endedBefore: () => Promise.resolve(true),
  };
}

async function runToEnd(context: JobContext): Promise<void> {
  while ((await sendPush.step(context, task)) !== 'done');
}

const message = async () =>
  (await world.call(world.owner, 'GET', 'push_notifications/gcm/messages/1/')).body;

test('a sender that dies between push and result sends nothing twice', async () => {
  await plant();

  await expect(runToEnd(processOf(true))).rejects.toThrow('killed');
  const before = published.length;
  await runToEnd(processOf(false));
  const { status, result } = await message();

  expect(before).toBe(20);
  expect([...published].sort()).toEqual([...tokens].sort()); // each once
  expect(status).toBe('partially_delivered');
  expect(result.errors).toEqual({ Unknown: tokens.slice(0, 20) });
  expect(Object.keys(result.success)).toEqual(tokens.slice(20));
});

test('two senders of one part send each push once', async () => {
  await plant();

  const both = await Promise.allSettled([runToEnd(processOf(false)), runToEnd(processOf(false))]);
  await runToEnd(processOf(false));

  expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
  expect(new Set(published).size).toBe(published.length);
  expect((await message()).status).not.toBe('scheduled');
});

test('a message that could not be sent for an hour is given up', async () => {
  await plant('2020-01-01T00:00:00.000000Z');

  await runToEnd(processOf(false));
  const { status, result } = await message();

  expect(published).toEqual([]);
  expect([status, result]).toEqual(['error', { errors: { Unavailable: tokens } }]);
});

test('a message whose credentials are deleted has that error', async () => {
  await plant();
  const none = { development_api_key: null };
  await world.call(world.owner, 'PATCH', 'push_notifications/gcm/config/', none);

  await runToEnd(processOf(false));
  const { status, result } = await message();

  const lacking = 'GCM api key for "development" environment is required.';
  expect([status, result]).toEqual(['error', lacking]);
});

test('a push service that stays too busy ends the message after some rounds', async () => {
  await plant();
  const context = processOf(false);
  const busy = { ...context.push, publish: api.platform.push.publish };
  const createEndpoint = () => Promise.resolve('1/gcm/development/throttle');

  await runToEnd({ ...context, push: { ...busy, createEndpoint } });
  const { status, result } = await message();

  expect([status, Object.keys(result.errors)]).toEqual(['error', ['Unavailable']]);
});

test.each([
  ['nothing', undefined, 250],
  ['ten seconds', 10_000, 10_000],
  ['a day', 86_400_000, 300_000],
])('a busy push service that asks for %s is tried again', async (_, asked, expected) => {
  await plant();
  const context = processOf(false);
  const publish = () => Promise.reject(new PushFailure('busy', 'Busy', asked));

  const next = await sendPush.step({ ...context, push: { ...context.push, publish } }, task);

  expect(next).toEqual({ task, afterMs: expected });
});
