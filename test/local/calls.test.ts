import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import { openRunningRequests } from '../../shared/platforms/local/server/calls.ts';
import { openEnding } from '../../shared/values/ending.ts';
import { restoredData } from '../../shared/values/keys/data-ids.ts';
import { openMovedClock } from '../support/moved-clock.ts';

/** Jobs that wait for the requests before them. */

const request: Request = {
  id: 'a',
  method: 'GET',
  path: '/',
  query: new URLSearchParams(),
  headers: {},
  body: { kind: 'bytes', bytes: new Uint8Array() },
  sourceAddress: '',
  noteInstance: undefined, // as from the server
  ending: openEnding,
};

it('wait for a request that runs, until it ends', async () => {
  const clock = openMovedClock();
  const calls = openRunningRequests(clock);
  let end = () => {};
  const served = calls.track(
    () => new Promise((resolve) => (end = () => resolve({ status: 200 }))),
  );

  const response = served(request);
  const before = await calls.endedBefore(clock.micros(), 7);
  end();
  await response;

  expect([before, await calls.endedBefore(clock.micros(), 7)]).toEqual([false, true]);
});

it('wait for a request that began inside another one', async () => {
  const clock = openMovedClock();
  const calls = openRunningRequests(clock);
  const inner: Request = { ...request };
  const ends = new Map<string, () => void>();
  const served = calls.track((sent) => {
    if (sent.method === 'POST') void served(inner);
    return new Promise((resolve) => ends.set(sent.method, () => resolve({ status: 200 })));
  });

  const response = served({ ...request, method: 'POST' });
  ends.get('POST')?.();
  await response;
  const during = await calls.endedBefore(clock.micros(), 7);
  ends.get('GET')?.();

  expect([during, await calls.endedBefore(clock.micros(), 7)]).toEqual([false, true]);
});

it('wait for no request that waits itself', async () => {
  const clock = openMovedClock();
  const calls = openRunningRequests(clock);
  const never = calls.track(async ({ ending }) => {
    await undefined;
    ending?.();
    return new Promise(() => {});
  });

  void never(request);
  await undefined;

  expect(await calls.endedBefore(clock.micros(), 7)).toBe(true);
});

it.for<[string, readonly number[], boolean]>([
  ['runs in another instance', [8], true],
  ['runs in their instance', [7], false],
  ['is in no instance, or not yet', [], false],
  ['found another instance under its name later', [8, 7], false],
  ['found other instances under its name later', [8, 9], false],
])('wait for a request only if it may concern their instance: one that %s', async (row) => {
  const [, instances, hasEnded] = row;
  const clock = openMovedClock();
  const calls = openRunningRequests(clock);
  const never = calls.track(async ({ noteInstance }) => {
    for (const instance of instances) noteInstance?.(instance);
    return new Promise(() => {});
  });

  void never(request);

  expect(await calls.endedBefore(clock.micros(), 7)).toBe(hasEnded);
  expect(await calls.endedBefore(clock.micros(), restoredData(7, 2))).toBe(hasEnded);
});

it('keep nothing of requests that have ended, among the old objects of the heap', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void; // V8's function
  let count = 0;
  const served = openRunningRequests(openMovedClock()).track(async (sent) => {
    count += 1;
    if (count % 500 === 0) collect({ type: 'minor' });
    for (let turns = count % 29; turns > 0; turns -= 1) await undefined; // so that some are always in progress
    return { status: 200, body: [sent, Array(100).fill(count)] };
  });
  const serveInTurn = async (requests: number) => {
    for (let left = requests; left > 0; left -= 1) await served({ ...request });
  };
  const serveMany = () => Promise.all(Array.from({ length: 32 }, () => serveInTurn(400)));
  await serveMany();
  for (let time = 0; time < 3; time += 1) collect({ type: 'minor' }); // what holds the requests is old from here on

  const before = oldBytes();
  await serveMany(); // 12,800 responses of 800 bytes and more
  expect(oldBytes() - before).toBeLessThan(300_000);
});

function oldBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}
