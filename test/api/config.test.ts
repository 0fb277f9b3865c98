import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden, missing } from '../support/responses.ts';
import { scenarios } from '../support/scenarios.ts';

const it = newWorldTest('shop');

const path = 'snippets/config/';

describe('the configuration', () => {
  it('is empty at first', async ({ world }) => {
    expect(await get(world)).toEqual([200, { config: {} }]);
  });

  it.for(['PUT', 'PATCH'] as const)('is replaced as a whole by %s', async (method, { world }) => {
    await put(world, { a: 1, b: 2 });

    const response = await put(world, { b: { c: [null, 'x'] } }, method);

    const config = { b: { c: [null, 'x'] } };
    expect([response.status, response.body]).toEqual([200, { config }]);
    expect(await get(world)).toEqual([200, { config }]);
  });

  it('is emptied by a PUT without it, and kept by a PATCH', async ({ world }) => {
    await put(world, { a: 1 });

    const patched = await world.own('PATCH', path, {});
    const emptied = await world.own('PUT', path, {});

    expect([patched.status, patched.body]).toEqual([200, { config: { a: 1 } }]);
    expect([emptied.status, emptied.body]).toEqual([200, { config: {} }]);
    expect(await get(world)).toEqual([200, { config: {} }]);
  });

  it('may be sent as text, and from a form', async ({ api, world }) => {
    const response = await put(world, '{"a": 1}');
    const form = await api.send({
      as: world.owner,
      method: 'PUT',
      path: world.base + path,
      body: 'config={"b":2}',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });

    expect([response.body, form.body]).toEqual([{ config: { a: 1 } }, { config: { b: 2 } }]);
  });

  it('accepts the maximum size', async ({ world }) => {
    const keys = Object.fromEntries(
      Array.from({ length: 1024 }, (_, n) => [String(n).padStart(64, 'k'), n]),
    );
    const big = { a: 'x'.repeat(262_144 - '{"a":""}'.length) };

    const [many, much] = [await put(world, keys), await put(world, big)];

    expect([many.status, many.body.config]).toEqual([200, keys]);
    expect([much.status, much.body.config]).toEqual([200, big]);
    expect(await get(world)).toEqual([200, { config: big }]);
  });

  it('is returned whole whatever fields are requested', async ({ world }) => {
    await put(world, { a: 1 });

    const { body } = await world.own('GET', `${path}?fields=x`);

    expect(body).toEqual({ config: { a: 1 } });
  });

  it('is kept when its instance is renamed, and is not bound to the name', async ({
    api,
    world,
  }) => {
    await put(world, { a: 1 });
    await world.own('POST', 'rename/', { new_name: `moved-${world.instance}` });

    const moved = await api.send({
      as: world.owner,
      path: `/v1.1/instances/moved-${world.instance}/${path}`,
    });
    await api.send({ as: world.owner, path: '/v1.1/instances/', body: { name: world.instance } });

    expect(moved.body).toEqual({ config: { a: 1 } });
    expect(await get(world)).toEqual([200, { config: {} }]);
  });

  it('has the same path in the older version', async ({ api, world }) => {
    const response = await api.send({
      as: world.owner,
      path: `/v1/instances/${world.instance}/${path}`,
    });

    expect([response.status, response.body]).toEqual([200, { config: {} }]);
  });
});

describe('a configuration is rejected', () => {
  const row = (name: string, config: unknown, message: string) => ({
    name,
    method: 'PUT',
    body: { config },
    status: 400,
    response: { config: [message] },
    given: (world: World) => ({ as: world.owner, path: world.base + path }),
  });
  const many = Object.fromEntries(Array.from({ length: 1025 }, (_, n) => [n, 1]));
  const big = { a: 'x'.repeat(262_145 - '{"a":""}'.length) };
  const format = 'Config passed in invalid format.';
  scenarios(it, 'that is', [
    row('null', null, 'This field may not be null.'),
    row('a list', [], format),
    row('a number', 7, format),
    row('text of a list', '[]', format),
    row('text that is no JSON', '{', 'Not a valid JSON string.'),
    row('of too many keys', many, 'Too many keys defined (exceeds 1024).'),
    row('of too long a key', { ['k'.repeat(65)]: 1 }, 'Too long key defined (exceeds 64).'),
    row('too big', big, 'Too big object defined (exceeds 262144).'),
    row('too big as text', JSON.stringify(big), 'Too big object defined (exceeds 262144).'),
    row('too big in bytes', { a: 'ü'.repeat(131_072) }, 'Too big object defined (exceeds 262144).'),
  ]);
});

describe('callers who may', () => {
  it('not see the instance get 404 for every method', async ({ world }) => {
    const stranger = await world.account(`stranger-of-${world.instance}@example.com`);

    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS']) {
      const { status, body } = await world.call(stranger, method, path);
      expect([status, method === 'HEAD' ? missing : body]).toEqual([404, missing]);
    }
  });

  it('only read it get 403, also for invalid values', async ({ world }) => {
    const reader = await joinAs(world, 'read');
    const key = await world.apiKey({ ignore_acl: true });

    for (const as of [reader, key]) {
      const response = await world.call(as, 'PUT', path, { config: 7 });
      expect([response.status, response.body]).toEqual([403, forbidden]);
      expect(await get(world, as)).toEqual([200, { config: {} }]);
    }
  });
});

const get = async (world: World, as = world.owner) => {
  const { status, body } = await world.call(as, 'GET', path);
  return [status, body];
};

const put = (world: World, config: unknown, method = 'PUT') => world.own(method, path, { config });
