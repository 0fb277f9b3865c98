import { describe, expect, it } from 'vitest';
import { hashAside } from '../../shared/accounts/rules/hash-aside.ts';
import { hashPassword, isBcryptHash, isPassword } from '../../shared/accounts/rules/passwords.ts';

const cost = 10;

describe('a hashed password', () => {
  it('is distinguished from others', async () => {
    const text = await hashPassword('Secret', cost, hashAside);

    const responses = await Promise.all(
      ['Secret', 'secret', 'Secret ', ''].map((password) => isPassword(password, text, hashAside)),
    );

    expect(responses).toEqual([true, false, false, false]);
  });

  it('contains its parameters, with a salt of its own', async () => {
    const [one, two] = await Promise.all([
      hashPassword('p', cost, hashAside),
      hashPassword('p', cost, hashAside),
    ]);

    expect(one).toMatch(/^scrypt\$10\$8\$[\w+/=]{24}\$[\w+/=]{44}$/);
    expect(one).not.toBe(two);
  });

  it('is accepted after the cost was raised', async () => {
    const text = await hashPassword('p', cost + 1, hashAside);

    expect([text.startsWith('scrypt$11$'), await isPassword('p', text, hashAside)]).toEqual([
      true,
      true,
    ]);
  });

  it('is the same however its characters are composed', async () => {
    const text = await hashPassword('caf\u00e9', cost, hashAside);

    expect(await isPassword('cafe\u0301', text, hashAside)).toBe(true);
  });

  it.each(['', 'p', 'md5$1$2$3$4', 'scrypt$10$8$c2FsdA=='])(
    'of another form is a server error: %s',
    async (text) => {
      await expect(isPassword('p', text, hashAside)).rejects.toThrow('unknown form');
    },
  );
});

describe('a hash of bcrypt', () => {
  // of "abc123xyz", a published example
  const published = '$2a$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';

  it('is that of its password only', async () => {
    const checks = ['abc123xyz', 'abc123xyZ', ''].map((password) =>
      isPassword(password, published, hashAside),
    );

    expect(await Promise.all(checks)).toEqual([true, false, false]);
  });

  it.each([
    ['of cost 4', true, published.replace('$12$', '$04$')],
    ['of another version', true, published.replace('$2a$', '$2y$')],
    ['of cost 3', false, published.replace('$12$', '$03$')],
    ['of cost 13', false, published.replace('$12$', '$13$')],
    ['of the old version', false, published.replace('$2a$', '$2x$')],
    ['that is cut', false, published.slice(0, -1)],
    ['with more characters', false, `${published}a`],
    ['of scrypt', false, 'scrypt$10$8$c2FsdA==$aGFzaA=='],
  ])('%s can be imported: %s', (_, isRight, text) => {
    expect(isBcryptHash(text)).toBe(isRight);
  });
});
