import { test as base, expect } from 'vitest';
import { openTokenCache } from '../../../shared/platforms/local/push/tokens/token-cache.ts';

const test = base.extend('given', () => setUp());

test('requests at the same time make one token, which counts until its end', async ({ given }) => {
  const { cache } = given;
  const first = await Promise.all([cache.get(), cache.get()]);
  given.nowMs += 2_999_999;
  const second = await cache.get();
  given.nowMs += 1;

  expect([...first, second, await cache.get()]).toEqual([
    'token-1',
    'token-1',
    'token-1',
    'token-2',
  ]);
});

test('an error counts for five seconds', async ({ given }) => {
  const { cache } = given;
  given.isDown = true;
  const tries = [await given.failed(), await given.failed()];
  given.isDown = false;
  given.nowMs += 4999;
  tries.push(await given.failed());
  given.nowMs += 1;

  expect([...tries, await cache.get(), given.made]).toEqual(['down', 'down', 'down', 'token-2', 2]);
});

test('a rejected token is replaced, but not a new one', async ({ given }) => {
  const { cache } = given;
  const token = await cache.get();
  given.nowMs += 59_999;
  const early = cache.drop(token);
  given.nowMs += 1;
  const late = cache.drop(token);

  expect([early, late, await cache.get()]).toEqual([false, true, 'token-2']);
  expect(cache.drop(token)).toBe(true); // there is a newer one already
  expect(await cache.get()).toBe('token-2');
});

function setUp() {
  const cache = openTokenCache({
    nowMs: () => given.nowMs,
    oldMs: 60_000,
    make: async () => {
      given.made += 1;
      if (given.isDown) throw new Error('down');
      return { token: `token-${given.made}`, untilMs: given.nowMs + 3_000_000 };
    },
  });
  const failed = () =>
    cache.get().then(
      () => 'made',
      (error: Error) => error.message,
    );
  const given = { nowMs: 1_000_000, made: 0, isDown: false, cache, failed };
  return given;
}
