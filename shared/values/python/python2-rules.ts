import { isClosing, isOpening } from './brackets.ts';
import type { PythonToken } from './tokens.ts';

/** Syntax of Python 2 in a statement. */
export interface Sighting {
  readonly what: string;
  readonly line: number;
  /** Of `except X, e`: the name after the comma. Python 3.14 accepts a second class there. */
  readonly name?: string;
}

/** A simple statement, or the head of a compound one, up to the token that was read last. */
export interface PythonStatement {
  /** Its first three tokens, and the last one. */
  readonly first: PythonToken[];
  last: PythonToken | undefined;
  /** Open brackets. */
  depth: number;
  /** Commas outside of brackets. */
  commas: number;
  /** Tokens after the last of these commas, the first two. */
  readonly afterComma: PythonToken[];
  hasLambda: boolean;
  /** Whether it defines a function, whose parameters are being read. */
  isInParameters: boolean;
}

/** Returns a statement before its first token. */
export function startStatement(): PythonStatement {
  return {
    first: [],
    last: undefined,
    depth: 0,
    commas: 0,
    afterComma: [],
    hasLambda: false,
    isInParameters: false,
  };
}

const octal = /^0\d*[1-9]\d*$/;
const long = /^(\d+|0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)[lL]$/;

/** Returns what makes a token one of Python 2. */
export function wordRule(token: PythonToken): Sighting | undefined {
  const what = token.kind === 'number' ? numberRule(token.text) : signs[token.kind]?.[token.text];
  return what === undefined ? undefined : { what, line: token.line };
}

const signs: Partial<Record<PythonToken['kind'], Partial<Record<string, string>>>> = {
  operator: { '`': 'backticks', '<>': 'operator <>' },
  string: { ur: "ur'' string" },
};

function numberRule(text: string): string | undefined {
  if (long.test(text)) return 'long integer with L';
  return octal.test(text) ? 'octal number with a leading 0' : undefined;
}

/** Returns what the next token makes of a statement. The token is not yet a part of it. */
export function statementRule(
  statement: PythonStatement,
  token: PythonToken,
): Sighting | undefined {
  const { first, last } = statement;
  if (last?.text === 'lambda' && token.text === '(') return tupleAt(token);
  switch (first[0]?.text) {
    case 'print':
    case 'exec':
      return command(first, token);
    case 'except':
      return exception(statement, token);
    case 'raise':
      if (statement.hasLambda || !isTop(statement, token, ',')) return undefined;
      return { what: 'raise E, "text"', line: token.line };
    case 'def':
      return parameter(statement, token);
    default:
      return undefined;
  }
}

/** Adds the next token to a statement. */
export function addToken(statement: PythonStatement, token: PythonToken): void {
  const { first, afterComma } = statement;
  if (first.length < 3) first.push(token);
  if (token.text === 'lambda') statement.hasLambda = true;
  if (isTop(statement, token, ',')) {
    statement.commas += 1;
    afterComma.length = 0;
  } else if (statement.commas > 0 && afterComma.length < 2) afterComma.push(token);
  if (token.kind === 'operator') addBracket(statement, token);
  statement.last = token;
}

function addBracket(statement: PythonStatement, token: PythonToken): void {
  const { first } = statement;
  if (isOpening(token.text)) {
    statement.depth += 1;
    if (first[0]?.text === 'def' && first[2] === token) statement.isInParameters = true;
  } else if (isClosing(token.text)) {
    statement.depth = Math.max(0, statement.depth - 1);
    if (statement.depth === 0) statement.isInParameters = false;
  }
}

/** Checks whether a statement ends with a token, which is its last one. */
export function isOver(statement: PythonStatement, { kind, text }: PythonToken): boolean {
  if (kind === 'newline') return true;
  return kind === 'operator' && statement.depth === 0 && (text === ';' || text === ':');
}

/** Checks whether the next name can be that of an error: `e` in `except X, e`. */
export function isErrorName({ first, commas }: PythonStatement): boolean {
  return commas === 1 && first[0]?.text === 'except';
}

/** `print x`, `exec x`: the name, and an operand after it. */
function command(
  [name, second, third]: readonly PythonToken[],
  token: PythonToken,
): Sighting | undefined {
  if (name === undefined || third !== undefined) return undefined;
  if (second === undefined ? !isOperand(token) : !isNegation(second, token)) return undefined;
  return { what: `${name.text} statement`, line: name.line };
}

/** Words that may follow a name in an expression, or in an import. */
const joints = new Set('if else for async and or not in is as from import'.split(' '));

/** Checks whether an operand begins here that no name can precede in Python 3. */
function isOperand({ kind, text }: PythonToken): boolean {
  if (kind === 'name') return !joints.has(text);
  if (kind === 'operator') return text === '`' || text === '~' || text === '{';
  return kind !== 'newline';
}

/** Checks for `not x` after the name; `not in` is an operator. */
function isNegation(second: PythonToken, { kind, text }: PythonToken): boolean {
  return second.text === 'not' && text !== 'in' && kind !== 'newline';
}

function exception(statement: PythonStatement, token: PythonToken): Sighting | undefined {
  const { commas, hasLambda, afterComma } = statement;
  const [name] = afterComma;
  if (commas !== 1 || hasLambda || afterComma.length !== 1) return undefined;
  if (name?.kind !== 'name' || !isTop(statement, token, ':')) return undefined;
  return { what: 'except X, e', line: name.line, name: name.text };
}

function parameter(
  { isInParameters, depth, last }: PythonStatement,
  token: PythonToken,
): Sighting | undefined {
  if (!isInParameters || depth !== 1 || token.text !== '(') return undefined;
  return last?.text === '(' || last?.text === ',' ? tupleAt(token) : undefined;
}

function tupleAt({ line }: PythonToken): Sighting {
  return { what: 'tuple as a parameter', line };
}

/** Checks for an operator outside of brackets. */
function isTop({ depth }: PythonStatement, { kind, text }: PythonToken, operator: string): boolean {
  return depth === 0 && kind === 'operator' && text === operator;
}
