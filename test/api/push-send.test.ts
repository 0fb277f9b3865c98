import { expect, test } from 'vitest';
import type { JobContext } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { PushFailure } from '../../shared/push/push-failure.ts';
import { sendPush } from '../../shared/push/push-send.ts';
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
const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('world', async ({}, { onCleanup }) => {
    const api = await startApi();
    onCleanup(() => api.close());
    const world = await openWorld(api);
    await configure(world, 'gcm');
    return world;
  })
  .extend('sender', ({ world }) => openSender(world.api));

it('a sender that dies between push and result sends nothing twice', async ({ world, sender }) => {
  await plant(world);

  await expect(runToEnd(sender.processOf(true))).rejects.toThrow('killed');
  const before = sender.published.length;
  await runToEnd(sender.processOf(false));
  const { status, result } = await messageOf(world);

  expect(before).toBe(20);
  expect([...sender.published].sort()).toEqual([...tokens].sort()); // each once
  expect(status).toBe('partially_delivered');
  expect(result.errors).toEqual({ Unknown: tokens.slice(0, 20) });
  expect(Object.keys(result.success)).toEqual(tokens.slice(20));
});

it('two senders of one part send each push once', async ({ world, sender }) => {
  await plant(world);

  const both = await Promise.allSettled([
    runToEnd(sender.processOf(false)),
    runToEnd(sender.processOf(false)),
  ]);
  await runToEnd(sender.processOf(false));

  expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
  expect(new Set(sender.published).size).toBe(sender.published.length);
  expect((await messageOf(world)).status).not.toBe('scheduled');
});

it('a message that could not be sent for an hour is given up', async ({ world, sender }) => {
  await plant(world, '2020-01-01T00:00:00.000000Z');

  await runToEnd(sender.processOf(false));
  const { status, result } = await messageOf(world);

  expect(sender.published).toEqual([]);
  expect([status, result]).toEqual(['error', { errors: { Unavailable: tokens } }]);
});

it('a message whose credentials are deleted has that error', async ({ world, sender }) => {
  await plant(world);
  const none = { development_api_key: null };
  await world.own('PATCH', 'push_notifications/gcm/config/', none);

  await runToEnd(sender.processOf(false));
  const { status, result } = await messageOf(world);

  const lacking = 'GCM api key for "development" environment is required.';
  expect([status, result]).toEqual(['error', lacking]);
});

it('a push service that stays too busy ends the message after some rounds', async ({
  world,
  sender,
}) => {
  await plant(world);
  const context = sender.processOf(false);
  const busy = { ...context.push, publish: world.api.platform.push.publish };
  const createEndpoint = () => Promise.resolve('1/gcm/development/throttle');

  await runToEnd({ ...context, push: { ...busy, createEndpoint } });
  const { status, result } = await messageOf(world);

  expect([status, Object.keys(result.errors)]).toEqual(['error', ['Unavailable']]);
});

it.for<[string, number | undefined, number]>([
  ['nothing', undefined, 250],
  ['ten seconds', 10_000, 10_000],
  ['a day', 86_400_000, 300_000],
])(
  'a busy push service that asks for %s is tried again',
  async ([_, asked, expected], { world, sender }) => {
    await plant(world);
    const context = sender.processOf(false);
    const publish = () => Promise.reject(new PushFailure('busy', 'Busy', asked));

    const next = await sendPush.step({ ...context, push: { ...context.push, publish } }, task);

    expect(next).toEqual({ task, afterMs: expected });
  },
);

/** Stores a message without a job. */
async function plant(
  { api }: World,
  created_at = new Date(api.platform.clock.micros() / 1000).toISOString(),
) {
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

/** Opens what sends to the platform, and lists the tokens to which it has sent. */
function openSender({ platform }: Api) {
  const published: string[] = [];
  /** A process; a mortal one dies with its first write after a push. */
  const processOf = (isMortal: boolean): JobContext => ({
    ...platform,
    store: {
      ...platform.store,
      get: (keys) => platform.store.get(keys),
      write: (transaction) => {
        const isResult = published.length > 0 && JSON.stringify(transaction).includes('outbox:');
        return isMortal && isResult
          ? Promise.reject(new Error('killed'))
          : platform.store.write(transaction);
      },
    },
    push: {
      ...platform.push,
      publish: (endpoint, push) => {
        published.push(endpoint.split('/').at(-1) ?? '');
        return platform.push.publish(endpoint, push);
      },
    },
    settled: () => Promise.resolve(),
    endedBefore: () => Promise.resolve(true),
  });
  return { published, processOf };
}

async function runToEnd(context: JobContext): Promise<void> {
  while ((await sendPush.step(context, task)) !== 'done');
}

const messageOf = ({ read }: World) => read('push_notifications/gcm/messages/1/');
