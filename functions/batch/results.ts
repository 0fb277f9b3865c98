import { parseJsonText } from '../../shared/core/http/json-text.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { keepText, writeBody } from '../../shared/core/http/response-cache.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';

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
  /** All entries. */
  finish(): readonly Result[];
  /** Names that items have and their paths do not know; for all together, as entries have no headers. */
  ignored(): readonly string[];
}

/**
 * Collects the entries of `count` items, so that no large one loses the others: content that would not fit into what
 * the platform lets through is replaced by a 413 (docs/reference/batch.md#response).
 *
 * @param maxBytes of the answer, as JSON text inside JSON, which is how it travels
 */
export function collectResults(count: number, maxBytes: number): Results {
  const body: Result[] = [];
  const texts: string[] = [];
  const ignored = new Set<string>();
  const room = openRoom(maxBytes - reservedBytes - count * refusalBytes);

  return {
    add: (response) => {
      for (const name of response.ignored ?? []) ignored.add(name);
      const result = resultOf(response);
      const text = writeResult(result);
      const fits = room.take(text);
      body.push(fits ? result : tooLarge);
      texts.push(fits ? text : JSON.stringify(tooLarge));
    },
    finish: () => {
      keepText(body, `[${texts.join(',')}]`);
      return body;
    },
    ignored: () => [...ignored],
  };
}

/**
 * Room for texts inside a JSON text. To count is to write them once more, so that it is not done before it matters.
 *
 * @param bytes free beside the `refusalBytes` that are kept for each text
 */
function openRoom(bytes: number): { readonly take: (text: string) => boolean } {
  let free = bytes;
  let uncounted: string[] = [];
  let most = 0; // what those take of `free`
  return {
    take: (text) => {
      const bound = text.length * mostBytesInside + 3 - refusalBytes;
      if (bound <= free - most) {
        uncounted.push(text);
        most += bound;
        return true;
      }
      for (const each of uncounted) free -= bytesInside(each) - refusalBytes;
      uncounted = [];
      most = 0;
      const taken = bytesInside(text) - refusalBytes;
      if (taken > free) return false;
      free -= taken;
      return true;
    },
  };
}

/** Bytes that a character of JSON text takes inside another one: its control characters are escaped already. */
const mostBytesInside = 3;

const tooLarge: Result = { code: 413, content: { detail: 'Response size limit exceeded.' } };

/** Bytes of a text inside a JSON text, its comma included. */
function bytesInside(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** Content that was written before is not written again. */
function writeResult({ code, content }: Result): string {
  if (content === undefined) return `{"code":${code}}`;
  return `{"code":${code},"content":${writeBody(content)}}`;
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
