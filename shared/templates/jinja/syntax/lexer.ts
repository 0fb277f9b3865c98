import { own } from '../values.ts';
import { type Place, TemplateSyntaxError } from './syntax.ts';

/** What a token is; messages of errors contain these words. */
export type TokenKind =
  | ('data' | 'comment' | 'block-start' | 'block-end' | 'variable-start' | 'variable-end')
  | ('string' | 'int' | 'float' | 'boolean' | 'none' | 'symbol')
  | ('left-paren' | 'right-paren' | 'left-bracket' | 'right-bracket' | 'left-curly' | 'right-curly')
  | ('comma' | 'colon' | 'tilde' | 'pipe' | 'operator');

/** A piece of a template: text between tags, a comment, the edge of a tag, or a word or sign inside one. */
export interface Token {
  readonly kind: TokenKind;
  /** The source of the token; for strings their text. */
  readonly value: string;
  readonly at: Place;
}

/** The state of reading a template from its beginning to its end. */
export interface Lexer {
  readonly source: string;
  /** Where the next token begins. */
  index: number;
  isInTag: boolean;
  /** Braces that are open: while there are any, `}}` ends two dictionaries and not the tag. */
  openBraces: number;
  line: number;
  lineStart: number;
  /** False once no `raw` tag is left. Without it each unclosed raw block would scan the whole rest. */
  mayHaveRawTags: boolean;
}

/** Creates the lexer of a template; its last newline is ignored. */
export function createLexer(template: string): Lexer {
  const source = template.replace(/\r?\n$/, '');
  const start = { index: 0, line: 1, lineStart: 0, openBraces: 0 };
  return { source, ...start, isInTag: false, mayHaveRawTags: true };
}

/**
 * Reads the next token. Spaces inside tags are skipped.
 *
 * @returns undefined at the end
 * @throws TemplateSyntaxError for comments that have no beginning or no end, and for regular expressions
 */
export function readToken(lexer: Lexer): Token | undefined {
  while (lexer.index < lexer.source.length) {
    const token = lexer.isInTag ? readInTag(lexer) : readOutside(lexer);
    if (token !== undefined) return token;
  }
  return undefined;
}

/** Reads the text of a `raw` block, whose first tag has been read, and its last tag. Blocks may be nested. */
export function readRaw(lexer: Lexer): string {
  const { source, index: start } = lexer;
  const tag = /\{%\s*(end)?raw\s*%\}/g;
  let depth = 1;
  while (lexer.mayHaveRawTags) {
    tag.lastIndex = lexer.index;
    const found = tag.exec(source);
    if (found === null) {
      lexer.mayHaveRawTags = false;
      break;
    }
    advance(lexer, tag.lastIndex);
    depth += found[1] === undefined ? 1 : -1;
    if (depth === 0) return source.slice(start, found.index);
  }
  return source.slice(start, lexer.index);
}

/** Moves forward to an index and counts the lines on the way. */
function advance(lexer: Lexer, index: number): void {
  const { source } = lexer;
  for (let at = lexer.index; at < index; at += 1) {
    if (source.charCodeAt(at) === lineFeed) {
      lexer.line += 1;
      lexer.lineStart = at + 1;
    }
  }
  lexer.index = index;
}

const lineFeed = 10;

function take(lexer: Lexer, kind: TokenKind, end: number): Token {
  const at = { line: lexer.line, column: lexer.index - lexer.lineStart + 1 };
  const value = lexer.source.slice(lexer.index, end);
  advance(lexer, end);
  return { kind, value, at };
}

/** Returns where a match at the current index ends; undefined without a match. */
function endOf(pattern: RegExp, { source, index }: Lexer): number | undefined {
  pattern.lastIndex = index;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

function skip(pattern: RegExp, lexer: Lexer): void {
  advance(lexer, endOf(pattern, lexer) ?? lexer.index);
}

function readOutside(lexer: Lexer): Token | undefined {
  const { source, index } = lexer;
  const mark = /\{[%{#]|#\}/g;
  mark.lastIndex = index;
  const found = mark.exec(source);
  if (found?.[0] === '#}') throw new TemplateSyntaxError('unexpected end of comment');
  if (found?.index === index) return readMark(lexer, found[0]);
  const text = take(lexer, 'data', found?.index ?? source.length);
  return found === null ? text : withoutIndent(text, found[0]);
}

function readMark(lexer: Lexer, mark: string): Token {
  const { source, index } = lexer;
  const start = index + mark.length;
  if (mark === '{#') {
    const end = source.indexOf('#}', start);
    if (end < 0) throw new TemplateSyntaxError('expected end of comment, got end of file');
    const comment = take(lexer, 'comment', end + 2);
    skip(/\n/y, lexer);
    return comment;
  }
  lexer.isInTag = true;
  const kind = mark === '{%' ? 'block-start' : 'variable-start';
  return take(lexer, kind, source[start] === '-' ? start + 1 : start);
}

/** Removes the indent of a block or comment that is the first on its line; undefined: no text is left. */
function withoutIndent(text: Token, mark: string): Token | undefined {
  const lineStart = text.value.lastIndexOf('\n') + 1;
  const isIndent = mark === '{%' ? /^\s+$/ : /^[ \t]+$/;
  if (mark === '{{' || (lineStart === 0 && text.at.column > 1)) return text;
  if (!isIndent.test(text.value.slice(lineStart))) return text;
  return mark === '{%' && lineStart === 0
    ? undefined
    : { ...text, value: text.value.slice(0, lineStart) };
}

const space = /[ \n\t\r\xA0]+/y;
const sign = /===|!==|==|!=|<=|>=|\/\/|\*\*|[()[\]{}%*\-+~/#,:|.<>=!]/y;
const word = /[^ \n\t\r\xA0()[\]{}%*\-+~/#,:|.<>=!]+/y;

const signs: Readonly<Record<string, TokenKind | undefined>> = {
  '(': 'left-paren',
  ')': 'right-paren',
  '[': 'left-bracket',
  ']': 'right-bracket',
  '{': 'left-curly',
  '}': 'right-curly',
  ',': 'comma',
  ':': 'colon',
  '~': 'tilde',
  '|': 'pipe',
};

function readInTag(lexer: Lexer): Token | undefined {
  const { source, index } = lexer;
  if (source[index] === '"' || source[index] === "'") return readString(lexer);
  const spaceEnd = endOf(space, lexer);
  if (spaceEnd !== undefined) {
    advance(lexer, spaceEnd);
    return undefined;
  }
  const tagEnd = endOf(lexer.openBraces > 0 ? /-?%\}/y : /-?[%}]\}/y, lexer);
  if (tagEnd !== undefined) return readTagEnd(lexer, tagEnd);
  const signEnd = endOf(sign, lexer);
  return signEnd === undefined ? readWord(lexer) : readSign(lexer, signEnd);
}

/** The newline after a block is dropped. */
function readTagEnd(lexer: Lexer, end: number): Token {
  lexer.isInTag = false;
  const isBlock = lexer.source[end - 2] === '%';
  const token = take(lexer, isBlock ? 'block-end' : 'variable-end', end);
  if (isBlock) skip(/\r?\n/y, lexer);
  return token;
}

function readSign(lexer: Lexer, end: number): Token {
  const value = lexer.source.slice(lexer.index, end);
  if (value === '{') lexer.openBraces += 1;
  if (value === '}') lexer.openBraces -= 1;
  return take(lexer, signs[value] ?? 'operator', end);
}

/** A string that is not closed ends with the template. */
function readString(lexer: Lexer): Token {
  const { source, index } = lexer;
  let end = index + 1;
  while (end < source.length && source[end] !== source[index]) end += source[end] === '\\' ? 2 : 1;
  const token = take(lexer, 'string', Math.min(end + 1, source.length));
  const value = source
    .slice(index + 1, end)
    .replace(/\\([\s\S]?)/g, (_, escaped: string) => escapes[escaped] ?? escaped);
  return { ...token, value };
}

const escapes: Readonly<Record<string, string | undefined>> = { n: '\n', t: '\t', r: '\r' };

const wordKinds: Readonly<Record<string, TokenKind>> = {
  true: 'boolean',
  false: 'boolean',
  none: 'none',
  null: 'none',
};

function readWord(lexer: Lexer): Token {
  const { source, index } = lexer;
  const end = endOf(word, lexer) ?? source.length;
  const value = source.slice(index, end);
  if (/^[0-9]+$/.test(value)) {
    const fractionEnd = endOf(/[0-9]+\.[0-9]*/y, lexer);
    return take(lexer, fractionEnd === undefined ? 'int' : 'float', fractionEnd ?? end);
  }
  if (value === 'r' && source[end] === '/') {
    // as `r/a+/`, which other dialects have
    const { at } = take(lexer, 'symbol', end);
    throw new TemplateSyntaxError("unexpected char '/'", at);
  }
  return take(lexer, own(wordKinds, value) ?? 'symbol', end);
}
