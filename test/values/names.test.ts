import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { nameList } from '../../shared/values/text/name-list.ts';
import { slug } from '../../shared/values/text/slug.ts';

const messagesOf = (result: { issues?: readonly { message: string }[] | undefined }) =>
  result.issues?.map(({ message }) => message);

describe('a list of names', () => {
  it.each([
    ['title', 'title'],
    ['a,B2,c_d', 'a,B2,c_d'],
    [' a,b ', 'a,b'],
    ['', ''],
    ['  ', ''],
    ['a,a', 'a,a'],
    ['a'.repeat(20), 'a'.repeat(20)],
  ])('takes "%s"', (input, value) => {
    expect(v.parse(nameList(20), input)).toBe(value);
  });

  const commas = 'Enter a comma separated list.';
  const long = 'Ensure this field has no more than 20 characters.';

  it.each([
    ['a space between names', 'a, b', [commas]],
    ['another separator', 'a;b', [commas]],
    ['a comma alone', ',', [commas]],
    ['a comma at the end', 'a,', [commas]],
    ['a comma at the start', ',a', [commas]],
    ['a digit first', 'a,1b', [commas]],
    ['an underscore first', '_a', [commas]],
    ['a hyphen', 'a-b', [commas]],
    ['a letter with an accent', 'é', [commas]],
    ['a number', 5, [commas]],
    ['21 characters', 'a'.repeat(21), [long]],
    ['21 characters that are no names', '-'.repeat(21), [commas, long]],
    ['a million names', 'a,'.repeat(1_000_000), [commas, long]],
    ['a list', ['a'], ['Not a valid string.']],
    ['a boolean', true, ['Not a valid string.']],
  ])('rejects %s', (_, input, messages) => {
    expect(messagesOf(v.safeParse(nameList(20), input))).toEqual(messages);
  });

  it('counts characters as people do', () => {
    expect(messagesOf(v.safeParse(nameList(20), '😀'.repeat(20)))).toEqual([commas]);
  });
});

describe('the name of an endpoint', () => {
  it.each([
    ['a', 'a'],
    [' News-2_b ', 'news-2_b'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a--b', 'a--b'],
  ])('takes "%s"', (input, value) => {
    expect(v.parse(slug(), input)).toBe(value);
  });

  const start = 'Value has to start with a letter.';
  const end = 'Value has to end with a letter or a number.';
  const characters = 'Enter a valid value consisting of letters, numbers, underscores, hyphens.';

  it.each([
    ['1a', [start]],
    ['_a', [start]],
    ['a-', [end]],
    ['a_', [end]],
    ['a b', [characters]],
    ['a.b', [characters]],
    ['aéb', [characters]],
    ['é', [start, end, characters]],
    ['-', [start, end]],
    [5, [start]],
    ['a'.repeat(65), ['Ensure this value has at most 64 characters (it has 65).']],
    ['  ', ['This field may not be blank.']],
    [['a'], ['Not a valid string.']],
  ])('rejects %j', (input, messages) => {
    expect(messagesOf(v.safeParse(slug(), input))).toEqual(messages);
  });
});
