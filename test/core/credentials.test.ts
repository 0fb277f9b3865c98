import { describe, expect, it } from 'vitest';
import {
  isGenuine,
  type KeyClaims,
  keyText,
  maxGeneration,
  parseKey,
  type RecordClaims,
  type ScriptClaims,
} from '../../shared/values/keys/credentials.ts';

const secret = new Uint8Array(32).fill(7);
const other = new Uint8Array(32).fill(8);
const claims: RecordClaims = { kind: 'apiKey', version: 1, scope: 2, record: 3, generation: 4 };
const ofScript: ScriptClaims = {
  kind: 'script',
  version: 1,
  scope: 2,
  endsAt: 1_800_000_000,
  depth: 8,
  script: 3,
  scriptVersion: 4,
  owner: 5,
  ownerGeneration: 6,
};

describe('the text of a key', () => {
  it('has the claims, then its MAC', () => {
    const text = keyText(claims, secret);

    expect(text).toMatch(/^020100000002000000030004[0-9a-f]{32}$/);
  });

  it('has a longer head and a colon before the MAC for a script, and only then', () => {
    const script = keyText(ofScript, secret);
    const other = keyText(claims, secret);

    expect(script).toMatch(/^0601000000026b49d20000080000000300000004000000050006:[0-9a-f]{32}$/);
    const others = [
      script.replace(':', ''),
      script.replace(/^06/, '02'),
      script.replace(/^(.{24})[^:]*:/, '$1'),
      other.replace(/^.{24}/, '$&:'),
      other.replace(/^02/, '06'),
    ];
    expect(others.map((each) => parseKey(each))).toEqual(Array(5).fill(undefined));
  });

  it('has the number of a session before the MAC for a session, and only then', () => {
    const session = keyText({ ...claims, kind: 'session', session: 5 }, secret);

    expect(session).toMatch(/^08010000000200000003000400000005[0-9a-f]{32}$/);
    const others = [
      session.replace(/^08/, '03'),
      session.replace(/^(.{24}).{8}/, '$1'),
      keyText(claims, secret).replace(/^.{24}/, '$&00000005'),
      session.replace(/^.{32}/, '$&:'),
    ];
    expect(others.map((each) => parseKey(each))).toEqual(Array(4).fill(undefined));
  });

  it('has the restore of the contents in that of a script, if there was one', () => {
    const script = keyText({ ...ofScript, scope: 5 * 10 ** 10 + 2 }, secret);

    expect(script).toMatch(
      /^0601000000026b49d2000008000000030000000400000005000600000005:[0-9a-f]{32}$/,
    );
  });

  it.each<[KeyClaims]>([
    [claims],
    [ofScript],
    [{ ...ofScript, scope: 7 * 10 ** 10 + 0xffffffff }],
    [{ ...ofScript, scriptVersion: 0xffffffff, owner: 0xffffffff, ownerGeneration: maxGeneration }],
    [{ kind: 'account', version: 255, scope: 0xffffffff, record: 0, generation: maxGeneration }],
    [{ kind: 'user', version: 2, scope: 1, record: 0xffffffff, generation: 1 }],
    [
      {
        kind: 'session',
        version: 2,
        scope: 0xffffffff,
        record: 7,
        generation: maxGeneration,
        session: 0xffffffff,
      },
    ],
    [{ kind: 'setUp', version: 1, scope: 0, record: 0, generation: 1 }],
  ])('is parsed again: %j', (made) => {
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
  ])('of another form is invalid: %s', (_, shape) => {
    expect(parseKey(shape)).toBeUndefined();
  });
});

describe('a key is valid', () => {
  const isRight = (text: string, by: Uint8Array) => {
    const parsed = parseKey(text);
    return parsed !== undefined && isGenuine(parsed, by);
  };

  it('for its own secret only', () => {
    const text = keyText(claims, secret);

    expect([isRight(text, secret), isRight(text, other)]).toEqual([true, false]);
  });

  it.each([claims, ofScript, { ...ofScript, scope: 5 * 10 ** 10 + 2 }])(
    'only with all digits unchanged: $kind of $scope',
    (made) => {
      const text = keyText(made, secret);

      const changed = [...text].map((digit, at) => {
        if (digit === ':') return false;
        const flipped = (Number.parseInt(digit, 16) ^ 1).toString(16);
        return isRight(text.slice(0, at) + flipped + text.slice(at + 1), secret);
      });

      expect(changed).toEqual(Array(text.length).fill(false));
    },
  );
});
