import type { SyntaxNode } from 'nunjucks/src/lexer.js';
import { type BlockCompiler, compileExpression, type Expression } from './expressions.ts';
import { createLoop, type LoopMemory } from './loop.ts';
import { children, optional, part, wrongAt } from './parser.ts';
import type { Scope } from './scope.ts';
import {
  type Callable,
  display,
  elements,
  isTrue,
  Namespace,
  own,
  RenderError,
  Undefined,
  type Value,
} from './values.ts';

/** What a template has printed so far. */
export interface Output {
  write(text: string): void;
}

/** A statement, ready to be carried out. */
export type Statement = (scope: Scope, output: Output) => void;

/**
 * Makes a statement of its syntax.
 *
 * @throws TemplateSyntaxError
 */
export function compileStatement(node: SyntaxNode): Statement {
  const make = own(makers, node.typename);
  if (make === undefined) throw wrongAt(node, `unexpected ${node.typename}`);
  return make(node);
}

const makers: Readonly<Record<string, (node: SyntaxNode) => Statement>> = {
  Root: compileList,
  NodeList: compileList,
  Output: (node) => {
    const parts = children(node).map(compilePart);
    return (scope, output) => {
      for (const each of parts) each(scope, output);
    };
  },
  If: (node) => {
    const condition = expression(part(node, 'cond'));
    const body = compileStatement(part(node, 'body'));
    const other = optional(node, 'else_');
    const otherwise = other && compileStatement(other);
    return (scope, output) => {
      if (isTrue(condition(scope))) body(scope, output);
      else otherwise?.(scope, output);
    };
  },
  For: compileFor,
  With: (node) => {
    const names = children(node, 'targets').map(nameOf);
    const values = children(node, 'values').map(expression);
    const body = compileStatement(part(node, 'body'));
    return (scope, output) => {
      const inner = scope.inner();
      for (const [at, value] of values.entries()) inner.set(names[at] ?? '', value(scope));
      body(inner, output);
    };
  },
  Set: compileSet,
  Block: (node) => compileStatement(part(node, 'body')),
  Macro: (node) => {
    const name = nameOf(part(node, 'name'));
    const macro = compileMacro(node);
    return (scope) => scope.set(name, macro(scope));
  },
  ...Object.fromEntries(
    // there are no other templates to be found
    ['Include', 'Extends', 'Import', 'FromImport'].map((typename) => [
      typename,
      () => () => {
        throw new RenderError('no loader for this environment specified');
      },
    ]),
  ),
};

function compileList(node: SyntaxNode): Statement {
  const statements = children(node).map(compileStatement);
  return (scope, output) => {
    for (const statement of statements) statement(scope, output);
  };
}

function compilePart(node: SyntaxNode): Statement {
  if (node.typename === 'TemplateData') {
    const text = String(node.value);
    return (_, output) => output.write(text);
  }
  const value = expression(node);
  return (scope, output) => output.write(display(value(scope)));
}

function nameOf(node: SyntaxNode): string {
  if (node.typename !== 'Symbol') throw wrongAt(node, 'expected a name');
  return String(node.value);
}

/** What stands where an expression is wanted. */
function expression(node: SyntaxNode): Expression {
  return compileExpression(node, compileBlock);
}

const compileBlock: BlockCompiler = (node) => {
  if (node.typename === 'Caller') return compileMacro(node);
  const body = compileStatement(node);
  return (scope) => textOf(body, scope);
};

/** What a statement prints. */
function textOf(body: Statement, scope: Scope): string {
  const { output, text } = createOutput();
  body(scope, output);
  return text();
}

const maxLength = 10_000_000; // characters; no answer may be longer than 6 MB

/** Makes a place to print to. */
export function createOutput(): { readonly output: Output; readonly text: () => string } {
  let text = '';
  const output: Output = {
    write: (more) => {
      text += more;
      if (text.length > maxLength) throw new RangeError('the answer is too long');
    },
  };
  return { output, text: () => text };
}

function compileFor(node: SyntaxNode): Statement {
  const names = children(node, 'names').map(nameOf);
  const list = expression(part(node, 'list'));
  const condition = optional(node, 'test');
  const test = condition && expression(condition);
  const body = compileStatement(part(node, 'body'));
  const other = optional(node, 'otherwise');
  const otherwise = other && compileStatement(other);
  return (scope, output) => {
    const scopeOf = (item: Value) => {
      const inner = scope.inner();
      unpack(inner, names, item);
      return inner;
    };
    const all = [...elements(list(scope))];
    const items = test === undefined ? all : all.filter((item) => isTrue(test(scopeOf(item))));
    const memory: LoopMemory = { seen: undefined };
    for (const at of items.keys()) {
      const inner = scopeOf(items[at] ?? null);
      inner.set('loop', createLoop(items, at, memory));
      body(inner, output);
    }
    if (items.length === 0) otherwise?.(scope, output);
  };
}

/** Gives names their values: one name the whole of it, several its elements. */
function unpack(scope: Scope, names: readonly string[], value: Value): void {
  const [only = '', ...others] = names;
  if (others.length === 0) {
    scope.set(only, value);
    return;
  }
  const parts = elements(value);
  if (parts.length !== names.length) {
    const problem = parts.length > names.length ? 'too many' : 'not enough';
    throw new RenderError(`${problem} values to unpack (expected ${names.length})`);
  }
  for (const [at, name] of names.entries()) scope.set(name, parts[at] ?? null);
}

function compileSet(node: SyntaxNode): Statement {
  const targets = children(node, 'targets');
  const source = optional(node, 'value') ?? optional(node, 'body');
  if (source === undefined) throw wrongAt(node, 'expected a value');
  const value = expression(source);
  const [first] = targets;
  if (first?.typename === 'LookupVal') return compileMemberSet(first, value);
  const names = targets.map(nameOf);
  return (scope) => unpack(scope, names, value(scope));
}

/** Only namespaces can be changed so. */
function compileMemberSet(target: SyntaxNode, value: Expression): Statement {
  const namespace = expression(part(target, 'target'));
  const key = expression(part(target, 'val'));
  return (scope) => {
    const space = namespace(scope);
    if (!(space instanceof Namespace)) {
      throw new RenderError('cannot assign attribute on non-namespace object');
    }
    space.values[display(key(scope))] = value(scope);
  };
}

interface Parameter {
  readonly name: string;
  readonly value?: Expression;
}

function parametersOf(node: SyntaxNode): readonly Parameter[] {
  return children(part(node, 'args')).flatMap((each): Parameter[] => {
    if (each.typename !== 'KeywordArgs') return [{ name: nameOf(each) }];
    return children(each).map((pair) => ({
      name: nameOf(part(pair, 'key')),
      value: expression(part(pair, 'value')),
    }));
  });
}

function compileMacro(node: SyntaxNode): (scope: Scope) => Callable {
  const parameters = parametersOf(node);
  const body = compileStatement(part(node, 'body'));
  return (scope) => (args, named) => {
    const inner = scope.inner();
    for (const [at, { name, value }] of parameters.entries()) {
      const given = Object.hasOwn(named, name) ? named[name] : args[at];
      inner.set(
        name,
        given ?? value?.(scope) ?? new Undefined(`parameter '${name}' was not provided`),
      );
    }
    if (named.caller !== undefined) inner.set('caller', named.caller);
    return textOf(body, inner);
  };
}
