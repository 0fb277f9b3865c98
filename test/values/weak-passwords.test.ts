import { expect, test } from 'vitest';
import { commonPasswords } from '../../shared/values/passwords/common-passwords.mjs';
import { weaknessOf } from '../../shared/values/passwords/weak-passwords.ts';

const tooShort = 'A password needs at least 8 characters.';
const tooCommon = 'This is one of the most common passwords: choose another one.';

test.each([
  ['', tooShort],
  ['secret1', tooShort],
  ['  secret1  ', tooShort],
  ['password', tooCommon],
  ['PassWord1', tooCommon],
  ['1234567890', tooCommon],
  ['choose one', undefined],
  ['a password', undefined],
  ['passworddrowssap', undefined],
])('%j is too easy to guess: %s', (password, weakness) => {
  expect(weaknessOf(password)).toBe(weakness);
});

test('a bundle contains less than 3 kB of common passwords, each in lower case', () => {
  expect(commonPasswords.split(' ').length).toBeGreaterThan(200);
  expect(commonPasswords.length).toBeLessThan(3000);
  expect(commonPasswords).toBe(commonPasswords.toLowerCase());
});
