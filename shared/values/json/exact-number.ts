import { endOfString } from './json-structure.ts';

/*
 * Numbers of JSON that a double changes. A value that was parsed from a client's JSON has an ExactNumber in their place,
 * which readers of text take as it was written, and which no other reader takes for a number unless it says so
 * (docs/reference/requests.md#large-numbers).
 */

let written = 0; // ExactNumbers that JSON.stringify has met: costs nothing where there are none

/** A number in JSON that a double does not give back, such as 9007199254740993. Neither a number nor an object. */
export class ExactNumber {
  /** As it was written: digits, and maybe a sign, a point or an exponent. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The nearest double. */
  get value(): number {
    return Number(this.text);
  }

  /** False for a number with a point or an exponent: of such a one everybody expects a double. */
  get isInteger(): boolean {
    return !/[.e]/i.test(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** `JSON.stringify` writes the nearest double; {@link writeExactJson} the number itself. */
  toJSON(): number {
    written += 1;
    return this.value;
  }
}

/** Returns the double of an {@link ExactNumber} with a point or an exponent; any other value unchanged. */
export function withoutFraction(value: unknown): unknown {
  return value instanceof ExactNumber && !value.isInteger ? value.value : value;
}

/** Returns the double of an {@link ExactNumber}; any other value unchanged. */
export function asDouble(value: unknown): unknown {
  return value instanceof ExactNumber ? value.value : value;
}

const longRun = 16; // digits and points: a double gives back any number of 15 digits
const quoteOrNumber = /"|(?<![\w.+-])-?\d[.\d]{15}/g; // the start: of a million digits a whole match exhausts the stack
const maxLength = 4000; // of a number: Python reads integers of at most 4,300 digits. A double makes infinity of more

/** Begins the texts that stand for numbers: no client can know it, so no text of one begins with it. */
const mark = `\ud800${[...crypto.getRandomValues(new Uint32Array(2))].map((each) => each.toString(36)).join('x')}:`;
const markedNumber = new RegExp(`"\\\\ud800${mark.slice(1)}(-?\\d[-+.\\deE]*)"`, 'g');

/**
 * Parses JSON. A number that a double does not give back becomes an {@link ExactNumber}. Hardly slower than `JSON.parse`
 * where there is none.
 *
 * @throws SyntaxError as `JSON.parse`
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayLoseDigits(text)) return value;
  const numbers: ExactNumber[] = [];
  const marked = markNumbers(text, numbers);
  return numbers.length === 0 ? value : placeNumbers(JSON.parse(marked), numbers);
}

/**
 * Checks quickly whether a double may change a number; a text inside may look like one. Reads one character of each 16,
 * which no long run can avoid: 0.3 ms for 1 MB, of which `JSON.parse` takes 3, and a regular expression 1 to 2.
 */
function mayLoseDigits(text: string): boolean {
  for (let at = longRun - 1; at < text.length; at += longRun) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue;
    let [start, end] = [at, at + 1];
    while (start > 0 && isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1;
    while (isDigitOrPoint(text.charCodeAt(end))) end += 1;
    if (end - start >= longRun && isChangedAt(text, start, end)) return true;
    at = end; // the next run begins after this character
  }
  return false;
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e;
}

const numberFollows = ':,[ \n\r\t';

function isChangedAt(text: string, start: number, end: number): boolean {
  const first = text[start - 1] === '-' ? start - 1 : start;
  if (first > 0 && !numberFollows.includes(text.charAt(first - 1))) return false;
  if (text[end] === 'e' || text[end] === 'E' || end - first > maxLength) return true;
  return !isGivenBack(text.slice(first, end));
}

/** Replaces numbers that a double changes by their position in `numbers`, to which it adds them. */
function markNumbers(text: string, numbers: ExactNumber[]): string {
  const pieces: string[] = [];
  let start = 0;
  quoteOrNumber.lastIndex = 0;
  for (let found = quoteOrNumber.exec(text); found !== null; found = quoteOrNumber.exec(text)) {
    if (found[0] === '"') {
      quoteOrNumber.lastIndex = endOfString(text, found.index) + 1;
      continue;
    }
    const end = endOfNumber(text, quoteOrNumber.lastIndex);
    quoteOrNumber.lastIndex = end;
    const token = text.slice(found.index, end);
    const number = new ExactNumber(token);
    const isLong = token.length > maxLength;
    if (isLong ? number.isInteger : isGivenBack(token)) continue;
    pieces.push(text.slice(start, found.index), `"${mark}${numbers.length}"`);
    start = found.index + token.length;
    numbers.push(number);
  }
  pieces.push(text.slice(start));
  return pieces.join('');
}

const numberCharacters = '0123456789.eE+-';

/** Returns the position after a number, of which `at` is inside or after. */
function endOfNumber(text: string, at: number): number {
  let end = at;
  while (end < text.length && numberCharacters.includes(text.charAt(end))) end += 1;
  return end;
}

/** Checks whether the double of a number has its digits; in the case of integers, also written in the same way. */
export function isGivenBack(token: string): boolean {
  const double = Number(token);
  if (!Number.isFinite(double)) return false;
  const shortest = String(double);
  if (shortest === token) return true;
  return /[.e]/i.test(token) && significantOf(shortest) === significantOf(token);
}

/** Writes a decimal number in one way: its digits without outer zeros, and the power of ten of the last one. */
function significantOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = whole + fraction;
  const isZero = (at: number) => digits.charCodeAt(at) === 0x30;
  let [start, end] = [0, digits.length];
  while (start < end && isZero(start)) start += 1;
  while (end > start && isZero(end - 1)) end -= 1; // a regular expression takes seconds for a million of them
  const power = Number(exponent) - fraction.length + digits.length - end;
  return start === end ? '0' : `${sign}${digits.slice(start, end)}e${power}`;
}

/** Puts numbers in place of their marks; without recursion, since nothing limits the depth. */
function placeNumbers(root: unknown, numbers: readonly ExactNumber[]): unknown {
  const top = { root };
  const open: object[] = [top];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const [name, value] of Object.entries(parent)) {
      if (typeof value === 'object' && value !== null) open.push(value);
      const number = markedBy(value, numbers);
      if (number !== undefined) setMember(parent, name, number);
    }
  }
  return top.root;
}

function markedBy(value: unknown, numbers: readonly ExactNumber[]): ExactNumber | undefined {
  const isMarked = typeof value === 'string' && value.startsWith(mark);
  return isMarked ? numbers[Number(value.slice(mark.length))] : undefined;
}

/** Sets a member, also one of the name `__proto__`. */
function setMember(parent: object, name: string, value: unknown): void {
  const property = { value, configurable: true, enumerable: true, writable: true };
  Object.defineProperty(parent, name, property);
}

/** JSON text, and whether it has numbers that a double changes. */
interface ExactJson {
  readonly text: string;
  readonly isExact: boolean;
}

/**
 * Writes JSON as `JSON.stringify`, with the digits of every {@link ExactNumber}.
 *
 * @param indent spaces of a level; 0 writes one line
 */
export function writeExactJson(value: unknown, indent = 0): string {
  return toExactJson(value, indent).text;
}

/** Writes JSON as {@link writeExactJson}, and says whether that differs from `JSON.stringify`. */
export function toExactJson(value: unknown, indent = 0): ExactJson {
  const before = written;
  const text = JSON.stringify(value, undefined, indent);
  if (written === before) return { text, isExact: false };
  const replace = function (this: Record<string, unknown>, name: string, shown: unknown) {
    const own = this[name];
    return own instanceof ExactNumber ? mark + own.text : shown;
  };
  const marked = JSON.stringify(value, replace, indent);
  return { text: marked.replace(markedNumber, '$1'), isExact: true };
}

const loneEscapes =
  /(?:\\\\)+|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}/g;

/** Replaces lone surrogates in JSON text, also escaped ones, in keys and values: pairs and `\\\\ud800` stay. */
export function wellFormedText(text: string): string {
  const sound = text.toWellFormed();
  if (!/\\ud/i.test(sound)) return sound;
  return sound.replace(loneEscapes, (found) =>
    found.length === 6 && found[1] === 'u' ? '\\ufffd' : found,
  );
}
