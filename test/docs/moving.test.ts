import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { sectionOf } from './tour.ts';

const test = worldTest()
  .extend('folder', { scope: 'file' }, temporaryFolder('groundwork-moving-'))
  .extend('given', { scope: 'file' }, ({ world, folder }) => setUp(world, folder));

/* The program of the guide with the client library of the original service, and the traps that the guide names. */

const project = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(project, 'docs/guides/moving-from-syncano.md'), 'utf8');
test('the program prints what the guide shows', async ({ given: { outputOf } }) => {
  const [, source = '', , response] =
    /^```js\n([\s\S]*?)^```$([\s\S]*?)^```text\n([\s\S]*?)^```$/m.exec(
      sectionOf(guide, 'Libraries by language'),
    ) ?? [];

  expect(await outputOf(source)).toBe(response);
});

test.for([
  ['shell', 'sh', 'cdef', '{"aliases":["cdef"]}'],
  ['JavaScript', 'js', '0246', "{ aliases: [ '0246' ] }\n"],
])(
  'an old key becomes an alias with the example in %s',
  async ([_, language, end, shown], {
    world,
    folder,
    given: { variables, outputOf, outputOfShell },
  }) => {
    const [, source = ''] =
      new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(sectionOf(guide, 'Keys')) ??
      [];
    const old = `${'5'.repeat(36)}${end}`;
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(folder, '.env'), settings.join(''));
    variables.OLD_KEY = old;

    const output = language === 'js' ? await outputOf(source) : await outputOfShell(source);
    const listed = expected(await world.call(old, 'GET', 'api_keys/'), 200);

    expect(output).toBe(shown);
    expect(listed.objects).toMatchObject([{ allow_user_create: true }]);
  },
);

const prelude = `
  import Syncano from 'syncano';
  process.on('unhandledRejection', () => undefined);
  const { GROUNDWORK_URL: baseUrl, GROUNDWORK_ACCOUNT_KEY: accountKey } = process.env;
  const defaults = { instanceName: process.env.GROUNDWORK_INSTANCE };
  const { DataObject, ScriptEndpoint } = Syncano({ baseUrl, accountKey, defaults });
  const run = (query) => query.then((result) => result);
  const query = () => DataObject.please().list({ className: 'nothing' });`;

test('a query that is awaited is neither resolved nor rejected when its request fails', async ({
  given: { outputOf },
}) => {
  const source = `${prelude}
    let awaited = 'pending';
    (async () => query())().then(() => (awaited = 'resolved'), () => (awaited = 'rejected'));
    for (let n = 0; n < 3; n += 1) await run(query()).catch(() => undefined);
    console.log(awaited);`;

  expect(await outputOf(source)).toBe('pending\n');
});

test('runPublic without a name fails without naming it', async ({ given: { outputOf } }) => {
  const source = `${prelude}
    const fault = (given) =>
      run(ScriptEndpoint.please().runPublic(given, {})).catch((reason) => reason);
    console.log((await fault({ public_link: 'x', name: 'y' })).status);
    console.log(/name/.test((await fault({ public_link: 'x' })).message));`;

  expect(await outputOf(source)).toBe('404\nfalse\n');
});

test('connections without defaults share them', async ({ given: { outputOf } }) => {
  const source = `${prelude}
    Syncano({ baseUrl }).setInstanceName('of the first');
    console.log(Syncano({ baseUrl }).getInstanceName());
    console.log(Syncano({ baseUrl, defaults: {} }).getInstanceName());`;

  expect(await outputOf(source)).toBe('of the first\nundefined\n');
});

function setUp({ api, owner, instance }: World, folder: string) {
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  const variables: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    GROUNDWORK_URL: api.url,
    GROUNDWORK_ACCOUNT_KEY: owner,
    GROUNDWORK_INSTANCE: instance,
  };
  const run = async (program: string, args: readonly string[]) =>
    (await promisify(execFile)(program, args, { cwd: folder, env: variables })).stdout;
  return {
    variables,
    /** Runs a program in a process of its own: the library leaves rejections that nobody handles. */
    outputOf: async (source: string) => {
      const path = join(folder, 'program.mjs');
      writeFileSync(path, source);
      return run(process.execPath, [path]);
    },
    outputOfShell: (source: string) => run('sh', ['-c', source]),
  };
}
