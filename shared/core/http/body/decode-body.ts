import { detailError } from '../../../values/errors/errors.ts';
import {
  charsetOf,
  type Decoder,
  decoderOf,
  decodeStrictly,
} from '../../../values/text/decode-text.ts';
import { jsonParseError } from '../json-text.ts';

/** Decodes bytes of a body; `what` they are begins the text of its error. */
export type Decode = (bytes: Uint8Array, decoder: Decoder, what: string) => string;

/** Decodes text as it is, or throws a 400 (docs/reference/requests.md#text). */
export const decodeOrThrow: Decode = (bytes, decoder, what) => {
  const text = decodeStrictly(bytes, decoder);
  if (text !== undefined) return text;
  throw detailError(400, `${what} is not valid ${decoder.encoding}`, 'malformed_body');
};

const utf8Mark = Buffer.from('\ufeff');

/** Decodes the value of a field of a form. It may begin with U+FEFF: a byte order mark is that of a body or a file. */
export function decodeValue(
  decode: Decode,
  [bytes, decoder, what]: Readonly<Parameters<Decode>>,
): string {
  const text = decode(bytes, decoder, what);
  const isMarked = decoder.encoding === 'utf-8' && utf8Mark.equals(bytes.subarray(0, 3));
  return isMarked ? `\ufeff${text}` : text;
}

/**
 * Returns the decoder of the charset that a content type names, UTF-8 where it names none.
 *
 * @throws ApiError 400 for an unknown charset
 */
export function charsetDecoder(contentType: string): Decoder {
  const decoder = decoderOf(charsetOf(contentType));
  if (decoder === undefined) throw jsonParseError('unknown charset');
  return decoder;
}
