import { describe, expect, it } from 'vitest';
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
import { expected, openWorld, plantUser } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { instanceId, storedClass } from '../support/stored-records.ts';
import { type WatchedStore, watch } from '../support/watched-store.ts';
import { useWorld, world } from '../support/world-fixture.ts';

/*
 * Effects after the response: counts, clean-up and new indexes.
 */

let watched: WatchedStore;

useWorld({
  wrap: (store) => {
    watched = watch(store);
    return watched;
  },
});

const call = (method: string, path: string, body?: unknown) =>
  world.call(world.owner, method, path, body);
const make = async (name: string, values: object = {}): Promise<number> =>
  expected(await call('POST', `classes/${name}/objects/`, values), 201).id;
const makeMany = (name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(name, { n, s: `s${n % 7}` })));
const readClass = async (name: string) => expected(await call('GET', `classes/${name}/`), 200);

const idOf = (name = world.instance) => instanceId(api.platform.store, name);
const classRecord = async (name: string) => (await storedClass(world, name)).item.data;

async function sizeOf(pk: string): Promise<number> {
  return (await api.platform.store.query({ pk, limit: 1000 })).items.length;
}

describe('the number of objects of a class', () => {
  it('is exact as soon as the response to a write arrives, in the detail, the list and an update', async () => {
    await world.dataClass('counted', []);
    const seen: number[] = [];

    for (let n = 0; n < 5; n += 1) {
      await make('counted');
      seen.push((await readClass('counted')).objects_count);
    }
    const ids = await makeMany('counted', 40);
    await call('DELETE', `classes/counted/objects/${ids[0]}/`);
    await call('PATCH', `classes/counted/objects/${ids[1]}/`, { other_permissions: 'read' });

    const patched = await call('PATCH', 'classes/counted/', { description: 'x' });
    const list = await call('GET', 'classes/');
    const listed = list.body.objects.find(({ name }: { name: string }) => name === 'counted');
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect([patched.body.objects_count, listed.objects_count]).toEqual([44, 44]);
    expect((await readClass('counted')).objects_count).toBe(44);
  });
});

describe('a class that was deleted', () => {
  it('leaves no records, and its name can be reused at once', async () => {
    await world.dataClass('gone', [{ name: 's', type: 'string', unique: true }]);
    await Promise.all(Array.from({ length: 250 }, (_, n) => make('gone', { s: `s${n}` })));
    const { number } = await classRecord('gone');
    const [instance, before] = [await idOf(), (await readClass('gone')).objects_count];

    expected(await call('DELETE', 'classes/gone/'), 204);
    await world.dataClass('gone', []);
    await make('gone');

    const after = (await readClass('gone')).objects_count;
    await api.platform.idle();
    const sizes = await Promise.all(classPartitions(instance, number).map(sizeOf));
    const [count] = await api.platform.store.get([classCountEntity.key(instance, number)]);
    expect([before, after, sizes, count]).toEqual([250, 1, [0, 0, 0], undefined]);
    expect((await readClass('gone')).objects_count).toBe(1);
  });
});

describe('data endpoints of a class that was deleted', () => {
  it('are deleted, and no others', async () => {
    for (const name of ['staying', 'leaving']) {
      await world.dataClass(name, []);
      expected(await call('POST', 'endpoints/data/', { name: `of-${name}`, class: name }), 201);
    }

    expected(await call('DELETE', 'classes/leaving/'), 204);
    await api.platform.idle();

    const pk = classEntity.partition(await idOf());
    const { items } = await api.platform.store.query({ pk, limit: 1000 });
    const left = items.filter(({ kind }) => kind.startsWith('data-endpoint'));
    expect(left.map(({ data }) => data)).toEqual([
      expect.objectContaining({ name: 'of-staying', class: 'staying' }),
      { name: 'of-staying' },
    ]);
  });
});

describe('an instance that was deleted', () => {
  it('leaves no records anywhere', async () => {
    const other = await openWorld(api, 'leaving-1');
    await plantUser(other, 7, [1]);
    await other.apiKey();
    for (const name of ['one', 'two', 'three']) {
      await other.dataClass(name, [{ name: 's', type: 'string', unique: true }], {
        metadata: { a: 1 },
      });
      for (const s of ['a', 'b']) {
        await other.call(other.owner, 'POST', `classes/${name}/objects/`, { s });
      }
    }
    await other.call(other.owner, 'DELETE', 'classes/two/');
    const id = await idOf('leaving-1');
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
    expect(await sizeOf(`INSTANCE#${await idOf()}`)).toBeGreaterThan(0);
  });
});

const errorBody = {
  non_field_errors: ['Cannot modify class. Please wait until migration process has finished.'],
};

/** Returns all index entries of a class's objects: the actual ones and those that the schema requires. */
async function entries(name: string) {
  const { store } = api.platform;
  const data = await classRecord(name);
  const place = [await idOf(), data.number] as const;
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

describe('a class whose indexes change', () => {
  const plain = [
    { name: 'n', type: 'integer' },
    { name: 's', type: 'string' },
  ];
  const indexed = [
    { name: 'n', type: 'integer', order_index: true },
    { name: 's', type: 'string', filter_index: true },
  ];

  it('is ready at once when it is empty', async () => {
    await world.dataClass('hollow', plain);

    const { body } = await call('PATCH', 'classes/hollow/', { schema: indexed });

    expect([body.status, body.revision]).toEqual(['ready', 2]);
  });

  it('migrates when it has objects, rejects changes until then, and hides new unique fields', async () => {
    await world.dataClass('moved', plain);
    const ids = await makeMany('moved', 300);
    const schema = [...indexed, { name: 'u', type: 'string', unique: true }];

    const changed = await call('PATCH', 'classes/moved/', { schema });
    const refused = await Promise.all([
      call('PUT', 'classes/moved/', {}),
      call('PATCH', 'classes/moved/', { description: 'x' }),
      call('DELETE', 'classes/moved/'),
    ]);
    const early = await call('POST', 'classes/moved/objects/', { u: 'taken', n: 1 });

    expect(changed.body).toMatchObject({ status: 'migrating', revision: 2, objects_count: 300 });
    expect(refused.map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 3 }, () => [400, errorBody]),
    );
    expect(early.body).not.toHaveProperty('u');
    await world.ready('moved');
    const after = await call('PATCH', `classes/moved/objects/${ids[0]}/`, { u: 'taken' });
    const { wanted, found, data } = await entries('moved');
    expect(found).toEqual(wanted);
    expect(after.body).toMatchObject({ u: 'taken', revision: 2 });
    expect((await readClass('moved')).updated_at).toBe(changed.body.updated_at);
    expect([data.retiredSlots, data.unfilledSlots]).toEqual([[], undefined]);
  });

  it('shows its progress', async () => {
    await world.dataClass('slow', plain);
    await makeMany('slow', 1200);
    const read = async () => expected(await call('GET', 'classes/slow/migration/'), 200);
    const before = await read();
    await call('PATCH', 'classes/slow/', { schema: indexed });

    const states = [await read()];
    while (states.at(-1).status === 'migrating') states.push(await read());

    const done = states.map(({ objects_done }) => objects_done);
    expect(before).toEqual({ status: 'ready', objects_count: 1200, objects_done: 1200 });
    expect(states.at(-1)).toEqual(before);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done).toContainEqual(expect.toSatisfy((some) => some > 0 && some < 1200));
    const { number } = await classRecord('slow');
    const left = await classMigrationEntity.read(api.platform.store, await idOf(), number);
    expect(left).toBeUndefined();
  });

  it('keeps revision and time of its objects', async () => {
    await world.dataClass('kept', plain);
    const id = await make('kept', { n: 1 });
    const before = await call('GET', `classes/kept/objects/${id}/`);

    await call('PATCH', 'classes/kept/', { schema: indexed });
    await world.ready('kept');

    expect((await call('GET', `classes/kept/objects/${id}/`)).body).toEqual(before.body);
  });

  it('has no wrong entry after writes during several migrations', async () => {
    await world.dataClass('busy', plain);
    const ids = await makeMany('busy', 200);
    let isBusy = true;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; isBusy; turn += 1) {
        const id = ids[(writer * 37 + turn * 11) % ids.length];
        const path = `classes/busy/objects/${id}/`;
        if (turn % 5 === 0) await make('busy', { n: turn, s: `w${writer}` });
        else if (turn % 23 === 0) await call('DELETE', path);
        else await call('PATCH', path, { n: turn, s: `w${writer}-${turn}` });
      }
    });

    const states: string[] = [];
    for (const schema of [indexed, plain, indexed.slice(0, 1), indexed]) {
      states.push((await call('PATCH', 'classes/busy/', { schema })).body.status);
      await world.ready('busy');
    }
    isBusy = false;
    await Promise.all(writers);

    const { wanted, found, data } = await entries('busy');
    expect(states).toEqual(['migrating', 'migrating', 'migrating', 'migrating']);
    expect(found).toEqual(wanted);
    expect(data.epoch).toBe(5);
    expect(api.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
