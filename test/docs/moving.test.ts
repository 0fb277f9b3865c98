import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, expected, openWorld, startApi, type World } from '../support/api.ts';
import { sectionOf } from './tour.ts';

/* The program of the guide with the client library of the original service, and the traps that the guide names. */

const project = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(project, 'docs/guides/moving-from-syncano.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'groundwork-moving-'));

let api: Api;
let world: World;
let variables: Record<string, string | undefined>;

beforeAll(async () => {
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  api = await startApi();
  world = await openWorld(api);
  const { owner, instance } = world;
  variables = {
    PATH: process.env.PATH,
    GROUNDWORK_URL: api.url,
    GROUNDWORK_ACCOUNT_KEY: owner,
    GROUNDWORK_INSTANCE: instance,
  };
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** Runs a program in a process of its own: the library leaves rejections that nobody handles. */
async function outputOf(source: string): Promise<string> {
  const path = join(folder, 'program.mjs');
  writeFileSync(path, source);
  const { stdout } = await promisify(execFile)(process.execPath, [path], { env: variables });
  return stdout;
}

test('the program prints what the guide shows', async () => {
  const [, source = '', , response] =
    /^```js\n([\s\S]*?)^```$([\s\S]*?)^```text\n([\s\S]*?)^```$/m.exec(
      sectionOf(guide, 'Libraries by language'),
    ) ?? [];

  expect(await outputOf(source)).toBe(response);
});

test.each([
  ['shell', 'sh', 'cdef', '{"aliases":["cdef"]}'],
  ['JavaScript', 'js', '0246', "{ aliases: [ '0246' ] }\n"],
])('an old key becomes an alias with the example in %s', async (_, language, end, shown) => {
  const [, source = ''] =
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(sectionOf(guide, 'Keys')) ??
    [];
  const old = `${'5'.repeat(36)}${end}`;
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, '.env'), settings.join(''));
  variables = { ...variables, OLD_KEY: old };

  const output = language === 'js' ? await outputOf(source) : await outputOfShell(source);
  const listed = expected(await world.call(old, 'GET', 'api_keys/'), 200);

  expect(output).toBe(shown);
  expect(listed.objects).toMatchObject([{ allow_user_create: true }]);
});

async function outputOfShell(source: string): Promise<string> {
  const options = { cwd: folder, env: variables };
  return (await promisify(execFile)('sh', ['-c', source], options)).stdout;
}

const prelude = `
  import Syncano from 'syncano';
  process.on('unhandledRejection', () => undefined);
  const { GROUNDWORK_URL: baseUrl, GROUNDWORK_ACCOUNT_KEY: accountKey } = process.env;
  const defaults = { instanceName: process.env.GROUNDWORK_INSTANCE };
  const { DataObject, ScriptEndpoint } = Syncano({ baseUrl, accountKey, defaults });
  const run = (query) => query.then((result) => result);
  const query = () => DataObject.please().list({ className: 'nothing' });`;

test('a query that is awaited is neither resolved nor rejected when its request fails', async () => {
  const source = `${prelude}
    let awaited = 'pending';
    (async () => query())().then(() => (awaited = 'resolved'), () => (awaited = 'rejected'));
    for (let n = 0; n < 3; n += 1) await run(query()).catch(() => undefined);
    console.log(awaited);`;

  expect(await outputOf(source)).toBe('pending\n');
});

test('runPublic without a name fails without naming it', async () => {
  const source = `${prelude}
    const fault = (given) =>
      run(ScriptEndpoint.please().runPublic(given, {})).catch((reason) => reason);
    console.log((await fault({ public_link: 'x', name: 'y' })).status);
    console.log(/name/.test((await fault({ public_link: 'x' })).message));`;

  expect(await outputOf(source)).toBe('404\nfalse\n');
});

test('connections without defaults share them', async () => {
  const source = `${prelude}
    Syncano({ baseUrl }).setInstanceName('of the first');
    console.log(Syncano({ baseUrl }).getInstanceName());
    console.log(Syncano({ baseUrl, defaults: {} }).getInstanceName());`;

  expect(await outputOf(source)).toBe('of the first\nundefined\n');
});
