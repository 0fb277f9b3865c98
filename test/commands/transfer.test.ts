import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expected, openWorld, startApi, type World } from '../support/api.ts';
import { openProject, type Project } from './groundwork.ts';

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  return { api, ...openProject() };
}

/** Returns options by which a command finds the instance of a world. */
const of = ({ api, instance, owner }: World) => [
  '--url',
  api.url,
  '--instance',
  instance,
  '--key',
  owner,
];

const create = async (world: World, path: string, body: object) =>
  expected(await world.call(world.owner, 'POST', path, body), 201);
const get = async (world: World, path: string) =>
  expected(await world.call(world.owner, 'GET', path), 200);

/** Fills an instance with records that refer to each other. */
async function fill(world: World): Promise<void> {
  const group = await create(world, 'groups/', { name: 'staff', label: 'Staff' });
  const user = await create(world, 'users/', { username: 'ann', password: 's3cret' });
  await create(world, `groups/${group.id}/users/`, { user: user.id });
  await create(world, 'channels/', { name: 'news' });
  await world.dataClass('author', [{ name: 'name', type: 'string' }]);
  await world.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true, order_index: true },
    { name: 'author', type: 'reference', target: 'author' },
    { name: 'reader', type: 'reference', target: 'user' },
    { name: 'similar', type: 'relation', target: 'self' },
    { name: 'extra', type: 'object' },
    { name: 'scan', type: 'file' },
  ]);
  const schema = [
    { name: 'favourite', type: 'reference', target: 'book' },
    { name: 'name', type: 'string' },
  ];
  expected(await world.call(world.owner, 'PATCH', 'classes/author/', { schema }), 200);
  const author = await create(world, 'classes/author/objects/', { name: 'Zola' });
  const shared = { group: group.id, group_permissions: 'read', owner: user.id };
  for (let at = 0; at < 150; at += 1) {
    await create(world, 'classes/book/objects/', {
      title: `Nana ${at}`,
      author: author.id,
      reader: user.id,
      similar: [author.id + 1],
      extra: { type: 'reference', value: 1 },
      ...(at === 0 && { channel: 'news' }),
      ...shared,
    });
  }
  const favourite = { favourite: author.id + 1 };
  const path = `classes/author/objects/${author.id}/`;
  expected(await world.call(world.owner, 'PATCH', path, favourite), 200);
  const form = new FormData();
  form.append('scan', new Blob(['a picture'], { type: 'image/png' }), 'a.png');
  expected(
    await world.call(world.owner, 'PATCH', `classes/book/objects/${author.id + 1}/`, form),
    200,
  );
}

/** Returns all records of an instance, without what differs between two instances. */
async function contents(world: World): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const part of ['groups', 'users', 'book', 'author', 'user_profile']) {
    const query = ['groups', 'users'].includes(part)
      ? `kind=${part}`
      : `kind=objects&class=${part}`;
    const records: Record<string, unknown>[] = [];
    let path: string | null = `${world.base}export/?${query}`;
    while (path !== null) {
      const page: { next: string | null; objects: Record<string, unknown>[] } = expected(
        await world.api.send({ as: world.owner, path }),
        200,
      );
      records.push(...page.objects);
      path = page.next;
    }
    for (const record of records) {
      if (!record.scan) continue;
      const { value } = record.scan as { readonly value: string };
      const file = await fetch(value);
      record.scan = [file.headers.get('content-type'), await file.text()];
    }
    all[part] = records;
  }
  return all;
}

async function exportWorld({ run }: Pick<Project, 'run'>, world: World) {
  const ended = await run('export', 'data', ...of(world), '--json');
  expect(ended).toMatchObject({ status: 0 });
  return JSON.parse(ended.stdout);
}

test('an instance is exported, and imported into an empty one, where it is equal', async () => {
  const { api, folder, run } = await start();
  const world = await openWorld(api, 'library');
  await fill(world);
  const copy = await openWorld(api, 'copies');

  const { counts } = await exportWorld({ run }, world);
  const ended = await run('import', 'data', ...of(copy));

  expect(counts).toEqual({
    groups: 1,
    users: 1,
    'objects/author': 1,
    'objects/book': 150,
    'objects/user_profile': 1,
  });
  expect(ended).toMatchObject({
    status: 0,
    stdout: 'Imported 154 records into copies, with their ids.\n',
  });
  expect(await contents(copy)).toEqual(await contents(world));
  const schemaOf = async (each: World) => (await get(each, 'classes/book/')).schema;
  expect(await schemaOf(copy)).toEqual(await schemaOf(world));
  expect(readdirSync(join(folder, 'data', 'files'))).toHaveLength(1);
  const again = await run('import', 'data', ...of(copy));
  expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('it is imported') });
});
