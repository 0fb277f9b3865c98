import { isUtf8 } from 'node:buffer';
import { escapeBytes, type SizedForm } from '../../shared/core/http/event-size.ts';
import { parseJsonText } from '../../shared/core/http/json-text.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { keepText, writeBody } from '../../shared/core/http/response-cache.ts';
import { maxIndentedStructure } from '../../shared/values/bounds.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';
import { measureIndented } from '../../shared/values/json/json-structure.ts';

/** The result of an item, as its entry shows it. */
export interface ItemResult {
  readonly code: number;
  /** Absent where the item has no body. */
  readonly content?: unknown;
  /** The content is bytes that are no text. */
  readonly encoding?: 'base64';
}

/** Bytes for the head of the response and the JSON around the entries. */
const reservedBytes = 16_384;
/** Bytes of a 413 entry; reserved for each remaining item. Indented it takes up to twice as many. */
const errorBytes = 128;
/** Brackets, commas and colons of a 413 entry with the comma after it. */
const errorCharacters = 16;

/** The entries of a batch, in the order of its items. */
export interface Results {
  add(response: Response): void;
  /** All entries. */
  finish(): readonly ItemResult[];
  /** Field names that items sent and their paths ignore; for all together, as entries have no headers. */
  ignored(): readonly string[];
}

/**
 * Collects the entries of `count` items, so that one large item does not lose the others: content that exceeds the
 * platform's response limit is replaced by a 413 (docs/reference/batch.md#response).
 *
 * @param form its bytes are those of the response as JSON text inside JSON, which is how it travels
 */
export function collectResults(count: number, form: SizedForm): Results {
  const body: ItemResult[] = [];
  const texts: string[] = [];
  const ignored = new Set<string>();
  const bytes = form.maxBytes - reservedBytes - count * errorBytes;
  const budget = form.indent === 0 ? openBudget(bytes) : openIndentedBudget(bytes, count, form);

  return {
    add: (response) => {
      for (const name of response.ignored ?? []) ignored.add(name);
      const result = resultOf(response);
      const text = writeResult(result);
      const fits = budget.take(text);
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

/** Tracks the space for texts as {@link openBudget}, and their structure, where they will be indented. */
function openIndentedBudget(bytes: number, count: number, { indent, isHtml }: SizedForm) {
  let free = bytes - count * errorBytes;
  let characters = maxIndentedStructure - count * errorCharacters;
  return {
    take: (text: string) => {
      const limits = { characters: characters + 2, length: text.length + free };
      const size = measureIndented(`[${text}]`, indent, limits);
      const added = size.length - text.length + size.characters; // a line break is two bytes inside JSON
      if (size.characters > characters || added > free) return false;
      const taken = added + bytesInside(text) + (isHtml ? escapeBytes(text) : 0);
      if (taken > free) return false;
      free -= taken;
      characters -= size.characters;
      return true;
    },
  };
}

/**
 * Tracks the space for texts inside a JSON text. Counting serializes them again, so it is deferred until needed.
 *
 * @param bytes free in addition to the `errorBytes` that are reserved for each text
 */
function openBudget(bytes: number): { readonly take: (text: string) => boolean } {
  let free = bytes;
  let uncounted: string[] = [];
  let most = 0; // upper bound of what those take of `free`
  return {
    take: (text) => {
      const bound = text.length * mostBytesInside + 3 - errorBytes;
      if (bound <= free - most) {
        uncounted.push(text);
        most += bound;
        return true;
      }
      for (const each of uncounted) free -= bytesInside(each) - errorBytes;
      uncounted = [];
      most = 0;
      const taken = bytesInside(text) - errorBytes;
      if (taken > free) return false;
      free -= taken;
      return true;
    },
  };
}

/** Maximum bytes of a character of JSON text inside another one: its control characters are escaped already. */
const mostBytesInside = 3;

const tooLarge: ItemResult = { code: 413, content: { detail: 'Response size limit exceeded.' } };

/** Returns the bytes of a text inside a JSON text, including its comma. */
function bytesInside(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** Serializes an entry; content that was serialized before is reused. */
function writeResult({ code, content, encoding }: ItemResult): string {
  if (content === undefined) return `{"code":${code}}`;
  const more = encoding === undefined ? '' : `,"encoding":"${encoding}"`;
  return `{"code":${code},"content":${writeBody(content)}${more}}`;
}

function resultOf({ status, body, content }: Response): ItemResult {
  if (content !== undefined && status !== 204) return { code: status, ...contentValue(content) };
  return status === 204 || body === undefined ? { code: status } : { code: status, content: body };
}

/** Shows content of scripts, which can be anything: JSON as JSON, other text as text, other bytes in base64. */
function contentValue({ bytes }: NonNullable<Response['content']>): Omit<ItemResult, 'code'> {
  if (typeof bytes !== 'string' && !isUtf8(bytes)) {
    return { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
  }
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString();
  if (text === '') return {};
  try {
    return { content: parseJsonText(text) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { content: text };
  }
}
