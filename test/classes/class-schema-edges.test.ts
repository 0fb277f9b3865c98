import { describe, expect, it } from 'vitest';
import { readSchema } from '../../shared/classes/rules/class-schema.ts';
import { isSameSchema, planStorage } from '../../shared/classes/rules/class-storage.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';

const longName = 'a'.repeat(64);

/** An instance where every class exists. */
const context = { current: [], classExists: () => true, ignoredTargets: new Set<string>() };

describe('a schema at its limits', () => {
  it('has at most 32 fields', () => {
    const fields = Array.from({ length: 32 }, (_, at) => ({ name: `f${at}`, type: 'text' }));

    expect(readSchema(fields, context)).toEqual({ ok: true, value: fields });
  });

  it('has at most 16 indexes', () => {
    const fields = Array.from({ length: 16 }, (_, at) => ({
      name: `f${at}`,
      type: 'integer',
      filter_index: true,
    }));

    expect(readSchema(fields, context)).toEqual({ ok: true, value: fields });
  });

  it('has names of fields and of targets of at most 64 characters', () => {
    const reference = { name: longName, type: 'reference', target: longName };

    expect(readSchema([reference], context)).toEqual({ ok: true, value: [reference] });
  });

  it.each<[string, unknown, message: string]>([
    ['a name too long for a class', `${longName}a`, 'Class specified by target is missing.'],
    ['a number', 5, 'Invalid value of target. Expected non-empty string.'],
    ['null', null, 'Invalid value of target. Expected non-empty string.'],
  ])('has no target that is %s', (_, target, message) => {
    expect(readSchema([{ name: 'a', type: 'reference', target }], context)).toEqual({
      ok: false,
      messages: [`Error processing field definition "a" #0: ${message}`],
    });
  });
});

describe('the flag unique', () => {
  it.each<[unknown, boolean]>([
    [true, true],
    ['no', true],
    [1, true],
    [[0], true],
    [{ a: 0 }, true],
    [false, false],
    ['', false],
    [0, false],
    [[], false],
    [{}, false],
    [null, false],
  ])('%j counts as %j', (unique, isUnique) => {
    const index = isUnique ? { filter_index: true } : {};

    expect(readSchema([{ name: 'a', type: 'string', unique }], context)).toEqual({
      ok: true,
      value: [{ name: 'a', type: 'string', unique: isUnique, ...index }],
    });
  });
});

describe('two schemas', () => {
  const field: FieldDefinition = { name: 'a', type: 'reference', target: 'book' };

  it.each<[string, FieldDefinition]>([
    ['a name', { ...field, name: 'b' }],
    ['a type', { ...field, type: 'relation' }],
    ['the case of a target', { ...field, target: 'Book' }],
    ['an index for the order', { ...field, order_index: true }],
    ['an index for filters', { ...field, filter_index: true }],
    ['a flag that is false', { ...field, unique: false }],
  ])('differ in %s', (_, other) => {
    expect(isSameSchema([field], [{ ...field }])).toBe(true);
    expect(isSameSchema([field], [other])).toBe(false);
  });
});

describe('the storage of a schema', () => {
  it('has a slot for each of at most 16 indexed fields', () => {
    const fields = Array.from(
      { length: 17 },
      (_, at): FieldDefinition => ({ name: `f${at}`, type: 'integer', filter_index: true }),
    );

    const { storage } = planStorage(undefined, fields.slice(1), 1);

    expect(storage.map(({ slot }) => slot)).toEqual(Array.from({ length: 16 }, (_, at) => at));
    expect(() => planStorage(undefined, fields, 1)).toThrow(
      'a schema has more slots than there are indexes',
    );
  });
});
