import { ApiProblem } from './api.ts';

/**
 * Parses JSON that a person has typed.
 *
 * @throws ApiProblem with the reason of the parser
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiProblem(0, 'This has to be a JSON object: { "name": "value" }');
  }
  return value;
}
