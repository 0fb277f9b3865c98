import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { instanceName } from '../../shared/instances/rules/instance-name.ts';

const short = 'Ensure this field has at least 5 characters.';
const start = 'Value has to start with a letter.';
const end = 'Value has to end with a letter or a number.';
const characters = 'Enter a valid value consisting of letters, numbers, hyphens.';
const double = 'Double hyphens are reserved.';
const reserved = 'Unable to use that value. Please choose a different one.';

function read(input: unknown): unknown {
  const result = v.safeParse(instanceName(), input);
  return result.success ? result.output : result.issues.map(({ message }) => message);
}

describe('the name of an instance', () => {
  it.each([
    ['abcde', 'abcde'],
    [' Shop-1 ', 'shop-1'],
    ['a-1-b', 'a-1-b'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['administrator', 'administrator'],
    ['abcd', [short]],
    ['', ['This field may not be blank.']],
    ['1abcd', [start]],
    ['-abcd', [start]],
    ['abcd-', [end]],
    ['abcd.', [end, characters]],
    ['abc_de', [characters]],
    ['abc\nde', [characters]],
    ['abcde\u0000', [end, characters]],
    ['ab--cd', [double]],
    ['a--', [short, end, double]],
    ['a'.repeat(65), ['Ensure this value has at most 64 characters (it has 65).']],
    ['status', [reserved]],
    ['SUPPORT', [reserved]],
    [1234, [short, start]],
    [false, ['Not a valid string.']],
    [{}, ['Not a valid string.']],
    [[], ['Not a valid string.']],
  ])('%j', (input, expected) => {
    expect(read(input)).toEqual(expected);
  });

  it.each(
    `devcenter support sentry admin platform redirect media signup login instance_subdomain my_instance myinstance
     panel account noinstance public template1 status`.split(/\s+/),
  )('%s is reserved', (name) => {
    expect(read(name)).toContain(reserved);
  });

  it('counts characters, not the units of their encoding', () => {
    expect(read(`a${'\u{1F600}'.repeat(3)}`)).toEqual([short, end, characters]);
  });
});
