/** Defined at bundling time, by bin/bundle.mjs and console/bundle.mjs. */
declare const COMMON_PASSWORDS: string;

/** Unbundled sources, for example in tests, read the list of the package. */
const common =
  typeof COMMON_PASSWORDS === 'string'
    ? COMMON_PASSWORDS
    : (await import('./common-passwords.mjs')).commonPasswords;

/**
 * Explains why a new password is too easy to guess, as a sentence (docs/reference/accounts.md#passwords).
 *
 * @returns undefined when it is not
 */
export function weaknessOf(password: string): string | undefined {
  const sent = password.trim(); // as the server does
  if (sent.length < 8) return 'A password needs at least 8 characters.';
  const isCommon = common.split(' ').includes(sent.toLowerCase());
  return isCommon ? 'This is one of the most common passwords: choose another one.' : undefined;
}
