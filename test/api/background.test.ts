import { describe, expect } from 'vitest';
import { compileClass } from '../../shared/classes/rules/compiled-class.ts';
import { indexNames } from '../../shared/store/store.ts';
import { instanceCounter } from '../../shared/table/counters.ts';
import {
  classCountEntity,
  classEntity,
  classMigrationEntity,
  objectEntity,
} from '../../shared/table/entities/classes.ts';
import { objectIndexes } from '../../shared/table/object-indexes.ts';
import { classPartitions } from '../../shared/table/partitions.ts';
import type { Api, World } from '../support/api.ts';
import { expected, openWorld, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { instanceId, storedClass } from '../support/stored-records.ts';
import { watch } from '../support/watched-store.ts';

/*
 * Effects after the response: counts, clean-up and new indexes.
 */

const it = worldTest({ wrap: watch });

const errorBody = {
  non_field_errors: ['Cannot modify class. Please wait until migration process has finished.'],
};

describe('the number of objects of a class', () => {
  it('is exact as soon as the response to a write arrives, in the detail, the list and an update', async ({
    world,
  }) => {
    await world.dataClass('counted', []);
    const seen: number[] = [];

    for (let n = 0; n < 5; n += 1) {
      await make(world, 'counted');
      seen.push((await readClass(world, 'counted')).objects_count);
    }
    const ids = await makeMany(world, 'counted', 40);
    await world.own('DELETE', `classes/counted/objects/${ids[0]}/`);
    await world.own('PATCH', `classes/counted/objects/${ids[1]}/`, { other_permissions: 'read' });

    const patched = await world.own('PATCH', 'classes/counted/', { description: 'x' });
    const list = await world.own('GET', 'classes/');
    const listed = list.body.objects.find(({ name }: { name: string }) => name === 'counted');
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect([patched.body.objects_count, listed.objects_count]).toEqual([44, 44]);
    expect((await readClass(world, 'counted')).objects_count).toBe(44);
  });
});

describe('a class that was deleted', () => {
  it('leaves no records, and its name can be reused at once', async ({ api, world }) => {
    await world.dataClass('gone', [{ name: 's', type: 'string', unique: true }]);
    await Promise.all(Array.from({ length: 250 }, (_, n) => make(world, 'gone', { s: `s${n}` })));
    const { number } = await classRecord(world, 'gone');
    const [instance, before] = [await idOf(world), (await readClass(world, 'gone')).objects_count];

    expected(await world.own('DELETE', 'classes/gone/'), 204);
    await world.dataClass('gone', []);
    await make(world, 'gone');

    const after = (await readClass(world, 'gone')).objects_count;
    await api.platform.idle();
    const sizes = await Promise.all(classPartitions(instance, number).map((pk) => sizeOf(api, pk)));
    const [count] = await api.platform.store.get([classCountEntity.key(instance, number)]);
    expect([before, after, sizes, count]).toEqual([250, 1, [0, 0, 0], undefined]);
    expect((await readClass(world, 'gone')).objects_count).toBe(1);
  });
});

describe('data endpoints of a class that was deleted', () => {
  it('are deleted, and no others', async ({ api, world }) => {
    for (const name of ['staying', 'leaving']) {
      await world.dataClass(name, []);
      await world.create('endpoints/data/', { name: `of-${name}`, class: name });
    }

    expected(await world.own('DELETE', 'classes/leaving/'), 204);
    await api.platform.idle();

    const pk = classEntity.partition(await idOf(world));
    const { items } = await api.platform.store.query({ pk, limit: 1000 });
    const left = items.filter(({ kind }) => kind.startsWith('data-endpoint'));
    expect(left.map(({ data }) => data)).toEqual([
      expect.objectContaining({ name: 'of-staying', class: 'staying' }),
      { name: 'of-staying' },
    ]);
  });
});

describe('an instance that was deleted', () => {
  it('leaves no records anywhere', async ({ api, world, store: watched }) => {
    const other = await openWorld(api, 'leaving-1');
    await plantUser(other, 7, [1]);
    await other.apiKey();
    for (const name of ['one', 'two', 'three']) {
      await other.dataClass(name, [{ name: 's', type: 'string', unique: true }], {
        metadata: { a: 1 },
      });
      for (const s of ['a', 'b']) {
        await other.own('POST', `classes/${name}/objects/`, { s });
      }
    }
    await other.own('DELETE', 'classes/two/');
    const id = await idOf(world, 'leaving-1');
    const own = (pk: string) => pk === `INSTANCE#${id}` || pk.startsWith(`INSTANCE#${id}#`);
    const before = Object.keys(await watched.dump(own)).length;

    expected(await api.send({ as: other.owner, method: 'DELETE', path: other.base }), 204);
    await api.platform.idle();

    const members = await watched.dump((pk) => pk.startsWith('ACCOUNT#'));
    const counted = await api.platform.store.next(instanceCounter(id, 'object'));
    expect(before).toBeGreaterThan(15);
    expect(await watched.dump(own)).toEqual({});
    expect(
      Object.keys(members).filter((key) => key.endsWith(String(id).padStart(10, '0'))),
    ).toEqual([]);
    expect(counted).toBe(1);
    expect(await sizeOf(api, `INSTANCE#${await idOf(world)}`)).toBeGreaterThan(0);
  });
});

describe('a class whose indexes change', () => {
  const plain = [
    { name: 'n', type: 'integer' },
    { name: 's', type: 'string' },
  ];
  const indexed = [
    { name: 'n', type: 'integer', order_index: true },
    { name: 's', type: 'string', filter_index: true },
  ];

  it('is ready at once when it is empty', async ({ world }) => {
    await world.dataClass('hollow', plain);

    const { body } = await world.own('PATCH', 'classes/hollow/', { schema: indexed });

    expect([body.status, body.revision]).toEqual(['ready', 2]);
  });

  it('migrates when it has objects, rejects changes until then, and hides new unique fields', async ({
    world,
  }) => {
    await world.dataClass('moved', plain);
    const ids = await makeMany(world, 'moved', 300);
    const schema = [...indexed, { name: 'u', type: 'string', unique: true }];

    const changed = await world.own('PATCH', 'classes/moved/', { schema });
    const refused = await Promise.all([
      world.own('PUT', 'classes/moved/', {}),
      world.own('PATCH', 'classes/moved/', { description: 'x' }),
      world.own('DELETE', 'classes/moved/'),
    ]);
    const early = await world.own('POST', 'classes/moved/objects/', { u: 'taken', n: 1 });

    expect(changed.body).toMatchObject({ status: 'migrating', revision: 2, objects_count: 300 });
    expect(refused.map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 3 }, () => [400, errorBody]),
    );
    expect(early.body).not.toHaveProperty('u');
    await world.ready('moved');
    const after = await world.own('PATCH', `classes/moved/objects/${ids[0]}/`, { u: 'taken' });
    const { wanted, found, data } = await entries(world, 'moved');
    expect(found).toEqual(wanted);
    expect(after.body).toMatchObject({ u: 'taken', revision: 2 });
    expect((await readClass(world, 'moved')).updated_at).toBe(changed.body.updated_at);
    expect([data.retiredSlots, data.unfilledSlots]).toEqual([[], undefined]);
  });

  it('shows its progress', async ({ api, world }) => {
    await world.dataClass('slow', plain);
    await makeMany(world, 'slow', 1200);
    const read = () => world.read('classes/slow/migration/');
    const before = await read();
    await world.own('PATCH', 'classes/slow/', { schema: indexed });

    const states = [await read()];
    while (states.at(-1).status === 'migrating') states.push(await read());

    const done = states.map(({ objects_done }) => objects_done);
    expect(before).toEqual({ status: 'ready', objects_count: 1200, objects_done: 1200 });
    expect(states.at(-1)).toEqual(before);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done).toContainEqual(expect.toSatisfy((some) => some > 0 && some < 1200));
    const { number } = await classRecord(world, 'slow');
    const left = await classMigrationEntity.read(api.platform.store, await idOf(world), number);
    expect(left).toBeUndefined();
  });

  it('keeps revision and time of its objects', async ({ world }) => {
    await world.dataClass('kept', plain);
    const id = await make(world, 'kept', { n: 1 });
    const before = await world.own('GET', `classes/kept/objects/${id}/`);

    await world.own('PATCH', 'classes/kept/', { schema: indexed });
    await world.ready('kept');

    expect((await world.own('GET', `classes/kept/objects/${id}/`)).body).toEqual(before.body);
  });

  it('has no wrong entry after writes during several migrations', async ({ api, world }) => {
    await world.dataClass('busy', plain);
    const ids = await makeMany(world, 'busy', 200);
    let isBusy = true;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; isBusy; turn += 1) {
        const id = ids[(writer * 37 + turn * 11) % ids.length];
        const path = `classes/busy/objects/${id}/`;
        if (turn % 5 === 0) await make(world, 'busy', { n: turn, s: `w${writer}` });
        else if (turn % 23 === 0) await world.own('DELETE', path);
        else await world.own('PATCH', path, { n: turn, s: `w${writer}-${turn}` });
      }
    });

    const states: string[] = [];
    for (const schema of [indexed, plain, indexed.slice(0, 1), indexed]) {
      states.push((await world.own('PATCH', 'classes/busy/', { schema })).body.status);
      await world.ready('busy');
    }
    isBusy = false;
    await Promise.all(writers);

    const { wanted, found, data } = await entries(world, 'busy');
    expect(states).toEqual(['migrating', 'migrating', 'migrating', 'migrating']);
    expect(found).toEqual(wanted);
    expect(data.epoch).toBe(5);
    expect(api.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

const make = async (world: World, name: string, values: object = {}): Promise<number> =>
  (await world.create(`classes/${name}/objects/`, values)).id;

const makeMany = (world: World, name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(world, name, { n, s: `s${n % 7}` })));

const readClass = (world: World, name: string) => world.read(`classes/${name}/`);

const idOf = (world: World, name = world.instance) => instanceId(world.api.platform.store, name);

const classRecord = async (world: World, name: string) =>
  (await storedClass(world, name)).item.data;

async function sizeOf(api: Api, pk: string): Promise<number> {
  return (await api.platform.store.query({ pk, limit: 1000 })).items.length;
}

/** Returns all index entries of a class's objects: the actual ones and those that the schema requires. */
async function entries(world: World, name: string) {
  const { store } = world.api.platform;
  const data = await classRecord(world, name);
  const place = [await idOf(world), data.number] as const;
  const pk = objectEntity.partition(...place);
  const { items } = await objectEntity.list(store, place, { limit: 1000 });
  const wanted = items.flatMap((item) => {
    const object = item.data;
    const keys = Object.entries(
      objectIndexes(
        compileClass(data, () => ''),
        object,
      ),
    );
    return keys.map(([index, key]) => `${index} ${key} ${item.key.sk}`);
  });
  const pages = await Promise.all(
    indexNames.map((index) => store.query({ pk, index, limit: 1000 })),
  );
  const found = pages.flatMap(({ items: stored, positions }, at) =>
    stored.map(({ key }, n) => `${indexNames[at]} ${positions[n]} ${key.sk}`),
  );
  return { wanted: wanted.sort(), found: found.sort(), data };
}
