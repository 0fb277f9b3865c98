import { own } from '../values.ts';
import { type SourcePosition, TemplateSyntaxError } from './syntax.ts';

/** Kind of a token. Error messages contain these words. */
export type TokenKind =
  | ('data' | 'comment' | 'block-start' | 'block-end' | 'variable-start' | 'variable-end')
  | ('string' | 'int' | 'float' | 'boolean' | 'none' | 'symbol')
  | ('left-paren' | 'right-paren' | 'left-bracket' | 'right-bracket' | 'left-curly' | 'right-curly')
  | ('comma' | 'colon' | 'tilde' | 'pipe' | 'operator');

/** A part of a template: text between tags, a comment, the start or end of a tag, or a word or sign inside a tag. */
export interface TemplateToken {
  readonly kind: TokenKind;
  /** The source of the token; the content, for a string. */
  readonly value: string;
  readonly at: SourcePosition;
}

/** The state of a lexer, which reads a template once from start to end. */
export interface Lexer {
  readonly source: string;
  /** Index of the next token. */
  index: number;
  isInTag: boolean;
  /** Number of open braces. While it is above 0, `}}` closes two dictionaries instead of the tag. */
  openBraces: number;
  line: number;
  lineStart: number;
  /** False once no `raw` tag is left; otherwise each unclosed raw block would scan the rest of the template. */
  mayHaveRawTags: boolean;
}

/** Creates a lexer for a template, whose last newline is ignored. */
export function createLexer(template: string): Lexer {
  const source = template.replace(/\r?\n$/, '');
  const start = { index: 0, line: 1, lineStart: 0, openBraces: 0 };
  return { source, ...start, isInTag: false, mayHaveRawTags: true };
}

/**
 * Reads the next token. White space inside tags is skipped.
 *
 * @returns undefined at the end
 * @throws TemplateSyntaxError for comments without a start or end, and for regular expressions
 */
export function readToken(lexer: Lexer): TemplateToken | undefined {
  while (lexer.index < lexer.source.length) {
    const token = lexer.isInTag ? readInTag(lexer) : readOutside(lexer);
    if (token !== undefined) return token;
  }
  return undefined;
}

/** Reads the rest of a `raw` block after its first tag, including its last tag. Blocks may be nested. */
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

/** Moves to a later index and counts the lines in between. */
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

function take(lexer: Lexer, kind: TokenKind, end: number): TemplateToken {
  const at = { line: lexer.line, column: lexer.index - lexer.lineStart + 1 };
  const value = lexer.source.slice(lexer.index, end);
  advance(lexer, end);
  return { kind, value, at };
}

/** Returns the end of a match at the current index; undefined without a match. */
function endOf(pattern: RegExp, { source, index }: Lexer): number | undefined {
  pattern.lastIndex = index;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

function skip(pattern: RegExp, lexer: Lexer): void {
  advance(lexer, endOf(pattern, lexer) ?? lexer.index);
}

function readOutside(lexer: Lexer): TemplateToken | undefined {
  const { source, index } = lexer;
  const mark = /\{[%{#]|#\}/g;
  mark.lastIndex = index;
  const found = mark.exec(source);
  if (found?.[0] === '#}') throw new TemplateSyntaxError('unexpected end of comment');
  if (found?.index === index) return readMark(lexer, found[0]);
  const text = take(lexer, 'data', found?.index ?? source.length);
  return found === null ? text : withoutIndent(text, found[0]);
}

function readMark(lexer: Lexer, mark: string): TemplateToken {
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

/** Removes the indentation of a block or comment at the start of a line; undefined when no text is left. */
function withoutIndent(text: TemplateToken, mark: string): TemplateToken | undefined {
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

function readInTag(lexer: Lexer): TemplateToken | undefined {
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

/** Reads the end of a tag, and drops the newline after a block. */
function readTagEnd(lexer: Lexer, end: number): TemplateToken {
  lexer.isInTag = false;
  const isBlock = lexer.source[end - 2] === '%';
  const token = take(lexer, isBlock ? 'block-end' : 'variable-end', end);
  if (isBlock) skip(/\r?\n/y, lexer);
  return token;
}

function readSign(lexer: Lexer, end: number): TemplateToken {
  const value = lexer.source.slice(lexer.index, end);
  if (value === '{') lexer.openBraces += 1;
  if (value === '}') lexer.openBraces -= 1;
  return take(lexer, signs[value] ?? 'operator', end);
}

/** Reads a string. An unclosed string ends with the template. */
function readString(lexer: Lexer): TemplateToken {
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

function readWord(lexer: Lexer): TemplateToken {
  const { source, index } = lexer;
  const end = endOf(word, lexer) ?? source.length;
  const value = source.slice(index, end);
  if (/^[0-9]+$/.test(value)) {
    const fractionEnd = endOf(/[0-9]+\.[0-9]*/y, lexer);
    return take(lexer, fractionEnd === undefined ? 'int' : 'float', fractionEnd ?? end);
  }
  if (value === 'r' && source[end] === '/') {
    // a regular expression of other dialects, such as `r/a+/`
    const { at } = take(lexer, 'symbol', end);
    throw new TemplateSyntaxError("unexpected char '/'", at);
  }
  return take(lexer, own(wordKinds, value) ?? 'symbol', end);
}
