import fc from 'fast-check';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { readInstanceSchema } from '../../../bin/groundwork/types/instance-schema.ts';
import { typescriptFile } from '../../../bin/groundwork/types/typescript-file.ts';
import { at } from '../../../shared/values/text/request-path.ts';

/* Whatever a server responds with, `types` writes declarations, or nothing. */

/** What the server responds with, by list. */
interface Responses {
  readonly classes: readonly unknown[];
  readonly endpoints: readonly unknown[];
  readonly scripts: readonly unknown[];
  readonly channels: readonly unknown[];
}

const book = { name: 'title', type: 'string', filter_index: true };

/** Returns the file for an instance, as the command makes it of responses. */
async function fileOf(responses: Responses, instance = 'library'): Promise<string> {
  const lists: Record<string, readonly unknown[]> = {
    '/classes/': responses.classes,
    '/endpoints/data/': responses.endpoints,
    '/endpoints/scripts/': responses.scripts,
    '/channels/': responses.channels,
  };
  const send = ({ path }: { readonly path: string }) =>
    Promise.resolve({ status: 200, body: { objects: lists[path], next: null } });
  return typescriptFile(
    await readInstanceSchema({ send, base: at`/`, instance, url: 'http://127.0.0.1', key: 'k' }),
  );
}

/** Returns the kinds of the statements of a file, and all that its top level may run. */
function shapeOf(text: string) {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ES2022, true);
  const { parseDiagnostics } = file as ts.SourceFile & { parseDiagnostics: readonly unknown[] };
  const program: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return; // types run nothing
    if (ts.isIdentifier(node) || ts.isLiteralExpression(node)) return;
    program.push(ts.SyntaxKind[node.kind]);
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  const kinds = file.statements.map(({ kind }) => ts.SyntaxKind[kind]);
  return { faults: parseDiagnostics.length, kinds, program };
}

const plain: Responses = {
  classes: [
    { name: 'user_profile', schema: [] },
    { name: 'book', schema: [book, { name: 'next', type: 'reference', target: 'book' }] },
  ],
  endpoints: [{ name: 'all', class: 'book', excluded_fields: 'title', expand: 'next' }],
  scripts: [{ name: 'hello', public: true, public_link: 'a1' }],
  channels: [{ name: 'news', type: 'default' }],
};

/** Puts a value in place of one member of the responses. */
type Place = (value: unknown) => Responses;
const [profile, books] = plain.classes as readonly [object, { schema: readonly object[] }];
const withField = (field: object): Responses => ({
  ...plain,
  classes: [profile, { ...books, schema: [{ ...book, ...field }] }],
});
const places: Readonly<Record<string, Place>> = {
  'name of a class': (name) => ({ ...plain, classes: [...plain.classes, { ...books, name }] }),
  'schema of a class': (schema) => ({ ...plain, classes: [profile, { ...books, schema }] }),
  'name of a field': (name) => withField({ name }),
  'type of a field': (type) => withField({ type }),
  'target of a reference': (target) => withField({ type: 'reference', target }),
  'target of a relation': (target) => withField({ type: 'relation', target }),
  'index of a field': (flag) => withField({ order_index: flag, filter_index: flag }),
  'name of a data endpoint': (name) => ({
    ...plain,
    endpoints: [{ ...Object(plain.endpoints[0]), name }],
  }),
  'class of a data endpoint': (value) => ({
    ...plain,
    endpoints: [{ ...Object(plain.endpoints[0]), class: value }],
  }),
  'excluded fields': (value) => ({
    ...plain,
    endpoints: [{ ...Object(plain.endpoints[0]), excluded_fields: value }],
  }),
  'expanded fields': (expand) => ({
    ...plain,
    endpoints: [{ ...Object(plain.endpoints[0]), expand }],
  }),
  'name of a script': (name) => ({ ...plain, scripts: [{ ...Object(plain.scripts[0]), name }] }),
  'public link': (public_link) => ({
    ...plain,
    scripts: [{ ...Object(plain.scripts[0]), public_link }],
  }),
  'name of a channel': (name) => ({ ...plain, channels: [{ name, type: 'default' }] }),
  'type of a channel': (type) => ({ ...plain, channels: [{ name: 'news', type }] }),
};

const attacks = [
  "x/'+globalThis.process.exit(1)+'",
  '*/ import "node:fs"; /*',
  "'; evil(); '",
  "a', evil: (evil(), 1), b: 'c",
  '}; evil(); interface A {',
  'A { } evil(); interface B',
  ['a`$', '{evil()}`b'].join(''),
  'a\\',
  'a\nevil();\n',
  'a\u2028evil();\u2028',
  'constructor',
  '__proto__',
  'then',
  '',
  'A',
  'é',
];

const hostile = fc.oneof(
  fc.constantFrom(...attacks),
  fc.tuple(fc.string(), fc.constantFrom(...attacks), fc.string()).map((parts) => parts.join('')),
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        '`',
        '\\',
        '*/',
        '/*',
        '//',
        '\n',
        '\r',
        '\u2028',
        '{',
        '}',
        ';',
        '(',
        ')',
        '$',
        'a',
        '[',
        '<',
        '>',
      ),
    )
    .map((parts) => parts.join('')),
  fc.jsonValue(),
);

const usual = shapeOf(await fileOf(plain));
const kinds = new Set(usual.kinds);
const program = new Set(usual.program);

test('the usual file has no mistake', () => {
  expect(usual.faults).toBe(0);
  expect(kinds).not.toContain('ExpressionStatement');
});

/** Expects that a file declares as the usual one does, and runs nothing else. */
function expectDeclarations(text: string): void {
  const { faults, ...shape } = shapeOf(text);
  expect(faults).toBe(0);
  expect(shape.kinds.filter((kind) => !kinds.has(kind))).toEqual([]);
  expect(shape.program.filter((kind) => !program.has(kind))).toEqual([]);
  const calls = (list: readonly string[]) =>
    list.filter((kind) => kind.endsWith('CallExpression')).length;
  expect(calls(shape.program) - calls(usual.program)).toBeLessThanOrEqual(1); // of one more class
  expect(/\bevil\(/.test(withoutTexts(text))).toBe(false);
}

/** Returns a program without its strings and comments. */
function withoutTexts(text: string): string {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, true, ts.LanguageVariant.Standard, text);
  const tokens: string[] = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind !== ts.SyntaxKind.StringLiteral) tokens.push(scanner.getTokenText());
  }
  return tokens.join(' ');
}

/** Returns the file, or undefined where the command refuses the response in words. */
async function fileOrError(responses: Responses): Promise<string | undefined> {
  try {
    return await fileOf(responses);
  } catch (error) {
    expect(String(error)).toMatch(/^Error: the server has responded with .+, which is not valid/s);
    return undefined;
  }
}

test.each(Object.entries(places))('a hostile %s becomes no code', async (_name, place) => {
  for (const attack of attacks) {
    const text = await fileOrError(place(attack));
    if (text !== undefined) expectDeclarations(text);
  }
  await fc.assert(
    fc.asyncProperty(hostile, async (value) => {
      const text = await fileOrError(place(value));
      if (text !== undefined) expectDeclarations(text);
    }),
    { numRuns: 15 },
  );
});

test.each(attacks)('an instance of the name %j becomes no code', async (name) => {
  expectDeclarations(await fileOf(plain, name));
});

test('the public link of an endpoint is a text', async () => {
  const scripts = [{ name: 'hello', public: true, public_link: "x/' + evil() + '" }];

  expect(await fileOrError({ ...plain, scripts })).toBeUndefined();
});
