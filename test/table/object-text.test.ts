import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import { membersOf, writeBody } from '../../shared/core/http/response-cache.ts';
import { createCaches } from '../../shared/core/routing/caches.ts';
import type { Context } from '../../shared/core/routing/route.ts';
import { objectBodies, wholeObject } from '../../shared/objects/show-object.ts';
import { queriedObject } from '../../shared/search/queried.ts';
import { writeJson } from '../../shared/store/exact-json.ts';
import type { Stored } from '../../shared/store/store.ts';
import { TextItem } from '../../shared/store/text-item.ts';
import { readObjectHead, readObjectValue } from '../../shared/table/records/object-text.ts';
import type { ClassData, ObjectData } from '../../shared/table/records/records.ts';

/** Objects that are shown and filtered from the text of their item, in comparison with their parsed data. */

const schema: readonly FieldDefinition[] = [
  { name: 'string', type: 'string' },
  { name: 'integer', type: 'integer' },
  { name: 'float', type: 'float' },
  { name: 'boolean', type: 'boolean' },
  { name: 'datetime', type: 'datetime' },
  { name: 'file', type: 'file' },
  { name: 'reference', type: 'reference', target: 'Author "A"' },
  { name: 'relation', type: 'relation', target: 'self' },
  { name: 'array', type: 'array' },
  { name: 'object', type: 'object' },
  { name: 'geopoint', type: 'geopoint' },
  { name: 'text', type: 'text' },
];
const classRecord: Stored<ClassData> = {
  key: { pk: 'INSTANCE#1', sk: 'CLASS#book' },
  kind: 'class',
  version: 'w1',
  // only what compiled classes and paths read
  data: {
    name: 'book',
    number: 1,
    schema,
    storage: schema.map(({ name }) => ({ storage: `3_${name}` })),
    revision: 4,
    epoch: 1,
    status: 'ready',
  } as unknown as ClassData,
};
const context = {
  version: 'v1.1',
  params: { instance: 'shop-1' },
  caches: createCaches({ address: () => 'https://files.example' }),
} as unknown as Context; // what links and compiled classes read
const list = '/v1.1/instances/shop-1/classes/book/objects/';

const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(-0));
const json = fc.oneof(fc.jsonValue(), number, fc.array(number));
const coordinate = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constant(-0));
const values = fc.record(
  {
    '3_string': fc.string({ unit: 'binary' }),
    '3_integer': fc.integer(),
    '3_float': number,
    '3_boolean': fc.boolean(),
    '3_datetime': fc.constant('2024-03-01T10:00:00.000123Z'),
    '3_file': fc.constant('public/1/2/0a.png'),
    '3_reference': fc.nat(),
    '3_relation': fc.array(fc.nat()),
    '3_array': fc.array(json),
    '3_object': fc.dictionary(fc.string(), json),
    '3_geopoint': fc.record({ longitude: coordinate, latitude: coordinate }),
    '3_text': fc.string({ unit: 'grapheme' }),
    '1_former': json,
  },
  { requiredKeys: [] },
);
const permission = fc.constantFrom('none', 'read', 'write', 'full');
const idOrNull = fc.option(fc.nat());
const name = fc.option(fc.oneof(fc.string(), fc.constant('a "b" \\')));
const data = fc
  .record({
    id: fc.nat(),
    owner: idOrNull,
    owner_permissions: permission,
    group: idOrNull,
    group_permissions: permission,
    other_permissions: permission,
    channel: name,
    channel_room: name,
    channelNumber: fc.option(idOrNull, { nil: undefined }),
    order: fc.constantFrom('as stored', 'reversed'),
    values,
  })
  .map(({ order, values: made, channelNumber, ...members }): ObjectData => {
    const entries = Object.entries(made);
    const { id, ...rights } = members;
    return {
      id,
      created_at: '2024-03-01T10:00:00.000123Z',
      updated_at: '2024-03-02T10:00:00.000123Z',
      revision: 7,
      ...rights,
      ...(channelNumber !== undefined && { channelNumber }),
      epoch: 1,
      values: Object.fromEntries(order === 'reversed' ? entries.reverse() : entries),
    } as ObjectData; // values are JSON
  });

function textItem(of: ObjectData): TextItem & { readonly data: ObjectData } {
  const head = { key: { pk: 'P', sk: `OBJECT#${of.id}` }, kind: 'object', version: 'w1' };
  return new TextItem(head, writeJson(of)) as TextItem & { readonly data: ObjectData }; // its text
}

describe('an object that was read', () => {
  it('is shown from its text as from its data', () => {
    const bodyOf = objectBodies(context, classRecord, list);
    fc.assert(
      fc.property(data, (object) => {
        const item = textItem(object);

        expect(writeBody(bodyOf(item))).toBe(
          JSON.stringify(wholeObject(context, classRecord, { data: object })),
        );
        expect(item.isParsed).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('is shown from its data when its members have another order', () => {
    const [object] = fc.sample(data, 1);
    if (object === undefined) throw new Error('no sample');
    const other = Object.fromEntries(Object.entries(object).reverse()) as unknown as ObjectData;

    const body = objectBodies(context, classRecord, list)(textItem(other));

    expect(readObjectHead(writeJson(other))).toBeUndefined();
    expect(membersOf(body)).toEqual(
      JSON.parse(JSON.stringify(wholeObject(context, classRecord, { data: object }))),
    );
  });

  it('is written once for each class and path while it is shared', () => {
    const [object] = fc.sample(data, 1);
    if (object === undefined) throw new Error('no sample');
    const item = textItem(object);
    const alone = objectBodies(context, classRecord, list)(item);
    item.share();
    const changed = { ...classRecord, version: 'w2', data: { ...classRecord.data, schema: [] } };

    const first = objectBodies(context, classRecord, list)(item);
    const again = objectBodies(context, classRecord, list)(item);
    const elsewhere = objectBodies(context, classRecord, `/v2${list}`)(item);
    const after = objectBodies(context, changed, list)(item);

    expect(first).not.toBe(alone);
    expect(again).toBe(first);
    expect(writeBody(elsewhere)).toContain(`"/v2${list}${object.id}/"`);
    expect(Object.keys(membersOf(after))).not.toContain('string');
  });

  it('has the values of its data for filters, before and after these are parsed', () => {
    fc.assert(
      fc.property(data, (object) => {
        const item = textItem(object);
        const read = () => {
          const view = queriedObject(item);
          return schema.map(({ name }) => view.value(`3_${name}`));
        };

        const [first, second] = [read(), read()];
        expect(item.isParsed).toBe(false);
        expect([first, second]).toEqual([
          schema.map(({ name }) => object.values[`3_${name}`]),
          first,
        ]);
        expect(queriedObject(item).owner).toBe(object.owner); // parses it
        expect([item.isParsed, read()]).toEqual([true, first]);
      }),
    );
  });
});

it('the value of a field is not taken from texts that look like values', () => {
  const fake = '"values":{"3_string":"fake"}';
  const text = writeJson({
    channel: fake,
    epoch: 1,
    values: { '3_text': fake, '3_string': 'real' },
  });

  expect(readObjectValue(text, '3_string')).toBe('real');
});

it('the value of a field is not taken from inside of another value', () => {
  const text = writeJson({
    epoch: 1,
    values: {
      '3_text': '3_string',
      '3_object': { 'x"3_string': 'fake', '3_string': 'fake', a: [{ '3_integer': 1 }] },
      '3_array': ['3_string', { '3_string': 'fake' }],
      '3_string': 'real',
    },
  });

  expect(readObjectValue(text, '3_string')).toBe('real');
  expect(readObjectValue(text, '3_integer')).toBeUndefined();
  expect(readObjectValue(`{"head":{}}${text}`, '3_string', '{"head":{}}'.length)).toBe('real');
});

describe('a copy of an item', () => {
  it('with other data has nothing of its text', () => {
    const [object] = fc.sample(data, 1);
    if (object === undefined) throw new Error('no sample');
    const item = textItem(object);
    objectBodies(context, classRecord, list)(item);

    const copy = { ...item, data: { ...object, revision: 8 } };

    expect(membersOf(objectBodies(context, classRecord, list)(copy))).toMatchObject({
      revision: 8,
    });
  });
});
