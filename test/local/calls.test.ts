import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import { openRunningRequests } from '../../shared/platforms/local/server/calls.ts';
import { openEnding } from '../../shared/values/ending.ts';
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
  const before = await calls.endedBefore(clock.micros());
  end();
  await response;

  expect([before, await calls.endedBefore(clock.micros())]).toEqual([false, true]);
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
  const during = await calls.endedBefore(clock.micros());
  ends.get('GET')?.();

  expect([during, await calls.endedBefore(clock.micros())]).toEqual([false, true]);
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

  expect(await calls.endedBefore(clock.micros())).toBe(true);
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
