import { describe, expect, it } from 'vitest';
import { fieldReaders } from '../../shared/classes/rules/field-readers.ts';
import type { Json } from '../../shared/values/json/json.ts';

const maxId = 2_147_483_647;
const notArray = 'Not a valid array.';
const badMember = 'Array can only contain strings, booleans, integers and floats.';
const badIds = 'Relation can only contain integers (object ids).';
const noTarget = 'Target with specified id does not exist.';

type Type = keyof typeof fieldReaders;

describe('a value at the edge of its type', () => {
  it.each<[Type, input: unknown, value: Json]>([
    ['reference', 1, 1],
    ['reference', maxId, maxId],
    ['relation', [maxId, 1], [1, maxId]],
    ['relation', [0, 1, maxId + 1], [1]],
    ['relation', [0], null],
    ['object', ' \n{"a":1}', { a: 1 }],
    ['geopoint', { longitude: 180, latitude: -90 }, { longitude: 180, latitude: -90 }],
    ['datetime', ' {"type":"datetime","value":null}', null],
  ])('of %s: %j is %j', (type, input, value) => {
    const reading = fieldReaders[type](input, { isUpdate: false, value: undefined });

    expect(reading).toEqual({ ok: true, value });
  });

  it.each<[Type, input: unknown, message: string]>([
    ['reference', maxId + 1, noTarget],
    ['reference', -1, noTarget],
    ['object', 'a {"a":1}', 'Not a valid object.'],
    ['geopoint', { longitude: 0, latitude: 90.1 }, 'Not a valid geopoint.'],
    ['geopoint', { longitude: 0, latitude: true }, 'Not a valid geopoint.'],
  ])('of %s is exceeded: %j', (type, input, message) => {
    const reading = fieldReaders[type](input, { isUpdate: false, value: undefined });

    expect(reading).toEqual({ ok: false, messages: [message] });
  });
});

describe('an operator', () => {
  it.each<[Type, held: Json | undefined, input: unknown, value: Json]>([
    ['integer', 5, ' {"_increment":1}', 6],
    ['integer', undefined, { _increment: -1 }, -1],
    ['float', 1.5, { _increment: true }, 2.5],
    ['array', undefined, { _remove: 1 }, []],
    ['array', [1], { _add: 2, _remove: [1], _addunique: 2 }, [2]],
    ['relation', undefined, { _remove: 1 }, null],
    ['relation', [1, 2], { _add: [1], _remove: [1] }, [2]],
    ['relation', [1], { _add: [0, maxId + 1] }, [1]],
  ])('of %s %j with %j', (type, held, input, value) => {
    const reading = fieldReaders[type](input, { isUpdate: true, value: held });

    expect(reading).toEqual({ ok: true, value });
  });

  it.each<[Type, input: unknown, message: string]>([
    ['integer', { _increment: '1'.repeat(1001) }, 'String value too large.'],
    ['integer', { _increment: 'x' }, 'A valid integer is required.'],
    ['array', { _remove: null }, badMember],
    ['array', { _addunique: [{}] }, badMember],
    ['array', { _add: 1, other: 1 }, notArray],
    ['relation', { _add: 1, other: 1 }, notArray],
    ['relation', { _remove: 1.5 }, badIds],
    ['relation', { _add: null }, badIds],
  ])('of %s is rejected: %j', (type, input, message) => {
    const reading = fieldReaders[type](input, { isUpdate: true, value: undefined });

    expect(reading).toEqual({ ok: false, messages: [message] });
  });
});
