import { isClosing, isOpening } from './brackets.ts';

/** A text that is read by code units; a string is one. */
export type CodeText = Pick<string, 'length' | 'charCodeAt' | 'slice'>;

/**
 * A token of Python, for rules that need to know little of it: an operator is one character, except `<>`, `:=` and
 * `**`. A name or number of more than {@link maxWordLength} characters has the text `…`.
 */
export interface PythonToken {
  readonly kind: 'name' | 'number' | 'string' | 'operator' | 'newline';
  /** Of a string, the prefix in lower case. */
  readonly text: string;
  readonly line: number;
}

/** Longest name or number whose text is given. */
export const maxWordLength = 40;

interface Cursor {
  readonly text: CodeText;
  at: number;
  line: number;
  depth: number;
}

const code = (character: string): number => character.charCodeAt(0);
const [lineFeed, carriageReturn, backslash, hash] = [code('\n'), code('\r'), code('\\'), code('#')];
const [doubleQuote, singleQuote, openBrace, closeBrace] = [
  code('"'),
  code("'"),
  code('{'),
  code('}'),
];
const [dot, colon, zero, nine] = [code('.'), code(':'), code('0'), code('9')];
const [plus, minus] = [code('+'), code('-')];

/**
 * Returns the tokens of a source, without comments and joined lines. They end where a string does not, and at an
 * f-string whose end is doubtful. Takes time in proportion to the length, whatever the text.
 */
export function* tokensOf(text: CodeText): Generator<PythonToken, void> {
  const cursor: Cursor = { text, at: 0, line: 1, depth: 0 };
  while (skipBlank(cursor)) {
    const token = readToken(cursor);
    if (token === undefined) return;
    const isJoined = token.kind === 'newline' && cursor.depth > 0;
    if (!isJoined) yield token;
  }
}

/** Reads a token. Returns undefined at a string whose end is not known. */
function readToken(cursor: Cursor): PythonToken | undefined {
  const { text, at, line } = cursor;
  const first = text.charCodeAt(at);
  if (isLineEnd(first)) {
    skipLineEnd(cursor);
    return { kind: 'newline', text: '', line };
  }
  if (isQuote(first)) return readString(cursor, '');
  const isNumber = isDigit(first) || (first === dot && isDigit(text.charCodeAt(at + 1)));
  if (!isNumber && !isWord(first)) return { kind: 'operator', text: readOperator(cursor), line };
  const word = readWord(cursor, isNumber);
  if (isPrefix(word) && isQuote(text.charCodeAt(cursor.at))) return readString(cursor, word);
  return { kind: isNumber ? 'number' : 'name', text: word, line };
}

/** Skips blanks, comments and joins of lines. Returns false at the end of the text. */
function skipBlank(cursor: Cursor): boolean {
  const { text } = cursor;
  while (cursor.at < text.length) {
    const next = text.charCodeAt(cursor.at);
    if (next === hash) skipComment(cursor);
    else if (next === backslash && isLineEnd(text.charCodeAt(cursor.at + 1))) {
      cursor.at += 1;
      skipLineEnd(cursor);
    } else if (isBlank(next)) cursor.at += 1;
    else return true;
  }
  return false;
}

function skipComment(cursor: Cursor): void {
  const { text } = cursor;
  while (cursor.at < text.length && !isLineEnd(text.charCodeAt(cursor.at))) cursor.at += 1;
}

/** Skips one line feed, carriage return, or both. */
function skipLineEnd(cursor: Cursor): void {
  const isReturn = cursor.text.charCodeAt(cursor.at) === carriageReturn;
  cursor.at += isReturn && cursor.text.charCodeAt(cursor.at + 1) === lineFeed ? 2 : 1;
  cursor.line += 1;
}

/** Reads a name; or a number, with all letters and dots that follow it. */
function readWord(cursor: Cursor, isNumber: boolean): string {
  const { text, at } = cursor;
  let end = at;
  while (end < text.length) {
    const next = text.charCodeAt(end);
    if (!isWord(next) && !(isNumber && (next === dot || isExponentSign(text, end)))) break;
    end += 1;
  }
  cursor.at = end;
  return end - at > maxWordLength ? '…' : text.slice(at, end);
}

/** Checks whether a plus or minus belongs to the number before it, as in `1e-05`. */
function isExponentSign(text: CodeText, at: number): boolean {
  const [sign, letter] = [text.charCodeAt(at), text.charCodeAt(at - 1) | 0x20];
  return (sign === plus || sign === minus) && letter === 0x65;
}

const pairs: Readonly<Record<string, string>> = { '<': '>', ':': '=', '*': '*' };

function readOperator(cursor: Cursor): string {
  const { text, at } = cursor;
  const operator = text.slice(at, at + 1);
  cursor.at += 1;
  if (isOpening(operator)) cursor.depth += 1;
  else if (isClosing(operator)) cursor.depth = Math.max(0, cursor.depth - 1);
  const second = pairs[operator];
  if (second === undefined || text.slice(cursor.at, cursor.at + 1) !== second) return operator;
  cursor.at += 1;
  return operator + second;
}

/** Reads a string from its quote on. Returns undefined when it does not end, or when its end is doubtful. */
function readString(cursor: Cursor, word: string): PythonToken | undefined {
  const { text, line } = cursor;
  const prefix = word.toLowerCase();
  const quote = text.charCodeAt(cursor.at);
  const isTriple = isTripleAt(text, cursor.at, quote);
  const length = isTriple ? 3 : 1;
  const isEnd = (at: number) =>
    text.charCodeAt(at) === quote && (!isTriple || isTripleAt(text, at, quote));
  const fields = /[ft]/.test(prefix) ? openFields() : undefined;
  cursor.at += length;
  while (cursor.at < text.length) {
    const next = text.charCodeAt(cursor.at);
    if (isEnd(cursor.at)) {
      cursor.at += length;
      return fields === undefined || fields.areClosed()
        ? { kind: 'string', text: prefix, line }
        : undefined;
    }
    if (fields?.read(next) === false || !skipInString(cursor, next, isTriple)) return undefined;
  }
  return undefined;
}

/** Skips a character of a string, with the next one after a backslash. Returns false at the end of a line of one. */
function skipInString(cursor: Cursor, next: number, isTriple: boolean): boolean {
  if (isLineEnd(next)) {
    if (!isTriple) return false;
    skipLineEnd(cursor);
    return true;
  }
  cursor.at += 1;
  if (next !== backslash) return true;
  if (isLineEnd(cursor.text.charCodeAt(cursor.at))) skipLineEnd(cursor);
  else cursor.at += 1;
  return true;
}

/**
 * Follows the replacement fields of an f-string. Since Python 3.12 a field may hold the quotes of its string, comments
 * and backslashes, so such a string may end elsewhere.
 */
function openFields() {
  let depth = 0;
  let inner: number | undefined; // quote of a string in a field
  let last = 0;
  const readText = (next: number) => {
    if (next === openBrace) depth += 1;
    else if (next === closeBrace) depth = Math.max(0, depth - 1);
    else if (depth > 0 && isQuote(next)) inner = next;
  };
  return {
    /** @returns false when the end of the string is doubtful */
    read: (next: number): boolean => {
      const isSpec = last === colon;
      last = next;
      if (inner === undefined) readText(next);
      else if (next === inner) inner = undefined;
      if (depth === 0 || (next === hash && inner !== undefined)) return true;
      return next !== backslash && (next !== hash || isSpec);
    },
    areClosed: (): boolean => depth === 0 && inner === undefined,
  };
}

function isTripleAt(text: CodeText, at: number, quote: number): boolean {
  return text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote;
}

const prefixes = new Set(['r', 'u', 'b', 'f', 't', 'ur', 'br', 'rb', 'fr', 'rf', 'tr', 'rt']);

function isPrefix(word: string): boolean {
  return word.length <= 2 && prefixes.has(word.toLowerCase());
}

function isQuote(character: number): boolean {
  return character === doubleQuote || character === singleQuote;
}

function isLineEnd(character: number): boolean {
  return character === lineFeed || character === carriageReturn;
}

function isDigit(character: number): boolean {
  return character >= zero && character <= nine;
}

function isBlank(character: number): boolean {
  return character === 0x20 || character === 0x09 || character === 0x0c || character === 0xfeff;
}

/** Checks whether a character can be one of a name: a letter, digit, underscore, or anything beyond ASCII. */
function isWord(character: number): boolean {
  const letter = character | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) ||
    isDigit(character) ||
    character === 0x5f ||
    character >= 0x80
  );
}
