import { expect, it } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import { openCalls } from '../../shared/platform/local/server/calls.ts';
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
  const calls = openCalls(clock);
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

it('wait for no request that waits itself', async () => {
  const clock = openMovedClock();
  const calls = openCalls(clock);
  const never = calls.track(async ({ ending }) => {
    await undefined;
    ending?.();
    return new Promise(() => {});
  });

  void never(request);
  await undefined;

  expect(await calls.endedBefore(clock.micros())).toBe(true);
});
