import { describe, expect, it } from 'vitest';
import { hashPassword, isPassword, scryptAside } from '../../shared/accounts/rules/passwords.ts';

const cost = 10;

describe('a hashed password', () => {
  it('is distinguished from others', async () => {
    const text = await hashPassword('Secret', cost, scryptAside);

    const answers = await Promise.all(
      ['Secret', 'secret', 'Secret ', ''].map((password) =>
        isPassword(password, text, scryptAside),
      ),
    );

    expect(answers).toEqual([true, false, false, false]);
  });

  it('contains its parameters, with a salt of its own', async () => {
    const [one, two] = await Promise.all([
      hashPassword('p', cost, scryptAside),
      hashPassword('p', cost, scryptAside),
    ]);

    expect(one).toMatch(/^scrypt\$10\$8\$[\w+/=]{24}\$[\w+/=]{44}$/);
    expect(one).not.toBe(two);
  });

  it('is accepted after the cost was raised', async () => {
    const text = await hashPassword('p', cost + 1, scryptAside);

    expect([text.startsWith('scrypt$11$'), await isPassword('p', text, scryptAside)]).toEqual([
      true,
      true,
    ]);
  });

  it('is the same however its characters are composed', async () => {
    const text = await hashPassword('caf\u00e9', cost, scryptAside);

    expect(await isPassword('cafe\u0301', text, scryptAside)).toBe(true);
  });

  it.each(['', 'p', 'md5$1$2$3$4', 'scrypt$10$8$c2FsdA=='])(
    'of another form is a server error: %s',
    async (text) => {
      await expect(isPassword('p', text, scryptAside)).rejects.toThrow('unknown form');
    },
  );
});
