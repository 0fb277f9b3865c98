import { type ApiError, detailError } from '../../values/errors/errors.ts';

/** The form in which a response is sent. */
export type Representation = 'json' | 'html';

/**
 * Chooses the form of the response (docs/reference/responses.md#content-negotiation). The type with the higher `q`
 * wins; of two equal ones, the one that `Accept` names more exactly; then JSON, so that only clients that ask for a
 * page get one.
 *
 * @param accept the header as sent; absent or empty means anything
 * @param format the query parameter `format`: `json` or `html` decides alone, empty is ignored
 * @throws ApiError 406 when `accept` allows neither; 404 for any other `format`
 */
export function chooseForm(accept: string | undefined, format?: string): Representation {
  if (format === 'json' || format === 'html') return format;
  if (format) throw detailError(404, 'Not found.', 'format_unknown');
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json';
  const ranges = accept.split(',').filter((range) => range.trim() !== '');
  if (ranges.length === 0) return 'json';
  const parsed = ranges.map(parseRange);
  const json = rank(parsed, 'application/json');
  const html = rank(parsed, 'text/html');
  if (json === 0 && html === 0) throw notAcceptable();
  return html > json ? 'html' : 'json';
}

/** Returns the 406 for a client that accepts no form of the response; itself always sent as JSON. */
export function notAcceptable(): ApiError {
  return detailError(406, 'Could not satisfy the request Accept header.', 'not_acceptable');
}

/**
 * Returns the indentation of a JSON response, 0 to 8 spaces, as requested by `Accept: application/json; indent=4`; 0
 * without it (docs/reference/responses.md#formats).
 */
export function jsonIndent(accept: string | undefined): number {
  if (!accept?.includes('indent')) return 0;
  const digits = /application\/json\s*;[^,]*\bindent=(\d+)/i.exec(accept)?.[1];
  return Math.min(Number(digits ?? 0), 8);
}

/** Spaces of a level in the JSON that a page shows. */
export const pageIndent = 2;

interface Range {
  readonly type: string;
  /** 0 to 1; 0 excludes the type. */
  readonly quality: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const sent = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
  const quality = sent === undefined ? 1 : Number(sent);
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 1 };
}

/**
 * Returns the client's preference for `type` as one comparable number; 0 when excluded. The most exact range that
 * covers it counts, even when a wider one has a higher quality. Quality, which has three decimals, counts before
 * exactness.
 */
function rank(ranges: readonly Range[], type: string): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const [wideness, name] of [type, family, '*/*'].entries()) {
    const found = ranges.find((range) => range.type === name);
    if (found) return found.quality === 0 ? 0 : found.quality * 10_000 - wideness;
  }
  return 0;
}
