import { type KeyObject, sign } from 'node:crypto';
import { PushFailure } from '../../../../push/push-failure.ts';
import { openPrivateKey } from '../../../../push/rules/private-key.ts';

/** Signed statement of a credential, with its parts before the signature. */
export interface Statement {
  readonly header: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, string | number>>;
}

/**
 * Reads the private key of a credential.
 *
 * @throws PushFailure for a key that cannot sign, or takes too long to
 */
export function readSigningKey(pem: string): KeyObject {
  const opened = openPrivateKey(pem);
  if (opened === undefined) throw new PushFailure('badCredential', 'its key');
  return opened.key;
}

/**
 * Signs a statement as a JSON Web Token (RS256 or ES256), in a thread of its own.
 *
 * @throws PushFailure for a key that cannot sign
 */
export async function signToken(key: KeyObject, { header, claims }: Statement): Promise<string> {
  const alg = key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
  const head = encode({ alg, typ: 'JWT', ...header });
  const text = `${head}.${encode(claims)}`;
  return `${text}.${(await signature(key, text)).toString('base64url')}`;
}

function signature(key: KeyObject, text: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // of the two forms of a signature by an elliptic curve, tokens have this; other keys have one
    sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, (error, bytes) => {
      if (error) reject(new PushFailure('badCredential', 'its key'));
      else resolve(bytes);
    });
  });
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
