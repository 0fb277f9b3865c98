import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readPrivateKey, type SigningKey } from '../../shared/push/rules/private-key.ts';

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
