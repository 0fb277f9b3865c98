import forge from 'node-forge';
import { describe, expect, test } from 'vitest';
import { openPkcs12 } from '../../shared/push/rules/pkcs12.ts';

const { asn1, pki } = forge;
const { Type, Class } = asn1;
const keys = pki.rsa.generateKeyPair(1024);
const certificate = makeCertificate();

function makeCertificate() {
  const made = pki.createCertificate();
  made.publicKey = keys.publicKey;
  made.validity.notBefore = new Date(0);
  made.validity.notAfter = new Date(2_000_000_000_000);
  made.setSubject([{ name: 'commonName', value: 'Apple Push Services' }]);
  made.sign(keys.privateKey, forge.md.sha256.create());
  return made;
}

interface Given {
  readonly password?: string | null;
  readonly count?: number;
  /** Number of copies of the certificate in it. */
  readonly certificates?: number;
  readonly key?: forge.pki.rsa.PrivateKey;
}

function makeFile({
  password = '',
  count = 2048,
  certificates = 1,
  key = keys.privateKey,
}: Given = {}): Buffer {
  const file = forge.pkcs12.toPkcs12Asn1(
    key,
    Array(certificates).fill(certificate),
    password as string, // null is not in the types
    { algorithm: '3des', friendlyName: 'a name', count },
  );
  return toBytes(file);
}

/** Returns the key with a prime that is too long for its modulus. */
function slowKey(): forge.pki.rsa.PrivateKey {
  const { n, e, d, q, dP, dQ, qInv } = keys.privateKey;
  const p = new forge.jsbn.BigInteger('f'.repeat(20_000), 16);
  return pki.setRsaPrivateKey(n, e, d, p, q, dP, dQ, qInv);
}

const toBytes = (node: forge.asn1.Asn1) => Buffer.from(asn1.toDer(node).getBytes(), 'latin1');

/** Returns the same file, with other iteration counts in place of 70,000. */
function withCounts(file: Buffer, change: (place: number) => boolean): Buffer {
  const [usual, most] = [Buffer.from('0203011170', 'hex'), Buffer.from('02037fffff', 'hex')];
  const changed = Buffer.from(file);
  let place = 0;
  for (let at = changed.indexOf(usual); at !== -1; at = changed.indexOf(usual, at + 1)) {
    if (change(place)) most.copy(changed, at);
    place += 1;
  }
  return changed;
}

const node = (type: forge.asn1.Type, value: string | forge.asn1.Asn1[]) =>
  asn1.create(Class.UNIVERSAL, type, typeof value !== 'string', value);
const sequence = (...value: forge.asn1.Asn1[]) => node(Type.SEQUENCE, value);
const oid = (name: string) => node(Type.OID, asn1.oidToDer(name).getBytes());
const octets = (text: string) => node(Type.OCTETSTRING, text);
const integer = (value: number) => node(Type.INTEGER, asn1.integerToDer(value).getBytes());
const zero = (value: forge.asn1.Asn1) => asn1.create(Class.CONTEXT_SPECIFIC, 0, true, [value]);
const tripleDes = '1.2.840.113549.1.12.1.3';

/** Returns a file without a MAC, whose only part is encrypted and has an iteration count of `count`. */
function hide(count: number): Buffer {
  const shrouded = sequence(
    sequence(oid(tripleDes), sequence(octets('saltsalt'), integer(count))),
    octets('x'.repeat(64)),
  );
  const bag = sequence(oid('1.2.840.113549.1.12.10.1.2'), zero(shrouded));
  const inner = forge.util.createBuffer(asn1.toDer(sequence(bag)).getBytes());
  const { pbe } = forge as unknown as {
    pbe: { generatePkcs12Key: (...args: unknown[]) => forge.util.ByteStringBuffer };
  };
  const salt = forge.util.createBuffer('saltsalt');
  const derive = (id: number, bytes: number) =>
    pbe.generatePkcs12Key('', salt.copy(), id, 1, bytes);
  const cipher = forge.cipher.createCipher('3DES-CBC', derive(1, 24));
  cipher.start({ iv: derive(2, 8) });
  cipher.update(inner);
  cipher.finish();
  const content = asn1.create(Class.CONTEXT_SPECIFIC, 0, true, [octets(cipher.output.getBytes())]);
  const encrypted = sequence(
    integer(0),
    sequence(
      oid(String(pki.oids.data)),
      sequence(oid(tripleDes), sequence(octets('saltsalt'), integer(1))),
      content,
    ),
  );
  const safe = sequence(sequence(oid(String(pki.oids.encryptedData)), zero(encrypted)));
  return toBytes(
    sequence(
      integer(3),
      sequence(oid(String(pki.oids.data)), zero(octets(asn1.toDer(safe).getBytes()))),
    ),
  );
}

describe('a file', () => {
  test.each([
    ['with a pass phrase of length zero', makeFile()],
    ['without any pass phrase, as Keychain exports it', makeFile({ password: null })],
    ['with twenty parts', makeFile({ certificates: 19 })],
    ['with as many rounds as may be', makeFile({ count: 150_000 })],
  ])('%s is accepted', async (_name, file) => {
    expect(await openPkcs12(file)).toEqual({
      name: 'a name',
      endsMs: 2_000_000_000_000,
      certificate: expect.stringContaining('BEGIN CERTIFICATE'),
      key: expect.stringContaining('BEGIN PRIVATE KEY'),
    });
  });

  const slow = makeFile({ count: 70_000 });

  test.each([
    ['with a pass phrase', makeFile({ password: 'secret' })],
    ['that asks for too many rounds in one part', withCounts(slow, (place) => place === 0)],
    ['that asks for too many rounds in another', withCounts(slow, (place) => place === 1)],
    ['whose parts ask for too many rounds together', makeFile({ count: 151_000 })],
    ['with more than twenty parts', makeFile({ certificates: 20 })],
    ['that asks for billions of rounds where it is encrypted', hide(2 ** 31 - 1)],
    ['with a key whose signatures would take minutes', makeFile({ key: slowKey() })],
    ['that is nested deeply', Buffer.from('30800000'.repeat(20_000), 'hex')],
    ['that is empty', Buffer.alloc(0)],
  ])('%s is not', async (_name, file) => {
    expect(await openPkcs12(file)).toBeUndefined();
  });
});
