import { type Decoder, decoderOf, decodeStrictly } from './decode-text.ts';

/** Bytes of a file that are no text. The message names the line. */
export class NotText extends Error {}

/** Decodes the bytes of a file part by part. */
export interface TextReader {
  /**
   * Returns the text of further bytes, as far as its characters are complete.
   *
   * @throws NotText
   */
  add(bytes: Uint8Array): string;
  /** Returns the rest of the text. */
  end(): string;
}

/** How the bytes of a file become text. */
export interface TextOptions {
  /** Name of an encoding, of the WHATWG's list; absent: UTF-8. */
  readonly encoding?: string | undefined;
  /** Whether UTF-16 is read by its byte order mark, and not an error. */
  readonly isUtf16Found?: boolean;
}

/**
 * Opens a reader of text. A byte order mark is left out.
 *
 * @throws NotText for the name of an encoding that does not exist
 */
export function openTextReader({ encoding, isUtf16Found = false }: TextOptions = {}): TextReader {
  let held: Uint8Array = new Uint8Array(0); // the first bytes, until a mark would be complete
  let decode: Decode | undefined;
  checkEncoding(encoding);
  const add = (bytes: Uint8Array, isEnd: boolean): string => {
    if (decode !== undefined) return decode(bytes, isEnd);
    held = joinBytes(held, bytes);
    if (held.length < 3 && !isEnd) return '';
    decode = openDecoder(encodingOf(held, encoding, isUtf16Found));
    return decode(held, isEnd);
  };
  return { add: (bytes) => add(bytes, false), end: () => add(new Uint8Array(0), true) };
}

/**
 * Decodes a file as a whole, as {@link openTextReader} does.
 *
 * @throws NotText
 */
export function decodeFile(bytes: Uint8Array, options?: TextOptions): string {
  const reader = openTextReader(options);
  return reader.add(bytes) + reader.end();
}

function checkEncoding(encoding: string | undefined): void {
  if (decoderOf(encoding) === undefined) throw new NotText(`there is no encoding ${encoding}`);
}

type Decode = (bytes: Uint8Array, isEnd: boolean) => string;

function openDecoder(encoding: string): Decode {
  const open = () => new TextDecoder(encoding, { fatal: true });
  const leader = open();
  const follower = open(); // is in the state before a bad part, and finds the line in it
  let [line, last] = [1, ''];
  return (bytes, isEnd) => {
    const text = decodeStrictly(bytes, leader, !isEnd);
    if (text === undefined) {
      const before = last + textBeforeError(bytes, follower);
      const at = line + breaksIn(before) - breaksIn(last);
      throw new NotText(`line ${at}: the bytes are not text in ${shownName(leader.encoding)}`);
    }
    decodeStrictly(bytes, follower, true);
    line += breaksIn(last + text) - breaksIn(last); // a part may end between \r and \n
    last = text.at(-1) ?? last;
    return text;
  };
}

function textBeforeError(bytes: Uint8Array, decoder: Decoder): string {
  let text = '';
  for (const [at] of bytes.entries()) {
    const next = decodeStrictly(bytes.subarray(at, at + 1), decoder, true);
    if (next === undefined) break;
    text += next;
  }
  return text;
}

/** Counts the line breaks of a text. */
export function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

const marks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Returns the encoding of a file that starts with some bytes. */
function encodingOf(start: Uint8Array, given: string | undefined, isUtf16Found: boolean): string {
  const marked = marks.find(([, mark]) => mark.every((byte, at) => start[at] === byte))?.[0];
  const wanted = decoderOf(given)?.encoding ?? 'utf-8';
  if (marked === undefined || marked === wanted) return wanted;
  if (given === undefined && isUtf16Found) return marked;
  const name = shownName(marked);
  throw new NotText(`the byte order mark is that of ${name}, not of ${shownName(wanted)}`);
}

function shownName(encoding: string): string {
  return encoding.replace(/^utf/, 'UTF');
}

function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
