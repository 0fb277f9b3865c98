import type { asn1 as Asn1, pkcs12, pki } from 'node-forge';
import { openPrivateKey } from './private-key.ts';

type Forge = typeof import('node-forge');
type Node = Asn1.Asn1;

/** Parts of a `.p12` file that a push service needs. */
export interface OpenedPkcs12 {
  /** The friendly name; empty when absent. */
  readonly name: string;
  /** Expiration of the certificate, in epoch milliseconds; NaN when absent. */
  readonly endsMs: number;
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

/** Maximum rounds of hashing for a file, all its parts together: 0.4 s; the usual tools use 2,048 a part. */
const maxIterations = 300_000;
/**
 * Maximum number of certificates, keys and the like in a file: a push certificate has two, plus those of its issuers.
 */
const maxBags = 20;
/** Forms of an absent pass phrase: of length zero, or, as Apple's Keychain exports it, none at all. */
const noPassPhrases = ['', null];

/** Returns the parts of a file without pass phrase; undefined when it cannot be read, lacks a part or costs too much. */
export async function openPkcs12(bytes: Uint8Array): Promise<OpenedPkcs12 | undefined> {
  const { default: forge } = await import('node-forge'); // hardly any request needs it
  const text = Buffer.from(bytes).toString('latin1');
  for (const passPhrase of noPassPhrases) {
    const opened = openWith(forge, text, passPhrase);
    if (opened !== undefined) return opened;
  }
  return undefined;
}

function openWith(forge: Forge, text: string, passPhrase: string | null): OpenedPkcs12 | undefined {
  const { asn1, pkcs12, pki } = forge;
  try {
    if (!isCheap(forge, asn1.fromDer(text), passPhrase)) return undefined;
    // the types lack null, which the library treats as no pass phrase
    const file = pkcs12.pkcs12FromAsn1(asn1.fromDer(text), false, passPhrase as string);
    const certificates = bagsOf(file, pki.oids.certBag);
    const bag = certificates.find((each) => nameOf(each) !== '') ?? certificates[0];
    const key = [pki.oids.pkcs8ShroudedKeyBag, pki.oids.keyBag]
      .flatMap((type) => bagsOf(file, type))
      .find((each) => each.key)?.key;
    if (!bag?.cert || !key) return undefined;
    const pem = pki.privateKeyInfoToPem(
      pki.wrapRsaPrivateKey(pki.privateKeyToAsn1(key as pki.rsa.PrivateKey)),
    );
    if (openPrivateKey(pem) === undefined) return undefined;
    return {
      name: nameOf(bag),
      endsMs: bag.cert.validity.notAfter.getTime(),
      certificate: pki.certificateToPem(bag.cert),
      key: pem,
    };
  } catch {
    return undefined; // the library has many errors for a file that it cannot read
  }
}

function bagsOf(file: pkcs12.Pkcs12Pfx, bagType: string | undefined): readonly pkcs12.Bag[] {
  return bagType === undefined ? [] : (file.getBags({ bagType })[bagType] ?? []);
}

function nameOf({ attributes }: pkcs12.Bag): string {
  const names: unknown = attributes.friendlyName;
  return Array.isArray(names) ? String(names[0] ?? '').trim() : '';
}

/** Total costs of the parts of a file. */
interface Cost {
  iterations: number;
  bags: number;
  /** Parts that are encrypted as a whole, with hidden contents. */
  readonly encrypted: Node[];
}

/** Checks whether a file may be opened: the sender determines the cost. */
function isCheap(forge: Forge, file: Node, passPhrase: string | null): boolean {
  const cost: Cost = { iterations: 0, bags: 0, encrypted: [] };
  addCost(forge, file, cost);
  for (let part = cost.encrypted.pop(); part !== undefined; part = cost.encrypted.pop()) {
    if (isTooMuch(cost)) return false;
    addCost(forge, decrypt(forge, part, passPhrase), cost);
  }
  return !isTooMuch(cost);
}

function isTooMuch({ iterations, bags }: Cost): boolean {
  return iterations > maxIterations || bags > maxBags;
}

function addCost(forge: Forge, node: Node, cost: Cost): void {
  const { value } = node;
  if (typeof value === 'string') {
    const inner = isOctets(forge, node) ? parse(forge, value) : undefined;
    if (inner !== undefined) addCost(forge, inner, cost);
    return;
  }
  noteKind(forge, node, cost);
  for (const [at, each] of value.entries()) {
    cost.iterations += iterationsOf(forge, value[at - 1], each);
    addCost(forge, each, cost);
  }
}

/** Returns a count of rounds: an integer after a salt, an octet string, in every form of these files. */
function iterationsOf(forge: Forge, salt: Node | undefined, { type, value }: Node): number {
  const isCount = type === forge.asn1.Type.INTEGER && salt !== undefined && isOctets(forge, salt);
  return isCount ? Number(`0x${forge.util.bytesToHex(String(value)) || '0'}`) : 0;
}

/** Counts a bag, and collects an encrypted part, by the name at the start of a sequence. */
function noteKind({ asn1, pki }: Forge, node: Node, cost: Cost): void {
  const [first] = node.value;
  if (typeof first !== 'object' || first.type !== asn1.Type.OID) return;
  const name = asn1.derToOid(String(first.value));
  if (name.startsWith(bagTypes)) cost.bags += 1;
  if (name === pki.oids.data && node.value.length === 3) cost.encrypted.push(node);
}

const bagTypes = '1.2.840.113549.1.12.10.1.';

function isOctets({ asn1 }: Forge, { type, tagClass }: Node): boolean {
  return type === asn1.Type.OCTETSTRING && tagClass === asn1.Class.UNIVERSAL;
}

/** Returns the value inside an octet string; undefined if it holds anything else. */
function parse({ asn1 }: Forge, text: string): Node | undefined {
  if (text.charCodeAt(0) !== 0x30) return undefined; // the values inside these files are sequences
  try {
    return asn1.fromDer(text);
  } catch {
    return undefined;
  }
}

/** Members that the types of the library lack. */
interface PasswordBased {
  readonly pbe: {
    getCipher(
      oid: string,
      parameters: Node | undefined,
      passPhrase: string | null,
    ): DecryptingCipher;
  };
}

interface DecryptingCipher {
  readonly output: { getBytes(): string };
  update(input: object): void;
  finish(): boolean;
}

/** Decrypts a part `{ data, { algorithm, parameters }, [0] content }`. Throws Error on failure. */
function decrypt(forge: Forge, { value }: Node, passPhrase: string | null): Node {
  const { asn1, pki, util } = forge;
  const [, algorithm, content] = value as readonly Node[]; // `addCost` has checked for three
  const [name, parameters] = (algorithm?.value ?? []) as readonly Node[];
  const oid = asn1.derToOid(String(name?.value));
  const { pbe } = pki as typeof pki & PasswordBased;
  const cipher = pbe.getCipher(oid, parameters, passPhrase);
  cipher.update(util.createBuffer(octetsOf(content)));
  if (!cipher.finish()) throw new Error('a part cannot be decrypted');
  return asn1.fromDer(cipher.output.getBytes());
}

/** Returns the bytes of an octet string, which may be split into pieces. */
function octetsOf(node: Node | undefined): string {
  const value = node?.value ?? '';
  return typeof value === 'string' ? value : value.map(octetsOf).join('');
}
