import { expect, test } from 'vitest';
import { connectProject, expectStatus } from './project.ts';

/* A push prints what apps need of the records that it makes: the addresses of endpoints, and API keys. */

const project = (isPublic: boolean) => `classes: { book: { fields: { title: string } } }
scripts: { greet: { file: scripts/greet.js } }
script_endpoints:
  hello: { script: greet, public: ${isPublic} }
  inside: { script: greet }
data_endpoints: { all-books: { class: book } }
api_keys: { web shop: { ignore_acl: true } }
`;

async function start() {
  const connected = await connectProject();
  const script = 'setResponse(new HttpResponse(200, { hello: ARGS.who }));';
  connected.write({ 'groundwork.yml': project(true), 'scripts/greet.js': script });
  return connected;
}

test('push prints public links, addresses and new keys, which work', async () => {
  const { run, url } = await start();

  const { stdout, stderr } = expectStatus(await run('push'), 0);
  const again = await run('push');

  const base = `${url}/v1.1/instances/library/`;
  const [link, inside, books, key] = stdout.trimEnd().split('\n').slice(-4);
  expect(stderr).toBe('Pushed 6 changes to library.\n');
  expect(link).toMatch(
    new RegExp(`^public link  hello      ${base}endpoints/scripts/p/[0-9a-f]+/$`),
  );
  expect(inside).toBe(`endpoint     inside     ${base}endpoints/scripts/inside/run/`);
  expect(books).toBe(`endpoint     all-books  ${base}endpoints/data/all-books/get/`);
  expect(key).toMatch(/^API key {6}web shop {3}[0-9a-f]{56}$/);
  const called = await fetch(`${link?.split(/ +/).at(-1)}?who=Jo`);
  expect(await called.json()).toEqual({ hello: 'Jo' });
  const headers = { 'X-API-KEY': key?.split(' ').at(-1) ?? '' };
  const listed = await fetch(books?.split(/ +/).at(-1) ?? '', { headers });
  expect(await listed.json()).toMatchObject({ objects: [] });
  expect(again).toEqual({ status: 0, stdout: 'Nothing differs.\n', stderr: '' });
});

test('push gives programs the addresses and keys as fields', async () => {
  const { run, url } = await start();

  const dry = JSON.parse((await run('push', '--dry-run', '--json')).stdout);
  const { changes } = JSON.parse((await run('push', '--json')).stdout);

  const named = (name: string) => changes.find((each: { name: string }) => each.name === name);
  expect(JSON.stringify(dry)).not.toMatch(/"(address|api_key)"/);
  expect(named('hello').address).toContain(`${url}/v1.1/instances/library/endpoints/scripts/p/`);
  expect(named('all-books').address).toContain('/endpoints/data/all-books/get/');
  expect(named('web shop').api_key).toMatch(/^[0-9a-f]{56}$/);
  expect(named('book')).not.toHaveProperty('address');
});

test('a push that fails midway gives programs what was done and what failed', async () => {
  const { run, write } = await start();
  write({
    'groundwork.yml': `${project(true)}templates: { page: { content: "{{ title", content_type: text/html } }\n`,
  });

  const { status, stdout, stderr } = await run('push', '--json');

  const report = JSON.parse(stdout);
  const done = ({ isApplied }: { isApplied: boolean }) => isApplied;
  const names = (changes: readonly { name: string }[]) => changes.map(({ name }) => name);
  expect(status).toBe(1);
  expect(names(report.changes.filter(done))).toContain('book');
  expect(names(report.changes.filter(done))).not.toContain('page');
  expect(names(report.changes)).toContain('page');
  expect(report).toMatchObject({
    isApplied: false,
    error: expect.stringMatching(/^templates.page: content: /),
  });
  expect(JSON.parse(stderr)).toMatchObject({ error: report.error, response: { status: 400 } });
});

test('an endpoint that becomes public has a link from then on', async () => {
  const { run, write, url } = await start();
  write({ 'groundwork.yml': project(false) });
  await run('push');
  write({ 'groundwork.yml': project(true) });

  const { stdout } = await run('push');
  const printed = await run('open', 'hello', '--print');
  const books = await run('open', 'all-books', '--print');

  expect(stdout).toMatch(/\npublic link {2}hello {2}http\S+\n$/);
  expect(printed.stdout).toBe(`${stdout.trimEnd().split(' ').at(-1)}\n`);
  expect(books.stdout).toBe(`${url}/v1.1/instances/library/endpoints/data/all-books/get/\n`);
  expect(await run('open', 'nothing', '--print')).toMatchObject({
    status: 1,
    stderr: 'groundwork: there is no endpoint nothing in library\n',
  });
});
