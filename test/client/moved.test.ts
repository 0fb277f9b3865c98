import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, connect, errorOf, fieldsOf, run } from '../support/client-calls.ts';
import { moveInstance, type Place } from '../support/move-instance.ts';
import { type ServerProcess, startProcess } from '../support/server-process.ts';

/*
 * Apps with the original client libraries continue on another server, after `groundwork export` and `import`: each part
 * of a journey is done on its own server.
 */

const folder = mkdtempSync(join(tmpdir(), 'groundwork-moved-app-'));
let [first, second]: ServerProcess[] = [];

beforeAll(async () => {
  [first, second] = await Promise.all(
    ['first', 'second'].map((name) => startProcess(join(folder, name))),
  );
});

afterAll(async () => {
  await Promise.all([first, second].map((server) => server?.end('SIGTERM')));
  rmSync(folder, { recursive: true });
});

/** Creates an account with an instance. */
async function settle(server: ServerProcess | undefined, instance: string): Promise<Place> {
  const url = server?.url ?? '';
  const owner = connect(url);
  const person = { email: `${instance}@example.com`, password: 'a password' };
  const { account_key: key } = await run(owner.Account.register(person));
  owner.setAccountKey(key);
  await run(owner.Instance.please().create({ name: instance }));
  return { url, instance, key };
}

const open = ({ url, instance, key }: Place) =>
  connect(url, { accountKey: key, defaults: { instanceName: instance, className: 'story' } });

test('an app with the JavaScript library continues on another server', async () => {
  const from = await settle(first, 'javascript');
  const to = await settle(second, 'javascript-2');
  const app = open(from);
  await begin(app);
  const before = await look(app);

  await moveInstance(from, to);

  const moved = open(to);
  expect(await look(moved)).toEqual(before);
  expect(await goOn(moved, to)).toEqual({
    revision: 3,
    isNew: true,
    taken: '"title" This field must be unique.',
    own: { pages: 420 },
    shared: { title: 'Pot-Bouille' },
    forbidden: 404,
    ran: 'Bonjour Ann',
  });
});

async function begin(app: Client): Promise<void> {
  const { Class, User, Group, DataObject, DataEndpoint, Script, ScriptEndpoint } = app;
  const schema = [
    { name: 'title', type: 'string', unique: true },
    { name: 'pages', type: 'integer', filter_index: true, order_index: true },
    { name: 'published', type: 'datetime' },
    { name: 'tags', type: 'array' },
    { name: 'cover', type: 'file' },
    { name: 'prequel', type: 'reference', target: 'self' },
  ];
  await run(Class.please().create({ name: 'story', schema }));
  const ann = await run(User.please().create({ username: 'Ann', password: 'a secret' }));
  const staff = await run(Group({ label: 'staff' }).save());
  await run(staff.addUser({ user: ann.id }));
  const create = (values: object) => run(DataObject.please().create({ ...values }));
  const published = new Date('1880-02-03T04:05:06.007Z');
  const first = { title: 'Nana', pages: 400, tags: ['a', 1], published };
  const nana = await create({ ...first, owner: ann.id });
  const shared = { group: staff.id, group_permissions: 'read', prequel: nana.id };
  await create({ title: 'Pot-Bouille', pages: 380, ...shared });
  const cover = app.file(Buffer.from('a picture'));
  await create({ title: 'Germinal', pages: 90, cover });
  nana.pages = 410;
  await run(nana.save());
  const view = { name: 'long', class: 'story', query: { pages: { _gt: 100 } }, order_by: 'pages' };
  await run(DataEndpoint({ ...view }).save());
  const source = 'console.log("Bonjour", ARGS.POST.name)';
  const script = await run(
    Script.please().create({ label: 'greet', runtime_name: 'nodejs', source }),
  );
  await run(ScriptEndpoint.please().create({ name: 'greet', script: script.id }));
}

/** Returns what an app sees, without what belongs to a server: names of instances, keys and addresses. */
async function look(app: Client): Promise<unknown> {
  const { User, Group, DataObject, DataEndpoint } = app;
  const shown = async (model: Client) => {
    const { instanceName: _, links: __, cover, ...fields } = fieldsOf(model);
    const { value } = (cover ?? {}) as { readonly value?: string };
    return { ...fields, cover: value === undefined ? null : await (await fetch(value)).text() };
  };
  const all = async (query: Client): Promise<readonly Client[]> => Array.from(await run(query));
  const users = await all(User.please().list());
  const groups = await all(Group.please().list());
  const members = await Promise.all(groups.map((group) => all(group.users())));
  const filter = { pages: { _lt: 100 } };
  return {
    books: await Promise.all((await all(DataObject.please().list())).map(shown)),
    short: (await all(DataObject.please().list().filter(filter))).map(({ title }) => title),
    users: users.map(({ id, username, profile }) => [id, username, profile.id]),
    groups: groups.map(({ id, label }, at) => [id, label, members[at]?.map((user) => user.id)]),
    view: (await all(DataEndpoint.please().fetchData({ name: 'long' }))).map(({ title }) => title),
  };
}

/** Changes what an app created on the other server, and returns the outcomes. */
async function goOn(app: Client, { url, instance }: Place): Promise<unknown> {
  const { ApiKey, DataObject, ScriptEndpoint } = app;
  const books: readonly Client[] = Array.from(await run(DataObject.please().list()));
  const named = (name: string) => books.find(({ title }) => title === name);
  const nana = named('Nana');
  nana.pages = 420;
  const saved = await run(nana.save());
  const taken = await errorOf(DataObject.please().create({ title: 'Pot-Bouille' }));
  const made = await run(DataObject.please().create({ title: 'La Terre', prequel: nana.id }));
  await run(named('Germinal').delete());
  const { api_key: apiKey } = await run(ApiKey.please().create({}));
  const user = connect(url, { apiKey, defaults: { instanceName: instance, className: 'story' } });
  await run(user.User.please().login({}, { username: 'ann', password: 'a secret' }));
  const get = (id: number) => user.DataObject.please().get({ id });
  const { pages } = await run(get(nana.id));
  const { title } = await run(get(named('Pot-Bouille').id));
  const trace = await run(ScriptEndpoint.please().run({ name: 'greet' }, { name: 'Ann' }));
  return {
    revision: saved.revision,
    isNew: books.every(({ id }) => id < made.id),
    taken: taken.message,
    own: { pages },
    shared: { title },
    forbidden: (await errorOf(get(made.id))).status,
    ran: trace.result.stdout,
  };
}

const python = process.env.SYNCANO_PYTHON ?? 'python3';
const program = fileURLToPath(new URL('journey.py', import.meta.url));
const hasLibrary = spawnSync(python, ['-c', 'import syncano']).status === 0;
if (!hasLibrary)
  process.stderr.write('Skipped: the Python library, which SYNCANO_PYTHON does not have\n');

test.skipIf(!hasLibrary)('an app with the Python library does the same', async () => {
  const from = await settle(first, 'python-app');
  const to = await settle(second, 'python-copy');
  const part = async (name: string, { url: host, instance, key }: Place) => {
    const place = JSON.stringify({ host, instance, key });
    const { stdout } = await promisify(execFile)(python, [program, name, place]);
    return JSON.parse(stdout);
  };
  const before = await part('begin', from);

  await moveInstance(from, to);

  expect(await part('go-on', to)).toEqual({
    ...before,
    done: { revision: 3, isNew: true, own: 420, group: 'Pot-Bouille', forbidden: 404 },
  });
});
