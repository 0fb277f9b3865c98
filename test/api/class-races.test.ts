import { describe, expect, onTestFinished, test } from 'vitest';
import { openWorld, startApi, type World } from '../support/api.ts';
import { type FaultyStore, makeFaulty } from '../support/faulty-store.ts';
import { noClass } from '../support/responses.ts';

const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('given', async ({}, { onCleanup }) => {
    const given = await setUp();
    onCleanup(() => given.api.close());
    return given;
  })
  .extend('world', ({ given }) => given.world)
  .extend('own', ({ world }) => world.own)
  .extend('faulty', ({ given }) => given.faulty);

describe('concurrent requests for classes', () => {
  it('one of ten creations of one name succeeds', async ({ own }) => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        own('POST', 'classes/', { name: 'book', description: String(i) }),
      ),
    );
    const read = await own('GET', 'classes/book/');

    const made = responses.filter(({ status }) => status === 201);
    const refused = responses.filter(({ status }) => status === 400);
    expect([made.length, refused.length]).toEqual([1, 9]);
    expect(read.body).toEqual(made[0]?.body);
    for (const { body } of refused) expect(body).toEqual({ name: ['This field must be unique.'] });
  });

  it('the hundredth class is the last, also for concurrent requests', async ({ own }) => {
    for (let i = 0; i < 94; i += 1) await own('POST', 'classes/', { name: `c${i}` });

    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => own('POST', 'classes/', { name: `d${i}` })),
    );
    const page = await own('GET', 'classes/?fields=name&page_size=100');
    await own('DELETE', 'classes/c0/');
    const again = await own('POST', 'classes/', { name: 'room' });

    const refused = responses.filter(({ status }) => status !== 201);
    expect(responses.length - refused.length).toBe(5);
    for (const { status, body } of refused) {
      expect([status, body]).toEqual([400, { detail: 'Class count exceeded (100).' }]);
    }
    expect(page.body.objects).toHaveLength(100);
    expect(again.status).toBe(201);
  });

  it('a taken name is reported before the limit', async () => {
    const small = await startApi({ settings: { maxClasses: 2 } });
    onTestFinished(() => small.close());
    const { own } = await openWorld(small);
    await own('POST', 'classes/', { name: 'book' });

    const taken = await own('POST', 'classes/', { name: 'book' });
    const over = await own('POST', 'classes/', { name: 'other' });

    expect(taken.body).toEqual({ name: ['This field must be unique.'] });
    expect(over.body).toEqual({ detail: 'Class count exceeded (2).' });
  });

  it('concurrent updates of a class are all kept', async ({ own, faulty }) => {
    await own('POST', 'classes/', { name: 'book' });

    faulty.beforeNextWrite(async () => {
      await own('PATCH', 'classes/book/', { schema: [{ name: 'a', type: 'text' }] });
    });
    const late = await own('PATCH', 'classes/book/', { description: 'New' });

    expect(late.body).toMatchObject({
      description: 'New',
      schema: [{ name: 'a', type: 'text' }],
      revision: 2,
    });
  });

  it('the expected revision is checked in the same step as the write', async ({ own, faulty }) => {
    await own('POST', 'classes/', { name: 'book' });

    faulty.beforeNextWrite(async () => {
      await own('PATCH', 'classes/book/', { schema: [{ name: 'a', type: 'text' }] });
    });
    const late = await own('PATCH', 'classes/book/', { description: 'New', expected_revision: 1 });

    expect([late.status, late.body]).toEqual([
      400,
      { expected_revision: 'Revision mismatch. Expected 1, got 2.' },
    ]);
  });

  it('a class that is deleted during a change stays deleted', async ({ own, faulty }) => {
    await own('POST', 'classes/', { name: 'book' });

    faulty.beforeNextWrite(async () => {
      await own('DELETE', 'classes/book/');
    });
    const late = await own('PATCH', 'classes/book/', { metadata: { a: 1 } });
    const again = await own('POST', 'classes/', { name: 'book' });

    expect(late.status).toBe(404);
    expect(again.body.metadata).toEqual({});
  });

  it('one of two deletions succeeds, and a recreated class is left alone', async ({
    world,
    own,
    faulty,
  }) => {
    await own('POST', 'classes/', { name: 'book' });

    faulty.beforeNextWrite(async () => {
      await own('DELETE', 'classes/book/');
    });
    const late = await own('DELETE', 'classes/book/');

    expect(late.status).toBe(404);
    expect(await classNames(world)).toEqual(['user_profile']);
  });

  it('an update whose response is lost is stored once', async ({ own, faulty }) => {
    await own('POST', 'classes/', { name: 'book' });

    faulty.failNext('answer lost');
    const lost = await own('PATCH', 'classes/book/', { schema: [{ name: 'a', type: 'text' }] });
    const read = await own('GET', 'classes/book/');

    expect(lost.status).toBe(500);
    expect(read.body).toMatchObject({ revision: 2 });
  });

  it('a creation that never arrives leaves its name free', async ({ own, faulty }) => {
    faulty.failNext('not applied');
    const failed = await own('POST', 'classes/', { name: 'book' });
    const again = await own('POST', 'classes/', { name: 'book' });

    expect([failed.status, again.status]).toEqual([500, 201]);
  });
});

describe('a class that is recreated under its name', () => {
  const fields = { name: 'book', schema: [{ name: 'a', type: 'string', unique: true }] };

  it('is empty, and objects of the former one are not accessible', async ({ world, own }) => {
    await own('POST', 'classes/', fields);
    const { body: old } = await own('POST', 'classes/book/objects/', { a: 'x' });
    await own('DELETE', 'classes/book/');
    const between = await world.api.send({ as: world.owner, path: old.links.self });
    await own('POST', 'classes/', fields);

    const page = await own('GET', 'classes/book/objects/');
    const former = await world.api.send({ as: world.owner, path: old.links.self });
    const patched = await world.api.send({
      as: world.owner,
      method: 'PATCH',
      path: old.links.self,
      body: { a: 'y' },
    });
    const same = await own('POST', 'classes/book/objects/', { a: 'x' });

    expect([between.status, between.body]).toEqual([404, noClass]);
    expect(page.body.objects).toEqual([]);
    expect([former.status, patched.status]).toEqual([404, 404]);
    expect([same.status, same.body.id > old.id]).toEqual([201, true]);
  });

  it('gets no object that was created for the former one', async ({ own, faulty }) => {
    await own('POST', 'classes/', fields);

    faulty.beforeNextWrite(async () => {
      await own('DELETE', 'classes/book/');
      await own('POST', 'classes/', fields);
    });
    const late = await own('POST', 'classes/book/objects/', { a: 'x' });
    const page = await own('GET', 'classes/book/objects/');

    expect([201, 404]).toContain(late.status);
    expect(page.body.objects).toEqual([]);
  });

  it('gets no object that was changed in the former one', async ({ world, own, faulty }) => {
    await own('POST', 'classes/', fields);
    const { body: old } = await own('POST', 'classes/book/objects/', { a: 'x' });

    faulty.beforeNextWrite(async () => {
      await own('DELETE', 'classes/book/');
      await own('POST', 'classes/', fields);
    });
    await world.api.send({
      as: world.owner,
      method: 'PATCH',
      path: old.links.self,
      body: { a: 'y' },
    });
    const page = await own('GET', 'classes/book/objects/');

    expect(page.body.objects).toEqual([]);
  });
});

/** Each test has a platform of its own: its next write is not one of a job of another test. */
async function setUp() {
  const stores: FaultyStore[] = [];
  const api = await startApi({
    wrap: (inner) => {
      const store = makeFaulty(inner);
      stores[0] = store;
      return store;
    },
  });
  const [faulty] = stores;
  if (faulty === undefined) throw new Error('no store was wrapped');
  return { api, world: await openWorld(api), faulty };
}

async function classNames(world: World): Promise<string[]> {
  const { objects } = await world.read('classes/?fields=name');
  return objects.map(({ name }: { name: string }) => name);
}
