import { createHash } from 'node:crypto';

/*
 * Proof keys (RFC 7636, method S256): a client keeps a verifier and requests a code with its digest, the challenge; the
 * code is of use only with the verifier.
 */

const challengeForm = /^[\w-]{43}$/;
const verifierForm = /^[\w.~-]{43,128}$/;

/** Checks whether a text has the form of a challenge. */
export function isChallenge(text: string): boolean {
  return challengeForm.test(text);
}

/** Checks whether a verifier is the one of a challenge. */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  return (
    verifierForm.test(verifier) &&
    createHash('sha256').update(verifier).digest('base64url') === challenge
  );
}
