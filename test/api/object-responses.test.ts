import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';

/*
 * The response for an object is built once and cached: every change of its sources must show at once, and responses
 * with omitted fields must not be mixed up in the cache.
 */

const it = newWorldTest('kept');
const schema = [
  { name: 'n', type: 'integer', filter_index: true },
  { name: 'friend', type: 'reference', target: 'self' },
  { name: 'day', type: 'datetime' },
];
const place = 'classes/kept/';
const list = `${place}objects/`;

it.beforeEach(({ world }) => world.dataClass('kept', schema));

describe('an object that was read before', () => {
  it('is the same in a list and by itself, each time', async ({ world }) => {
    const path = await shownObject(world);

    expect(await both(world, path)).toEqual(await both(world, path));
  });

  it('has its change', async ({ world }) => {
    const path = await shownObject(world);
    await world.own('PATCH', path, { n: 2, other_permissions: 'read' });

    expect(await both(world, path)).toMatchObject({ n: 2, revision: 2, other_permissions: 'read' });
  });

  it('has the current fields of its class', async ({ world }) => {
    const path = await shownObject(world);
    const later = [...schema, { name: 'more', type: 'string' }].slice(1);
    expected(await world.own('PATCH', place, { schema: later }), 200);

    const shown = await both(world, path);

    expect([Object.hasOwn(shown, 'n'), shown.more]).toEqual([false, null]);
  });

  it('has its links in the version of the request', async ({ world }) => {
    const path = await shownObject(world);
    const { links } = await both(world, path);

    const old = await readAt(world, (world.base + path).replace('/v1.1/', '/v1/'));
    const again = await both(world, path);

    expect(old.links.self).toBe(links.self.replace('/v1.1/', '/v1/'));
    expect(again.links).toEqual(links);
  });

  it('has its links below the new name of its instance', async ({ world }) => {
    const path = await shownObject(world);
    const { links } = await both(world, path);
    const renamed = await world.own('POST', 'rename/', { new_name: 'moved-1' });
    expected(renamed, 200);
    const moved = `${world.base.replace(/[^/]+\/$/, 'moved-1/')}`;

    const shown = await readAt(world, moved + path);
    await world.api.send({
      as: world.owner,
      method: 'POST',
      path: `${moved}rename/`,
      body: { new_name: world.instance },
    });

    expect(shown.links.self).toBe(links.self.replace(world.base, moved));
    expect(await both(world, path)).toMatchObject({ links });
  });

  it.for<[string, unknown]>([
    ['fields=n', ['n']],
    [
      'excluded_fields=links,day,friend,created_at,updated_at',
      expect.not.arrayContaining(['links']),
    ],
  ])('has the field projection %s, and is whole again', async ([query, names], { world }) => {
    const path = await shownObject(world);
    const whole = await both(world, path);

    const projected = (await world.read(`${list}?${query}`)).objects[0];
    const alone = await world.read(`${path}?${query}`);

    expect(Object.keys(projected)).toEqual(names);
    expect(alone).toEqual(projected);
    expect(await both(world, path)).toEqual(whole);
  });

  it('is indented, or on a page for browsers, with the same content', async ({ world }) => {
    const path = await shownObject(world);
    const whole = await both(world, path);
    const address = world.api.url + world.base + list;
    const indented = await fetch(address, {
      headers: { 'X-API-KEY': world.owner, Accept: 'application/json; indent=4' },
    });
    const page = await fetch(address, {
      headers: { 'X-API-KEY': world.owner, Accept: 'text/html' },
    });

    const text = await indented.text();

    expect(text).toContain('\n    "objects": [\n');
    expect(JSON.parse(text).objects).toEqual([whole]);
    expect(await page.text()).toContain(whole.links.self);
  });
});

describe('an object that was just written', () => {
  it.for<[string, (world: World) => Promise<object>]>([
    ['created', ({ create }) => create(list, { n: 1, day: '2024-03-01T10:00:00.000123Z' })],
    [
      'created in a batch',
      async (world) => {
        const requests = [{ method: 'POST', path: world.base + list, body: { n: -0 } }];
        const items = expected(await world.own('POST', 'batch/', { requests }), 200);
        expect(items[0].code).toBe(201);
        return items[0].content;
      },
    ],
    [
      'changed',
      async (world) => {
        const { id } = await world.create(list, { n: 1 });
        return expected(await world.own('PATCH', `${list}${id}/`, { n: 2 }), 200);
      },
    ],
  ])('is listed, when it was %s, like in its own response', async ([_, write], { world }) => {
    const written = await write(world);

    expect((await world.read(list)).objects).toEqual([written]);
  });

  it('has the fields of its class at the time of the read', async ({ world }) => {
    const { n: _, ...others } = await world.create(list, { n: 1 });

    const later = { schema: schema.slice(1) };
    expected(await world.own('PATCH', place, later), 200);

    expect((await world.read(list)).objects).toEqual([others]);
  });

  it('keeps references that an endpoint has embedded', async ({ world }) => {
    const { friend, object, embedded } = await befriended(world);

    expect(await embedded()).toEqual([friend, { ...object, friend }]);
    expect((await world.read(list)).objects).toEqual([friend, object]);
  });

  it('embeds the current state of another one, whether or not it changed itself', async ({
    world,
  }) => {
    const { friend, object, embedded } = await befriended(world);
    const change = async ({ id }: { readonly id: number }, body: object) =>
      expected(await world.own('PATCH', `${list}${id}/`, body), 200);
    await embedded();

    const changed = await change(friend, { n: 7 });
    expect(await embedded()).toEqual([changed, { ...object, friend: changed }]);
    const later = await change(object, { n: 8 });
    expect(await embedded()).toEqual([changed, { ...later, friend: changed }]);
    const alone = await change(object, { friend: null });
    expect(await embedded()).toEqual([changed, alone]);
  });

  it('is embedded for callers that may read it, and not for others', async ({ world }) => {
    const { friend, object, embedded } = await befriended(world);
    const stranger = await world.apiKey({ allow_anonymous_read: true });
    world.api.settle(); // owners of objects are found by an index

    const [, whole] = await embedded();
    const hidden = await embedded(stranger);

    expect(whole).toEqual({ ...object, friend });
    expect(hidden).toEqual([object]);
    expect(await embedded()).toEqual([friend, whole]);
  });
});

/** An object, which was listed and read once; returns its path. */
async function shownObject({ create, read }: World): Promise<string> {
  const { id } = await create(list, { n: 1 });
  await read(list);
  await read(`${list}${id}/`);
  return `${list}${id}/`;
}

async function both({ read }: World, path: string) {
  const { objects } = await read(list);
  expect(objects).toEqual([await read(path)]);
  return objects[0];
}

/** Returns what the owner reads at a path of any instance. */
async function readAt({ api, owner }: World, path: string) {
  return expected(await api.send({ as: owner, path }), 200);
}

/** An object and another one that an endpoint embeds in it. */
async function befriended({ api, base, owner, create }: World) {
  const friend = await create(list, {});
  const object = await create(list, { friend: friend.id, other_permissions: 'read' });
  await create('endpoints/data/', { name: 'with', class: 'kept', expand: 'friend' });
  const path = `${base}endpoints/data/with/get/`;
  const embedded = async (as = owner) => expected(await api.send({ as, path }), 200).objects;
  return { friend, object, embedded };
}
