import { describe, expect, it } from 'vitest';
import type { StoredValues } from '../../shared/classes/rules/compiled-class.ts';
import type { QueriedObject } from '../../shared/search/query/fields.ts';
import {
  compareObjects,
  compareWithCursor,
  cursorOf,
  lastValueOf,
  parseLastValue,
  parseOrder,
} from '../../shared/search/query/order.ts';
import { conditionsOf, errorOf, queryClass, slots } from '../support/query-class.ts';

const compiled = queryClass();
const order = (text?: string) => parseOrder(text, compiled);

describe('an order', () => {
  it.each<[string | undefined, object]>([
    [undefined, { field: { name: 'id' }, isDescending: false, isById: true }],
    ['id', { field: { name: 'id' }, isDescending: false, isById: true }],
    ['-id', { field: { name: 'id' }, isDescending: true, isById: true }],
    ['-created_at', { field: { name: 'created_at' }, isDescending: true, isById: true }],
    ['updated_at', { field: { name: 'updated_at' }, isDescending: false, isById: false }],
    ['sorted', { field: { name: 'sorted' }, isDescending: false, isById: false }],
    ['-string', { field: { name: 'string' }, isDescending: true, isById: false }],
  ])('%s is accepted', (text, expected) => {
    expect(order(text)).toMatchObject(expected);
  });

  const incorrect = 'Incorrect order_by parameter provided.';
  const cannotUse = 'Cannot use specified order_by field.';
  const noIndex = 'Cannot use specified order_by field. Set required index on schema first.';

  it.each([
    ['-', incorrect],
    ['--id', incorrect],
    ['+id', incorrect],
    ['Integer', incorrect],
    ['revision', cannotUse],
    ['-owner', cannotUse],
    ['owner_permissions', cannotUse],
    ['plain', noIndex],
    ['-float', noIndex],
  ])('%j is rejected', (text, detail) => {
    expect(errorOf(() => order(text))).toEqual([400, { detail }]);
  });

  it('is rejected while the index of its field is being built', () => {
    const unfilledSlots = [slots.string];
    const migrating = queryClass({ status: 'migrating', unfilledSlots });

    expect(errorOf(() => parseOrder('string', migrating))).toEqual([400, { detail: noIndex }]);
    expect(parseOrder('string', queryClass({ unfilledSlots })).field.slot).toBeUndefined();
  });
});

const moment = (day: number) => `2024-03-0${day}T10:00:00.000000Z`;

function object(id: number, values: StoredValues = {}): QueriedObject {
  const times = { created_at: moment(id), updated_at: moment(9 - id) };
  const places = { group: null, channel: null, channel_room: null };
  return { id, revision: 1, owner: 7, ...times, ...places, value: (storage) => values[storage] };
}

const objects = [
  object(1, { integer: 10, string: 'b', boolean: true }),
  object(2, { integer: 9, string: '\u{1F600}' }),
  object(3, { string: '\uFFFD', boolean: false }),
  object(4, { integer: 9, string: '' }),
  object(5, { boolean: false }),
];

describe('objects in ascending order', () => {
  it.each([
    ['id', [1, 2, 3, 4, 5]],
    ['created_at', [1, 2, 3, 4, 5]],
    ['updated_at', [5, 4, 3, 2, 1]],
    ['integer', [2, 4, 1, 3, 5]],
    ['string', [4, 1, 3, 2, 5]],
    ['boolean', [3, 5, 1, 2, 4]],
    ['-boolean', [3, 5, 1, 2, 4]],
  ])('of %s: ties by id, unset values last', (text, ids) => {
    const sorted = objects.toReversed().sort((a, b) => compareObjects(order(text), a, b));

    expect(sorted.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [{ id: 3, value: 9 }, [2], [1, 3, 4, 5]],
    [{ id: 3, value: null }, [1, 2, 4], [5]],
    [{ id: 0, value: 10 }, [2, 4], [1, 3, 5]],
  ])('are before or after a cursor %j', (cursor, before, after) => {
    const signOf = (one: QueriedObject) =>
      Math.sign(compareWithCursor(order('integer'), one, cursor));
    const idsWith = (sign: number) =>
      objects.filter((one) => signOf(one) === sign).map(({ id }) => id);

    expect([idsWith(-1), idsWith(1)]).toEqual([before, after]);
  });
});

describe('the cursor of an object', () => {
  const [first = object(1)] = objects;

  it.each([
    ['id', { id: 1, value: null }, undefined],
    ['created_at', { id: 1, value: null }, moment(1)],
    ['updated_at', { id: 1, value: moment(8) }, moment(8)],
    ['integer', { id: 1, value: 10 }, '10'],
    ['string', { id: 1, value: 'b' }, 'b'],
    ['boolean', { id: 1, value: true }, 'True'],
    ['datetime', { id: 1, value: null }, undefined],
  ])('by %s', (text, cursor, lastValue) => {
    expect(cursorOf(order(text), first)).toEqual(cursor);
    expect(compareWithCursor(order(text), first, cursor)).toBe(0);
    expect(lastValueOf(order(text), first)).toBe(lastValue);
  });

  it('has the text False for false', () => {
    expect(lastValueOf(order('boolean'), object(3, { boolean: false }))).toBe('False');
  });
});

describe('last_value', () => {
  it.each<[string, string | undefined, unknown]>([
    ['id', undefined, null],
    ['id', 'x', null],
    ['integer', undefined, null],
    ['integer', '10', 10],
    ['string', '', ''],
    ['string', '5', '5'],
    ['boolean', 'True', true],
    ['boolean', 'False', false],
    ['updated_at', moment(8), moment(8)],
    ['created_at', moment(8), null],
  ])('of %s: %j is %j', (text, lastValue, value) => {
    expect(parseLastValue(order(text), lastValue)).toBe(value);
  });

  it.each([
    ['integer', 'x'],
    ['integer', ''],
    ['string', 'x'.repeat(129)],
    ['boolean', 'true'],
    ['boolean', '1'],
    ['updated_at', '2024-03-01'],
    ['created_at', '2024-03-01'],
  ])('of %s: %j is rejected', (text, lastValue) => {
    expect(errorOf(() => parseLastValue(order(text), lastValue))).toEqual([
      400,
      { detail: 'Incorrect page parameter provided.' },
    ]);
  });

  it.each([
    ['1e3', 1000],
    ['-0.5', -0.5],
  ])('of a float: %j is %j', (text, value) => {
    const [condition] = conditionsOf({ float: { _eq: 1 } });
    if (condition === undefined) throw new Error('no condition');
    const byFloat = { field: condition.field, isDescending: false, isById: false };

    expect(parseLastValue(byFloat, text)).toBe(value);
  });
});
