import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { email, withAsciiDomain } from '../../shared/values/values.ts';

const messagesOf = (input: unknown, max = 254) =>
  v.safeParse(email({ max }), input).issues?.map(({ message }) => message);

describe('an e-mail address', () => {
  it.each([
    'a@b.cd',
    'ann.lee@example.org',
    "!#$%&'*+/=?^_`{}|~-@example.org",
    '1@1.example',
    'a@b-c.example',
    'a@b--c.example',
    'a@localhost',
    `a@${'b'.repeat(63)}.example`,
    `a@${'b.'.repeat(50)}example`,
    'jörg@example.org',
    '例え@example.org',
    'a@xn--mnchen-3ya.de',
  ])('%s', (address) => {
    expect(v.parse(email({ max: 254 }), address)).toBe(address);
  });

  it.each([
    ['nothing before the @', '@example.org'],
    ['no @', 'example.org'],
    ['two @', 'a@b@example.org'],
    ['a dot first', '.a@example.org'],
    ['a dot before the @', 'a.@example.org'],
    ['a space', 'a b@example.org'],
    ['quotes', '"a"@example.org'],
    ['no host', 'a@'],
    ['a host of one label', 'a@example'],
    ['a host that ends with localhost', 'a@xlocalhost'],
    ['a top level of one letter', 'a@example.o'],
    ['a dot at the end', 'a@example.org.'],
    ['an empty label', 'a@example..org'],
    ['a label that begins with a hyphen', 'a@-example.org'],
    ['a label that ends with a hyphen', 'a@example-.org'],
    ['a label with an underscore', 'a@exam_ple.org'],
    ['a label of 64 characters', `a@${'b'.repeat(64)}.org`],
    ['a port after a domain beyond ASCII', 'a@é.de:80'],
    ['a path after a domain beyond ASCII', 'a@é.de/x'],
    ['an escape in a domain beyond ASCII', 'a@é%41.de'],
    ['an emoji before the @', '😀@example.org'],
    ['a number of an address', 'a@[127.0.0.1]'],
  ])('is none with %s', (_, address) => {
    expect(messagesOf(address)).toEqual(['Enter a valid email address.']);
  });

  it.each([
    ['a@MÜNCHEN.de', 'a@münchen.de'],
    ['a@例え.jp', 'a@例え.jp'],
    ['JO\u0308RG@example.org', 'jörg@example.org'],
  ])('%s is stored as %s', (address, stored) => {
    expect(v.parse(email({ max: 254 }), address)).toBe(stored);
  });

  it.each([
    ['a@münchen.de', 'a@xn--mnchen-3ya.de'],
    ['a@例え.jp', 'a@xn--r8jz45g.jp'],
    ['jörg@example.org', 'jörg@example.org'],
  ])('%s gets its mails at %s', (address, sent) => {
    expect(withAsciiDomain(address)).toBe(sent);
  });

  it('is limited in characters', () => {
    expect(messagesOf('abc@example.org', 15)).toBeUndefined();
    expect(messagesOf('abcd@example.org', 15)).toEqual([
      'Ensure this field has no more than 15 characters.',
    ]);
  });

  it.each([
    [true, 'Not a valid string.'],
    [' ', 'This field may not be blank.'],
    [5, 'Enter a valid email address.'],
  ])('is a text, and not %j', (input, message) => {
    expect(messagesOf(input)).toEqual([message]);
  });
});
