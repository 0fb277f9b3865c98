import { createPrivateKey, type KeyObject } from 'node:crypto';

/** Kinds of keys that push services sign with: RSA for Google's service accounts, P-256 for Apple's tokens. */
export type SigningKey = 'RSA' | 'P-256';

/** A private key that can be signed with in a few milliseconds. */
export interface OpenedKey {
  readonly key: KeyObject;
  readonly kind: SigningKey;
}

const maxRsaBits = 4096; // a longer key takes much longer to sign with; Google's and Apple's have 2,048

/**
 * Reads a private key in PEM. Line ends that a tool wrote as `\n`, two characters, or as CRLF become line feeds.
 *
 * @returns the text; undefined when it is no whole key of this kind (docs/reference/push.md#config)
 */
export function readPrivateKey(sent: string, kind: SigningKey): string | undefined {
  const text = sent.replace(/(\\+r)?\\+n|\r\n?/g, '\n').trim(); // no other part of PEM has a backslash
  return openPrivateKey(text)?.kind === kind ? `${text}\n` : undefined;
}

/** Opens a private key in PEM; undefined for one that is not whole, is of another kind, or takes long to sign with. */
export function openPrivateKey(pem: string): OpenedKey | undefined {
  try {
    const key = createPrivateKey(pem);
    const kind = kindOf(key);
    return kind === undefined || (kind === 'RSA' && !isWholeRsa(key)) ? undefined : { key, kind };
  } catch {
    return undefined; // the errors of the library repeat parts of the key, and have no list
  }
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningKey | undefined {
  if (asymmetricKeyType === 'rsa') return 'RSA';
  const isP256 = asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return isP256 ? 'P-256' : undefined;
}

/**
 * Checks the numbers of an RSA key, which the library does not: longer ones than fit its modulus would let one signature
 * take minutes, with a certificate in the thread of the server.
 */
function isWholeRsa(key: KeyObject): boolean {
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) > maxRsaBits) return false;
  const jwk = key.export({ format: 'jwk' });
  const texts = [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi];
  if (texts.some((text = '') => text === '' || text.length > maxRsaBits / 6 + 1)) return false;
  const [n = 0n, e = 0n, d = 0n, p = 0n, q = 0n, dp = 0n, dq = 0n, qi = 0n] = texts.map(toNumber);
  return p * q === n && e < n && d < n && dp < p && dq < q && qi < p;
}

function toNumber(text = ''): bigint {
  return BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
}
