import { ExactNumber, parseExactJson } from './exact-number.ts';

/** A number that may be too large for a double. */
const mayOverflow = /\d[eE]\+?\d{3}|\d{300}/;

/**
 * Parses JSON that is sent to a server, as {@link parseExactJson}: a number that no double can be would become null there.
 *
 * @throws SyntaxError for such a number, too
 */
export function parseFiniteJson(text: string): unknown {
  const value = parseExactJson(text);
  if (mayOverflow.test(text)) JSON.stringify(value, refuseInfinity);
  return value;
}

function refuseInfinity(this: Readonly<Record<string, unknown>>, name: string, shown: unknown) {
  const isInfinite = shown === Number.POSITIVE_INFINITY || shown === Number.NEGATIVE_INFINITY;
  if (!isInfinite || this[name] instanceof ExactNumber) return shown; // its digits are sent
  throw new SyntaxError(name === '' ? 'a number is too large' : `the number ${name} is too large`);
}
