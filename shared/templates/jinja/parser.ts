import lexer, { type SyntaxNode, type Tokens } from 'nunjucks/src/lexer.js';
import parser from 'nunjucks/src/parser.js';

/** Thrown for a template that cannot be read: its message says what is wrong, and where. */
export class TemplateSyntaxError extends Error {
  constructor(message: string, line?: number, column?: number) {
    super(line === undefined ? message : `${message} (line ${line}, column ${column ?? 1})`);
  }
}

/** A part of a node. */
export function part(node: SyntaxNode, name: string): SyntaxNode {
  return node[name] as SyntaxNode; // the parser made it so
}

/** A part that may be absent. */
export function optional(node: SyntaxNode, name: string): SyntaxNode | undefined {
  return (node[name] as SyntaxNode | null | undefined) ?? undefined; // the same
}

/** The nodes of a list. */
export function children(node: SyntaxNode, name = 'children'): readonly SyntaxNode[] {
  return node[name] as readonly SyntaxNode[]; // the same
}

/** The error of a template that has something wrong at a node. */
export function wrongAt({ lineno, colno }: SyntaxNode, message: string): TemplateSyntaxError {
  return new TemplateSyntaxError(message, lineno + 1, colno + 1);
}

/**
 * Reads a template.
 *
 * @throws TemplateSyntaxError
 */
export function parse(source: string): SyntaxNode {
  const options = { trimBlocks: true, lstripBlocks: true };
  try {
    const tokens = balanceBraces(trimComments(lexer.lex(source.replace(/\r?\n$/, ''), options)));
    return new TemplateParser(tokens).parseAsRoot();
  } catch (error) {
    if (error instanceof RangeError)
      throw new TemplateSyntaxError('the template is nested too deeply');
    throw readError(error);
  }
}

/** Whatever the parser throws it throws because of the template; its own messages begin with a line of the place. */
function readError(error: unknown): TemplateSyntaxError {
  if (error instanceof TemplateSyntaxError) return error;
  const { message, lineno, colno } = error as { message: string; lineno?: number; colno?: number };
  const text = message
    .replace(/^\(unknown path\)(?: \[Line.*?\])?\n\s*/, '')
    .replace(/^parse\w+: /, '');
  // what it stumbles over where a template ends too early is a fault of its own
  if (!(error as Error).name.startsWith('Template')) {
    return new TemplateSyntaxError(
      /end of|Unexpected|unexpected/.test(text) ? text : 'unexpected end of template',
    );
  }
  return new TemplateSyntaxError(text, lineno, colno);
}

/** Lines that hold nothing but a comment leave nothing behind, as lines of blocks do. */
function trimComments(tokens: Tokens): Tokens {
  const next = tokens.nextToken.bind(tokens);
  tokens.nextToken = () => {
    const token = next();
    if (token?.type === 'comment' && tokens.current() === '\n') tokens.forward();
    if (token?.type === 'data' && tokens._matches('{#')) {
      const indent = /(^|\n)[ \t]+$/.exec(token.value);
      if (indent !== null && (indent[1] === '\n' || token.colno === 0)) {
        token.value = token.value.slice(0, indent.index + (indent[1] ?? '').length);
      }
    }
    return token;
  };
  return tokens;
}

/** Braces that end one dictionary inside another are no end of an expression. */
function balanceBraces(tokens: Tokens): Tokens {
  const next = tokens.nextToken.bind(tokens);
  const end = tokens.tags.VARIABLE_END;
  let depth = 0;
  tokens.nextToken = () => {
    const token = next();
    if (token?.type === 'left-curly') depth += 1;
    if (token?.type === 'right-curly') depth -= 1;
    tokens.tags.VARIABLE_END = depth > 0 ? '\u0000' : end;
    return token;
  };
  return tokens;
}

type Attributes = Readonly<Record<string, unknown>>;

function node(
  typename: string,
  at: SyntaxNode | { lineno: number; colno: number },
  rest: Attributes,
) {
  return { typename, lineno: at.lineno, colno: at.colno, ...rest };
}

/** Words that go on after a test, and are no argument of it. */
const notArguments = new Set(['and', 'or', 'not', 'if', 'else', 'is', 'in']);

const unknownTags = new Set(['asyncEach', 'asyncAll', 'ifAsync', 'switch', 'verbatim']);

/** Reads what Jinja has and nunjucks lacks: loops with a condition, slices, `with`, and operators by their ranks. */
class TemplateParser extends parser.Parser {
  override parseStatement(): SyntaxNode | null {
    const token = this.peekToken();
    if (unknownTags.has(token.value))
      this.fail(`unknown block tag: ${token.value}`, token.lineno, token.colno);
    return token.value === 'with' && token.type === 'symbol'
      ? this.parseWith()
      : super.parseStatement();
  }

  private parseWith(): SyntaxNode {
    const at = this.peekToken();
    this.skipSymbol('with');
    const targets: SyntaxNode[] = [];
    const values: SyntaxNode[] = [];
    while (this.peekToken().type === 'symbol') {
      targets.push(this.parsePrimary(true));
      if (!this.skipValue('operator', '=')) this.fail('expected = in with statement');
      values.push(this.parseExpression());
      if (!this.skip('comma')) break;
    }
    this.advanceAfterBlockEnd('with');
    const body = this.parseUntilBlocks('endwith');
    this.advanceAfterBlockEnd();
    return node('With', at, { targets, values, body });
  }

  parseFor(): SyntaxNode {
    const at = this.peekToken();
    this.skipSymbol('for');
    const isGrouped = this.skip('left-paren');
    const names = [this.parsePrimary(true)];
    while (this.skip('comma')) names.push(this.parsePrimary(true));
    if (isGrouped && !this.skip('right-paren')) this.fail('expected ) in for loop');
    if (names.some(({ typename }) => typename !== 'Symbol')) {
      this.fail('variable name expected for loop', at.lineno, at.colno);
    }
    if (!this.skipSymbol('in')) this.fail('expected "in" keyword for loop', at.lineno, at.colno);
    const list = this.parseOr();
    const test = this.skipSymbol('if') ? this.parseExpression() : null;
    this.advanceAfterBlockEnd('for');
    const body = this.parseUntilBlocks('endfor', 'else');
    let otherwise: SyntaxNode | null = null;
    if (this.skipSymbol('else')) {
      this.advanceAfterBlockEnd('else');
      otherwise = this.parseUntilBlocks('endfor');
    }
    this.advanceAfterBlockEnd();
    return node('For', at, { names, list, test, body, otherwise });
  }

  parseInlineIf(): SyntaxNode {
    const body = this.parseOr();
    if (!this.skipSymbol('if')) return body;
    const cond = this.parseOr();
    const otherwise = this.skipSymbol('else') ? this.parseInlineIf() : null;
    return node('InlineIf', body, { body, cond, else_: otherwise });
  }

  parseIs(): SyntaxNode {
    const left = this.parseCompare();
    if (!this.skipSymbol('is')) return left;
    const isNegated = this.skipSymbol('not');
    const is = node('Is', left, { left, right: this.parseTest() });
    return isNegated ? node('Not', left, { target: is }) : is;
  }

  /** A test whose argument may stand without brackets: `is divisibleby 3`. */
  private parseTest(): SyntaxNode {
    const name = this.parsePrimary(true);
    const { type, value } = this.peekToken();
    if (type === 'left-paren') return this.parsePostfix(name);
    const isArgument =
      ['string', 'int', 'float', 'left-bracket'].includes(type) ||
      (type === 'symbol' && !notArguments.has(value));
    if (name.typename !== 'Symbol' || !isArgument) return name;
    const args = node('NodeList', name, { children: [this.parsePrimary()] });
    return node('FunCall', name, { name, args });
  }

  parseAdd(): SyntaxNode {
    return this.parseChain(['+', '-'], () => this.parseMul());
  }

  parseMul(): SyntaxNode {
    return this.parseChain(['*', '/', '//', '%'], () => this.parsePow());
  }

  /** Operators of one rank are taken from left to right. */
  private parseChain(operators: readonly string[], operand: () => SyntaxNode): SyntaxNode {
    let left = operand();
    for (;;) {
      const operator = operators.find((each) => this.skipValue('operator', each));
      if (operator === undefined) return left;
      left = node('Calculation', left, { operator, left, right: operand() });
    }
  }

  override parseAggregate(): SyntaxNode | null {
    const token = this.peekToken();
    if (token.type !== 'left-bracket') return super.parseAggregate();
    this.nextToken();
    const first = this.parseBound();
    if (this.skip('colon')) return node('Array', token, { children: [this.parseSlice(first)] });
    const items = first === null ? [] : [first];
    while (!this.skip('right-bracket')) {
      if (!this.skip('comma')) this.fail('expected comma after expression');
      if (this.skip('right-bracket')) break;
      items.push(this.parseExpression());
    }
    return node('Array', token, { children: items });
  }

  private parseSlice(start: SyntaxNode | null): SyntaxNode {
    const token = this.peekToken();
    const stop = this.parseBound();
    const step = this.skip('colon') ? this.parseBound() : null;
    if (!this.skip('right-bracket')) this.fail('expected ] after slice');
    return node('Slice', token, { start, stop, step });
  }

  /** What may stand before a colon or a bracket, or be left out. */
  private parseBound(): SyntaxNode | null {
    const { type } = this.peekToken();
    return type === 'colon' || type === 'right-bracket' ? null : this.parseExpression();
  }
}
