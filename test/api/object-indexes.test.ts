import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IndexName } from '../../shared/store/store.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import { expected, plantUser } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { isOn } from '../support/medium.ts';
import { storedClass } from '../support/stored-records.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

const list = 'classes/thing/objects/';
const indexed = { filter_index: true };
const schema = [
  { name: 'string', type: 'string', ...indexed },
  { name: 'integer', type: 'integer', order_index: true },
  { name: 'float', type: 'float', unique: true },
  { name: 'boolean', type: 'boolean', ...indexed },
  { name: 'datetime', type: 'datetime', ...indexed, order_index: true },
  { name: 'reference', type: 'reference', target: 'user', ...indexed },
  { name: 'plain', type: 'integer' },
  { name: 'array', type: 'array', ...indexed },
  { name: 'geopoint', type: 'geopoint', ...indexed },
];

beforeAll(async () => {
  for (const id of [7, 8, 10]) await plantUser(world, id, [3]);
});

afterEach(() => world.ready('thing')); // or it could not be deleted
beforeEach(async () => {
  await world.call(world.owner, 'DELETE', 'classes/thing/');
  await world.dataClass('thing', schema);
});

async function make(values: object): Promise<number> {
  return expected(await world.call(world.owner, 'POST', list, values), 201).id;
}
const patch = async (id: number, values: object) =>
  expected(await world.call(world.owner, 'PATCH', `${list}${id}/`, values), 200);
const remove = (id: number) => world.call(world.owner, 'DELETE', `${list}${id}/`);

/** Returns ids of the objects in an index of the class, in its order. */
async function idsIn(index: IndexName): Promise<number[]> {
  const { instance, item } = await storedClass(world, 'thing');
  const place = [instance, item.data.number] as const;
  const { items } = await objectEntity.list(api.platform.store, place, { index, limit: 1000 });
  return items.map(({ data }) => data.id);
}

/** Returns the index with the values of a field. */
function slotOf(field: string): IndexName {
  return `slot${schema.findIndex(({ name }) => name === field)}` as 'slot0'; // fields without one come last
}

/** Values in their order; null is last. */
const orders: Readonly<Record<string, readonly unknown[]>> = {
  string: [
    '',
    '\u0000',
    '\u0001',
    ' ',
    'A',
    'a',
    'a\u0000',
    'aa',
    'ab',
    '~',
    'ä',
    '\uffff',
    '😀',
    null,
  ],
  integer: [-2147483648, -10, -9, -1, 0, 1, 9, 10, 2147483647, null],
  float: [-1e308, -1.5, -1, -1e-300, 0, 5e-324, 0.1, 1, 1.5, 10, 1e308, null],
  boolean: [false, true, null],
  datetime: [
    '0001-01-01T00:00:00.0Z',
    '1999-12-31T23:59:59.999999Z',
    '2000-01-01T00:00:00Z',
    '2000-01-01T00:00:00.000001Z',
    '9999-12-31T23:59:59.0Z',
    null,
  ],
  reference: [7, 8, 10, null],
};

describe.each(Object.entries(orders))('the values of a %s', (field, values) => {
  it('are in their order from the start, null last', async () => {
    const shuffled = values.map((value, rank) => ({ value, rank })).sort(shuffle);
    const ids: number[] = [];
    for (const { value, rank } of shuffled) ids[rank] = await make({ [field]: value });

    expect(await idsIn(slotOf(field))).toEqual(ids);
  });

  it('are in their order after they were changed', async () => {
    const ids: number[] = [];
    for (const _ of values) ids.push(await make({}));
    for (const [rank, value] of [...values.entries()].reverse()) {
      await patch(ids[rank] ?? 0, { [field]: value });
    }

    expect(await idsIn(slotOf(field))).toEqual(ids);
  });
});

/** The same shuffled order each time. */
function shuffle(a: { rank: number }, b: { rank: number }): number {
  return ((a.rank * 7) % 5) - ((b.rank * 7) % 5) || b.rank - a.rank;
}

describe('an index', () => {
  it('has equal values in the order of ids, whichever was changed last', async () => {
    const ids = [await make({ string: 'b' }), await make({ string: 'a' }), await make({})];

    for (const id of [...ids].reverse()) await patch(id, { string: 'c' });

    expect(await idsIn('slot0')).toEqual(ids);
  });

  it('has every object, and no deleted one', async () => {
    const [first = 0, second = 0, third = 0] = [
      await make({ string: 'a' }),
      await make({}),
      await make({ string: 'b' }),
    ];

    await remove(first);

    for (const slot of [0, 1, 2, 3, 4, 5] as const) {
      expect(new Set(await idsIn(`slot${slot}`))).toEqual(new Set([second, third]));
    }
    expect(await idsIn('updated')).toEqual([second, third]);
  });

  it('is not created for types without an order', async () => {
    await make({ plain: 1, array: ['a'] });

    for (const slot of [7, 8, 15] as const) expect(await idsIn(`slot${slot}`)).toEqual([]);
  });

  it('of points has them in the order of their cells, from the south-west', async () => {
    const at = (longitude: number, latitude: number) => make({ geopoint: { longitude, latitude } });
    const [north, unset, west, east] = [
      await at(10, 80),
      await make({}),
      await at(-10, 1),
      await at(1, 2),
    ];

    expect(await idsIn('slot6')).toEqual([west, east, north, unset]);
  });

  it('is unchanged after a rejected write', async () => {
    const [first = 0, second = 0] = [
      await make({ string: 'a', float: 1 }),
      await make({ string: 'b', float: 2 }),
    ];

    await world.call(world.owner, 'PATCH', `${list}${first}/`, { string: 'c', float: 2 });

    expect(await idsIn('slot0')).toEqual([first, second]);
  });

  it('of times has the last changed object at its end, and not an unchanged one', async () => {
    const [first = 0, second = 0, third = 0] = [await make({}), await make({}), await make({})];

    await patch(first, { plain: 1 });
    await patch(second, {});

    expect(await idsIn('updated')).toEqual([second, third, first]);
  });

  it('of owners has the objects that have one, by owner and id', async () => {
    const [first = 0, second = 0, third = 0, fourth = 0] = [
      await make({ owner: 10 }),
      await make({ owner: 7 }),
      await make({}),
      await make({ owner: 8 }),
    ];
    const before = await idsIn('owned');

    await patch(first, { owner: null });
    await patch(third, { owner: 7 });
    await patch(second, { owner: 8 });

    expect(before).toEqual([second, fourth, first]);
    expect(await idsIn('owned')).toEqual([third, second, fourth]);
  });

  it.each<[string, object, boolean]>([
    ['nothing for others', {}, false],
    ['something for others', { other_permissions: 'read' }, true],
    ['all for others', { other_permissions: 'full' }, true],
    ['something for a group', { group: 3, group_permissions: 'read' }, true],
    ['nothing for a group', { group: 3 }, false],
    ['something for no group', { group_permissions: 'full' }, false],
    ['all for its owner', { owner: 7 }, false],
  ])('of shared objects has an object with %s: %j', async (_, rights, isShared) => {
    const made = await make(rights);
    const changed = await make({ other_permissions: isShared ? 'none' : 'read' });
    await patch(changed, { other_permissions: 'none', ...rights });

    expect(await idsIn('shared')).toEqual(isShared ? [made, changed] : []);
  });

  it('removes an object that is no longer shared, and adds it again', async () => {
    const id = await make({ group: 3, group_permissions: 'write' });

    await patch(id, { group: null });
    const apart = await idsIn('shared');
    await patch(id, { group: 3 });

    expect(apart).toEqual([]);
    expect(await idsIn('shared')).toEqual([id]);
  });
});

describe('after a change of the schema', () => {
  it('objects that are written are in the new slots and no longer in the old', async () => {
    const first = await make({ string: 'b', integer: 1, plain: 2 });
    const second = await make({ string: 'a', integer: 2, plain: 1 });
    await world.call(world.owner, 'PATCH', 'classes/thing/', {
      schema: [
        { name: 'integer', type: 'integer', order_index: true },
        { name: 'plain', type: 'integer', order_index: true },
      ],
    });

    await patch(first, { integer: 3 });
    await patch(second, { plain: 0 });
    const third = await make({ integer: 0, plain: 1 });

    expect(await idsIn('slot0')).toEqual([]);
    expect(await idsIn('slot1')).toEqual([third, second, first]);
    expect(await idsIn('slot6')).toEqual([]);
    expect(await idsIn('slot7')).toEqual([second, third, first]);
  });

  // there a changed index is built a minute later
  it.skipIf(isOn('roles'))('a field of another type has a slot of its own', async () => {
    const first = await make({ integer: 1 });
    await world.call(world.owner, 'PATCH', 'classes/thing/', {
      schema: [{ name: 'integer', type: 'string', filter_index: true }],
    });
    await world.ready('thing');

    const second = await make({ integer: 'a' });
    await patch(first, { integer: 'b' });

    expect(await idsIn('slot1')).toEqual([]);
    expect(await idsIn('slot7')).toEqual([second, first]);
  });
});
