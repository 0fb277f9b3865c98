import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemberReader } from '../../shared/values/json/member-reader.ts';

/** Reads all members of an object from its JSON. */
function read(text: string, at = 1): [name: string, value: string][] {
  const members = new MemberReader(text, at);
  const found: [string, string][] = [];
  while (members.next()) found.push([members.name, members.value]);
  return found;
}

it('reads the members of any object, each with its own JSON', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const expected = Object.entries(object).map(([name, value]) => [
        JSON.stringify(name).slice(1, -1),
        JSON.stringify(value),
      ]);

      expect(read(JSON.stringify(object))).toEqual(expected);
    }),
  );
});

it.each([
  [
    String.raw`{"a\"":"\\","b":"\\\""}`,
    [
      [String.raw`a\"`, String.raw`"\\"`],
      ['b', String.raw`"\\\""`],
    ],
  ],
  [
    '{"a":{"b":["}",{"c":"]"}]},"d":[]}',
    [
      ['a', '{"b":["}",{"c":"]"}]}'],
      ['d', '[]'],
    ],
  ],
  ['{}', []],
])('reads %s', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

it('begins at a position and ends with the object there', () => {
  expect(read('{"a":1,"values":{"b":2,"c":null},"d":3}', 17)).toEqual([
    ['b', '2'],
    ['c', 'null'],
  ]);
});

it.each(['{"a":"b', '{"a":[1', '{"a":"b\\"}'])(
  'throws for a text that does not end: %s',
  (text) => {
    expect(() => read(text)).toThrow('does not end');
  },
);
