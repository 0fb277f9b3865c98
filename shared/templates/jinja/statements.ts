import { type BlockCompiler, compileExpression, type Expression } from './expressions.ts';
import { createLoop, type LoopMemory } from './loop.ts';
import type { Scope } from './scope.ts';
import {
  type ExpressionNode,
  type ForNode,
  type IfNode,
  type MacroNode,
  type MemberNode,
  type SetNode,
  type StatementList,
  type StatementNode,
  TemplateSyntaxError,
  type WithNode,
} from './syntax/syntax.ts';
import {
  type Callable,
  display,
  elements,
  isTrue,
  Namespace,
  RenderError,
  Undefined,
  type Value,
} from './values.ts';

/** Receives the output of a template. */
export interface TemplateOutput {
  write(text: string): void;
}

/** A compiled statement. */
export type CompiledStatement = (scope: Scope, output: TemplateOutput) => void;

/**
 * Compiles statements.
 *
 * @throws TemplateSyntaxError for an invalid statement or expression
 */
export function compileBody(body: StatementList): CompiledStatement {
  const statements = body.map(compileStatement);
  return (scope, output) => {
    for (const statement of statements) statement(scope, output);
  };
}

function compileStatement(node: StatementNode): CompiledStatement {
  switch (node.kind) {
    case 'text': {
      const { text } = node;
      return (_, output) => output.write(text);
    }
    case 'print': {
      const value = expression(node.value);
      return (scope, output) => output.write(display(value(scope)));
    }
    case 'if':
      return compileIf(node);
    case 'for':
      return compileFor(node);
    case 'with':
      return compileWith(node);
    case 'set':
      return compileSet(node);
    case 'block':
      return compileBody(node.body);
    case 'macro': {
      const name = nameOf(node.name);
      const macro = compileMacro(node.macro);
      return (scope) => scope.set(name, macro(scope));
    }
    case 'other-template':
      return failWithoutLoader;
  }
}

/** Fails as in Jinja without a loader: a template cannot load other templates. */
function failWithoutLoader(): never {
  throw new RenderError('no loader for this environment specified');
}

function compileIf(node: IfNode): CompiledStatement {
  const branches = node.branches.map(({ condition, body }) => ({
    condition: expression(condition),
    body: compileBody(body),
  }));
  const otherwise = node.otherwise && compileBody(node.otherwise);
  return (scope, output) => {
    const branch = branches.find(({ condition }) => isTrue(condition(scope)));
    (branch?.body ?? otherwise)?.(scope, output);
  };
}

function compileWith(node: WithNode): CompiledStatement {
  const variables = node.variables.map(({ name, value }) => ({ name, value: expression(value) }));
  const body = compileBody(node.body);
  return (scope, output) => {
    const inner = scope.inner();
    for (const { name, value } of variables) inner.set(name, value(scope));
    body(inner, output);
  };
}

function nameOf(node: ExpressionNode): string {
  if (node.kind !== 'name') throw new TemplateSyntaxError('expected a name', node.at);
  return node.name;
}

function expression(node: ExpressionNode): Expression {
  return compileExpression(node, blocks);
}

const blocks: BlockCompiler = {
  capture: (node) => {
    const body = compileBody(node);
    return (scope) => textOf(body, scope);
  },
  macro: compileMacro,
};

/** Returns the output of a statement. */
function textOf(body: CompiledStatement, scope: Scope): string {
  const { output, text } = createOutput();
  body(scope, output);
  return text();
}

const maxLength = 10_000_000; // characters; a response is limited to 6 MB

/** Creates an output and a function that returns its text. */
export function createOutput(): { readonly output: TemplateOutput; readonly text: () => string } {
  let text = '';
  const output: TemplateOutput = {
    write: (more) => {
      text += more;
      if (text.length > maxLength) throw new RangeError('the output is too long');
    },
  };
  return { output, text: () => text };
}

function compileFor({ names, ...node }: ForNode): CompiledStatement {
  const list = expression(node.list);
  const test = node.condition && expression(node.condition);
  const body = compileBody(node.body);
  const otherwise = node.otherwise && compileBody(node.otherwise);
  return (scope, output) => {
    const scopeOf = (item: Value) => {
      const inner = scope.inner();
      unpack(inner, names, item);
      return inner;
    };
    const values = [...elements(list(scope))];
    const items =
      test === undefined ? values : values.filter((item) => isTrue(test(scopeOf(item))));
    const memory: LoopMemory = { lastArguments: undefined };
    for (const at of items.keys()) {
      const inner = scopeOf(items[at] ?? null);
      inner.set('loop', createLoop(items, at, memory));
      body(inner, output);
    }
    if (items.length === 0) otherwise?.(scope, output);
  };
}

/** Assigns a value to one name, or its elements to several names. */
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

function compileSet({ targets, value: node }: SetNode): CompiledStatement {
  const value = expression(node);
  const [first] = targets;
  if (first?.kind === 'member') return compileMemberSet(first, value);
  const names = targets.map(nameOf);
  return (scope) => unpack(scope, names, value(scope));
}

/** Compiles the assignment to an attribute, which only namespaces allow. */
function compileMemberSet(target: MemberNode, value: Expression): CompiledStatement {
  const namespace = expression(target.target);
  if (target.key === undefined) {
    throw new TemplateSyntaxError('expected subscript expression', target.at);
  }
  const key = expression(target.key);
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
  readonly value: Expression | undefined;
}

function parametersOf({ parameters: { positional, named } }: MacroNode): readonly Parameter[] {
  return [
    ...positional.map((each) => ({ name: nameOf(each), value: undefined })),
    ...named.map(({ name, value }) => ({ name: nameOf(name), value: expression(value) })),
  ];
}

function compileMacro(node: MacroNode): (scope: Scope) => Callable {
  const parameters = parametersOf(node);
  const body = compileBody(node.body);
  return (scope) => (args, named) => {
    const inner = scope.inner();
    for (const [at, { name, value }] of parameters.entries()) {
      const argument = Object.hasOwn(named, name) ? named[name] : args[at];
      inner.set(
        name,
        argument ?? value?.(scope) ?? new Undefined(`parameter '${name}' was not provided`),
      );
    }
    if (named.caller !== undefined) inner.set('caller', named.caller);
    return textOf(body, inner);
  };
}
