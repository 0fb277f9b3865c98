import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../bin/groundwork/transfer/', import.meta.url);
const converters = [
  'convert.ts',
  'collections.ts',
  'record-ids.ts',
  ...readdirSync(new URL('collections/', folder)).map((name) => `collections/${name}`),
];

/** Code that makes nothing of something. */
const dropping = /flatMap\(|\?\? (\[\]|null\b|'')|: (\[\]|null\b)|return (\[\]|null\b)/;

/** Lines that drop no data of an app; all others are next to a `leave`, which counts the value. */
const reasons: Readonly<Record<string, string>> = {
  'if (isUnset(field, value)) return null;': 'there is no value',
  'if (one === undefined) return null; // an empty list': 'there is no value',
  "const own = member(acl, others.find((id) => findId('user', id) !== undefined) ?? '');":
    'there is one, as was checked',
  'const total = collections.flatMap(({ records }) => records).length;': 'a number',
  'const names = new Set(records.flatMap((record) => Object.keys(record)));': 'names only',
  'const ofUsers = name === profileClass ? namesOfUsers : [];': 'names only',
  'return classes.find((each) => each.name === name)?.schema ?? []; // checkFields has found it':
    'a class that is missing is an error',
  'const relations = mine.map(({ field, members }) => [field, members.get(own) ?? []] as const);':
    'a record that is not in the file of a relation has no members',
  'const [, position] = /at position (\\d+)/.exec(message) ?? [];': 'a message',
  '/^Unexpected token .+?, (?:\\.\\.\\.)?"(.+)"(?:\\.\\.\\.)? is not/s.exec(message) ?? [];':
    'a message',
  'return Array.isArray(value) ? value.map(String) : [];': 'rights that are no list are nobody’s',
  'const [, className, objectId] = /^([^$]+)\\$(.+)$/.exec(String(value)) ?? [];':
    'a value of another form stays as it is',
  'const [, , field, owner] = /^_Join([:_-])(.+)\\1(_?[^:_-]+)$/.exec(stem) ?? [];': 'a file name',
  'const sizeOf = (all: readonly Collection[]) => all.flatMap(({ records }) => records).length;':
    'a number',
  'const references = fields.flatMap((field) => {': 'only references are replaced, others stay',
  '? []': 'only references are replaced, others stay',
  "return typeof id === 'number' ? map(kind, id) : null;": 'an export has a number or null',
};

test('converters of imports drop nothing without counting it, or with a reason', () => {
  const found = converters.flatMap((name) => {
    const lines = readFileSync(new URL(name, folder), 'utf8').split('\n');
    return lines.flatMap((line, at) => {
      const isCounted = [line, lines[at - 1] ?? ''].some((each) => each.includes('leave('));
      return dropping.test(line) && !isCounted ? [line.trim()] : [];
    });
  });

  expect(found.filter((line) => reasons[line] === undefined)).toEqual([]);
});
