// biome-ignore-all lint/style/noDefaultExport: what CommonJS modules export is their default
/** The parts of nunjucks that read a template, which its own types do not know. */
declare module 'nunjucks/src/parser.js' {
  import type { SyntaxNode, Token, Tokens } from 'nunjucks/src/lexer.js';

  export class Parser {
    constructor(tokens: Tokens);
    tokens: Tokens;
    peeked: Token | null;
    nextToken(): Token | null;
    peekToken(): Token;
    pushToken(token: Token | null): void;
    skip(type: string): boolean;
    skipSymbol(name: string): boolean;
    skipValue(type: string, value: string): boolean;
    fail(message: string, line?: number, column?: number): never;
    advanceAfterBlockEnd(name?: string): Token;
    parseUntilBlocks(...names: string[]): SyntaxNode;
    parseExpression(): SyntaxNode;
    parseOr(): SyntaxNode;
    parseCompare(): SyntaxNode;
    parsePow(): SyntaxNode;
    parsePrimary(noPostfix?: boolean): SyntaxNode;
    parsePostfix(node: SyntaxNode): SyntaxNode;
    parseAggregate(): SyntaxNode | null;
    parseStatement(): SyntaxNode | null;
    parseAsRoot(): SyntaxNode;
  }
  const module: { readonly Parser: typeof Parser };
  export default module;
}

declare module 'nunjucks/src/lexer.js' {
  export interface Token {
    readonly type: string;
    value: string;
    readonly lineno: number;
    readonly colno: number;
  }
  export interface Tokens {
    nextToken(): Token | null;
    current(): string;
    forward(): void;
    readonly tags: { VARIABLE_END: string };
    _matches(text: string): boolean | null;
  }
  export interface SyntaxNode {
    readonly typename: string;
    readonly lineno: number;
    readonly colno: number;
    readonly [part: string]: unknown;
  }
  const module: { lex(source: string, options: object): Tokens };
  export default module;
}
