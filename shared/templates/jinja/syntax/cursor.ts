import { type Lexer, readToken, type TemplateToken, type TokenKind } from './lexer.ts';
import { type SourcePosition, TemplateSyntaxError } from './syntax.ts';

/** A position between two tokens of a template. */
export interface TokenCursor {
  readonly lexer: Lexer;
  /** The next token, if it was read already. */
  peeked: TemplateToken | undefined;
  /** True after a tag that ends with `-`: the following white space is dropped. */
  dropsSpace: boolean;
}

/** Returns the next token without consuming it; undefined at the end. */
export function peek(cursor: TokenCursor): TemplateToken | undefined {
  cursor.peeked ??= readToken(cursor.lexer);
  return cursor.peeked;
}

/** Consumes the next token and returns it; undefined at the end. */
export function next(cursor: TokenCursor): TemplateToken | undefined {
  const token = peek(cursor);
  cursor.peeked = undefined;
  return token;
}

/**
 * Returns the next token without consuming it.
 *
 * @throws TemplateSyntaxError at the end of the template
 */
export function expectMore(cursor: TokenCursor): TemplateToken {
  const token = peek(cursor);
  if (token === undefined) throw unexpectedEnd();
  return token;
}

/** Consumes the next token if it has this kind, and this value if one is given. */
export function skip(cursor: TokenCursor, kind: TokenKind, value?: string): boolean {
  const token = peek(cursor);
  if (token?.kind !== kind || (value !== undefined && token.value !== value)) return false;
  cursor.peeked = undefined;
  return true;
}

/** Consumes the next token if it is this word. */
export function skipWord(cursor: TokenCursor, word: string): boolean {
  return skip(cursor, 'symbol', word);
}

/** Creates a syntax error at a position, by default at the next token. */
export function syntaxError(
  cursor: TokenCursor,
  message: string,
  at?: SourcePosition,
): TemplateSyntaxError {
  return new TemplateSyntaxError(message, at ?? peek(cursor)?.at);
}

/** Creates the error for a template that ends too early or lacks a part. */
export function unexpectedEnd(): TemplateSyntaxError {
  return new TemplateSyntaxError('unexpected end of template');
}
