import { describe, expect, it } from 'vitest';
import { planStorage } from '../../shared/classes/rules/class-storage.ts';
import {
  type IndexedSchema,
  planCompositeIndex,
} from '../../shared/classes/rules/composite-indexes.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';

const filtered = (name: string): FieldDefinition => ({ name, type: 'string', filter_index: true });
const ordered = (name: string): FieldDefinition => ({ name, type: 'integer', order_index: true });

/** A class of a filtered, an ordered and a plain field, and of one of each other kind. */
const first: IndexedSchema = {
  schema: [
    filtered('a'),
    ordered('b'),
    { name: 'c', type: 'text' },
    { name: 'd', type: 'array', filter_index: true },
    { name: 'e', type: 'float', filter_index: true, order_index: true },
  ],
  storage: [
    { storage: '1_a', slot: 0 },
    { storage: '1_b', slot: 1 },
    { storage: '1_c' },
    { storage: '1_d' },
    { storage: '1_e', slot: 3 },
  ],
  retiredSlots: [2],
};

const index = { slot: 4, filter: '1_a', order: '1_b' };
const slots = (from: number) => Array.from({ length: 16 - from }, (_, at) => from + at);

describe('a composite index', () => {
  it.each<[string, IndexedSchema, [string, string], number | undefined]>([
    ['of a filtered and an ordered field', first, ['1_a', '1_b'], 4],
    ['with the time of change', first, ['1_a', 'updated_at'], 4],
    ['of fields that can be both', first, ['1_e', '1_b'], 4],
    ['in addition to another one', { ...first, pairs: [index] }, ['1_e', '1_b'], 5],
    ['that is there', { ...first, pairs: [index] }, ['1_a', '1_b'], undefined],
    ['of one field', first, ['1_e', '1_e'], undefined],
    ['by a field that cannot be filtered', first, ['1_b', '1_e'], undefined],
    ['by a field without slot', first, ['1_d', '1_b'], undefined],
    ['in an order that cannot be asked for', first, ['1_e', '1_a'], undefined],
    ['of fields that are gone', first, ['1_x', '1_b'], undefined],
    ['in an order that is gone', first, ['1_a', '1_x'], undefined],
    [
      'when no slot is empty',
      { ...first, retiredSlots: [2, ...slots(4)] },
      ['1_a', '1_b'],
      undefined,
    ],
    [
      'when there are four',
      { ...first, pairs: slots(12).map((slot) => ({ slot, filter: '1_a', order: `1_${slot}` })) },
      ['1_a', '1_b'],
      undefined,
    ],
  ])('%s', (_title, schema, [filter, order], slot) => {
    const planned = planCompositeIndex(schema, { filter, order });

    expect(planned).toEqual(slot === undefined ? undefined : { slot, filter, order });
  });
});

describe('a composite index after a change of the schema', () => {
  const paired = { ...first, pairs: [index] };
  const more = (count: number) => Array.from({ length: count }, (_, at) => filtered(`f${at}`));

  it.each<[string, readonly FieldDefinition[], object]>([
    ['stays with its fields', first.schema.slice(0, 2), { pairs: [index], retiredSlots: [2, 3] }],
    [
      'stays when fields come that find other slots',
      [...first.schema, ...more(12)],
      { pairs: [index], retiredSlots: [] },
    ],
    [
      'gives its slot to the last field that finds no other',
      [...first.schema, ...more(13)],
      { pairs: [], retiredSlots: [] },
    ],
    ['goes with its filter', first.schema.slice(1), { pairs: [], retiredSlots: [2, 0, 4] }],
    [
      'goes with the index of its filter',
      [{ name: 'a', type: 'string', order_index: true }, ...first.schema.slice(1)],
      { pairs: [], retiredSlots: [2, 4] },
    ],
    [
      'goes with the index of its order',
      first.schema.map((field) =>
        field.name === 'b' ? { name: 'b', type: 'integer', filter_index: true } : field,
      ),
      { pairs: [], retiredSlots: [2, 4] },
    ],
  ])('%s', (_title, schema, expected) => {
    const planned = planStorage(paired, schema, 2);

    expect(planned).toMatchObject({ ...expected, slotsChanged: true });
    const given = [...planned.storage, ...planned.pairs].flatMap(({ slot }) => slot ?? []);
    expect(new Set([...given, ...planned.retiredSlots]).size).toBe(
      given.length + planned.retiredSlots.length,
    );
  });

  it('changes no slot when nothing else changes', () => {
    const schema = [...first.schema, { name: 'g', type: 'text' } as const];

    expect(planStorage(paired, schema, 2)).toMatchObject({ pairs: [index], slotsChanged: false });
  });
});
