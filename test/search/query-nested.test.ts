import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../shared/search/query/conditions.ts';
import { asUser } from '../../shared/search/query/fields.ts';
import { matcherOf } from '../../shared/search/query/match.ts';
import { parseQueries, parseUserQuery, queryForm } from '../../shared/search/query/parse.ts';
import { conditionsOf, errorOf, queryClass } from '../support/query-class.ts';

const compiled = queryClass();

describe('a nested query', () => {
  it('has the class of its field as target, in lower case', () => {
    const query = { id: { _gt: 1 } };
    const text = JSON.stringify({
      reference: { _is: query },
      relation: { _is: {}, _exists: true },
    });

    const { conditions, nested } = parseQueries([text], compiled);

    expect(conditions).toMatchObject([{ kind: 'exists', field: { name: 'relation' } }]);
    expect(nested).toMatchObject([
      { field: { name: 'reference' }, target: 'author', query },
      { field: { name: 'relation' }, target: 'self', query: {} },
    ]);
  });

  it.each([
    [[3, 2], true],
    [[3, 4], false],
    [[], false],
    [undefined, false],
  ])('matches a relation %j if it found one of its objects: %s', (relation, expected) => {
    const [found] = conditionsOf({ relation: { _exists: true } });
    if (found === undefined) throw new Error('no condition');
    const meets: Condition = { kind: 'meets', field: found.field, ids: new Set([1, 2]) };
    const object = { ...asUser('ada'), value: () => relation };

    expect(matcherOf([meets])(object)).toBe(expected);
  });
});

const userConditions = (query: object) =>
  parseUserQuery(JSON.parse(JSON.stringify(query)), compiled).conditions;

describe('a query on users', () => {
  it.each<[string, object, object]>([
    ['a name in lower case', { username: { _eq: 'Ada' } }, { kind: 'compare', value: 'ada' }],
    [
      'names in lower case',
      { username: { _in: ['Ada', 'BOB', 5] } },
      { kind: 'among', values: ['ada', 'bob', '5'], isNegated: false },
    ],
    ['text in lower case', { username: { _startswith: 'A' } }, { kind: 'text', text: 'a' }],
    ['a name that exists', { username: { _exists: true } }, { kind: 'exists', isSet: true }],
    ['their ids', { id: { _eq: 7 } }, { kind: 'compare', field: { system: 'owner' }, value: 7 }],
    [
      'fields of profiles as they are',
      { string: { _eq: 'Ada' } },
      { field: { name: 'string' }, value: 'Ada' },
    ],
    ['times of profiles', { created_at: { _exists: true } }, { field: { system: 'created_at' } }],
  ])('asks for %s', (_, query, condition) => {
    expect(userConditions(query)).toMatchObject([condition]);
  });

  it.each(['owner', 'group'])('cannot name the %s of a profile', (name) => {
    expect(errorOf(() => userConditions({ [name]: { _eq: 1 } }))).toEqual([
      400,
      { query: `Field "${name}" cannot be used in a query as it is not indexed.` },
    ]);
  });

  it('matches names', () => {
    const matches = matcherOf(userConditions({ username: { _startswith: 'A', _neq: 'ADA' } }));

    expect(['ada', 'adam', 'bob'].filter((name) => matches(asUser(name)))).toEqual(['adam']);
  });

  it('returns its own nested queries', () => {
    const { nested } = parseUserQuery({ reference: { _is: {} } }, compiled);

    expect(nested).toMatchObject([{ target: 'author' }]);
  });
});

describe('the form of a stored query', () => {
  const long = (length: number) => 'x'.repeat(length);

  it.each<[string, unknown, object]>([
    ['an object', { any: { _eq: 1 } }, { any: { _eq: 1 } }],
    ['JSON', '{"any":{"_eq":1}}', { any: { _eq: 1 } }],
    ['empty', '', {}],
    ['a key of 64 characters', { [long(64)]: {} }, { [long(64)]: {} }],
    ['a value of 8192 characters', { a: long(8190) }, { a: long(8190) }],
    [
      'four nested queries',
      { a: { _is: {} }, b: { _is: {} }, c: { _is: {} }, d: { _is: {} } },
      { a: { _is: {} }, b: { _is: {} }, c: { _is: {} }, d: { _is: {} } },
    ],
  ])('may be %s', (_, input, output) => {
    expect(v.safeParse(queryForm(), input)).toMatchObject({ success: true, output });
  });

  it.each<[string, unknown, RegExp]>([
    ['a text', 'a', /./],
    ['a list', [], /^Query passed in invalid format\.$/],
    ['text with half of a character', { a: '\ud800' }, /^Not valid text: \\ud800 is half/],
    [
      '17 keys',
      Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 1])),
      /^Too many keys/,
    ],
    [
      'nested twice',
      { a: { _is: { b: { _is: {} } } } },
      /^Double nested queries are not allowed\.$/,
    ],
    [
      'nested twice at its second field',
      { a: { _is: {} }, c: { _is: { b: { _is: {} } } } },
      /^Double nested queries are not allowed\.$/,
    ],
  ])('cannot be %s', (_, input, message) => {
    const result = v.safeParse(queryForm(), input);

    expect(result.issues?.map((issue) => issue.message)).toEqual([expect.stringMatching(message)]);
  });
});
