import { describe, expect, it } from 'vitest';
import {
  isGenuine,
  type KeyClaims,
  keyText,
  maxGeneration,
  parseKey,
} from '../../shared/domain/credentials.ts';

const secret = new Uint8Array(32).fill(7);
const other = new Uint8Array(32).fill(8);
const claims: KeyClaims = { kind: 'apiKey', version: 1, scope: 2, record: 3, generation: 4 };

describe('the text of a key', () => {
  it('says what it claims, then its MAC', () => {
    const text = keyText(claims, secret);

    expect(text).toMatch(/^020100000002000000030004[0-9a-f]{32}$/);
  });

  it('has a colon before the MAC where it is a script’s, and only there', () => {
    const script = keyText({ ...claims, kind: 'script' }, secret);
    const others = [script.replace(':', ''), keyText(claims, secret).replace(/^.{24}/, '$&:')];

    expect(script).toMatch(/^060100000002000000030004:[0-9a-f]{32}$/);
    expect(others.map((each) => parseKey(each))).toEqual([undefined, undefined]);
  });

  it.each<KeyClaims>([
    claims,
    { kind: 'script', version: 1, scope: 5, record: 1_800_000_000, generation: 8 },
    { kind: 'account', version: 255, scope: 0xffffffff, record: 0, generation: maxGeneration },
    { kind: 'user', version: 2, scope: 1, record: 0xffffffff, generation: 1 },
    { kind: 'setUp', version: 1, scope: 0, record: 0, generation: 1 },
  ])('is taken apart again: %j', (made) => {
    const parsed = parseKey(keyText(made, secret));

    expect(parsed?.claims).toEqual(made);
  });

  it('may come in capitals', () => {
    const parsed = parseKey(keyText(claims, secret).toUpperCase());

    expect(parsed && isGenuine(parsed, secret)).toBe(true);
  });

  const text = keyText(claims, secret);
  it.each([
    ['nothing', ''],
    ['a digit less', text.slice(1)],
    ['a digit more', `${text}0`],
    ['another letter', `${text.slice(0, -1)}g`],
    ['a kind that there is not', `00${text.slice(2)}`],
    ['another kind that there is not', `ff${text.slice(2)}`],
    ['a line after it', `${text}\n`],
    ['a letter that is small only elsewhere', `${text.slice(0, -1)}\u212A`],
  ])('of another shape is none: %s', (_, shape) => {
    expect(parseKey(shape)).toBeUndefined();
  });
});

describe('a key is genuine', () => {
  const isRight = (text: string, by: Uint8Array) => {
    const parsed = parseKey(text);
    return parsed !== undefined && isGenuine(parsed, by);
  };

  it('by its own secret only', () => {
    const text = keyText(claims, secret);

    expect([isRight(text, secret), isRight(text, other)]).toEqual([true, false]);
  });

  it('only with every digit as it was', () => {
    const text = keyText(claims, secret);

    const changed = [...text].map((digit, at) => {
      const flipped = (Number.parseInt(digit, 16) ^ 1).toString(16);
      return isRight(text.slice(0, at) + flipped + text.slice(at + 1), secret);
    });

    expect(changed).toEqual(Array(text.length).fill(false));
  });
});
