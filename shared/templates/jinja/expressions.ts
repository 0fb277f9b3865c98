import { applyFilter, hasFilter } from './builtins/filters.ts';
import { applyTest, hasTest } from './builtins/tests.ts';
import { member, slice } from './members.ts';
import { calculate, comparisonOperators } from './operators.ts';
import type { Scope } from './scope.ts';
import {
  type BinaryOperator,
  type CallNode,
  type ComparisonNode,
  type ConditionalNode,
  type ExpressionNode,
  type FilterNode,
  type MacroNode,
  type MemberNode,
  type NamedNode,
  type NameNode,
  type PairNode,
  type Signature,
  type SliceNode,
  type SourcePosition,
  type StatementList,
  TemplateSyntaxError,
  type TestNode,
} from './syntax/syntax.ts';
import {
  type Callable,
  contains,
  createDict,
  display,
  isTrue,
  numberOrUndefined,
  own,
  RenderError,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** A compiled expression. */
export type Expression = (scope: Scope) => Value;

/** Compiles statements inside an expression. */
export interface BlockCompiler {
  /** Returns the output of the statements. */
  readonly capture: (body: StatementList) => (scope: Scope) => string;
  readonly macro: (macro: MacroNode) => (scope: Scope) => Callable;
}

/** Compiles a subexpression. */
type Compile = (node: ExpressionNode) => Expression;

/**
 * Compiles an expression.
 *
 * @throws TemplateSyntaxError for an invalid expression, an unknown filter or an unknown test
 */
export function compileExpression(node: ExpressionNode, block: BlockCompiler): Expression {
  const compile: Compile = (inner) => compileExpression(inner, block);
  switch (node.kind) {
    case 'literal':
      return () => node.value;
    case 'name':
      return compileName(node);
    case 'group':
      return compileGroup(node.items, compile);
    case 'list':
      return compileItems(node.items.map(compile));
    case 'dict':
      return compileDict(node.pairs, compile);
    case 'member':
      return compileMember(node, compile, false);
    case 'slice':
      throw new TemplateSyntaxError('unexpected Slice', node.at);
    case 'conditional':
      return compileConditional(node, compile);
    case 'binary':
      return compileBinary(node.operator, compile(node.left), compile(node.right));
    case 'not':
      return compileNot(compile(node.target));
    case 'sign':
      return compileSign(compile(node.target), node.sign);
    case 'comparison':
      return compileComparison(node, compile);
    case 'test':
      return compileTest(node, compile);
    case 'filter':
      return compileFilter(node, compile);
    case 'call':
      return compileCall(node, compile);
    case 'capture':
      return block.capture(node.body);
    case 'macro':
      return block.macro(node);
  }
}

function compileName({ name, at }: NameNode): Expression {
  if (/^\d/.test(name)) return compileNumeral(name, at);
  const constant = own(constants, name);
  if (constant !== undefined) return () => constant;
  return (scope) => scope.get(name);
}

/** Compiles a number that the lexer reads as a name, such as `1e3` and `1_000`. */
function compileNumeral(text: string, at: SourcePosition): Expression {
  const number = Number(text.replaceAll('_', ''));
  if (Number.isNaN(number)) throw new TemplateSyntaxError(`unexpected ${text}`, at);
  return () => number;
}

const constants: Readonly<Record<string, Value>> = { True: true, False: false, None: null };
const missingElse = new Undefined(
  'the inline if-expression evaluated to false and no else section was defined.',
);

/** Compiles an expression in parentheses: one item is the item itself, otherwise it is a list. */
function compileGroup(items: readonly ExpressionNode[], compile: Compile): Expression {
  const [only, ...others] = items.map(compile);
  return only === undefined
    ? () => []
    : others.length === 0
      ? only
      : compileItems([only, ...others]);
}

function compileItems(items: readonly Expression[]): Expression {
  return (scope) => items.map((item) => item(scope));
}

function compileDict(nodes: readonly PairNode[], compile: Compile): Expression {
  const pairs = nodes.map(({ key, value }) => [compile(key), compile(value)] as const);
  return (scope) =>
    createDict(pairs.map(([key, value]) => [display(key(scope)), value(scope)] as const));
}

function compileConditional(node: ConditionalNode, compile: Compile): Expression {
  const [condition, body] = [compile(node.condition), compile(node.body)];
  const otherwise = node.otherwise === undefined ? () => missingElse : compile(node.otherwise);
  return (scope) => (isTrue(condition(scope)) ? body(scope) : otherwise(scope));
}

function compileBinary(operator: BinaryOperator, a: Expression, b: Expression): Expression {
  switch (operator) {
    case 'or':
      return (scope) => {
        const value = a(scope);
        return isTrue(value) ? value : b(scope);
      };
    case 'and':
      return (scope) => {
        const value = a(scope);
        return isTrue(value) ? b(scope) : value;
      };
    case 'in':
      return (scope) => contains(b(scope), a(scope));
    case '~':
      return (scope) => display(a(scope)) + display(b(scope));
    default:
      return (scope) => calculate(operator, a(scope), b(scope));
  }
}

function compileNot(target: Expression): Expression {
  return (scope) => !isTrue(target(scope));
}

function compileSign(target: Expression, sign: '+' | '-'): Expression {
  return (scope) => {
    const value = target(scope);
    if (value instanceof Undefined) throw value.undefinedError();
    const number = numberOrUndefined(value);
    if (number === undefined) {
      throw new RenderError(`bad operand type for unary ${sign}: '${typeName(value)}'`);
    }
    return sign === '-' ? -number : number;
  };
}

function compileMember(node: MemberNode, compile: Compile, isCalled: boolean): Expression {
  const target = compile(node.target);
  const { key } = node;
  if (key === undefined) throw new TemplateSyntaxError('expected subscript expression', node.at);
  if (key.kind === 'slice') return compileSlice(target, key, compile);
  const name = compile(key);
  return (scope) => member(target(scope), name(scope), isCalled);
}

function compileSlice(target: Expression, node: SliceNode, compile: Compile): Expression {
  const [start, stop, step] = [
    compileBound(node.start, compile),
    compileBound(node.stop, compile),
    compileBound(node.step, compile),
  ];
  return (scope) => {
    const bounds = [start(scope), stop(scope), step(scope)] as const;
    return slice(target(scope), ...bounds);
  };
}

function compileBound(bound: ExpressionNode | undefined, compile: Compile): Expression {
  return bound === undefined ? () => null : compile(bound);
}

function compileComparison(node: ComparisonNode, compile: Compile): Expression {
  const first = compile(node.first);
  const others = node.others.map(({ sign, operand, at }) => {
    const compare = own(comparisonOperators, sign);
    if (compare === undefined) throw new TemplateSyntaxError(`unexpected ${sign}`, at);
    return { compare, operand: compile(operand) };
  });
  return (scope) => {
    let left = first(scope);
    for (const { compare, operand } of others) {
      const right = operand(scope);
      if (!compare(left, right)) return false;
      left = right;
    }
    return true;
  };
}

function compileTest({ name, at, ...node }: TestNode, compile: Compile): Expression {
  if (!hasTest(name)) throw new TemplateSyntaxError(`no test named '${name}'`, at);
  const value = compile(node.value);
  const evaluate = compileArguments(node.args, compile);
  return (scope) => applyTest(name, [value(scope), ...evaluate(scope).args]);
}

function compileFilter({ name, at, ...node }: FilterNode, compile: Compile): Expression {
  if (!hasFilter(name)) throw new TemplateSyntaxError(`no filter named '${name}'`, at);
  const value = compile(node.value);
  const evaluate = compileArguments(node.args, compile);
  return (scope) => {
    const first = value(scope);
    const { args, named } = evaluate(scope);
    return applyFilter(name, [first, ...args], named);
  };
}

function compileCall({ callee, args: list }: CallNode, compile: Compile): Expression {
  const target = callee.kind === 'member' ? compileMember(callee, compile, true) : compile(callee);
  const evaluate = compileArguments(list, compile);
  return (scope) => {
    const value = target(scope);
    if (value instanceof Undefined) throw value.undefinedError();
    if (typeof value !== 'function') {
      throw new RenderError(`'${typeName(value)}' object is not callable`);
    }
    const { args, named } = evaluate(scope);
    return value(args, named);
  };
}

/** Positional and named arguments of a call. */
interface Arguments {
  readonly args: readonly Value[];
  readonly named: Readonly<Record<string, Value>>;
}

function compileArguments(list: Signature, compile: Compile): (scope: Scope) => Arguments {
  const args = list.positional.map(compile);
  const named = list.named.map((pair) => [keywordOf(pair), compile(pair.value)] as const);
  return (scope) => ({
    args: args.map((each) => each(scope)),
    named: createDict(named.map(([name, value]) => [name, value(scope)] as const)),
  });
}

/** Returns the name of an argument, which may be a literal. */
function keywordOf({ name }: NamedNode): string {
  if (name.kind === 'name') return name.name;
  if (name.kind === 'literal') return String(name.value);
  throw new TemplateSyntaxError('expected a name', name.at);
}
