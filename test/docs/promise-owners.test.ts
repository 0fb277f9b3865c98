import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

// A rejected promise that nobody awaits ends the process, and with it all tenants' requests. So no program of Node's
// drops a promise: `inBackground` and `neverRejects` are the only ways. Biome finds promises that are not used at all;
// this finds the forms that it accepts.

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['shared', 'functions', 'bin', 'lib'];
const browsers = /^shared\/core\/pages\/browser\//; // a rejection ends no page
const inSandbox = /^shared\/runtimes\/(node|pyodide)\/.*\.cjs$/; // ends the process of one script

const sources = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  )
  .filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path) && !path.endsWith('.d.ts'))
  .filter(
    (path) =>
      path !== 'shared/values/promises/in-background.ts' &&
      !browsers.test(path) &&
      !inSandbox.test(path),
  );

/** Methods that call a function later and ignore its promise. */
const callers =
  /^(on|once|addListener|prependListener|addEventListener|setTimeout|setInterval|setImmediate|nextTick|queueMicrotask|forEach)$/;

/** Calls without a promise, or whose promise cannot be handled: all that may follow `void`. */
const plain = new Set([
  'list.parent',
  'process.stderr.write',
  'process.stdout.write',
  'setImmediate',
  'stderr.write',
  'tables[table].put', // LMDB's promises add nothing to that of their batch, and take time
  'tables[table].remove',
]);

/** Returns what is wrong with a node, if anything. */
function problemOf(node: ts.Node): string | undefined {
  if (ts.isVoidExpression(node)) {
    return isPlain(node.expression) ? undefined : 'the operator `void` drops a promise';
  }
  if (ts.isNewExpression(node)) {
    const isBad = node.expression.getText() === 'Promise' && node.arguments?.some(isAsync);
    return isBad ? 'an async executor rejects a promise that it drops' : undefined;
  }
  return problemOfCall(node);
}

function problemOfCall(node: ts.Node): string | undefined {
  const name = methodOf(ts.isExpressionStatement(node) ? node.expression : node);
  const isStatement = ts.isExpressionStatement(node) || isArrowBody(node);
  if (isStatement && (name === 'then' || name === 'finally')) {
    return `nobody handles the result of \`${name}\``;
  }
  if (!ts.isCallExpression(node) || !callers.test(name ?? '') || isOnce(node)) return undefined;
  const isDropped = node.arguments.some(isAsync);
  return isDropped ? 'the caller drops the promise of an async function' : undefined;
}

/** Checks for an operand of `void` that is no promise. */
function isPlain(operand: ts.Expression): boolean {
  if (ts.isNumericLiteral(operand)) return true;
  if (ts.isParenthesizedExpression(operand)) return ts.isAwaitExpression(operand.expression);
  return plain.has(operand.getText().replace(/\(.*/s, ''));
}

/** Checks for the expression of an arrow function that is a handler. */
function isArrowBody(node: ts.Node): node is ts.Expression {
  const { parent } = node;
  if (!parent || !ts.isArrowFunction(parent) || parent.body !== node) return false;
  const call = parent.parent;
  return ts.isCallExpression(call) && callers.test(methodOf(call) ?? '');
}

/** Returns the name of the called function or method. */
function methodOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const { expression } = node;
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : undefined;
}

/** Checks for the function `once`, which returns a function that keeps the promise. */
function isOnce({ expression }: ts.CallExpression): boolean {
  return ts.isIdentifier(expression) && expression.text === 'once';
}

function isAsync(node: ts.Node): boolean {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;
}

/** Returns the problems of a source, with their lines. */
function problemsIn(path: string, text: string): readonly string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const problem = problemOf(node);
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    if (problem !== undefined) found.push(`${path}:${line + 1}: ${problem}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('no promise is without owner', () => {
  const problems = sources.flatMap((path) =>
    problemsIn(path, readFileSync(join(root, path), 'utf8')),
  );

  expect(problems).toEqual([]);
});

test.each([
  'void work();',
  'void runner.ended.then(dispose);',
  'work().then(go);',
  'work().then(go, fail);',
  'work().finally(go);',
  'new Promise(async (resolve) => resolve(await work()));',
  "socket.on('data', async () => { await work(); });",
  "socket.once('data', () => work().then(go));",
  'setTimeout(async () => work(), 5);',
])('the check finds: %s', (text) => {
  expect(problemsIn('x.ts', text)).toHaveLength(1);
});

test.each([
  'await work();',
  'const done = work().then(go);',
  'inBackground(work().then(go), report);',
  'work().catch(report);',
  'work().then(go).catch(report);',
  'expect(() => void 0);',
])('the check accepts: %s', (text) => {
  expect(problemsIn('x.ts', text)).toEqual([]);
});
