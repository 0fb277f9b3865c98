import type { SyntaxNode } from 'nunjucks/src/lexer.js';
import { applyFilter, hasFilter } from './builtins/filters.ts';
import { applyTest, hasTest } from './builtins/tests.ts';
import { member, slice } from './members.ts';
import { calculate, comparisons } from './operators.ts';
import { children, optional, part, wrongAt } from './parser.ts';
import type { Scope } from './scope.ts';
import {
  contains,
  createDict,
  display,
  isTrue,
  numberOf,
  own,
  RenderError,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** An expression, ready to be computed. */
export type Expression = (scope: Scope) => Value;

/** Makes the body of a block as an expression: a text, or a function in place of a `caller`. */
export type BlockCompiler = (node: SyntaxNode) => Expression;

interface Compiling {
  readonly node: SyntaxNode;
  /** Compiles a part of the node. */
  readonly of: (node: SyntaxNode) => Expression;
  readonly block: BlockCompiler;
}

/**
 * Makes an expression of its syntax.
 *
 * @throws TemplateSyntaxError for what expressions cannot be, and filters and tests that there are not
 */
export function compileExpression(node: SyntaxNode, block: BlockCompiler): Expression {
  const make = own(makers, node.typename);
  if (make === undefined) throw wrongAt(node, `unexpected ${node.typename}`);
  return make({ node, of: (inner) => compileExpression(inner, block), block });
}

const makers: Readonly<Record<string, (compiling: Compiling) => Expression>> = {
  Literal: ({ node }) => {
    const value = node.value as Value; // the parser gives these, and regular expressions
    if (value instanceof RegExp) throw wrongAt(node, "unexpected char '/'");
    return () => value;
  },
  Symbol: ({ node }) => {
    const name = String(node.value);
    if (/^\d/.test(name)) return numeral(node, name);
    const constant = own(constants, name);
    if (constant !== undefined) return () => constant;
    return (scope) => scope.get(name);
  },
  Group: ({ node, of }) => {
    const [only, ...others] = children(node).map(of);
    if (only !== undefined && others.length === 0) return only;
    return listOf(children(node).map(of));
  },
  Array: ({ node, of }) => listOf(children(node).map(of)),
  Dict: ({ node, of }) => {
    const pairs = children(node).map((pair) => [of(part(pair, 'key')), of(part(pair, 'value'))]);
    return (scope) =>
      createDict(pairs.map(([key, value]) => [display(at(key, scope)), at(value, scope)] as const));
  },
  LookupVal: ({ node, of }) => lookUp(node, of, false),
  InlineIf: ({ node, of }) => {
    const [condition, body] = [of(part(node, 'cond')), of(part(node, 'body'))];
    const other = optional(node, 'else_');
    const otherwise = other === undefined ? () => nothing : of(other);
    return (scope) => (isTrue(condition(scope)) ? body(scope) : otherwise(scope));
  },
  Or: binary(
    (a, b) => (scope) =>
      orElse(
        a(scope),
        (value) => isTrue(value),
        () => b(scope),
      ),
  ),
  And: binary(
    (a, b) => (scope) =>
      orElse(
        a(scope),
        (value) => !isTrue(value),
        () => b(scope),
      ),
  ),
  In: binary((a, b) => (scope) => contains(b(scope), a(scope))),
  Concat: binary((a, b) => (scope) => display(a(scope)) + display(b(scope))),
  Pow: binary((a, b) => (scope) => calculate('**', a(scope), b(scope))),
  Calculation: (compiling) => {
    const operator = String(compiling.node.operator);
    return binary((a, b) => (scope) => calculate(operator, a(scope), b(scope)))(compiling);
  },
  Not: ({ node, of }) => {
    const target = of(part(node, 'target'));
    return (scope) => !isTrue(target(scope));
  },
  Neg: ({ node, of }) => signed(of(part(node, 'target')), '-'),
  Pos: ({ node, of }) => signed(of(part(node, 'target')), '+'),
  Compare: compileComparison,
  Is: compileTest,
  Filter: compileFilter,
  FunCall: compileCall,
  Capture: ({ node, block }) => block(part(node, 'body')),
  Caller: ({ node, block }) => block(node),
};

/** A number that the lexer takes for a name, as `1e3` and `1_000`. */
function numeral(node: SyntaxNode, text: string): Expression {
  const number = Number(text.replaceAll('_', ''));
  if (Number.isNaN(number)) throw wrongAt(node, `unexpected ${text}`);
  return () => number;
}

const constants: Readonly<Record<string, Value>> = { True: true, False: false, None: null };
const nothing = new Undefined(
  'the inline if-expression evaluated to false and no else section was defined.',
);

/** Of parts that are surely there. */
function at(expression: Expression | undefined, scope: Scope): Value {
  return expression === undefined ? null : expression(scope);
}

function listOf(items: readonly Expression[]): Expression {
  return (scope) => items.map((item) => item(scope));
}

function orElse(value: Value, isEnough: (value: Value) => boolean, other: () => Value): Value {
  return isEnough(value) ? value : other();
}

function binary(make: (a: Expression, b: Expression) => Expression) {
  return ({ node, of }: Compiling) => make(of(part(node, 'left')), of(part(node, 'right')));
}

function signed(target: Expression, sign: '+' | '-'): Expression {
  return (scope) => {
    const value = target(scope);
    if (value instanceof Undefined) throw value.refusal();
    const number = numberOf(value);
    if (number === undefined) {
      throw new RenderError(`bad operand type for unary ${sign}: '${typeName(value)}'`);
    }
    return sign === '-' ? -number : number;
  };
}

function lookUp(node: SyntaxNode, of: Compiling['of'], isCalled: boolean): Expression {
  const target = of(part(node, 'target'));
  const key = optional(node, 'val');
  if (key === undefined) throw wrongAt(node, 'expected subscript expression');
  if (key.typename === 'Slice') {
    const bounds = ['start', 'stop', 'step'].map((name) => {
      const bound = optional(key, name);
      return bound === undefined ? () => null : of(bound);
    });
    return (scope) => {
      const [start = null, stop = null, step = null] = bounds.map((bound) => bound(scope));
      return slice(target(scope), start, stop, step);
    };
  }
  const name = of(key);
  return (scope) => member(target(scope), name(scope), isCalled);
}

function compileComparison({ node, of }: Compiling): Expression {
  const first = of(part(node, 'expr'));
  const others = children(node, 'ops').map((operand) => {
    const compare = own(comparisons, String(operand.type));
    if (compare === undefined) throw wrongAt(operand, `unexpected ${String(operand.type)}`);
    return { compare, operand: of(part(operand, 'expr')) };
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

/** A test is a name, a name with arguments, or one of the literals that are tests as well. */
function compileTest({ node, of }: Compiling): Expression {
  const test = part(node, 'right');
  const called = test.typename === 'FunCall' ? part(test, 'name') : test;
  const name = called.value === null ? 'none' : String(called.value);
  if (!hasTest(name)) throw wrongAt(test, `no test named '${name}'`);
  const value = of(part(node, 'left'));
  const given =
    test.typename === 'FunCall' ? compileArguments(part(test, 'args'), of) : noArguments;
  return (scope) => applyTest(name, [value(scope), ...given(scope).args]);
}

function compileFilter({ node, of }: Compiling): Expression {
  const name = String(part(node, 'name').value);
  if (!hasFilter(name)) throw wrongAt(node, `no filter named '${name}'`);
  const given = compileArguments(part(node, 'args'), of);
  return (scope) => {
    const { args, named } = given(scope);
    return applyFilter(name, args, named);
  };
}

function compileCall({ node, of }: Compiling): Expression {
  const called = part(node, 'name');
  const target = called.typename === 'LookupVal' ? lookUp(called, of, true) : of(called);
  const given = compileArguments(part(node, 'args'), of);
  return (scope) => {
    const value = target(scope);
    if (value instanceof Undefined) throw value.refusal();
    if (typeof value !== 'function') {
      throw new RenderError(`'${typeName(value)}' object is not callable`);
    }
    const { args, named } = given(scope);
    return value(args, named);
  };
}

/** Arguments of a call, by position and by name. */
export interface Arguments {
  readonly args: readonly Value[];
  readonly named: Readonly<Record<string, Value>>;
}

const noArguments = (): Arguments => ({ args: [], named: {} });

function compileArguments(list: SyntaxNode, of: Compiling['of']): (scope: Scope) => Arguments {
  const positions = children(list).filter(({ typename }) => typename !== 'KeywordArgs');
  const keywords = children(list).filter(({ typename }) => typename === 'KeywordArgs');
  const args = positions.map(of);
  const named = keywords.flatMap((each) =>
    children(each).map(
      (pair) => [String(part(pair, 'key').value), of(part(pair, 'value'))] as const,
    ),
  );
  return (scope) => ({
    args: args.map((each) => each(scope)),
    named: createDict(named.map(([name, value]) => [name, value(scope)] as const)),
  });
}
