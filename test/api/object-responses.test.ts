import { describe, expect, it } from 'vitest';
import { expected } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

/*
 * The response for an object is built once and cached: every change of its sources must show at once, and responses
 * with omitted fields must not be mixed up in the cache.
 */

let list: string;
const schema = [
  { name: 'n', type: 'integer', filter_index: true },
  { name: 'friend', type: 'reference', target: 'self' },
  { name: 'day', type: 'datetime' },
];

let classes = 0;

/** A class with one object, which was listed and read once. */
async function shownObject(): Promise<string> {
  const name = `kept${classes++}`;
  list = `${await world.dataClass(name, schema)}objects/`;
  const path = `classes/${name}/objects/`;
  const { id } = expected(await world.call(world.owner, 'POST', path, { n: 1 }), 201);
  await get(list);
  await get(`${list}${id}/`);
  return `${path}${id}/`;
}

async function get(path: string, headers: Record<string, string> = {}) {
  return expected(await api.send({ as: world.owner, path, headers }), 200);
}

const both = async (path: string) => {
  const { objects } = await get(list);
  expect(objects).toEqual([await get(world.base + path)]);
  return objects[0];
};

describe('an object that was read before', () => {
  it('is the same in a list and by itself, each time', async () => {
    const path = await shownObject();

    expect(await both(path)).toEqual(await both(path));
  });

  it('has its change', async () => {
    const path = await shownObject();
    await world.call(world.owner, 'PATCH', path, { n: 2, other_permissions: 'read' });

    expect(await both(path)).toMatchObject({ n: 2, revision: 2, other_permissions: 'read' });
  });

  it('has the current fields of its class', async () => {
    const path = await shownObject();
    const later = [...schema, { name: 'more', type: 'string' }].slice(1);
    const place = path.replace(/objects\/\d+\/$/, '');
    expected(await world.call(world.owner, 'PATCH', place, { schema: later }), 200);

    const shown = await both(path);

    expect([Object.hasOwn(shown, 'n'), shown.more]).toEqual([false, null]);
  });

  it('has its links in the version of the request', async () => {
    const path = await shownObject();
    const { links } = await both(path);

    const old = await get((world.base + path).replace('/v1.1/', '/v1/'));
    const again = await both(path);

    expect(old.links.self).toBe(links.self.replace('/v1.1/', '/v1/'));
    expect(again.links).toEqual(links);
  });

  it('has its links below the new name of its instance', async () => {
    const path = await shownObject();
    const { links } = await both(path);
    const renamed = await world.call(world.owner, 'POST', 'rename/', { new_name: 'moved-1' });
    expected(renamed, 200);
    const place = `${world.base.replace(/[^/]+\/$/, 'moved-1/')}`;

    const shown = await get(place + path);
    await api.send({
      as: world.owner,
      method: 'POST',
      path: `${place}rename/`,
      body: { new_name: world.instance },
    });

    expect(shown.links.self).toBe(links.self.replace(world.base, place));
    expect(await both(path)).toMatchObject({ links });
  });

  it.each([
    ['fields=n', ['n']],
    [
      'excluded_fields=links,day,friend,created_at,updated_at',
      expect.not.arrayContaining(['links']),
    ],
  ])('has the field projection %s, and is whole again', async (query, names) => {
    const path = await shownObject();
    const whole = await both(path);

    const projected = (await get(`${list}?${query}`)).objects[0];
    const alone = await get(`${world.base}${path}?${query}`);

    expect(Object.keys(projected)).toEqual(names);
    expect(alone).toEqual(projected);
    expect(await both(path)).toEqual(whole);
  });

  it('is indented, or on a page for browsers, with the same content', async () => {
    const path = await shownObject();
    const whole = await both(path);
    const indented = await fetch(api.url + list, {
      headers: { 'X-API-KEY': world.owner, Accept: 'application/json; indent=4' },
    });
    const page = await fetch(api.url + list, {
      headers: { 'X-API-KEY': world.owner, Accept: 'text/html' },
    });

    const text = await indented.text();

    expect(text).toContain('\n    "objects": [\n');
    expect(JSON.parse(text).objects).toEqual([whole]);
    expect(await page.text()).toContain(whole.links.self);
  });
});

/** A new class: its own path, and that of its objects, below the instance. */
async function emptyClass(): Promise<{ readonly place: string; readonly path: string }> {
  const name = `kept${classes++}`;
  list = `${await world.dataClass(name, schema)}objects/`;
  return { place: `classes/${name}/`, path: `classes/${name}/objects/` };
}

const create = async (path: string, body: object) =>
  expected(await world.call(world.owner, 'POST', path, body), 201);

/** An object and another one that an endpoint embeds in it. */
async function befriended() {
  const { place, path } = await emptyClass();
  const friend = await create(path, {});
  const object = await create(path, { friend: friend.id, other_permissions: 'read' });
  const name = `with-${classes}`;
  const endpoint = { name, class: place.split('/')[1], expand: 'friend' };
  await create('endpoints/data/', endpoint);
  const address = `${world.base}endpoints/data/${name}/get/`;
  const embedded = async (as = world.owner) =>
    expected(await api.send({ as, path: address }), 200).objects;
  return { path, friend, object, embedded };
}

describe('an object that was just written', () => {
  it.each<[string, (path: string) => Promise<object>]>([
    ['created', (path) => create(path, { n: 1, day: '2024-03-01T10:00:00.000123Z' })],
    [
      'created in a batch',
      async (path) => {
        const requests = [{ method: 'POST', path: world.base + path, body: { n: -0 } }];
        const items = expected(await world.call(world.owner, 'POST', 'batch/', { requests }), 200);
        expect(items[0].code).toBe(201);
        return items[0].content;
      },
    ],
    [
      'changed',
      async (path) => {
        const { id } = await create(path, { n: 1 });
        return expected(await world.call(world.owner, 'PATCH', `${path}${id}/`, { n: 2 }), 200);
      },
    ],
  ])('is listed, when it was %s, like in its own response', async (_, write) => {
    const { path } = await emptyClass();

    const written = await write(path);

    expect((await get(list)).objects).toEqual([written]);
  });

  it('has the fields of its class at the time of the read', async () => {
    const { place, path } = await emptyClass();
    const { n: _, ...others } = await create(path, { n: 1 });

    const later = { schema: schema.slice(1) };
    expected(await world.call(world.owner, 'PATCH', place, later), 200);

    expect((await get(list)).objects).toEqual([others]);
  });

  it('keeps references that an endpoint has embedded', async () => {
    const { friend, object, embedded } = await befriended();

    expect(await embedded()).toEqual([friend, { ...object, friend }]);
    expect((await get(list)).objects).toEqual([friend, object]);
  });

  it('embeds the current state of another one, whether or not it changed itself', async () => {
    const { path, friend, object, embedded } = await befriended();
    const change = async ({ id }: { readonly id: number }, body: object) =>
      expected(await world.call(world.owner, 'PATCH', `${path}${id}/`, body), 200);
    await embedded();

    const changed = await change(friend, { n: 7 });
    expect(await embedded()).toEqual([changed, { ...object, friend: changed }]);
    const later = await change(object, { n: 8 });
    expect(await embedded()).toEqual([changed, { ...later, friend: changed }]);
    const alone = await change(object, { friend: null });
    expect(await embedded()).toEqual([changed, alone]);
  });

  it('is embedded for callers that may read it, and not for others', async () => {
    const { friend, object, embedded } = await befriended();
    const stranger = await world.apiKey({ allow_anonymous_read: true });
    api.settle(); // owners of objects are found by an index

    const [, whole] = await embedded();
    const hidden = await embedded(stranger);

    expect(whole).toEqual({ ...object, friend });
    expect(hidden).toEqual([object]);
    expect(await embedded()).toEqual([friend, whole]);
  });
});
