import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { type ApiResponse, expected } from '../support/api.ts';
import { type FaultyStore, makeFaulty } from '../support/faulty-store.ts';
import { worldTest } from '../support/fixtures.ts';
import { missing, taken } from '../support/responses.ts';

const it = worldTest({ wrap: makeFaulty }).extend(
  'given',
  { scope: 'file', auto: true },
  ({ world, store }) => setUp(world, store),
);

const list = 'classes/counter/objects/';

describe('concurrent writes of one object', () => {
  it('keep every increment, twenty at the same time', async ({ given: { make, send } }) => {
    const path = await make({ n: 0 });

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => send('PATCH', path, { n: { _increment: 1 } })),
    );
    const { body } = await send('GET', path);

    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(responses.map((response) => response.body.n).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    expect([body.n, body.revision]).toEqual([20, 21]);
  });

  it.for<[string, object, object, object, object]>([
    [
      'an increment',
      { n: 1 },
      { n: { _increment: 2 } },
      { n: { _increment: 4 } },
      { n: 7, revision: 3 },
    ],
    ['a float', { x: 0.5 }, { x: { _increment: 1 } }, { x: { _increment: 1 } }, { x: 2.5 }],
    [
      'a member',
      { tags: ['a'] },
      { tags: { _add: 'b' } },
      { tags: { _add: 'c' } },
      { tags: ['a', 'b', 'c'] },
    ],
    [
      'a member that is added once',
      { tags: ['a'] },
      { tags: { _addunique: 'b' } },
      { tags: { _addunique: 'b' } },
      { tags: ['a', 'b'], revision: 2 },
    ],
    ['another field', { n: 1 }, { n: 2 }, { x: 3 }, { n: 2, x: 3 }],
    [
      'an owner right',
      { n: 1 },
      { other_permissions: 'read' },
      { n: 2 },
      { n: 2, other_permissions: 'read' },
    ],
  ])(
    'keep each other’s change: %s',
    async ([_, start, first, second, after], { given: { make, sendBefore, send } }) => {
      const path = await make(start);

      sendBefore('PATCH', path, first);
      const late = await send('PATCH', path, second);
      const { body } = await send('GET', path);

      expect([late.status, late.body]).toEqual([200, { ...late.body, ...after }]);
      expect(body).toEqual(late.body);
    },
  );

  it('may have several write conflicts', async ({ given: { make, sendBefore, send } }) => {
    const path = await make({ n: 0 });

    for (let i = 0; i < 4; i += 1) {
      sendBefore('PATCH', path, { n: { _increment: 10 } });
    }
    const late = await send('PATCH', path, { n: { _increment: 1 } });
    const { body } = await send('GET', path);

    expect([late.status, body.n]).toEqual([200, 41]);
  });

  it('check the expected revision in the same step as the write', async ({
    given: { make, sendBefore, send },
  }) => {
    const path = await make({ n: 1 });

    sendBefore('PATCH', path, { n: 2 });
    const late = await send('PATCH', path, { n: 3, expected_revision: 1 });
    const { body } = await send('GET', path);

    const mismatch = { expected_revision: 'Revision mismatch. Expected 1, got 2.' };
    expect([late.status, late.body]).toEqual([400, mismatch]);
    expect([body.n, body.revision]).toEqual([2, 2]);
  });

  it('that expect the same revision succeed once', async ({ given: { make, send } }) => {
    const path = await make({ n: 0 });

    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => send('PATCH', path, { n: i + 1, expected_revision: 1 })),
    );

    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(9);
  });

  it('detect that it was deleted', async ({ given: { make, sendBefore, send } }) => {
    const path = await make({ code: 'gone' });

    sendBefore('DELETE', path);
    const late = await send('PATCH', path, { n: 1, code: 'gone too' });
    const again = await make({ code: 'gone too' });

    expect([late.status, late.body]).toEqual([404, missing]);
    expect((await send('GET', path)).status).toBe(404);
    expect(again).not.toBe(path);
  });

  it('delete an object that was changed concurrently, with its latest value', async ({
    given: { make, sendBefore, send },
  }) => {
    const path = await make({ code: 'before' });

    sendBefore('PATCH', path, { code: 'after' });
    const removed = await send('DELETE', path);

    expect(removed.status).toBe(204);
    await make({ code: 'before' });
    await make({ code: 'after' });
  });

  it('delete it once', async ({ given: { make, send } }) => {
    const path = await make();

    const responses = await Promise.all(Array.from({ length: 5 }, () => send('DELETE', path)));

    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
  });

  it('lose their permissions to a change that came first', async ({
    api,
    world,
    given: { make, sendBefore, send },
  }) => {
    const bare = await world.apiKey();
    const path = await make({ n: 1, other_permissions: 'write' });

    sendBefore('PATCH', path, { other_permissions: 'read' });
    const late = await api.send({ as: bare, method: 'PATCH', path, body: { n: 2 } });

    expect(late.status).toBe(403);
    expect((await send('GET', path)).body.n).toBe(1);
  });
});

describe('a write whose response is lost', () => {
  it('is applied once: an increment', async ({ store: faulty, given: { make, send } }) => {
    const path = await make({ n: 1 });

    faulty.failNext('answer lost');
    const lost = await send('PATCH', path, { n: { _increment: 1 } });
    const { body } = await send('GET', path);

    expect([lost.status, lost.body]).toEqual([500, { detail: 'Internal server error.' }]);
    expect([body.n, body.revision]).toEqual([2, 2]);
  });

  it('is applied once: a creation', async ({ world, store: faulty, given: { key } }) => {
    const before = (await world.call(key, 'GET', list)).body.objects.length;

    faulty.failNext('answer lost');
    await world.call(key, 'POST', list, { code: 'once' });
    const page = await world.call(key, 'GET', list);
    const again = await world.call(key, 'POST', list, { code: 'once' });

    expect(page.body.objects).toHaveLength(before + 1);
    expect(again.body).toEqual({ code: taken });
  });

  it('that never arrived changes nothing', async ({
    world,
    store: faulty,
    given: { make, send, key },
  }) => {
    const path = await make({ n: 1, code: 'kept' });
    const before = (await send('GET', path)).body;

    faulty.failNext('not applied', 'not applied');
    const changed = await send('PATCH', path, { n: 2, code: 'new' });
    const removed = await send('DELETE', path);

    expect([changed.status, removed.status]).toEqual([500, 500]);
    expect((await send('GET', path)).body).toEqual(before);
    expect((await world.call(key, 'POST', list, { code: 'kept' })).status).toBe(400);
    await make({ code: 'new' });
  });
});

describe('concurrent creations', () => {
  it('get ids of their own, in the order of the responses', async ({ given: { make } }) => {
    const first = await Promise.all(Array.from({ length: 20 }, () => make()));
    const second = await Promise.all(Array.from({ length: 20 }, () => make()));

    const ids = [first, second].map((paths) => paths.map((path) => Number(path.split('/').at(-2))));
    expect(new Set(ids.flat()).size).toBe(40);
    expect(Math.max(...(ids[0] ?? []))).toBeLessThan(Math.min(...(ids[1] ?? [])));
  });

  it('of one unique value: one succeeds', async ({ world, given: { key } }) => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => world.call(key, 'POST', list, { code: 'race' })),
    );

    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(9);
    for (const { status, body } of refused) {
      expect([status, body]).toEqual([400, { code: taken }]);
    }
  });

  it('and changes of one unique value: one succeeds', async ({
    world,
    given: { make, send, key },
  }) => {
    const paths = await Promise.all(Array.from({ length: 5 }, () => make()));

    const responses = await Promise.all([
      ...paths.map((path) => send('PATCH', path, { code: 'crowd' })),
      ...paths.map(() => world.call(key, 'POST', list, { code: 'crowd' })),
    ]);

    expect(responses.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(9);
  });
});

describe('a class that changes during a write', () => {
  it('keeps the value of a field that was added with it', async ({
    world,
    store: faulty,
    given: { key, send },
  }) => {
    await world.dataClass('moving', [{ name: 'a', type: 'integer' }]);
    const { body } = await world.call(key, 'POST', 'classes/moving/objects/', { a: 1 });
    const path = body.links.self;

    faulty.beforeNextWrite(async () => {
      const schema = [
        { name: 'a', type: 'integer' },
        { name: 'b', type: 'integer' },
      ];
      expected(await world.own('PATCH', 'classes/moving/', { schema }), 200);
      expected(await send('PATCH', path, { b: 5 }), 200);
    });
    await send('PATCH', path, { a: 2 });
    const after = await send('GET', path);

    expect(after.body).toMatchObject({ a: 2, b: 5, revision: 3 });
  });

  it('has no unique value of a field that the write does not know', async ({
    world,
    store: faulty,
    given: { key, send },
  }) => {
    await world.dataClass('unknowing', [{ name: 'a', type: 'integer' }]);
    const { body } = await world.call(key, 'POST', 'classes/unknowing/objects/', { a: 1 });
    const path = body.links.self;
    const schema = [
      { name: 'a', type: 'integer' },
      { name: 'b', type: 'integer', unique: true },
    ];
    let early: ApiResponse['body'];
    faulty.beforeNextWrite(async () => {
      expected(await world.own('PATCH', 'classes/unknowing/', { schema }), 200);
      early = expected(await send('PATCH', path, { a: 3, b: 5 }), 200);
    });

    const changed = await send('PATCH', path, { a: 2, b: 6 });

    expect(changed.body).toMatchObject({ a: 2, revision: 3 });
    expect([early, changed.body].filter((shown) => 'b' in shown)).toEqual([]);
    await world.ready('unknowing');
    const set = await send('PATCH', path, { b: 5 });
    const again = await world.call(key, 'POST', 'classes/unknowing/objects/', { b: 5 });
    expect([set.body.b, again.body]).toEqual([5, { b: taken }]);
  });
});

async function setUp(world: World, faulty: FaultyStore) {
  const { api } = world;
  async function make(values: object = {}): Promise<string> {
    return expected(await world.call(key, 'POST', list, values), 201).links.self;
  }
  const send = (method: string, path: string, body?: unknown) =>
    api.send({ as: key, method, path, ...(body === undefined ? {} : { body }) });
  /** Sends a request right before the next write of another one. */
  const sendBefore = (method: string, path: string, body?: unknown) =>
    faulty.beforeNextWrite(async () => {
      expect((await send(method, path, body)).status).toBeLessThan(300);
    });

  const key = await world.apiKey({ ignore_acl: true });
  await world.dataClass('counter', [
    { name: 'n', type: 'integer', order_index: true },
    { name: 'x', type: 'float' },
    { name: 'tags', type: 'array' },
    { name: 'friends', type: 'relation', target: 'self' },
    { name: 'code', type: 'string', unique: true },
  ]);
  return { make, send, sendBefore, key };
}
