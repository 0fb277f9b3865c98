import { maxStructure } from '../../values/bounds.ts';
import { type ApiError, detailError } from '../../values/errors/errors.ts';
import { parseExactJson } from '../../values/json/exact-number.ts';
import { measureStructure } from '../../values/json/json-structure.ts';

const maxDepth = 200; // V8 parses any depth, but serializing a value of some thousand levels overflows the stack
const shortest = 2 * maxDepth; // a shorter text cannot be deeper: each level needs two brackets

/**
 * Parses JSON from a client into plain data.
 *
 * - A key `__proto__` is a key like any other.
 * - Lone surrogates (only an escape such as `\ud800` can produce them) stay: a text with one is rejected where it would
 *   be kept, under its field.
 * - A number that a double does not give back becomes an `ExactNumber` (docs/reference/requests.md#large-numbers).
 *
 * @throws ApiError 400 `JSON parse error - ...` when it is no JSON, has more than 200 levels or more than
 *   {@link maxStructure} brackets, commas and colons
 */
export function parseJsonText(text: string): unknown {
  checkStructure(text);
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /at position (\d+)/.exec(error.message)?.[1];
    throw jsonParseError(position ? `invalid JSON at position ${position}` : 'invalid JSON');
  }
}

/**
 * Returns the 400 for a body that is no JSON; clients expect the words before the dash
 * (docs/reference/errors.md#malformed-bodies).
 */
export function jsonParseError(reason: string, code: BodyFault = 'malformed_body'): ApiError {
  return detailError(400, `JSON parse error - ${reason}`, code);
}

type BodyFault = 'malformed_body' | 'body_too_complex';

/** Limits the cost of parsing. A short text cannot exceed any of the limits. */
function checkStructure(text: string): void {
  if (text.length <= shortest) return;
  if (text.length <= maxStructure && !hasManyBrackets(text)) return;
  const { characters, depth } = measureStructure(text, maxStructure, maxDepth);
  if (depth > maxDepth) throw jsonParseError(`more than ${maxDepth} levels`, 'body_too_complex');
  if (characters > maxStructure) throw tooMuchStructure();
}

/** Returns the 400 for JSON that would cost too much to parse. */
export function tooMuchStructure(): ApiError {
  return jsonParseError(
    `more than ${maxStructure} brackets, commas and colons`,
    'body_too_complex',
  );
}

/** Checks whether there are enough brackets to be too deep, inside strings or not: quick, and mostly sufficient. */
function hasManyBrackets(text: string): boolean {
  return has(text, '[', maxDepth / 2) || has(text, '{', maxDepth / 2);
}

function has(text: string, bracket: string, count: number): boolean {
  let at = -1;
  for (let found = 0; found < count; found += 1) {
    at = text.indexOf(bracket, at + 1);
    if (at < 0) return false;
  }
  return true;
}
