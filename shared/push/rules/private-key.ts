import { createPrivateKey, type KeyObject } from 'node:crypto';

/** Kinds of keys that push services sign with: RSA for Google's service accounts, P-256 for Apple's tokens. */
export type SigningKey = 'RSA' | 'P-256';

/**
 * Reads a private key in PEM. Line ends that a tool wrote as `\n`, two characters, or as CRLF become line feeds.
 *
 * @returns the text; undefined when it is no whole key of this kind (docs/reference/push.md#config)
 */
export function readPrivateKey(sent: string, kind: SigningKey): string | undefined {
  const text = sent.replace(/(\\+r)?\\+n|\r\n?/g, '\n').trim(); // no other part of PEM has a backslash
  const key = parse(text);
  return key !== undefined && kindOf(key) === kind ? `${text}\n` : undefined;
}

function parse(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined; // the errors of the library repeat parts of the key, and have no list
  }
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningKey | undefined {
  if (asymmetricKeyType === 'rsa') return 'RSA';
  const isP256 = asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return isP256 ? 'P-256' : undefined;
}
