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
import type { TemplateToken, TokenKind } from './lexer.ts';
import type {
  BinaryOperator,
  ComparedNode,
  ExpressionNode,
  MemberNode,
  NamedNode,
  Signature,
  SliceNode,
  TestNode,
} from './syntax.ts';

type Parser = (cursor: TokenCursor) => ExpressionNode;

/** The signature of a call without arguments. */
export const noArguments: Signature = { positional: [], named: [] };

/**
 * Parses an expression.
 *
 * @throws TemplateSyntaxError
 */
export function parseExpression(cursor: TokenCursor): ExpressionNode {
  const body = parseOr(cursor);
  if (!skipWord(cursor, 'if')) return body;
  const condition = parseOr(cursor);
  const otherwise = skipWord(cursor, 'else') ? parseExpression(cursor) : undefined;
  return { kind: 'conditional', at: body.at, condition, body, otherwise };
}

/** Parses an expression without a condition. */
export function parseOr(cursor: TokenCursor): ExpressionNode {
  return parseChain(cursor, 'symbol', ['or'], parseAnd);
}

function parseAnd(cursor: TokenCursor): ExpressionNode {
  return parseChain(cursor, 'symbol', ['and'], parseNot);
}

/** Parses left-associative operators of equal precedence. */
function parseChain(
  cursor: TokenCursor,
  kind: TokenKind,
  operators: readonly BinaryOperator[],
  operand: Parser,
): ExpressionNode {
  let left = operand(cursor);
  for (;;) {
    const operator = operators.find((each) => skip(cursor, kind, each));
    if (operator === undefined) return left;
    left = { kind: 'binary', at: left.at, operator, left, right: operand(cursor) };
  }
}

function parseNot(cursor: TokenCursor): ExpressionNode {
  const at = peek(cursor)?.at;
  if (at === undefined || !skipWord(cursor, 'not')) return parseIn(cursor);
  return { kind: 'not', at, target: parseNot(cursor) };
}

function parseIn(cursor: TokenCursor): ExpressionNode {
  let left = parseIs(cursor);
  for (;;) {
    const isNegated = skipWord(cursor, 'not');
    if (!skipWord(cursor, 'in')) {
      if (isNegated) throw unexpectedEnd();
      return left;
    }
    left = { kind: 'binary', at: left.at, operator: 'in', left, right: parseIs(cursor) };
    if (isNegated) left = { kind: 'not', at: left.at, target: left };
  }
}

function parseIs(cursor: TokenCursor): ExpressionNode {
  const value = parseComparison(cursor);
  if (!skipWord(cursor, 'is')) return value;
  const isNegated = skipWord(cursor, 'not');
  const test = parseTest(cursor, value);
  return isNegated ? { kind: 'not', at: value.at, target: test } : test;
}

/** Words that continue the expression after a test and are not its argument. */
const notArguments = new Set(['and', 'or', 'not', 'if', 'else', 'is', 'in']);
const argumentKinds = new Set<TokenKind>(['string', 'int', 'float', 'left-bracket']);

/** Parses a test. A single argument needs no parentheses: `is divisibleby 3`. */
function parseTest(cursor: TokenCursor, value: ExpressionNode): TestNode {
  const word = parsePrimary(cursor);
  const following = expectMore(cursor);
  const name = testName(cursor, word);
  const test = { kind: 'test', at: word.at, name, value, args: noArguments } as const;
  if (following.kind === 'left-paren') {
    return { ...test, at: following.at, args: parseSignature(cursor) };
  }
  const isArgument =
    argumentKinds.has(following.kind) ||
    (following.kind === 'symbol' && !notArguments.has(following.value));
  if (word.kind !== 'name' || !isArgument) return test;
  return { ...test, args: { positional: [parseOperand(cursor)], named: [] } };
}

/** Returns the name of a test, which may be a literal, as in `is none`. */
function testName(cursor: TokenCursor, word: ExpressionNode): string {
  if (word.kind === 'name') return word.name;
  if (word.kind !== 'literal') throw syntaxError(cursor, 'expected a name', word.at);
  return word.value === null ? 'none' : String(word.value);
}

const comparisonSigns = new Set(['==', '===', '!=', '!==', '<', '>', '<=', '>=']);

function parseComparison(cursor: TokenCursor): ExpressionNode {
  const first = parseConcatenation(cursor);
  const others: ComparedNode[] = [];
  for (;;) {
    const token = peek(cursor);
    if (token?.kind !== 'operator' || !comparisonSigns.has(token.value)) break;
    next(cursor);
    others.push({ at: token.at, sign: token.value, operand: parseConcatenation(cursor) });
  }
  const at = others[0]?.at;
  return at === undefined ? first : { kind: 'comparison', at, first, others };
}

function parseConcatenation(cursor: TokenCursor): ExpressionNode {
  return parseChain(cursor, 'tilde', ['~'], parseSum);
}

function parseSum(cursor: TokenCursor): ExpressionNode {
  return parseChain(cursor, 'operator', ['+', '-'], parseProduct);
}

function parseProduct(cursor: TokenCursor): ExpressionNode {
  return parseChain(cursor, 'operator', ['*', '/', '//', '%'], parsePower);
}

function parsePower(cursor: TokenCursor): ExpressionNode {
  return parseChain(cursor, 'operator', ['**'], parseFiltered);
}

function parseFiltered(cursor: TokenCursor): ExpressionNode {
  let value = parseSigned(cursor);
  while (skip(cursor, 'pipe')) {
    const { name, at } = parseFilterName(cursor);
    value = { kind: 'filter', at, name, value, args: parseFilterArguments(cursor, value) };
  }
  return value;
}

function parseSigned(cursor: TokenCursor): ExpressionNode {
  const token = peek(cursor);
  const sign = (['-', '+'] as const).find((each) => skip(cursor, 'operator', each));
  if (token === undefined || sign === undefined) return parseOperand(cursor);
  return { kind: 'sign', at: token.at, sign, target: parseSigned(cursor) };
}

/** Parses the name of a filter, which may contain dots. */
export function parseFilterName(cursor: TokenCursor): { name: string; at: TemplateToken['at'] } {
  const { value, at } = expectSymbol(cursor);
  let name = value;
  while (skip(cursor, 'operator', '.')) name += `.${expectSymbol(cursor).value}`;
  return { name, at };
}

function expectSymbol(cursor: TokenCursor): TemplateToken {
  const token = expectMore(cursor);
  if (token.kind !== 'symbol') {
    throw syntaxError(cursor, `expected symbol, got ${token.kind}`, token.at);
  }
  next(cursor);
  return token;
}

/** Parses the arguments of a filter; empty without parentheses. */
export function parseFilterArguments(cursor: TokenCursor, value: ExpressionNode): Signature {
  if (expectMore(cursor).kind !== 'left-paren') return noArguments;
  const call = parsePostfix(cursor, value);
  if (call.kind !== 'call') throw unexpectedEnd();
  return call.args;
}

/** Parses an operand: a value with its members and calls. */
export function parseOperand(cursor: TokenCursor): ExpressionNode {
  return parsePostfix(cursor, parsePrimary(cursor));
}

function parsePostfix(cursor: TokenCursor, start: ExpressionNode): ExpressionNode {
  let node = start;
  for (;;) {
    const token = peek(cursor);
    if (token?.kind === 'left-paren') {
      node = { kind: 'call', at: token.at, callee: node, args: parseSignature(cursor) };
    } else if (token?.kind === 'left-bracket') {
      node = parseSubscript(cursor, token, node);
    } else if (token?.kind === 'operator' && token.value === '.') {
      node = parseAttribute(cursor, token, node);
    } else {
      return node;
    }
  }
}

function parseSubscript(
  cursor: TokenCursor,
  { at }: TemplateToken,
  target: ExpressionNode,
): MemberNode {
  next(cursor);
  const [key, ...others] = parseItems(cursor);
  if (others.length > 0) throw syntaxError(cursor, 'invalid index');
  return { kind: 'member', at, target, key };
}

function parseAttribute(
  cursor: TokenCursor,
  { at }: TemplateToken,
  target: ExpressionNode,
): MemberNode {
  next(cursor);
  const { kind, value, at: place } = expectMore(cursor);
  if (kind !== 'symbol') {
    throw syntaxError(cursor, `expected name as lookup value, got ${value}`, place);
  }
  next(cursor);
  return { kind: 'member', at, target, key: { kind: 'literal', at: place, value } };
}

/**
 * Parses a literal, a name, a group, a list or a dictionary.
 *
 * @throws TemplateSyntaxError
 */
export function parsePrimary(cursor: TokenCursor): ExpressionNode {
  const token = next(cursor);
  if (token === undefined) throw syntaxError(cursor, 'expected expression, got end of file');
  const { kind, value, at } = token;
  switch (kind) {
    case 'string':
      return { kind: 'literal', at, value };
    case 'int':
      return { kind: 'literal', at, value: Number.parseInt(value, 10) };
    case 'float':
      return { kind: 'literal', at, value: Number.parseFloat(value) };
    case 'boolean':
      return { kind: 'literal', at, value: value === 'true' };
    case 'none':
      return { kind: 'literal', at, value: null };
    case 'symbol':
      return { kind: 'name', at, name: value };
    case 'left-paren':
      return { kind: 'group', at, items: parseClosed(cursor, token, parseExpression) };
    case 'left-bracket':
      return { kind: 'list', at, items: parseItems(cursor) };
    case 'left-curly':
      return {
        kind: 'dict',
        at,
        pairs: parseClosed(cursor, token, (inner) => parsePair(inner, token)),
      };
    default:
      throw syntaxError(cursor, `unexpected token: ${value}`, at);
  }
}

const closing = new Set<TokenKind>(['right-paren', 'right-bracket', 'right-curly']);

/** Parses items up to a closing bracket of any kind. */
function parseClosed<Item>(
  cursor: TokenCursor,
  opening: TemplateToken,
  parseItem: (cursor: TokenCursor) => Item,
): Item[] {
  const items: Item[] = [];
  for (;;) {
    if (closing.has(expectMore(cursor).kind)) {
      next(cursor);
      return items;
    }
    if (items.length > 0 && !skip(cursor, 'comma')) {
      throw syntaxError(cursor, 'expected comma after expression', opening.at);
    }
    items.push(parseItem(cursor));
  }
}

function parsePair(cursor: TokenCursor, opening: TemplateToken) {
  const key = parseOperand(cursor);
  if (!skip(cursor, 'colon'))
    throw syntaxError(cursor, 'expected colon after dict key', opening.at);
  return { key, value: parseExpression(cursor) };
}

/** Parses the rest of a list after its opening bracket: its items, or one slice. */
function parseItems(cursor: TokenCursor): readonly ExpressionNode[] {
  const first = parseBound(cursor);
  if (skip(cursor, 'colon')) return [parseSlice(cursor, first)];
  const items = first === undefined ? [] : [first];
  while (!skip(cursor, 'right-bracket')) {
    if (!skip(cursor, 'comma')) throw syntaxError(cursor, 'expected comma after expression');
    if (skip(cursor, 'right-bracket')) break;
    items.push(parseExpression(cursor));
  }
  return items;
}

function parseSlice(cursor: TokenCursor, start: ExpressionNode | undefined): SliceNode {
  const { at } = expectMore(cursor);
  const stop = parseBound(cursor);
  const step = skip(cursor, 'colon') ? parseBound(cursor) : undefined;
  if (!skip(cursor, 'right-bracket')) throw syntaxError(cursor, 'expected ] after slice');
  return { kind: 'slice', at, start, stop, step };
}

/** Parses a bound of a slice; undefined when it is omitted. */
function parseBound(cursor: TokenCursor): ExpressionNode | undefined {
  const { kind } = expectMore(cursor);
  return kind === 'colon' || kind === 'right-bracket' ? undefined : parseExpression(cursor);
}

/**
 * Parses arguments in parentheses.
 *
 * @throws TemplateSyntaxError also without an opening parenthesis
 */
export function parseSignature(cursor: TokenCursor): Signature {
  const { at } = expectMore(cursor);
  if (!skip(cursor, 'left-paren')) throw syntaxError(cursor, 'expected arguments', at);
  const positional: ExpressionNode[] = [];
  const named: NamedNode[] = [];
  while (expectMore(cursor).kind !== 'right-paren') {
    if (positional.length + named.length > 0 && !skip(cursor, 'comma')) {
      throw syntaxError(cursor, 'expected comma after expression');
    }
    const value = parseExpression(cursor);
    if (skip(cursor, 'operator', '=')) named.push({ name: value, value: parseExpression(cursor) });
    else positional.push(value);
  }
  next(cursor);
  return { positional, named };
}
