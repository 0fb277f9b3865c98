import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { temporaryFolder } from '../support/temporary.ts';

/*
 * The guide to typed clients, unchanged: its commands write a client, the compiler checks its program, and the program
 * sends requests to the server. Only `npm install` differs: it links the packages that it names.
 */

const project = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(project, 'docs/guides/typed-client.md'), 'utf8');
const [own = '', described = ''] = guide.split('## From the OpenAPI document');
const address = 'http://127.0.0.1:3000';

const test = worldTest()
  .extend('home', { scope: 'file' }, temporaryFolder('groundwork-typed-'))
  .extend('given', { scope: 'file' }, ({ world, home }) => {
    mkdirSync(join(home, 'bin'));
    symlinkSync(join(project, 'bin/groundwork.mjs'), join(home, 'bin/groundwork'));
    return { world, home };
  });

test('the guide writes a client of an instance', async ({ given }) => {
  const followed = await follow(given, own, 'books.ts');

  expect(followed.made).toMatchObject({
    code: 0,
    complaints: 'Pushed 1 change to typed-library.\n',
  });
  const { code, printed, complaints } = followed.checked;
  expect([code, printed], complaints).toEqual([0, followed.output]);
  const mistakes = [
    ['a field without an index', 'where: { year:', 'where: { title:'],
    ['a misspelt field', "title: 'Good Wives'", "tilte: 'Good Wives'"],
  ] as const;
  expect(await unnoticed(given, followed, 'books.ts', mistakes)).toEqual([]);
}, 300_000);

test('the guide generates a client from the OpenAPI document', async ({ given }) => {
  const followed = await follow(given, described, 'instances.ts');

  expect(followed.made).toMatchObject({ code: 0 });
  const { code, printed, complaints } = followed.checked;
  expect([code, printed], complaints).toEqual([0, followed.output]);
  const mistakes = [
    ['a field that an instance does not have', 'instance.name', 'instance.nickname'],
    ['a number in place of a name', "{ name: 'described-library' }", '{ name: 7 }'],
    ['a missing name', "{ name: 'described-library' }", '{}'],
    ['a text in place of an id', 'id.toFixed()', 'id.trim()'],
    ['a parameter that a list does not have', "{ order_by: 'title' }", "{ sort_by: 'title' }"],
  ] as const;
  expect(await unnoticed(given, followed, 'instances.ts', mistakes)).toEqual([]);
}, 300_000);

interface Given {
  readonly world: World;
  /** The home folder of the shell. */
  readonly home: string;
}

/** Returns the blocks of a language, for the server of this test. */
function blocks({ world: { api } }: Given, text: string, language: string): readonly string[] {
  const found = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return found
    .filter(([, own]) => own === language)
    .map(([, , content = '']) => content.replaceAll(address, api.url));
}

/** Links packages, in place of `npm install`. */
function install(folder: string, packages: readonly string[]): void {
  for (const name of packages.map((text) => text.replace(/@[\d.]+$/, ''))) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(project, 'node_modules', name), link);
  }
  const programs = join(folder, 'node_modules/.bin');
  mkdirSync(programs);
  for (const name of ['tsc', 'tsx', 'swagger-typescript-api']) {
    symlinkSync(join(project, 'node_modules/.bin', name), join(programs, name));
  }
}

async function runShell({ world: { api, owner }, home }: Given, folder: string, commands: string) {
  const child = spawn('sh', ['-e'], {
    cwd: folder,
    env: {
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      HOME: home,
      ACCOUNT_KEY: owner,
      GROUNDWORK_URL: api.url,
      NO_COLOR: '1',
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    },
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

/** Runs a part of the guide in an empty folder: its commands, then its program. */
async function follow(given: Given, text: string, file: string) {
  const folder = mkdtempSync(join(given.home, 'app-'));
  const commands = blocks(given, text, 'sh');
  const check = commands.at(-1) ?? '';
  const [program = ''] = blocks(given, text, 'ts');
  const [schema = ''] = blocks(given, text, 'yaml');
  const [output] = blocks(given, text, '');
  const prepare = commands.slice(0, -1).join('');
  const [, packages = ''] = /^npm install (.*)$/m.exec(prepare) ?? [];
  install(folder, packages.split(' '));
  writeFileSync(join(folder, 'groundwork.yml'), schema);
  const made = await runShell(given, folder, prepare.replace(/^npm install .*$/m, ''));
  writeFileSync(join(folder, file), program);
  const checked = await runShell(given, folder, check);
  return { folder, program, check, output, made, checked };
}

/** Returns which mistakes, each one replacement in the program, the compiler does not find; and other errors. */
async function unnoticed(
  given: Given,
  { folder, program, check }: Awaited<ReturnType<typeof follow>>,
  file: string,
  mistakes: readonly (readonly [name: string, right: string, wrong: string])[],
) {
  const files = mistakes.map(([, right, wrong], i) => {
    expect(program).toContain(right);
    writeFileSync(join(folder, `wrong-${i}.ts`), program.replace(right, wrong));
    return `wrong-${i}.ts`;
  });
  const [compile = ''] = check.split('\n');
  const { printed } = await runShell(
    given,
    folder,
    compile.replace(file, `${file} ${files.join(' ')}`),
  );
  const complained = new Set([...printed.matchAll(/^([^(\n]+)\(/gm)].map(([, name = '']) => name));
  return [
    ...mistakes.flatMap(([name], i) => (complained.has(`wrong-${i}.ts`) ? [] : [name])),
    ...[...complained].filter((name) => !files.includes(name)),
  ];
}
