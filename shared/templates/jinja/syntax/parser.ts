import { own } from '../values.ts';
import {
  expectMore,
  next,
  peek,
  skip,
  skipWord,
  syntaxError,
  type TokenCursor,
  unexpectedEnd,
} from './cursor.ts';
import {
  noArguments,
  parseExpression,
  parseFilterArguments,
  parseFilterName,
  parseOperand,
  parseOr,
  parsePrimary,
  parseSignature,
} from './expression-parser.ts';
import { createLexer, readRaw, type TemplateToken } from './lexer.ts';
import type {
  ExpressionNode,
  ForNode,
  IfNode,
  NameNode,
  SetNode,
  SourcePosition,
  StatementList,
  StatementNode,
  WithNode,
} from './syntax.ts';

/**
 * Parses a template.
 *
 * @throws TemplateSyntaxError
 * @throws RangeError when the template is nested too deeply
 */
export function parseTemplate(source: string): StatementList {
  const cursor: TokenCursor = { lexer: createLexer(source), peeked: undefined, dropsSpace: false };
  return parseBody(cursor, []);
}

/** Parses statements up to the end or to one of the closing tags, whose name is then the next token. */
function parseBody(cursor: TokenCursor, ends: readonly string[]): StatementList {
  const body: StatementNode[] = [];
  for (let token = next(cursor); token !== undefined; token = next(cursor)) {
    if (token.kind === 'block-start') {
      const tag = parseTag(cursor);
      if (ends.includes(tag.value)) break;
      body.push(parseStatement(cursor, tag));
    } else if (token.kind === 'variable-start') {
      body.push({ kind: 'print', value: parseExpression(cursor) });
      endVariable(cursor);
    } else if (token.kind === 'data') {
      body.push(parseText(cursor, token));
    } else {
      cursor.dropsSpace = token.value.at(-3) === '-'; // a comment
    }
  }
  return body;
}

/** Parses text. An adjacent tag with `-` removes the white space on its side. */
function parseText(cursor: TokenCursor, { value }: TemplateToken): StatementNode {
  const following = peek(cursor)?.value.charAt(2);
  const text = cursor.dropsSpace ? value.trimStart() : value;
  cursor.dropsSpace = false;
  return { kind: 'text', text: following === '-' ? text.trimEnd() : text };
}

function endVariable(cursor: TokenCursor): void {
  const end = peek(cursor);
  if (end?.kind !== 'variable-end') throw syntaxError(cursor, 'expected variable end');
  next(cursor);
  cursor.dropsSpace = end.value.startsWith('-');
}

function endBlock(cursor: TokenCursor, name: string): void {
  const end = next(cursor);
  if (end?.kind !== 'block-end')
    throw syntaxError(cursor, `expected block end in ${name} statement`);
  if (end.value.startsWith('-')) cursor.dropsSpace = true;
}

/** Parses the tag that ends a body. */
function endStatement(cursor: TokenCursor): void {
  const name = next(cursor);
  if (name === undefined) throw syntaxError(cursor, 'unexpected end of file');
  endBlock(cursor, name.value);
}

function parseTag(cursor: TokenCursor): TemplateToken {
  cursor.dropsSpace = false;
  const tag = expectMore(cursor);
  if (tag.kind !== 'symbol') throw syntaxError(cursor, 'tag name expected', tag.at);
  return tag;
}

function parseStatement(cursor: TokenCursor, tag: TemplateToken): StatementNode {
  const parse = own(statements, tag.value);
  if (parse === undefined) throw syntaxError(cursor, `unknown block tag: ${tag.value}`, tag.at);
  next(cursor);
  return parse(cursor, tag);
}

const statements: Readonly<
  Record<string, (cursor: TokenCursor, tag: TemplateToken) => StatementNode>
> = {
  block: parseBlock,
  call: parseCall,
  extends: parseExtends,
  filter: parseFilterBlock,
  for: parseFor,
  from: parseFrom,
  if: parseIf,
  import: parseImport,
  include: parseInclude,
  macro: parseMacro,
  raw: parseRaw,
  set: parseSet,
  with: parseWith,
};

function parseRaw(cursor: TokenCursor): StatementNode {
  endBlock(cursor, 'raw');
  return { kind: 'text', text: readRaw(cursor.lexer) };
}

function parseIf(cursor: TokenCursor, tag: TemplateToken): IfNode {
  const branches: IfNode['branches'][number][] = [];
  for (let name = tag.value; name !== 'else'; name = parseBranchEnd(cursor)) {
    if (name === 'endif') return { kind: 'if', branches, otherwise: undefined };
    const condition = parseExpression(cursor);
    endBlock(cursor, name);
    branches.push({ condition, body: parseBody(cursor, ['elif', 'elseif', 'else', 'endif']) });
  }
  const otherwise = parseBody(cursor, ['endif']);
  endStatement(cursor);
  return { kind: 'if', branches, otherwise };
}

/** Parses the name of the tag after a branch, and the rest of a tag without a condition. */
function parseBranchEnd(cursor: TokenCursor): string {
  const end = next(cursor);
  if (end === undefined)
    throw syntaxError(cursor, 'expected elif, else, or endif, got end of file');
  if (end.value === 'else' || end.value === 'endif') endBlock(cursor, end.value);
  return end.value;
}

function parseFor(cursor: TokenCursor, { at }: TemplateToken): ForNode {
  const isGrouped = skip(cursor, 'left-paren');
  const targets = [parsePrimary(cursor)];
  while (skip(cursor, 'comma')) targets.push(parsePrimary(cursor));
  if (isGrouped && !skip(cursor, 'right-paren'))
    throw syntaxError(cursor, 'expected ) in for loop');
  const names = targets.filter(isName).map(({ name }) => name);
  if (names.length < targets.length)
    throw syntaxError(cursor, 'variable name expected for loop', at);
  if (!skipWord(cursor, 'in')) throw syntaxError(cursor, 'expected "in" keyword for loop', at);
  const list = parseOr(cursor);
  const condition = skipWord(cursor, 'if') ? parseExpression(cursor) : undefined;
  endBlock(cursor, 'for');
  const body = parseBody(cursor, ['endfor', 'else']);
  let otherwise: StatementList | undefined;
  if (skipWord(cursor, 'else')) {
    endBlock(cursor, 'else');
    otherwise = parseBody(cursor, ['endfor']);
  }
  endStatement(cursor);
  return { kind: 'for', names, list, condition, body, otherwise };
}

function isName(node: ExpressionNode): node is NameNode {
  return node.kind === 'name';
}

function parseWith(cursor: TokenCursor): WithNode {
  const variables: { name: string; value: ExpressionNode }[] = [];
  for (;;) {
    const { kind, value: name } = expectMore(cursor);
    if (kind !== 'symbol') break;
    next(cursor);
    if (!skip(cursor, 'operator', '=')) throw syntaxError(cursor, 'expected = in with statement');
    variables.push({ name, value: parseExpression(cursor) });
    if (!skip(cursor, 'comma')) break;
  }
  endBlock(cursor, 'with');
  const body = parseBody(cursor, ['endwith']);
  endStatement(cursor);
  return { kind: 'with', variables, body };
}

function parseSet(cursor: TokenCursor, { at }: TemplateToken): SetNode {
  const targets = [parseOperand(cursor)];
  while (skip(cursor, 'comma')) targets.push(parseOperand(cursor));
  if (skip(cursor, 'operator', '=')) {
    const value = parseExpression(cursor);
    endBlock(cursor, 'set');
    return { kind: 'set', targets, value };
  }
  if (!skip(cursor, 'block-end'))
    throw syntaxError(cursor, 'expected = or block end in set tag', at);
  const body = parseBody(cursor, ['endset']);
  endStatement(cursor);
  return { kind: 'set', targets, value: { kind: 'capture', at, body } };
}

function parseBlock(cursor: TokenCursor, { at }: TemplateToken): StatementNode {
  const name = parseOperand(cursor);
  if (!isName(name)) throw syntaxError(cursor, 'variable name expected', at);
  endBlock(cursor, 'block');
  const body = parseBody(cursor, ['endblock']);
  skipWord(cursor, 'endblock');
  skipWord(cursor, name.name);
  const following = peek(cursor);
  if (following === undefined) throw syntaxError(cursor, 'expected endblock, got end of file');
  endBlock(cursor, following.value);
  return { kind: 'block', body };
}

function parseMacro(cursor: TokenCursor, { at }: TemplateToken): StatementNode {
  const name = parsePrimary(cursor);
  const parameters = parseSignature(cursor);
  endBlock(cursor, 'macro');
  const body = parseBody(cursor, ['endmacro']);
  endStatement(cursor);
  return { kind: 'macro', name, macro: { kind: 'macro', at, parameters, body } };
}

/** Parses a call whose block is passed as the argument `caller`. */
function parseCall(cursor: TokenCursor, { at }: TemplateToken): StatementNode {
  const hasParameters = expectMore(cursor).kind === 'left-paren';
  const parameters = hasParameters ? parseSignature(cursor) : noArguments;
  const call = parseOperand(cursor);
  endBlock(cursor, 'call');
  const body = parseBody(cursor, ['endcall']);
  endStatement(cursor);
  if (call.kind !== 'call') throw unexpectedEnd();
  const caller = {
    name: { kind: 'name', at, name: 'caller' },
    value: { kind: 'macro', at, parameters, body },
  } as const;
  const { positional, named } = call.args;
  const value = { ...call, args: { positional, named: [...named, caller] } };
  return { kind: 'print', value };
}

function parseFilterBlock(cursor: TokenCursor): StatementNode {
  const { name, at } = parseFilterName(cursor);
  const args = parseFilterArguments(cursor, { kind: 'name', at, name });
  endBlock(cursor, 'filter');
  const body = parseBody(cursor, ['endfilter']);
  endStatement(cursor);
  const value: ExpressionNode = { kind: 'capture', at, body };
  return { kind: 'print', value: { kind: 'filter', at, name, value, args } };
}

const otherTemplate: StatementNode = { kind: 'other-template' };

function parseExtends(cursor: TokenCursor): StatementNode {
  parseExpression(cursor);
  endBlock(cursor, 'extends');
  return otherTemplate;
}

function parseInclude(cursor: TokenCursor): StatementNode {
  parseExpression(cursor);
  if (skipWord(cursor, 'ignore')) skipWord(cursor, 'missing');
  endBlock(cursor, 'include');
  return otherTemplate;
}

function parseImport(cursor: TokenCursor, { at }: TemplateToken): StatementNode {
  parseExpression(cursor);
  if (!skipWord(cursor, 'as')) throw syntaxError(cursor, 'expected "as" keyword', at);
  parseExpression(cursor);
  skipContext(cursor);
  endBlock(cursor, 'import');
  return otherTemplate;
}

/** Skips `with context` and `without context`. */
function skipContext(cursor: TokenCursor): void {
  const at = peek(cursor)?.at;
  if (!skipWord(cursor, 'with') && !skipWord(cursor, 'without')) return;
  if (!skipWord(cursor, 'context')) {
    throw syntaxError(cursor, 'expected context after with/without', at);
  }
}

function parseFrom(cursor: TokenCursor, { at }: TemplateToken): StatementNode {
  parseExpression(cursor);
  if (!skipWord(cursor, 'import')) throw syntaxError(cursor, 'expected import', at);
  if (expectMore(cursor).kind === 'block-end') {
    throw syntaxError(cursor, 'Expected at least one import name', at);
  }
  do {
    parseImportedName(cursor);
    skipContext(cursor);
  } while (hasMoreNames(cursor, at));
  endBlock(cursor, 'from');
  return otherTemplate;
}

function hasMoreNames(cursor: TokenCursor, at: SourcePosition): boolean {
  if (expectMore(cursor).kind === 'block-end') return false;
  if (!skip(cursor, 'comma')) throw syntaxError(cursor, 'expected comma', at);
  return true;
}

function parseImportedName(cursor: TokenCursor): void {
  const name = parseOperand(cursor);
  if (name.kind !== 'name') throw unexpectedEnd();
  if (name.name.startsWith('_')) {
    const problem = 'names starting with an underscore cannot be imported';
    throw syntaxError(cursor, problem, name.at);
  }
  if (skipWord(cursor, 'as')) parseOperand(cursor);
}
