import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, openWorld, startApi } from '../support/api.ts';

/*
 * The guide to typed clients, unchanged: its commands generate a client from the server's own document, the compiler
 * checks its program, and the program sends requests to the server. Only the installation differs.
 */

const project = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(project, 'docs/typed-client.md'), 'utf8');
const address = 'http://127.0.0.1:3000';

let api: Api;
let folder: string;
let accountKey: string;

beforeAll(async () => {
  api = await startApi();
  accountKey = (await openWorld(api)).owner;
  folder = mkdtempSync(join(tmpdir(), 'groundwork-typed-'));
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api.close();
});

/** Returns the blocks of a language in the guide, for the server of this test. */
function blocks(language: string): readonly string[] {
  const found = [...guide.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return found
    .filter(([, own]) => own === language)
    .map(([, , text = '']) => text.replaceAll(address, api.url));
}

async function runShell(commands: string) {
  const child = spawn('sh', ['-e'], {
    cwd: folder,
    env: { ...process.env, ACCOUNT_KEY: accountKey, NO_COLOR: '1', npm_config_offline: 'true' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [printed, complaints] = ['', ''];
  child.stdout.on('data', (part) => {
    printed += part;
  });
  child.stderr.on('data', (part) => {
    complaints += part;
  });
  child.stdin.end(commands);
  const [code] = await once(child, 'close');
  return { code, printed, complaints };
}

/** Errors for the compiler, each created in the program by one replacement. */
const mistakes = [
  ['a field that an instance does not have', 'instance.name', 'instance.nickname'],
  ['a number in place of a name', "{ name: 'typed-library' }", '{ name: 7 }'],
  ['a missing name', "{ name: 'typed-library' }", '{}'],
  ['a text in place of an id', 'id.toFixed()', 'id.trim()'],
  ['a parameter that a list does not have', "{ order_by: 'title' }", "{ sort_by: 'title' }"],
] as const;

test('the guide creates a client that is checked and works', async () => {
  const [install = '', generate = '', check = ''] = blocks('sh');
  const [program = ''] = blocks('ts');
  const [wanted] = blocks('');

  const made = await runShell(generate);
  writeFileSync(join(folder, 'books.ts'), program);
  const checked = await runShell(check);

  expect(install).toContain('npm install swagger-typescript-api@');
  expect(made).toMatchObject({ code: 0 });
  expect([checked.code, checked.printed], checked.complaints).toEqual([0, wanted]);
}, 300_000);

test('the compiler finds the errors in a program, and none in a valid one', async () => {
  const [, , check = ''] = blocks('sh');
  const [program = ''] = blocks('ts');
  const files = mistakes.map(([, right, wrong], i) => {
    expect(program).toContain(right);
    writeFileSync(join(folder, `wrong-${i}.ts`), program.replace(right, wrong));
    return `wrong-${i}.ts`;
  });

  const [compile = ''] = check.split('\n');
  const { printed } = await runShell(compile.replace('books.ts', `books.ts ${files.join(' ')}`));

  const complained = new Set([...printed.matchAll(/^([^(\n]+)\(/gm)].map(([, name]) => name));
  expect(mistakes.filter((_, i) => !complained.has(`wrong-${i}.ts`))).toEqual([]);
  expect([...complained].filter((name = '') => !files.includes(name))).toEqual([]);
}, 120_000);
