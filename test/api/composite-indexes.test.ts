import { describe, expect } from 'vitest';
import type { IndexName, Store, Transaction } from '../../shared/store/store.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import { type Credentials, expected, plantUser, type World } from '../support/api.ts';
import {
  compositeIndexesBuilt,
  plantCompositeIndex,
  requestCompositeIndex,
} from '../support/composite-indexes.ts';
import { worldTest } from '../support/fixtures.ts';
import { storedClass } from '../support/stored-records.ts';

/*
 * Lists that often filter for equal objects in the order of another field get a composite index over both in the
 * background: their responses are the same before, during and after.
 */

const count = 500;
const pageSize = 5;

const it = worldTest({ wrap: rejectingJobs });

const fromIndex = { path: 'slot2 by composite index', keysRead: pageSize + 1 };

const indexed = { filter_index: true, order_index: true };
const schema = [
  { name: 'state', type: 'string', filter_index: true },
  { name: 'n', type: 'integer', ...indexed },
  { name: 'note', type: 'text' },
];

describe('a filter that matches one in ten, in the order of another field', () => {
  it('has a composite index after some pages, and reads one key more than it returns', async ({
    world,
  }) => {
    await fill(world, 'busy');
    const before = await list(world, 'busy');

    const after = await askOften(world, 'busy');

    expect(before.path).not.toContain('composite');
    expect(after).toEqual({ ns: before.ns, ...fromIndex });
    expect((await compositeIndexesOf(world, 'busy')).length).toBe(1);
    expect(await keysIn(world, 'busy', 'slot2')).toHaveLength(count);
  });

  it('has none after one page', async ({ world }) => {
    await fill(world, 'quiet');

    await list(world, 'quiet');
    await compositeIndexesBuilt(world);

    expect(await compositeIndexesOf(world, 'quiet')).toEqual([]);
  });

  it('has none for a user, who sees only a part', async ({ world }) => {
    await fill(world, 'private');

    const user = { key: await world.apiKey(), user: await plantUser(world, 7) };
    await askOften(world, 'private', user);

    expect(await compositeIndexesOf(world, 'private')).toEqual([]);
  });

  it('has a response also when the composite index cannot be requested, and requests it again', async ({
    api,
    world,
    store,
  }) => {
    await fill(world, 'stuck');
    const before = await list(world, 'stuck');

    store.rejectsJobs = true;
    const rejected = await askOften(world, 'stuck').finally(() => {
      store.rejectsJobs = false;
    });
    const none = await compositeIndexesOf(world, 'stuck');
    const after = await askOften(world, 'stuck');

    expect([rejected.ns, none]).toEqual([before.ns, []]);
    expect(after).toEqual({ ns: before.ns, ...fromIndex });
    const errors = api.logged.filter(({ level }) => level === 'error');
    expect(errors[0]).toMatchObject({ message: 'a composite index could not be requested' });
  });
});

describe('a class with a composite index', () => {
  const classOf = async (world: World, name: string) =>
    expected(await world.own('GET', `classes/${name}/`), 200);
  const change = async (world: World, name: string, fields: readonly object[]) =>
    expected(await world.own('PATCH', `classes/${name}/`, { schema: fields }), 200);

  it('is ready and may be changed while the composite index is built', async ({ world }) => {
    await fill(world, 'open');
    const before = await list(world, 'open');
    await plantCompositeIndex(world, 'open', { filter: 'state', order: 'n', isFilled: false });

    const { status } = await classOf(world, 'open');
    const during = await list(world, 'open');
    await change(world, 'open', [...schema, { name: 'extra', type: 'integer', ...indexed }]);
    await world.ready('open');
    const after = await list(world, 'open');

    expect(status).toBe('ready');
    expect(during.path).not.toContain('composite');
    expect([during.ns, after.ns]).toEqual([before.ns, before.ns]);
    expect(after.path).toBe('slot2 by composite index');
  });

  it('is unchanged for clients, except for their own changes', async ({ world }) => {
    await fill(world, 'same');
    const before = await classOf(world, 'same');

    await requestCompositeIndex(world, 'same', { filter: 'state', order: 'n' });
    await compositeIndexesBuilt(world);

    expect((await compositeIndexesOf(world, 'same')).length).toBe(1);
    expect(await classOf(world, 'same')).toEqual(before);
  });

  it('frees its last slot for a field that needs it', async ({ world }) => {
    const fields = Array.from({ length: 13 }, (_, at) => ({
      name: `f${at}`,
      type: 'string',
      filter_index: true,
    }));
    const full = [
      ...schema.slice(0, 1),
      ...fields,
      { name: 'n', type: 'integer', order_index: true },
    ];
    await fill(world, 'full', full);
    await requestCompositeIndex(world, 'full', { filter: 'state', order: 'updated_at' });
    await compositeIndexesBuilt(world);
    const before = await list(world, 'full', 'updated_at');

    await change(world, 'full', [...full, { name: 'late', type: 'integer', filter_index: true }]);
    await world.ready('full');
    const after = await list(world, 'full', 'updated_at');
    const late = encodeURIComponent('{"late": {"_exists": true}}');
    const found = await world.own('GET', `classes/full/objects/?query=${late}`);

    expect(before).toMatchObject({ path: 'slot15 by composite index', keysRead: pageSize + 1 });
    expect(after.ns).toEqual(before.ns);
    expect(after.path).not.toContain('composite');
    expect(await compositeIndexesOf(world, 'full')).toEqual([]);
    expect(expected(found, 200).objects).toEqual([]);
    const keys = await keysIn(world, 'full', 'slot15');
    expect([keys.length, keys.filter((key) => !key.startsWith('~'))]).toEqual([count, []]);
  });

  it.for<[string, readonly object[]]>([
    ['its filter', [{ name: 'state', type: 'string' }, ...schema.slice(1)]],
    ['its order', [schema[0] ?? {}, { name: 'n', type: 'integer', filter_index: true }]],
  ])('loses it with %s, and its slot is empty', async ([what, fields], { world }) => {
    const name = what === 'its filter' ? 'unfiltered' : 'unordered';
    await fill(world, name);
    await requestCompositeIndex(world, name, { filter: 'state', order: 'n' });
    await compositeIndexesBuilt(world);
    const before = await keysIn(world, name, 'slot2');

    await change(world, name, fields);
    await world.ready(name);

    expect(before).toHaveLength(count);
    expect(await compositeIndexesOf(world, name)).toEqual([]);
    expect(await keysIn(world, name, 'slot2')).toEqual([]);
  });

  it('finds objects of a long text by its digest, and no other', async ({ api, world }) => {
    const long = (end: string) => `${'\u{10FFFF}'.repeat(127)}${end}`;
    await world.dataClass('long', [
      { name: 'state', type: 'string', filter_index: true },
      { name: 'text', type: 'string', ...indexed },
    ]);
    await requestCompositeIndex(world, 'long', { filter: 'state', order: 'text' });
    await compositeIndexesBuilt(world);
    for (const [state, text] of ['ab', 'bc', 'aa', 'ba']) {
      const body = { state: long(state ?? ''), text: long(text ?? '') };
      expected(await world.own('POST', 'classes/long/objects/', body), 201);
    }
    api.settle();
    const query = encodeURIComponent(JSON.stringify({ state: { _eq: long('a') } }));

    const path = `classes/long/objects/?query=${query}&order_by=text`;
    const { objects } = expected(await world.own('GET', path), 200);

    const line = api.logged.findLast(({ message }) => message === 'objects listed');
    expect(objects.map(({ text }: { text: string }) => text)).toEqual([long('a'), long('b')]);
    expect(line).toMatchObject({ path: 'slot2 by composite index', keysRead: 2 });
  });
});

/** A store that can be switched to reject new jobs. */
function rejectingJobs(inner: Store) {
  const store = {
    ...inner,
    rejectsJobs: false,
    write: (transaction: Transaction) =>
      store.rejectsJobs && transaction.writes.some(({ key }) => key.pk.startsWith('WORK#'))
        ? Promise.reject(new Error('jobs are rejected'))
        : inner.write(transaction),
  };
  return store;
}

/** Creates a class of objects of ten states in turn; others may read each. */
async function fill(world: World, name: string, fields: readonly object[] = schema): Promise<void> {
  await world.dataClass(name, fields);
  const path = `${world.base}classes/${name}/objects/`;
  for (let first = 0; first < count; first += 50) {
    const requests = Array.from({ length: 50 }, (_, at) => ({
      method: 'POST',
      path,
      body: {
        state: `s${(first + at) % 10}`,
        n: ((first + at) * 7) % 501,
        other_permissions: 'read',
      },
    }));
    expected(await world.own('POST', 'batch/', { requests }), 200);
  }
}

interface Listed {
  readonly ns: readonly number[];
  /** The access path that had all objects first. */
  readonly path: string;
  readonly keysRead: number;
}

/** A page of the objects of one state. */
async function list(world: World, name: string, order = '-n', as: Credentials = world.owner) {
  world.api.settle();
  const query = encodeURIComponent('{"state": {"_eq": "s3"}}');
  const parameters = `query=${query}&order_by=${order}&page_size=${pageSize}`;
  const response = await world.call(as, 'GET', `classes/${name}/objects/?${parameters}`);
  const { objects } = expected(response, 200);
  const line = world.api.logged.findLast(({ message }) => message === 'objects listed');
  const ns = objects.map(({ n }: { readonly n: number }) => n);
  return { ns, path: line?.path, keysRead: line?.keysRead } as Listed;
}

/** Requests the same page until it has read a few thousand keys, and waits for the background jobs. */
async function askOften(world: World, name: string, as?: Credentials): Promise<Listed> {
  for (let time = 0; time < 40; time += 1) await list(world, name, '-n', as);
  await compositeIndexesBuilt(world);
  return list(world, name, '-n', as);
}

async function compositeIndexesOf(world: World, name: string) {
  return (await storedClass(world, name)).item.data.pairs ?? [];
}

/** Returns the number of objects in an index of a class. */
async function keysIn(world: World, name: string, index: IndexName): Promise<readonly string[]> {
  world.api.settle();
  const { instance, item } = await storedClass(world, name);
  const pk = objectEntity.partition(instance, item.data.number);
  return (await world.api.platform.store.query({ pk, index, limit: 1000 })).positions;
}
