import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

/*
 * Clients build paths with shared/values/text/request-path.ts only: what is sent has the type RequestPath, which only
 * that file makes, and no source joins texts with slashes.
 */

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Files that join other texts with slashes, or use addresses that are not made of names. */
const others: Readonly<Record<string, string>> = {
  'bin/groundwork/commands/doctor.ts': 'asks the server of the settings for its state',
  'bin/groundwork/commands/init.ts': 'the folder of the example',
  'bin/groundwork/dev/local-server.ts': 'starts a server, and asks it for its state',
  'bin/groundwork/project/files/bundle-script.ts': 'a comment',
  'bin/groundwork/addresses.ts': 'shows addresses of screens and endpoints',
  'bin/groundwork/dev/dev.ts': 'names of files',
  'bin/groundwork/dev/syntax.ts': 'names of files',
  'bin/groundwork/project/files/pull.ts': 'names of files',
  'bin/groundwork/project/files/python/packages.ts': 'names of files',
  'bin/groundwork/project/files/script-modules.ts': 'names of packages',
  'bin/groundwork/project/files/served-module.ts': 'the name of a package',
  'bin/groundwork/transfer/collections.ts': 'keys of a map',
  'bin/groundwork/transfer/collections/read.ts': 'keys of a map',
  'bin/groundwork/transfer/collections/state.ts': 'keys of a map',
  'bin/groundwork/transfer/files.ts': 'names of files, and the addresses of files and uploads',
  'bin/groundwork/transfer/folder.ts': 'names of parts',
  'bin/groundwork/transfer/import-state.ts': 'names of parts',
  'bin/groundwork/types/declarations.ts':
    'code with comments, and public links, which the client checks',
  'bin/groundwork/types/typescript-file.ts': 'a comment, and the files of the client',
  'console/core/api.ts': 'sends the requests of the console',
  'console/parts/api-panel.tsx': 'shows the address of a request',
  'console/parts/code-samples.tsx': 'code with a comment and the name of a file',
  'console/parts/safe-link.tsx': 'links to addresses in data',
  'console/screens/admins/invitations.tsx': 'shows the address of an invitation',
  'console/screens/objects/edit/draft.ts': 'the address of an upload',
  'console/screens/objects/grid/cell.tsx': 'shows the address of a file',

  'shared/clients/address-below.ts': 'the address of a path below another one',
  'shared/clients/client.ts': 'sends the requests of programs',
  'shared/clients/typed/lists.ts': 'the address of an upload',
  'shared/clients/typed/requests.ts': 'sends the requests of the typed client',
};

test('clients join no texts to paths', () => {
  const joining: string[] = [];
  const claiming: string[] = [];
  for (const file of ['console', 'bin/groundwork', 'shared/clients'].flatMap(sourcesBelow)) {
    const found = joinedIn(file, readFileSync(join(project, file), 'utf8'));
    if (found.length > 0) joining.push(file);
    claiming.push(...found.filter((text) => / as RequestPath$|^encodeURI/.test(text)));
  }

  expect(claiming).toEqual([]);
  expect(joining.sort()).toEqual(Object.keys(others).sort());
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: sources
test.each([
  ['a template', 'send({ path: `classes/${name}/` })', ['`classes/${name}/`']],
  ['a template in a tag of its own', 'raw`classes/${name}/`', ['raw`classes/${name}/`']],
  ['a template that begins with a path', 'const p = `${list}${id}/`', ['`${list}${id}/`']],
  ['a sum', "send({ path: 'classes/' + name })", ["'classes/' + name"]],
  [
    'a sum of paths',
    'send({ path: (base + path) as RequestPath })',
    ['(base + path) as RequestPath'],
  ],
  ['a list', "['classes', name].join('/')", ["['classes', name].join('/')"]],
  ['an encoded name', 'encodeURIComponent(name)', ['encodeURIComponent(name)']],
  ['a request of its own', 'fetch(address)', ['fetch(address)']],
  ['an address', 'new URL(path, url)', ['new URL(path, url)']],
  ['a path', 'send({ path: at`classes/${name}/` })', []],
  ['a path below another', 'send({ path: below(list(at`a/${b}`))`${id}/` })', []],
] as const)('finds %s', (_, source, texts) => {
  expect(joinedIn('source.ts', source)).toEqual(texts);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: sources

function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('/example/'));
}

/** Returns the parts of a source that join texts with slashes, make addresses, or call a text a path. */
function joinedIn(file: string, source: string): readonly string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isJoining(node)) found.push(node.getText());
    else ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

function isJoining(node: ts.Node): boolean {
  if (ts.isTemplateExpression(node)) return hasSlash(node) && !isPath(node.parent);
  if (ts.isTaggedTemplateExpression(node)) return hasSlash(node.template) && !isPath(node);
  if (ts.isAsExpression(node)) return node.type.getText() === 'RequestPath';
  if (ts.isBinaryExpression(node)) return isSum(node);
  if (ts.isNewExpression(node))
    return /^(URL|EventSource|WebSocket|Request)$/.test(node.expression.getText());
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression.getText();
  if (/^(fetch|encodeURI|encodeURIComponent|navigator\.sendBeacon)$/.test(called)) return true;
  return called.endsWith('.join') && /^['"`]\/['"`]$/.test(node.arguments[0]?.getText() ?? '');
}

/** Tells whether a template is one of `at` or `below`. */
function isPath(node: ts.Node): boolean {
  return ts.isTaggedTemplateExpression(node) && /^(at$|below\()/.test(node.tag.getText());
}

function isSum(node: ts.BinaryExpression): boolean {
  if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return false;
  return [node.left, node.right].some(
    (side) => ts.isStringLiteralLike(side) && side.text.includes('/'),
  );
}

function hasSlash(template: ts.TemplateLiteral): boolean {
  if (!ts.isTemplateExpression(template)) return false;
  return [template.head, ...template.templateSpans.map(({ literal }) => literal)].some(({ text }) =>
    text.includes('/'),
  );
}
