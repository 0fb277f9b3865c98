/*
 * The one way from bytes to text. Bytes that are no text in their charset are an error of whoever sent them, never
 * U+FFFD in what is stored (docs/reference/requests.md#text). Only arguments of scripts are decoded all the same. For
 * browsers as well: the console reads files with it.
 */

/** A decoder of one charset: a global of browsers and Node, whose types declare no interface. */
export type Decoder = InstanceType<typeof TextDecoder>;

/** A text, and whether bytes in it were no text and became U+FFFD. */
export interface DecodedText {
  readonly text: string;
  readonly isReplaced: boolean;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns a decoder that throws a TypeError for bytes that are no text, and removes a byte order mark.
 *
 * @param charset a name of the WHATWG's list; absent: UTF-8
 * @returns undefined for an unknown name
 */
export function decoderOf(charset: string | undefined): Decoder | undefined {
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8;
  return madeDecoder(charset, true);
}

function madeDecoder(charset: string, fatal: boolean): Decoder | undefined {
  try {
    return new TextDecoder(charset, { fatal });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** Returns the name of the charset in a media type, as sent; undefined when it names none. */
export function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
}

/**
 * Decodes bytes; undefined when they are no text in the charset of `decoder`, UTF-8 unless given.
 *
 * @param stream whether more bytes follow, and a character may be incomplete
 */
export function decodeStrictly(
  bytes: Uint8Array,
  decoder = utf8,
  stream = false,
): string | undefined {
  try {
    return mendText(decoder.decode(bytes, { stream }), decoder);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/** Decodes bytes; what is no text becomes U+FFFD. */
export function decodeReplacing(bytes: Uint8Array, decoder = utf8): DecodedText {
  const text = decodeStrictly(bytes, decoder);
  if (text !== undefined) return { text, isReplaced: false };
  const replaced = new TextDecoder(decoder.encoding).decode(bytes);
  return { text: mendText(replaced, decoder), isReplaced: true };
}

/** Characters of the bytes 0x80 to 0x9f in Windows-1252; five of them have none, and stay control characters. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Replaces control characters: releases of Node, among them 20.20, decode Windows-1252 as Latin-1. */
function mendText(text: string, { encoding }: Decoder): string {
  if (encoding !== 'windows-1252') return text;
  return text.replace(/[\x80-\x9f]/g, (found) => windows1252[found.charCodeAt(0) - 0x80] ?? found);
}

/** Escapes of bytes beyond ASCII, which alone may be no text. */
export const escapesBeyondAscii = /%[89a-f][\da-f]/i;

/**
 * Finds a parameter whose escapes are no UTF-8.
 *
 * @param query as it was sent, escaped
 * @returns its name, as far as that is text; undefined when all parameters are text
 */
export function brokenParameterOf(query: string): string | undefined {
  if (!escapesBeyondAscii.test(query)) return undefined;
  for (const pair of query.split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (decodeStrictly(unescapedBytes(pair)) === undefined) {
      return decodeReplacing(unescapedBytes(name)).text;
    }
  }
  return undefined;
}

/** Returns the bytes of a form's escaped text; characters of the text beyond Latin-1 keep their low byte only. */
export function unescapedBytes(text: string): Uint8Array {
  const byte = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const latin = text.replaceAll('+', ' ').replace(/%([\da-f]{2})/gi, byte);
  const bytes = new Uint8Array(latin.length);
  for (let at = 0; at < latin.length; at += 1) bytes[at] = latin.charCodeAt(at);
  return bytes;
}
