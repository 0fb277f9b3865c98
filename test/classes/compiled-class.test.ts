import { describe, expect, it } from 'vitest';
import {
  type ClassShape,
  changedFields,
  compileClass,
  isTooLarge,
  type StoredValues,
  showValues,
} from '../../shared/classes/rules/compiled-class.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import { fileNamesOf } from '../../shared/classes/rules/file-names.ts';
import type { Json } from '../../shared/values/json/json.ts';

const filesAt = () => 'https://files.example';

/** A class in its fourth revision: the unique field `code` came with it. */
const shop: ClassShape = {
  schema: [
    { name: 'title', type: 'string', filter_index: true },
    { name: 'price', type: 'float', order_index: true },
    { name: 'photo', type: 'file' },
    { name: 'serial', type: 'string', filter_index: true, unique: true },
    { name: 'code', type: 'string', filter_index: true, unique: true },
    { name: 'shelf', type: 'integer', filter_index: true, unique: false },
  ],
  storage: [
    { storage: '1_title', slot: 2 },
    { storage: '1_price', slot: 0 },
    { storage: '2_photo' },
    { storage: '3_serial', slot: 3 },
    { storage: '4_code', slot: 4 },
    { storage: '4_shelf', slot: 5 },
  ],
  revision: 4,
  epoch: 7,
};

function compile(changes: Partial<ClassShape> = {}) {
  return compileClass({ ...shop, ...changes }, filesAt);
}

/** Compiles a class with one field, stored as `1_<name>`. */
function compileField(field: FieldDefinition) {
  const storage = [{ storage: `1_${field.name}` }];
  return compileClass({ schema: [field], storage, revision: 1, epoch: 1 }, filesAt);
}

const names = (fields: readonly { readonly name: string }[]) => fields.map(({ name }) => name);

describe('a compiled class', () => {
  it('has its fields in schema order, and those with a slot and with unique values', () => {
    const { revision, epoch, fields, indexed, unique, storageNames, compositeIndexes } = compile();

    expect([revision, epoch]).toEqual([4, 7]);
    expect(names(fields)).toEqual(['title', 'price', 'photo', 'serial', 'code', 'shelf']);
    expect(names(indexed)).toEqual(['title', 'price', 'serial', 'code', 'shelf']);
    expect(names(unique)).toEqual(['serial', 'code']);
    expect([...storageNames]).toEqual([
      '1_title',
      '1_price',
      '2_photo',
      '3_serial',
      '4_code',
      '4_shelf',
    ]);
    expect(fileNamesOf(shop)).toEqual(['2_photo']);
    expect(compositeIndexes).toEqual([]);
  });

  it('has a field with its definition, storage and slot', () => {
    const [title, , photo] = compile().fields;

    expect(title).toMatchObject({
      definition: { name: 'title', type: 'string', filter_index: true },
      name: 'title',
      type: 'string',
      storage: '1_title',
      slot: 2,
      index: 'filled',
    });
    expect(photo).toMatchObject({ storage: '2_photo', slot: undefined, index: 'filled' });
  });

  it('needs the storage of every field', () => {
    const storage = shop.storage.slice(0, 5);

    expect(() => compile({ storage })).toThrow('field shelf has no storage');
  });

  it('has files in former file fields until they are deleted', () => {
    expect(fileNamesOf({ ...shop, retiredFiles: ['1_scan'] })).toEqual(['2_photo', '1_scan']);
  });
});

describe('the index of a field', () => {
  it.each<[string, Partial<ClassShape>, object]>([
    ['holds every object', {}, { title: 'filled', photo: 'filled' }],
    [
      'lacks older objects in an unfilled slot',
      { unfilledSlots: [2] },
      { title: 'unfilled', photo: 'filled' },
    ],
    [
      'lacks older objects in an unfilled slot of a class that is ready',
      { unfilledSlots: [2], status: 'ready' },
      { title: 'unfilled', photo: 'filled' },
    ],
    [
      'is being built in an unfilled slot of a class that is migrating',
      { unfilledSlots: [2], status: 'migrating' },
      { title: 'building', photo: 'filled' },
    ],
    [
      'holds every object in another slot of a class that is migrating',
      { unfilledSlots: [0], status: 'migrating' },
      { title: 'filled', photo: 'filled' },
    ],
  ])('%s', (_, changes, states) => {
    const { fields } = compile(changes);

    const found = Object.fromEntries(fields.map(({ name, index }) => [name, index]));

    expect(found).toMatchObject(states);
  });
});

describe('a new unique field', () => {
  it('is hidden while the class is migrating, but objects have its index keys', () => {
    const { fields, indexed, unique, storageNames } = compile({ status: 'migrating' });

    expect(names(fields)).toEqual(['title', 'price', 'photo', 'serial', 'shelf']);
    expect(names(indexed)).toEqual(['title', 'price', 'serial', 'code', 'shelf']);
    expect(names(unique)).toEqual(['serial']);
    expect(storageNames.has('4_code')).toBe(false);
  });

  it('is not one whose revision only begins with the same digit', () => {
    const storage = [...shop.storage.slice(0, 4), { storage: '40_code', slot: 4 }];
    const { fields } = compile({
      status: 'migrating',
      storage: [...storage, { storage: '4_shelf', slot: 5 }],
    });

    expect(names(fields)).toContain('code');
  });

  it('is shown when the class is ready', () => {
    expect(names(compile({ status: 'ready' }).fields)).toContain('code');
  });
});

describe('a composite index', () => {
  const byPrice = { slot: 8, filter: '1_title', order: '1_price' };
  const byChange = { slot: 9, filter: '3_serial', order: 'updated_at' };

  it('has the fields of its storage names; the time of the last change is no field', () => {
    const { compositeIndexes } = compile({ pairs: [byPrice, byChange], unfilledSlots: [9] });

    expect(compositeIndexes).toMatchObject([
      { slot: 8, filter: { name: 'title' }, order: { name: 'price' }, isFilled: true },
      { slot: 9, filter: { name: 'serial' }, order: undefined, isFilled: false },
    ]);
  });

  it('may have a hidden field', () => {
    const { compositeIndexes } = compile({
      status: 'migrating',
      pairs: [{ ...byPrice, filter: '4_code' }],
    });

    expect(compositeIndexes).toMatchObject([{ filter: { name: 'code' } }]);
  });

  it.each([
    ['filter', { ...byPrice, filter: '1_gone' }, '1_gone and 1_price'],
    ['order', { ...byPrice, order: '1_gone' }, '1_title and 1_gone'],
    ['filter with a slot', { ...byPrice, filter: '2_photo' }, '2_photo and 1_price'],
    [
      'filter by the time of the last change',
      { ...byChange, filter: '1_gone' },
      '1_gone and updated_at',
    ],
  ])('needs its %s', (_, index, both) => {
    expect(() => compile({ pairs: [index] })).toThrow(
      `the composite index of ${both} lacks a field`,
    );
  });
});

const key = `public/1/2/${'0a'.repeat(20)}.png`;
const address = `https://files.example/1/2/${'0a'.repeat(20)}.png`;
const point = { longitude: 1.5, latitude: -2 };
const time = '2024-03-01T10:00:00.100000Z';

describe('a value in an object', () => {
  it.each<[FieldDefinition, stored: Json, shown: Json]>([
    [{ name: 'f', type: 'string' }, 'a', 'a'],
    [{ name: 'f', type: 'text' }, '', ''],
    [{ name: 'f', type: 'integer' }, 0, 0],
    [{ name: 'f', type: 'float' }, 1.5, 1.5],
    [{ name: 'f', type: 'boolean' }, false, false],
    [{ name: 'f', type: 'array' }, [1, 'a', true], [1, 'a', true]],
    [{ name: 'f', type: 'object' }, { type: 'x' }, { type: 'x' }],
    [{ name: 'f', type: 'datetime' }, time, { type: 'datetime', value: time }],
    [{ name: 'f', type: 'file' }, key, { type: 'file', value: address }],
    [
      { name: 'f', type: 'reference', target: 'Author' },
      7,
      { type: 'reference', target: 'Author', value: 7 },
    ],
    [
      { name: 'f', type: 'relation', target: 'self' },
      [1, 2],
      { type: 'relation', target: 'self', value: [1, 2] },
    ],
    [{ name: 'f', type: 'geopoint' }, point, { type: 'geopoint', ...point }],
  ])('%j: %j', (field, stored, shown) => {
    const compiled = compileField(field);

    expect(showValues(compiled, { '1_f': stored })).toEqual({ f: shown });
    expect(showValues(compiled, { '2_f': stored })).toEqual({ f: null });
  });

  it('comes after those that are there', () => {
    const into = { id: 1 };

    const shown = showValues(compile(), { '1_price': 2 }, into);

    expect(shown).toBe(into);
    expect(Object.entries(shown).slice(0, 3)).toEqual([
      ['id', 1],
      ['title', null],
      ['price', 2],
    ]);
  });

  it('of a file is read back from its address', () => {
    const [file] = compileField({ name: 'f', type: 'file' }).fields;
    const held = { isUpdate: false, value: undefined };

    const readings = [address, { type: 'file', value: null }, 5].map((input) =>
      file?.read(input, held),
    );

    expect(readings).toEqual([
      { ok: true, value: key },
      { ok: true, value: null },
      {
        ok: false,
        messages: ['The submitted data was not a file. Check the encoding type on the form.'],
      },
    ]);
  });
});

describe('the size of an object', () => {
  /** 32,768 bytes without the object itself, and without a field stored as `1_f`. */
  const room = 32_768 - 103 - 6 - 3;
  const plain = (length: number) => 'x'.repeat(length);
  const string: FieldDefinition = { name: 'f', type: 'text' };
  const object: FieldDefinition = { name: 'f', type: 'object' };
  const array: FieldDefinition = { name: 'f', type: 'array' };

  it.each<[string, FieldDefinition, Json, isOver: boolean]>([
    ['text that fits', string, plain(room), false],
    ['one character more', string, plain(room + 1), true],
    ['text of two bytes each that fits', string, 'ä'.repeat(room / 2), false],
    ['one of them more', string, 'ä'.repeat(room / 2 + 1), true],
    ['text counts without escapes', string, '"'.repeat(room), false],
    ['an object that fits as JSON', object, { a: plain(room - '{"a":""}'.length) }, false],
    ['a JSON character more', object, { a: plain(room - '{"a":""}'.length + 1) }, true],
    ['escapes of JSON count', object, { a: '\u0001'.repeat(room / 6) }, true],
    ['escapes in keys count', object, { ['\u0001'.repeat(room / 6)]: 1 }, true],
    ['null and numbers count', object, { a: plain(room - 20), b: null, c: 1.25 }, true],
    ['a list that fits', array, [plain(room - '["",true]'.length), true], false],
    ['a list that does not', array, [plain(room - '["",true]'.length + 1), true], true],
    ['a file counts as 78, not as its key', { name: 'f', type: 'file' }, plain(40_000), false],
  ])('%s', (_, field, value, isOver) => {
    expect(isTooLarge(compileField(field), { '1_f': value })).toBe(isOver);
  });

  it('counts 103, and 6, the storage name and the value of each field', () => {
    const fields: FieldDefinition[] = [string, { name: 'photo', type: 'file' }];
    const storage = [{ storage: '1_f' }, { storage: '1_photo' }];
    const compiled = compileClass({ schema: fields, storage, revision: 1, epoch: 1 }, filesAt);
    const left = room - 6 - '1_photo'.length - 78;

    expect(isTooLarge(compiled, { '1_f': plain(left), '1_photo': key })).toBe(false);
    expect(isTooLarge(compiled, { '1_f': plain(left + 1), '1_photo': key })).toBe(true);
  });

  it('ignores values without a field', () => {
    expect(isTooLarge(compileField(string), { '2_gone': plain(40_000) })).toBe(false);
  });
});

describe('the fields that differ', () => {
  it.each<[string, StoredValues, StoredValues, readonly string[]]>([
    ['none', { '1_title': 'a' }, { '1_title': 'a' }, []],
    ['one that changed', { '1_title': 'a' }, { '1_title': 'b' }, ['title']],
    [
      'those set and unset, in schema order',
      { '4_code': 'a' },
      { '1_price': 1 },
      ['price', 'code'],
    ],
    ['none for a value without a field', { '1_gone': 1 }, {}, []],
  ])('%s', (_, before, after, changed) => {
    expect(names(changedFields(compile(), before, after))).toEqual(changed);
  });
});
