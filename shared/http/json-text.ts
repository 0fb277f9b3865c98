import { type ApiError, refused } from '../domain/errors.ts';

const maxDepth = 200; // V8 parses any depth, but writing a value of some thousand levels overflows the stack
const shortest = 2 * maxDepth; // a shorter text cannot be deeper: each level needs two brackets

/**
 * Parses JSON that came from a client into plain data.
 *
 * - A key `__proto__` is a key like any other.
 * - Lone surrogates (only an escape such as `\ud800` can bring them) become U+FFFD in keys and values, so that
 *   every string inside can be stored and ordered as UTF-8.
 *
 * @throws ApiError 400 `JSON parse error - ...` when it is no JSON or has more than 200 levels
 */
export function parseJsonText(text: string): unknown {
  if (text.length > shortest && hasManyBrackets(text) && isTooDeep(text)) {
    throw jsonParseError(`more than ${maxDepth} levels`);
  }
  try {
    return JSON.parse(/\\ud/i.test(text) ? replaceLoneEscapes(text) : text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /at position (\d+)/.exec(error.message)?.[1];
    throw jsonParseError(position ? `invalid JSON at position ${position}` : 'invalid JSON');
  }
}

/** 400 for a body that is no JSON; clients expect the words before the dash (reference: error bodies). */
export function jsonParseError(reason: string): ApiError {
  return refused(400, `JSON parse error - ${reason}`, 'malformed_body');
}

/** The text with each lone surrogate replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text;
}

/** Works on the text, because there it covers keys and values in one pass and keeps pairs and `\\ud800` as they are. */
function replaceLoneEscapes(text: string): string {
  const escapes =
    /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[\s\S])/g;
  return text.replace(escapes, (found) => (found.length === 6 ? '\\ufffd' : found));
}

/** Whether there are brackets enough to be too deep, inside strings or not: quick, and mostly the end of it. */
function hasManyBrackets(text: string): boolean {
  return text.split('[').length + text.split('{').length > maxDepth;
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a string: brackets inside do not count
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maxDepth) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
  return false;
}

/** Position of the quote that closes the string which opens at `start`, or of the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Whether an odd number of backslashes stands before a position. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === 0x5c) before -= 1;
  return (at - before) % 2 === 0;
}
