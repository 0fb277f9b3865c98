import { ApiError } from '../../shared/domain/errors.ts';
import { parseJsonText } from '../../shared/http/json-text.ts';
import type { Response } from '../../shared/http/message.ts';

/** What an item came to, as its entry shows it. */
export interface Result {
  readonly code: number;
  /** Absent where the item has no body. */
  readonly content?: unknown;
}

/** Head of the answer, and what stands around the entries. */
const reservedBytes = 16_384;
/** An entry that says that its content is too large; kept for each item that is still to come. */
const refusalBytes = 128;

/** The entries of a batch, in the order of its items. */
export interface Results {
  add(response: Response): void;
  /** All entries, and the same as JSON text. */
  finish(): { readonly body: readonly Result[]; readonly json: string };
}

/**
 * Collects the entries of `count` items, so that no large one loses the others: content that would not fit into what
 * the platform lets through is replaced by a 413 (reference: batch, response).
 *
 * @param maxBytes of the answer, as JSON text inside JSON, which is how it travels
 */
export function collectResults(count: number, maxBytes: number): Results {
  const body: Result[] = [];
  const texts: string[] = [];
  let free = maxBytes - reservedBytes - count * refusalBytes;

  return {
    add: (response) => {
      const result = resultOf(response);
      const text = JSON.stringify(result);
      const bytes = bytesInside(text);
      const fits = bytes <= free + refusalBytes;
      if (fits) free -= bytes - refusalBytes;
      body.push(fits ? result : tooLarge);
      texts.push(fits ? text : JSON.stringify(tooLarge));
    },
    finish: () => ({ body, json: `[${texts.join(',')}]` }),
  };
}

const tooLarge: Result = { code: 413, content: { detail: 'Response size limit exceeded.' } };

/** Bytes of a text inside a JSON text, its comma included. */
function bytesInside(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

function resultOf({ status, body, content }: Response): Result {
  const value = content === undefined ? body : contentValue(content);
  return status === 204 || value === undefined
    ? { code: status }
    : { code: status, content: value };
}

/** What is no JSON by itself: scripts answer with anything. JSON is shown as such, the rest as text. */
function contentValue({ bytes }: NonNullable<Response['content']>): unknown {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString();
  if (text === '') return undefined;
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return text;
  }
}
