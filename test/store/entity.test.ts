import { test as base, describe, expect, expectTypeOf } from 'vitest';
import { as, declareEntity, readRange, readTogether } from '../../shared/store/entity.ts';
import type { Store, Stored } from '../../shared/store/store.ts';
import {
  classCountEntity,
  classEntity,
  classFileCountEntity,
  objectEntity,
} from '../../shared/table/entities/classes.ts';
import { dataEndpointEntity } from '../../shared/table/entities/endpoints.ts';
import { pushDevicePositionEntity } from '../../shared/table/entities/push.ts';
import {
  groupEntity,
  groupNameEntity,
  userEntity,
  usernameEntity,
} from '../../shared/table/entities/users.ts';
import { idKey } from '../../shared/table/key-parts.ts';
import type { GroupData } from '../../shared/table/records/records.ts';
import { countRoundTrips } from '../support/counting-store.ts';
import { temporaryStore } from '../support/temporary.ts';
import { put, write } from './fixture.ts';

const test = base
  .extend('inner', { scope: 'file' }, temporaryStore({ now: Date.now, watches: [] }))
  .extend('store', { scope: 'file' }, ({ inner }) => setUp(inner));

test.beforeEach(({ store }) => store.reset());

const upTo12 = { upper: { key: groupEntity.key(7, 12).sk, inclusive: true } };
const idsOf = (items: readonly Stored<{ readonly id: number }>[]) =>
  items.map(({ data }) => data.id);

describe('a list', () => {
  test('contains the items of its prefix, in order, and no others', async ({ store }) => {
    const { items, last } = await groupEntity.list(store, [7], { ...upTo12, limit: 10 });
    expect([idsOf(items), last]).toEqual([[1, 2, 3, 12], undefined]);
    expect(store.calls).toBe(1);
    expectTypeOf(items).toEqualTypeOf<readonly Stored<GroupData>[]>();
  });

  test('of several in a partition contains its own items', async ({ store }) => {
    const rowsOf = async (user: number | undefined) => {
      const rows = await pushDevicePositionEntity.listAll(store, [7, 'gcm', user]);
      return rows.map(({ data }) => data);
    };
    expect(await rowsOf(undefined)).toEqual([{ row: 1 }, { row: 2 }]);
    expect(await rowsOf(1)).toEqual([{ row: 3 }]);
    expect(await rowsOf(2)).toEqual([]);
  });

  test.for<[string, boolean, number[]]>([
    ['up', false, [1, 2, 3, 12]],
    ['down', true, [12, 3, 2, 1]],
  ])('continues after its last position, %s', async ([_, descending, expected], { store }) => {
    const found: number[] = [];
    let after: string | undefined;
    do {
      const part = { ...upTo12, after, descending, limit: 3 };
      const { items, last } = await groupEntity.list(store, [7], part);
      found.push(...idsOf(items));
      after = last;
    } while (after !== undefined);
    expect(found).toEqual(expected);
    expect(store.calls).toBe(2);
  });

  test('starts at a lower bound', async ({ store }) => {
    const lower = { key: groupEntity.key(7, 2).sk, inclusive: false };
    const { items } = await groupEntity.list(store, [7], { ...upTo12, lower, limit: 10 });
    expect(idsOf(items)).toEqual([3, 12]);
  });

  test('is read in the order of an index, after a position of it', async ({ store }) => {
    const first = await objectEntity.list(store, [7, 1], { index: 'slot0', limit: 2 });
    expect(idsOf(first.items)).toEqual([3, 2]);
    expect(first.last).toBe(first.positions[1]);
    const next = { index: 'slot0', after: first.last, limit: 2 } as const;
    const rest = await objectEntity.list(store, [7, 1], next);
    expect([idsOf(rest.items), rest.last]).toEqual([[1], undefined]);
  });

  test('with an item of another kind is an internal error', async ({ store }) => {
    const wrong = 'found data-endpoint where group belongs';
    await expect(groupEntity.list(store, [7], { limit: 10 })).rejects.toThrow(wrong);
    await expect(groupEntity.listAll(store, [7])).rejects.toThrow(wrong);
  });
});

test('a range is read whatever the kinds of its items', async ({ store }) => {
  const items = await readRange(store, classCountEntity.range(7));
  expect(items.filter(classCountEntity.matches).map(({ data }) => data.count)).toEqual([4]);
  expect(items.filter(classFileCountEntity.matches).map(({ data }) => data.count)).toEqual([2]);
  expect(items).toHaveLength(2);
});

describe('items', () => {
  test('are read in one step, in the order of their keys', async ({ store }) => {
    const found = await userEntity.readAll(
      store,
      [2, 9, 1].map((id) => [7, id]),
    );
    expect(found.map((item) => item?.data.id)).toEqual([2, undefined, 1]);
    expect(store.calls).toBe(1);
  });

  test('of several kinds are read in one step, under their names', async ({ store }) => {
    const { name, users, none, group } = await readTogether(store, {
      name: usernameEntity.at(7, 'ann'),
      users: [2, 9, 1].map((id) => userEntity.at(7, id)),
      none: [],
      group: groupEntity.at(7, 3),
    });
    expect(name?.data.user).toBe(1);
    expect(users.map((item) => item?.data.id)).toEqual([2, undefined, 1]);
    expect(none).toEqual([]);
    expect(group?.data.id).toBe(3);
    expect(store.calls).toBe(1);
    expectTypeOf(group).toEqualTypeOf<Stored<GroupData> | undefined>();
  });

  test('are not read where there are no keys', async ({ store }) => {
    expect(await userEntity.readAll(store, [])).toEqual([]);
    expect(await readTogether(store, { users: [] })).toEqual({ users: [] });
    expect(store.calls).toBe(0);
  });

  test('of another kind are an internal error', async ({ store }) => {
    const wrong = 'found data-endpoint where group belongs';
    await expect(groupEntity.read(store, 7, 99)).rejects.toThrow(wrong);
    await expect(
      groupEntity.readAll(store, [
        [7, 1],
        [7, 99],
      ]),
    ).rejects.toThrow(wrong);
    const all = { user: userEntity.at(7, 1), group: groupEntity.at(7, 99) };
    await expect(readTogether(store, all)).rejects.toThrow(wrong);
    const [item] = await store.get([groupEntity.key(7, 99)]);
    expect(() => as(groupEntity, item)).toThrow(wrong);
  });
});

test('keys are made by functions with a fixed number of parameters', () => {
  const byId = (id: number) => String(id);

  // @ts-expect-error a default
  declareEntity('wrong').keyed((instance = 0) => `P${instance}`, 'A#', byId, {});
  // @ts-expect-error a rest parameter
  declareEntity('wrong').keyed((...instances: number[]) => instances.join(), 'A#', byId, {});
  // @ts-expect-error a default
  declareEntity('wrong').keyed(byId, (id: number, kind = '') => `A#${id}${kind}`, byId, {});

  expect(declareEntity('right').keyed(byId, 'A#', byId, {}).key(1, 2)).toEqual({
    pk: '1',
    sk: 'A#2',
  });
});

/** Returns a store with items of several kinds that counts its calls. */
async function setUp(inner: Store) {
  const store = countRoundTrips(inner);
  const planted = [
    ...[1, 2, 3, 12].map((id) => [groupEntity, groupEntity.key(7, id), { id }] as const),
    [groupEntity, groupEntity.key(70, 5), { id: 5 }] as const,
    [groupNameEntity, groupNameEntity.key(7, 'staff'), { group: 1 }] as const,
    [classCountEntity, classCountEntity.key(7, 1), { count: 4 }] as const,
    [classFileCountEntity, classFileCountEntity.key(7, 1), { count: 2 }] as const,
    ...['a', 'b'].map((name) => [classEntity, classEntity.key(7, name), { name }] as const),
    ...[1, 2].map((id) => [userEntity, userEntity.key(7, id), { id }] as const),
    [usernameEntity, usernameEntity.key(7, 'ann'), { user: 1 }] as const,
    [dataEndpointEntity, groupEntity.key(7, 99), { name: 'no group' }] as const,
    ...[1, 2].map(
      (row) =>
        [
          pushDevicePositionEntity,
          pushDevicePositionEntity.key(7, 'gcm', undefined, row),
          { row },
        ] as const,
    ),
    [pushDevicePositionEntity, pushDevicePositionEntity.key(7, 'gcm', 1, 3), { row: 3 }] as const,
  ];
  await write(store, ...planted.map(([{ kind }, key, data]) => put(key, { kind, data })));
  await write(
    store,
    ...[1, 2, 3].map((id) =>
      put(objectEntity.key(7, 1, id), {
        kind: objectEntity.kind,
        data: { id },
        indexes: { slot0: `${9 - id}\u0000${idKey(id)}` },
      }),
    ),
  );
  return store;
}
