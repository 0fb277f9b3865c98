import { describe, expect, it } from 'vitest';
import {
  accountOfUid,
  isMailToken,
  mailToken,
  mailUid,
  type TokenSubject,
} from '../../shared/accounts/rules/mail-tokens.ts';

const secret = Buffer.alloc(32, 7);
const subject: TokenSubject = { purpose: 'reset', account: 7, state: 'a@example.com hash' };
const madeAt = 1_700_000_000.5;
const token = mailToken(secret, subject, madeAt);
const threeDays = 259_200;

describe('a token of a mail', () => {
  it('is a time in base 36 and a MAC', () => {
    expect(token).toMatch(/^s44we8-[0-9a-f]{40}$/);
  });

  it.each([
    ['at once', 0, true],
    ['for a clock that is a second behind', -1, true],
    ['before it was made', -3, false],
    ['after three days', threeDays - 1, true],
    ['later', threeDays + 1, false],
  ])('%s', (_, seconds, isGood) => {
    expect(isMailToken(token, secret, subject, madeAt + seconds)).toBe(isGood);
  });

  it.each<[string, Partial<TokenSubject>]>([
    ['another purpose', { purpose: 'activate' }],
    ['another account', { account: 8 }],
    ['another state', { state: 'a@example.com other' }],
  ])('is invalid for %s', (_, other) => {
    expect(isMailToken(token, secret, { ...subject, ...other }, madeAt)).toBe(false);
  });

  it.each([
    ['', token.slice(0, -1), `${token}0`, token.toUpperCase(), token.replace('-', '_')],
    [`t44we8${token.slice(6)}`, token.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))],
  ])('is invalid in another form', (...forms) => {
    expect(forms.map((form) => isMailToken(form, secret, subject, madeAt))).toEqual(
      forms.map(() => false),
    );
  });

  it('is invalid with another secret', () => {
    expect(isMailToken(token, Buffer.alloc(32, 8), subject, madeAt)).toBe(false);
  });
});

describe('a uid', () => {
  it.each([1, 7, 999, 4_294_967_295])('%i is decoded again', (id) => {
    expect(accountOfUid(mailUid(id))).toBe(id);
  });

  it.each(['', 'x', '{}', mailUid(0), mailUid(-1), mailUid(1.5), mailUid(99_999_999_999), 'NaN'])(
    '%j is invalid',
    (uid) => {
      expect(accountOfUid(uid)).toBeUndefined();
    },
  );
});
