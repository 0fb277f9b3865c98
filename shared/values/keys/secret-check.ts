import { createHash, timingSafeEqual } from 'node:crypto';

/** Creates a function that checks whether a text is a secret, in a time that depends on no part of it. */
export function createSecretCheck(secret: string): (sent: unknown) => boolean {
  const expected = digest(secret);
  return (sent) => typeof sent === 'string' && timingSafeEqual(digest(sent), expected);
}

/** Returns a digest: of one length for every text. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
