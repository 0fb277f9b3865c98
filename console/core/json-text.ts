import { ExactNumber, parseExactJson } from '../../shared/values/json/exact-number.ts';
import { parseFiniteJson } from '../../shared/values/json/finite-json.ts';
import { ApiProblem } from './api.ts';

/**
 * Parses JSON that a person has typed. Large numbers keep their digits; the server refuses them where it cannot.
 *
 * @throws ApiProblem with the reason of the parser
 */
export function parseJson(text: string): unknown {
  try {
    return parseFiniteJson(text);
  } catch (error) {
    throw new ApiProblem(0, `This is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

/**
 * Parses a JSON object; an empty text is an empty one.
 *
 * @throws ApiProblem for other JSON, and as `parseJson`
 */
export function parseObject(text: string): object {
  const value = text.trim() === '' ? {} : parseJson(text);
  const isOther = Array.isArray(value) || value instanceof ExactNumber;
  if (typeof value !== 'object' || value === null || isOther) {
    throw new ApiProblem(0, 'This has to be a JSON object: { "name": "value" }');
  }
  return value;
}

/** Reads a number that a person has typed, with all its digits; NaN for a text that is none. */
export function parseNumber(text: string): number | ExactNumber {
  try {
    const value = parseExactJson(text);
    if (typeof value === 'number' || value instanceof ExactNumber) return value;
  } catch {
    // it may have another form that JSON does not have, such as +1
  }
  return Number(text);
}
