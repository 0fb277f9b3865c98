import { ExactNumber } from '../../shared/values/json/exact-number.ts';
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
