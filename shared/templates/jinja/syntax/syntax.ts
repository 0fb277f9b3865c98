/* The syntax tree of a template, and the syntax error. */

/** A position in the source of a template; both numbers start at 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** Thrown for a template with invalid syntax. The message contains the position. */
export class TemplateSyntaxError extends Error {
  constructor(message: string, at?: SourcePosition) {
    super(at === undefined ? message : `${message} (line ${at.line}, column ${at.column})`);
  }
}

export type BinaryOperator =
  | ('or' | 'and' | 'in' | '~')
  | ('+' | '-' | '*' | '/' | '//' | '%' | '**');

/** Arguments of a call, or parameters of a macro: first the positional ones, then the named ones. */
export interface Signature {
  readonly positional: readonly ExpressionNode[];
  readonly named: readonly NamedNode[];
}

/** `name=value` in a signature. */
export interface NamedNode {
  readonly name: ExpressionNode;
  readonly value: ExpressionNode;
}

/** A comparison operator, its position and its right operand. */
export interface ComparedNode {
  readonly at: SourcePosition;
  readonly sign: string;
  readonly operand: ExpressionNode;
}

/** `target.name` or `target[key]`. */
export interface MemberNode {
  readonly kind: 'member';
  readonly at: SourcePosition;
  readonly target: ExpressionNode;
  /** Undefined when the brackets are empty. */
  readonly key: ExpressionNode | undefined;
}

/** `start:stop:step`; bounds may be omitted. */
export interface SliceNode {
  readonly kind: 'slice';
  readonly at: SourcePosition;
  readonly start: ExpressionNode | undefined;
  readonly stop: ExpressionNode | undefined;
  readonly step: ExpressionNode | undefined;
}

/** `callee(arguments)`. */
export interface CallNode {
  readonly kind: 'call';
  readonly at: SourcePosition;
  readonly callee: ExpressionNode;
  readonly args: Signature;
}

/** `value|name(arguments)`. */
export interface FilterNode {
  readonly kind: 'filter';
  readonly at: SourcePosition;
  readonly name: string;
  readonly value: ExpressionNode;
  readonly args: Signature;
}

/** `value is name(arguments)`; `at` is the position of the test. */
export interface TestNode {
  readonly kind: 'test';
  readonly at: SourcePosition;
  readonly name: string;
  readonly value: ExpressionNode;
  readonly args: Signature;
}

/** `first < second <= third`. */
export interface ComparisonNode {
  readonly kind: 'comparison';
  readonly at: SourcePosition;
  readonly first: ExpressionNode;
  readonly others: readonly ComparedNode[];
}

/** The body of a macro, or of a `call`, which is the macro `caller`. */
export interface MacroNode {
  readonly kind: 'macro';
  readonly at: SourcePosition;
  readonly parameters: Signature;
  readonly body: StatementList;
}

/** An expression; `at` is its position in error messages. */
export type ExpressionNode =
  | { readonly kind: 'literal'; readonly at: SourcePosition; readonly value: Literal }
  | NameNode
  | { readonly kind: 'group' | 'list'; readonly at: SourcePosition; readonly items: Nodes }
  | { readonly kind: 'dict'; readonly at: SourcePosition; readonly pairs: readonly PairNode[] }
  | MemberNode
  | SliceNode
  | ConditionalNode
  | BinaryNode
  | { readonly kind: 'not'; readonly at: SourcePosition; readonly target: ExpressionNode }
  | SignNode
  | ComparisonNode
  | TestNode
  | FilterNode
  | CallNode
  | MacroNode
  | { readonly kind: 'capture'; readonly at: SourcePosition; readonly body: StatementList };

type Nodes = readonly ExpressionNode[];
type Literal = null | boolean | number | string;

/** The name of a variable, or a number such as `1e3` and `1_000`. */
export interface NameNode {
  readonly kind: 'name';
  readonly at: SourcePosition;
  readonly name: string;
}

/** `key: value` in a dictionary. */
export interface PairNode {
  readonly key: ExpressionNode;
  readonly value: ExpressionNode;
}

interface SignNode {
  readonly kind: 'sign';
  readonly at: SourcePosition;
  readonly sign: '+' | '-';
  readonly target: ExpressionNode;
}

/** `body if condition else otherwise`. */
export interface ConditionalNode {
  readonly kind: 'conditional';
  readonly at: SourcePosition;
  readonly condition: ExpressionNode;
  readonly body: ExpressionNode;
  readonly otherwise: ExpressionNode | undefined;
}

interface BinaryNode {
  readonly kind: 'binary';
  readonly at: SourcePosition;
  readonly operator: BinaryOperator;
  readonly left: ExpressionNode;
  readonly right: ExpressionNode;
}

/** Statements in order. */
export type StatementList = readonly StatementNode[];

/** A loop; `otherwise` is its `else`. */
export interface ForNode {
  readonly kind: 'for';
  readonly names: readonly string[];
  readonly list: ExpressionNode;
  readonly condition: ExpressionNode | undefined;
  readonly body: StatementList;
  readonly otherwise: StatementList | undefined;
}

/** `set` with one or more targets; the value of a block is a `capture`. */
export interface SetNode {
  readonly kind: 'set';
  readonly targets: readonly ExpressionNode[];
  readonly value: ExpressionNode;
}

/** The branches of `if` and `elif`: the first with a true condition runs. */
export interface IfNode {
  readonly kind: 'if';
  readonly branches: readonly {
    readonly condition: ExpressionNode;
    readonly body: StatementList;
  }[];
  readonly otherwise: StatementList | undefined;
}

/** Variables that are visible in a body. */
export interface WithNode {
  readonly kind: 'with';
  readonly variables: readonly { readonly name: string; readonly value: ExpressionNode }[];
  readonly body: StatementList;
}

/** A statement of a template. */
export type StatementNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly value: ExpressionNode }
  | IfNode
  | ForNode
  | WithNode
  | SetNode
  | { readonly kind: 'block'; readonly body: StatementList }
  | { readonly kind: 'macro'; readonly name: ExpressionNode; readonly macro: MacroNode }
  | { readonly kind: 'other-template' };
