import { beforeEach, expect, test } from 'vitest';
import {
  openTokenCache,
  type TokenCache,
} from '../../../shared/platforms/local/push/tokens/token-cache.ts';

let now: number;
let made: number;
let isDown: boolean;
let cache: TokenCache;

beforeEach(() => {
  now = 1_000_000;
  made = 0;
  isDown = false;
  cache = openTokenCache({
    nowMs: () => now,
    oldMs: 60_000,
    make: async () => {
      made += 1;
      if (isDown) throw new Error('down');
      return { token: `token-${made}`, untilMs: now + 3_000_000 };
    },
  });
});

test('requests at the same time make one token, which counts until its end', async () => {
  const first = await Promise.all([cache.get(), cache.get()]);
  now += 2_999_999;
  const second = await cache.get();
  now += 1;

  expect([...first, second, await cache.get()]).toEqual([
    'token-1',
    'token-1',
    'token-1',
    'token-2',
  ]);
});

test('an error counts for five seconds', async () => {
  isDown = true;
  const tries = [await failed(), await failed()];
  isDown = false;
  now += 4999;
  tries.push(await failed());
  now += 1;

  expect([...tries, await cache.get(), made]).toEqual(['down', 'down', 'down', 'token-2', 2]);
});

test('a rejected token is replaced, but not a new one', async () => {
  const token = await cache.get();
  now += 59_999;
  const early = cache.drop(token);
  now += 1;
  const late = cache.drop(token);

  expect([early, late, await cache.get()]).toEqual([false, true, 'token-2']);
  expect(cache.drop(token)).toBe(true); // there is a newer one already
  expect(await cache.get()).toBe('token-2');
});

const failed = () =>
  cache.get().then(
    () => 'made',
    (error: Error) => error.message,
  );
