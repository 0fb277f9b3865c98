import { describe, expect, it } from 'vitest';
import {
  isSameSchema,
  planStorage,
  type StoredSchema,
} from '../../shared/classes/rules/class-storage.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';

function indexed(name: string): FieldDefinition {
  return { name, type: 'string', filter_index: true };
}

const at = (storage: string, slot?: number) => ({ storage, ...(slot !== undefined && { slot }) });
const referenceTo = (target: string): FieldDefinition => ({ name: 'a', type: 'reference', target });

/** A class of three fields, two of them indexed, after its first revision. */
const first: StoredSchema = {
  schema: [indexed('a'), { name: 'b', type: 'text' }, indexed('c')],
  storage: [at('1_a', 0), at('1_b'), at('1_c', 1)],
  retiredSlots: [],
};

const many = Array.from({ length: 16 }, (_, i) => indexed(`f${i}`));
const full: StoredSchema = {
  schema: many,
  storage: many.map(({ name }, slot) => ({ storage: `1_${name}`, slot })),
  retiredSlots: [],
};

describe('the storage of values', () => {
  it.each<[string, StoredSchema | undefined, FieldDefinition[], object]>([
    [
      'a new class without indexes has no slots',
      undefined,
      [{ name: 'a', type: 'text' }],
      { storage: [at('2_a')] },
    ],
    [
      'only types with an order get a slot',
      undefined,
      [
        { name: 'a', type: 'array', filter_index: true },
        { name: 'b', type: 'relation', target: 'self', filter_index: true },
        { name: 'c', type: 'geopoint', filter_index: true },
        { name: 'd', type: 'float', order_index: true },
      ],
      { storage: [at('2_a'), at('2_b'), at('2_c', 0), at('2_d', 1)], slotsChanged: true },
    ],
    [
      'the same fields in another order keep all',
      first,
      [indexed('c'), indexed('a'), { name: 'b', type: 'text' }],
      { storage: [at('1_c', 1), at('1_a', 0), at('1_b')] },
    ],
    [
      'another type is another field',
      first,
      [indexed('a'), { name: 'b', type: 'file' }, indexed('c')],
      { storage: [at('1_a', 0), at('2_b'), at('1_c', 1)] },
    ],
    [
      'a field that loses its index keeps its values; its slot is not given again at once',
      first,
      [{ name: 'a', type: 'string' }, indexed('c'), indexed('d')],
      { storage: [at('1_a'), at('1_c', 1), at('2_d', 2)], retiredSlots: [0], slotsChanged: true },
    ],
    [
      'a slot given up earlier is not given while others are fresh',
      { schema: [], storage: [], retiredSlots: [0, 1] },
      [indexed('a')],
      { storage: [at('2_a', 2)], retiredSlots: [0, 1], slotsChanged: true },
    ],
    [
      'when none is fresh, the one given up longest ago is next',
      { ...full, schema: many.slice(2), storage: full.storage.slice(2), retiredSlots: [1, 0] },
      [...many.slice(2), indexed('g')],
      {
        storage: [...full.storage.slice(2), at('2_g', 1)],
        retiredSlots: [0],
        slotsChanged: true,
      },
    ],
    [
      'sixteen new fields for sixteen old ones',
      full,
      many.map(({ name }) => ({ name, type: 'integer', filter_index: true })),
      { storage: many.map(({ name }, slot) => at(`2_${name}`, slot)), slotsChanged: true },
    ],
    [
      'another target is another field',
      { schema: [referenceTo('book')], storage: [at('1_a')], retiredSlots: [] },
      [referenceTo('self')],
      { storage: [at('2_a')] },
    ],
    [
      'the target in another case is the same',
      { schema: [referenceTo('book')], storage: [at('1_a')], retiredSlots: [] },
      [referenceTo('Book')],
      { storage: [at('1_a')] },
    ],
  ])('%s', (_title, previous, schema, plan) => {
    const planned = planStorage(previous, schema, 2);

    const defaults = { retiredSlots: [], pairs: [], slotsChanged: false };
    expect(planned).toStrictEqual({ ...defaults, ...plan });
  });

  it.each<[string, FieldDefinition[], FieldDefinition[], boolean]>([
    ['nothing', [], [], true],
    ['the same', [indexed('a')], [indexed('a')], true],
    ['another order', [indexed('a'), indexed('b')], [indexed('b'), indexed('a')], false],
    ['one more', [indexed('a')], [indexed('a'), indexed('b')], false],
    [
      'unique false and none',
      [{ name: 'a', type: 'string', unique: false }],
      [{ name: 'a', type: 'string' }],
      false,
    ],
  ])('compares %s', (_title, a, b, isSame) => {
    expect(isSameSchema(a, b)).toBe(isSame);
  });
});
