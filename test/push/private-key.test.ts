import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  openPrivateKey,
  readPrivateKey,
  type SigningKey,
} from '../../shared/push/rules/private-key.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const ed = generateKeyPairSync('ed25519');

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys: Readonly<Record<SigningKey, string>> = {
  RSA: pemOf(rsa.privateKey),
  'P-256': pemOf(p256.privateKey),
};

describe.each(Object.entries(keys) as [SigningKey, string][])(
  'a key of the kind %s',
  (kind, pem) => {
    test.each<[string, string]>([
      ['as it is', pem],
      ['with CRLF', pem.replaceAll('\n', '\r\n')],
      ['with CR', pem.replaceAll('\n', '\r')],
      ['with a literal \\n', pem.replaceAll('\n', '\\n')],
      ['with a literal \\r\\n', pem.replaceAll('\n', '\\r\\n')],
      ['with a \\n that was escaped twice', pem.replaceAll('\n', '\\\\n')],
      ['without the last line end', pem.trim()],
      ['with blanks around it', `\n  ${pem}\n\n`],
    ])('%s is read as the same text', (_, sent) => {
      expect(readPrivateKey(sent, kind)).toBe(pem);
    });

    test.each<[string, string]>([
      ['an empty text', ''],
      ['a key that is cut', pem.slice(0, pem.length - 60)],
      ['a key without its middle', pem.slice(0, 100) + pem.slice(140)],
      ['its markers only', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
      ['a key without markers', pem.split('\n').slice(1, -2).join('\n')],
      ['a key on P-384', pemOf(p384.privateKey)],
      ['a key for RSA-PSS only', pemOf(pss.privateKey)],
      ['a key of Ed25519', pemOf(ed.privateKey)],
      ['a key of the other kind', kind === 'RSA' ? keys['P-256'] : keys.RSA],
      ['a public key', rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
      [
        'a key with a pass phrase',
        rsa.privateKey
          .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
          .toString(),
      ],
    ])('is not %s', (_, sent) => {
      expect(readPrivateKey(sent, kind)).toBeUndefined();
    });
  },
);

/** Returns an RSA key with other numbers than belong together; the library checks none of them. */
function rsaWith(changes: Readonly<Record<string, Buffer>>): string {
  const jwk = rsa.privateKey.export({ format: 'jwk' });
  const given = Object.fromEntries(
    Object.entries(changes).map(([name, bytes]) => [name, bytes.toString('base64url')]),
  );
  const key = createPrivateKey({ key: { ...jwk, ...given }, format: 'jwk' });
  return pemOf(key);
}

describe('an RSA key whose numbers would make a signature take long', () => {
  const long = Buffer.alloc(2500, 0xff);

  test.each<[string, Readonly<Record<string, Buffer>>]>([
    ['a long prime', { p: long }],
    ['long primes and exponents', { p: long, q: long, dp: long, dq: long }],
    ['a long exponent of a prime', { dp: long }],
    ['a long private exponent', { d: long }],
    ['a long public exponent', { e: long }],
    ['a long coefficient', { qi: long }],
    ['other primes', { p: Buffer.alloc(128, 0xff) }],
  ])('with %s is not read', (_, changes) => {
    const pem = rsaWith(changes);
    expect(readPrivateKey(pem, 'RSA')).toBeUndefined();
    expect(openPrivateKey(pem)).toBeUndefined();
  });

  test('with a long modulus is not read', { timeout: 60_000 }, () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4104 });
    expect(readPrivateKey(pemOf(privateKey), 'RSA')).toBeUndefined();
  });
});
