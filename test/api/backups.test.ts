import { describe, expect } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { putItem } from '../../shared/store/writes.ts';
import { backupEntity } from '../../shared/table/entities/accounts.ts';
import { activeRestoreEntity } from '../../shared/table/entities/instances.ts';
import type { BackupData } from '../../shared/table/records/backups.ts';
import { archiveFiles, chunkKey, manifestKey } from '../../shared/values/file-keys.ts';
import { ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { type Api, type Credentials, expected, openWorld, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { isOn } from '../support/medium.ts';
import { forbidden, missing, noMethod, noPk } from '../support/responses.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { instanceId } from '../support/stored-records.ts';
import { beginSession, sessionsOf } from '../support/user-sessions.ts';

const it = worldTest()
  .extend('backup', { scope: 'file' }, ({ world }) => backUp(world))
  .extend('openNext', { scope: 'file' }, ({ api }) => nextWorlds(api))
  .extend('shop', ({ openNext }) => openNext())
  .extend('keys', ({ shop }) => setUpKeys(shop));

describe('the journey of the Python client', () => {
  it('creates, lists, waits, restores into the same instance, deletes', async ({ api, world }) => {
    const body = { label: 'nightly', description: 'd', metadata: { a: 1 } };
    const made = expected(await world.own('POST', 'backups/full/', body), 201);
    const self = `/v1.1/backups/full/${made.id}/`;
    expect(made).toEqual({
      id: expect.any(Number),
      instance: 'blog-1',
      created_at: expect.any(String),
      updated_at: made.created_at,
      size: null,
      status: 'scheduled',
      status_info: '',
      description: 'd',
      label: 'nightly',
      author: expect.objectContaining({ email: 'owner-of-blog-1@example.com' }),
      details: {},
      metadata: { a: 1 },
      links: { self },
    });

    const backup = await ended(world, `backups/full/${made.id}/`);
    expect(backup).toEqual({
      ...made,
      updated_at: expect.any(String),
      status: 'success',
      size: expect.any(Number),
      details: { class: { count: 1, list: ['user_profile'] } },
    });
    const list = await world.own('GET', 'backups/full/');
    expect(list.body.objects).toEqual([backup]);
    expect((await api.send({ as: world.owner, path: self })).body).toEqual(backup);
    const all = await api.send({ as: world.owner, path: '/v1.1/backups/full/' });
    expect(all.body.objects).toEqual([backup]);

    const restored = await restore(backup.id, world);
    expect(restored).toEqual({
      id: expect.any(Number),
      backup: backup.id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      status: 'success',
      archive: null,
      status_info: '',
      author: backup.author,
      links: { self: `${world.base}restores/${restored.id}/` },
    });
    expect((await world.own('GET', 'restores/')).body.objects).toEqual([restored]);

    expected(await api.send({ as: world.owner, method: 'DELETE', path: self }), 204);
    expect((await api.send({ as: world.owner, path: self })).status).toBe(404);
  });

  it('finds links', async ({ api, world }) => {
    const links = async (path: string) => (await api.send({ as: world.owner, path })).body;

    expect(await links('/v1.1/backups/')).toEqual({ links: { full: '/v1.1/backups/full/' } });
    const base = `${world.base}backups/`;
    expect(await links(base)).toEqual({ links: { full: `${base}full/` } });
  });
});

describe('limits and rules', () => {
  const at = ({ id }: { readonly id: number }) => `backups/full/${id}/`;

  it.for([
    ['PUT', 405, noMethod('PUT')],
    ['PATCH', 405, noMethod('PATCH')],
  ] as const)(
    'a backup cannot be changed by %s',
    async ([method, status, response], { world, backup }) => {
      const answer = await world.own(method, at(backup), { label: 'b' });

      expect([answer.status, answer.body]).toEqual([status, response]);
    },
  );

  it('partial backups were for the staff', async ({ world }) => {
    const { status, body } = await world.own('GET', 'backups/partial/');

    expect([status, body]).toEqual([403, forbidden]);
  });

  it.for<[string, object, number, object]>([
    ['nothing', {}, 400, { non_field_errors: ['You have to provide either backup or archive.'] }],
    [
      'both',
      { backup: 1, archive: 'a' },
      400,
      { non_field_errors: ['You have to provide either backup or archive.'] },
    ],
    ['an archive', { archive: 'a' }, 403, forbidden],
    ['an unknown backup', { backup: 99_999 }, 400, { backup: noPk(99_999) }],
  ])('a restore of %s is rejected', async ([_, body, status, response], { world }) => {
    const answer = await world.own('POST', 'restores/', body);

    expect([answer.status, answer.body]).toEqual([status, response]);
  });

  it('a backup belongs to the account that made it, and to its instance', async ({
    world,
    backup,
    shop,
  }) => {
    const other = await joinAs(world, 'full');

    expect((await world.call(other, 'GET', at(backup))).status).toBe(404);
    const foreign = await world.call(other, 'POST', 'restores/', { backup: backup.id });
    expect([foreign.status, foreign.body]).toEqual([400, { backup: noPk(backup.id) }]);
    expect((await shop.own('GET', at(backup))).body).toEqual(missing);
  });

  it.for<[string, (world: World) => Promise<Credentials>]>([
    ['write', (world) => joinAs(world, 'write')],
    ['an API key', (world) => world.apiKey({ ignore_acl: true })],
  ])('%s is not enough', async ([_, caller], { world, backup }) => {
    const as = await caller(world);

    expect((await world.call(as, 'POST', 'backups/full/', {})).status).toBe(403);
    expect((await world.call(as, 'POST', 'restores/', { backup: backup.id })).status).toBe(403);
  });

  it('an account has one active backup, which cannot be deleted', async ({ shop }) => {
    const { id } = await plantBackup(shop, { status: 'running' });
    const as = (method: string, at: string, body?: object) => shop.own(method, at, body);

    const refused = await as('DELETE', `backups/full/${id}/`);
    expect([refused.status, refused.body]).toEqual([
      400,
      { detail: 'Cannot delete active backup' },
    ]);
    const unusable = await as('POST', 'restores/', { backup: id });
    expect([unusable.status, unusable.body]).toEqual([400, { backup: noPk(id) }]);
  });

  it('one that has ended is deleted at the path of its instance too', async ({ shop }) => {
    const { id } = await backUp(shop);
    const as = (method: string) => shop.own(method, `backups/full/${id}/`);

    expected(await as('DELETE'), 204);
    expect((await as('GET')).status).toBe(404);
  });

  it.skipIf(isOn('roles'))('of two backups at once one is rejected', async ({ api, shop }) => {
    const ask = () => shop.own('POST', 'backups/full/', {});

    const responses = await Promise.all([ask(), ask()]);

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(responses.find(({ status }) => status === 400)?.body).toEqual({
      detail: 'You can have only one active backup running.',
    });
    await api.platform.idle();
    expect((await backUp(shop)).status).toBe('success');
  });

  it('an account has at most 75', async ({ api, shop }) => {
    const first = await plantBackup(shop);
    const account = (await api.send({ as: shop.owner, path: '/v1.1/account/' })).body.id;
    const more = Array.from({ length: 74 }, (_, at) => ({ ...first, id: 1_000_000 + at }));
    await maintain(
      api.platform,
      more.map((data) => putItem(backupEntity, backupEntity.key(account, data.id), data)),
    );

    const { status, body } = await shop.own('POST', 'backups/full/', {});

    const detail = 'Maximum number of backups per account reached (75).';
    expect([status, body]).toEqual([400, { detail }]);
  });

  it('a second restore is aborted while one waits', async ({ api, shop }) => {
    const { id } = await backUp(shop);
    const instance = ownerOfData(await instanceId(api.platform.store, shop.instance));
    const waiting = { restore: 7, account: 1, backup: id };
    const key = activeRestoreEntity.key(instance);
    await maintain(api.platform, [putItem(activeRestoreEntity, key, waiting)]);

    const second = expected(await shop.own('POST', 'restores/', { backup: id }), 201);

    expect(second).toMatchObject({
      status: 'aborted',
      status_info: 'Restore already scheduled on specified instance.',
    });
  });

  it('a restore of an unreadable archive changes nothing', async ({ api, shop }) => {
    const { id, author } = await backUp(shop);
    await shop.dataClass('book', []);
    const archive = archiveFiles(author.id, id);
    await api.platform.files.remove(archive.owner, [chunkKey(archive, 0)]);

    const result = await restore(id, shop);

    expect(result).toMatchObject({ status: 'error', status_info: 'Invalid file.' });
    expect((await shop.own('GET', 'classes/book/')).status).toBe(200);
    expected(await shop.own('POST', 'classes/book/objects/', {}), 201);
  });
});

describe('keys after a restore', () => {
  it('are those of before: API keys, user keys, public links', async ({ shop, keys }) => {
    const user = await keys.post('users/', { username: 'anna', password: 'p' });
    const endpoint = await makeEndpoint(shop, 'greet', '', { public: true });
    const backup = await backUp(shop);

    expect(await restore(backup.id, shop)).toMatchObject({ status: 'success' });

    expect(await keys.ownUser(user.user_key)).toBe(200);
    expect(await keys.linkStatus(endpoint.public_link)).toBe(200);
    const login = { username: 'anna', password: 'p' };
    expect((await shop.call(keys.key, 'POST', 'user/auth/', login)).status).toBe(200);
  });

  it('none of sessions: all end, and users may begin others', async ({ shop, keys }) => {
    const { id } = await keys.post('users/', { username: 'sarah', password: 'p' });
    const before = await beginSession(shop, id);
    expect(await keys.ownUser(before)).toBe(200);
    const backup = await backUp(shop);

    await restore(backup.id, shop);

    expect(await sessionsOf(shop, id)).toEqual([]);
    expect([await keys.ownUser(before), await keys.ownUser(await beginSession(shop, id))]).toEqual([
      403, 200,
    ]);
  });

  it('a key that was reset since stays reset', async ({ shop, keys }) => {
    const user = await keys.post('users/', { username: 'berta', password: 'p' });
    const endpoint = await makeEndpoint(shop, 'reset', '', { public: true });
    const backup = await backUp(shop);
    const reset = await keys.post(`users/${user.id}/reset_key/`);
    const link = await keys.post('endpoints/scripts/reset/reset_link/');

    await restore(backup.id, shop);

    expect([await keys.ownUser(user.user_key), await keys.ownUser(reset.user_key)]).toEqual([
      403, 200,
    ]);
    const old = await keys.linkStatus(endpoint.public_link);
    expect([old, await keys.linkStatus(link.public_link)]).toEqual([404, 200]);
  });

  it('a user that was deleted since is back, with the key of the backup', async ({
    shop,
    keys,
  }) => {
    const user = await keys.post('users/', { username: 'carla', password: 'p' });
    const backup = await backUp(shop);
    expected(await shop.own('DELETE', `users/${user.id}/`), 204);

    await restore(backup.id, shop);

    expect(await keys.ownUser(user.user_key)).toBe(200);
  });
});

describe('the token of a script that ran before a restore', () => {
  const source = 'console.log(META.token)';
  const read = async (shop: World, token: string) =>
    (await shop.call(token, 'GET', 'classes/')).status;

  async function tokenOf(shop: World, script: number): Promise<string> {
    const begun = (await shop.own('POST', `snippets/scripts/${script}/run/`, {})).body;
    for (;;) {
      await shop.api.platform.idle();
      const path = begun.links.self;
      const { status, result } = (await shop.api.send({ as: shop.owner, path })).body;
      if (status !== 'pending' && status !== 'processing') return result.stdout;
    }
  }

  it('does not become valid again with a later version of the restored script', async ({
    shop,
  }) => {
    const config = { allow_full_access: true };
    const sent = { runtime_name: 'nodejs_v8', source, config };
    const { id } = await shop.create('snippets/scripts/', sent);
    const backup = await backUp(shop);
    const ofFirst = await tokenOf(shop, id);
    await shop.own('PATCH', `snippets/scripts/${id}/`, { source: `${source} // second` });
    const ofSecond = await tokenOf(shop, id);
    expect([await read(shop, ofFirst), await read(shop, ofSecond)]).toEqual([403, 200]);

    await restore(backup.id, shop);
    const restored = [await read(shop, ofFirst), await read(shop, ofSecond)];
    await shop.own('PATCH', `snippets/scripts/${id}/`, { source: `${source} // another second` });
    const later = [await read(shop, ofFirst), await read(shop, ofSecond)];

    expect([restored, later]).toEqual([
      [403, 403],
      [403, 403],
    ]);
    const token = await tokenOf(shop, id);
    expect([await read(shop, token), await read(shop, await tokenOf(shop, id))]).toEqual([
      200, 200,
    ]);
    await restore(backup.id, shop); // of the second restore's contents, with the same versions
    expect(await read(shop, token)).toBe(403);
  });
});

describe('contents after a restore', () => {
  it('are those of the backup, and later ids are above all that were used', async ({
    api,
    shop,
  }) => {
    const as = (method: string, path: string, body?: unknown) => shop.own(method, path, body);
    await shop.dataClass('book', [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'isbn', type: 'string', unique: true },
      { name: 'scan', type: 'file' },
    ]);
    const form = new FormData();
    form.append('title', 'Dune');
    form.append('isbn', '1');
    form.append('scan', new Blob(['the scan']), 'a.txt');
    const book = expected(await as('POST', 'classes/book/objects/', form), 201);
    const group = expected(await as('POST', 'groups/', { label: 'readers' }), 201);
    const user = expected(await as('POST', 'users/', { username: 'anna', password: 'p' }), 201);
    expected(await as('POST', `groups/${group.id}/users/`, { user: user.id }), 201);
    const script = { runtime_name: 'nodejs_v8', source: `//${'x'.repeat(300_000)}`, label: 's' };
    const made = expected(await as('POST', 'snippets/scripts/', script), 201);
    const schedule = { label: 'daily', interval_sec: 86_400, script: made.id };
    expected(await as('POST', 'schedules/', schedule), 201);
    expected(await as('POST', 'channels/', { name: 'news' }), 201);
    await api.platform.idle();
    const lists = ['classes/', 'groups/', 'users/', 'channels/', 'snippets/scripts/'];
    const shown = async () => {
      const bodies = [];
      for (const path of [...lists, `groups/${group.id}/users/`, `snippets/scripts/${made.id}/`]) {
        bodies.push(expected(await as('GET', `${path}?excluded_fields=objects_count`), 200));
      }
      return bodies;
    };
    const before = await shown();
    const backup = await backUp(shop);

    expected(await as('DELETE', 'classes/book/'), 204);
    expected(await as('DELETE', `groups/${group.id}/`), 204);
    expected(await as('DELETE', `snippets/scripts/${made.id}/`), 204);
    expected(await as('DELETE', 'channels/news/'), 204);
    await shop.dataClass('later', []);
    const later = expected(await as('POST', 'classes/later/objects/', {}), 201);
    await api.platform.idle();
    expect(await restore(backup.id, shop)).toMatchObject({ status: 'success' });

    expect(await shown()).toEqual(before);
    expect((await as('GET', 'classes/book/')).body.objects_count).toBe(1);
    expect((await as('GET', 'classes/later/')).status).toBe(404);
    expect((await as('GET', 'schedules/')).body.objects).toMatchObject([{ label: 'daily' }]);
    const found = await as('GET', 'classes/book/objects/?query={"title":{"_eq":"Dune"}}');
    expect(found.body.objects).toEqual([
      { ...book, scan: { type: 'file', value: expect.any(String) } },
    ]);
    if (!isOn('roles')) {
      const file = await fetch(found.body.objects[0].scan.value);
      expect([file.status, await file.text()]).toEqual([200, 'the scan']);
    }
    const twice = await as('POST', 'classes/book/objects/', { isbn: '1' });
    expect(twice.status).toBe(400);
    const next = expected(await as('POST', 'classes/book/objects/', { isbn: '2' }), 201);
    expect(next.id).toBeGreaterThan(later.id);
    expected(await shop.own('POST', 'classes/', { name: 'later' }), 201);
    expect((await as('GET', 'classes/later/objects/')).body.objects).toEqual([]);
  });

  it('can be restored again and again', async ({ api, shop }) => {
    const path = `${await shop.dataClass('book', [{ name: 'title', type: 'string' }])}objects/`;
    const book = expected(await api.send({ as: shop.owner, path, body: { title: 'a' } }), 201);
    const one = await backUp(shop);
    const change = { as: shop.owner, method: 'PATCH', path: `${path}${book.id}/` };
    expected(await api.send({ ...change, body: { title: 'b' } }), 200);
    const two = await backUp(shop);

    const titles = [];
    for (const { id } of [one, two, one]) {
      await restore(id, shop);
      titles.push((await api.send({ as: shop.owner, path: `${path}${book.id}/` })).body.title);
    }

    expect(titles).toEqual(['a', 'b', 'a']);
  });
});

describe('a deleted instance', () => {
  it.skipIf(isOn('roles'))(
    'leaves its backups to their account, until they are deleted',
    async ({ api, shop }) => {
      const { id, author, links } = await backUp(shop);
      const { store, files } = api.platform;
      const archive = archiveFiles(author.id, id);
      const manifest = () => files.size(archive.owner, manifestKey(archive));

      expected(await shop.own('DELETE', ''), 204);
      await api.platform.idle();
      expect(await manifest()).toBeGreaterThan(0);
      expect(await backupEntity.listAll(store, [author.id])).toHaveLength(1);

      expected(await api.send({ as: shop.owner, method: 'DELETE', path: links.self }), 204);
      await api.platform.idle();
      expect(await manifest()).toBeUndefined();
      expect(await backupEntity.listAll(store, [author.id])).toEqual([]);
    },
  );
});

const active = ['scheduled', 'running', 'uploading'];
const maxMs = 20_000; // as long as the Python client's own test waits

/** Waits for the end of a backup or a restore. */
async function ended(of: World, path: string) {
  const start = performance.now();
  for (;;) {
    const body = await of.read(path);
    if (!active.includes(body.status)) return body;
    if (!isOn('roles') && performance.now() - start > maxMs) throw new Error('it takes too long');
    await of.api.platform.idle();
  }
}

async function backUp(of: World) {
  const { id } = await of.create('backups/full/', {});
  return ended(of, `backups/full/${id}/`);
}

async function restore(backup: number, of: World) {
  const { id } = await of.create('restores/', { backup });
  return ended(of, `restores/${id}/`);
}

/** Returns a function that opens another world. */
function nextWorlds(api: Api) {
  let count = 0;
  return () => {
    count += 1;
    return openWorld(api, `copy-${count}`);
  };
}

/** Adds an API key to an instance, and what its tests do with keys. */
async function setUpKeys(shop: World) {
  const key = await shop.apiKey();
  return {
    key,
    ownUser: async (user: string) => (await shop.call({ key, user }, 'GET', 'user/')).status,
    linkStatus: async (link: string) =>
      (await shop.api.send({ path: `${shop.base}endpoints/scripts/p/${link}/` })).status,
    post: async (path: string, body?: object) =>
      expected(await shop.own('POST', path, body), path.includes('reset') ? 200 : 201),
  };
}

/** Puts the record of a backup whose archive is lost. */
async function plantBackup(of: World, changes: Partial<BackupData> = {}): Promise<BackupData> {
  const template = await backUp(of);
  const { platform } = of.api;
  const account = template.author.id;
  const [found] = await backupEntity.listAll(platform.store, [account]);
  if (found === undefined) throw new Error('there is no backup');
  const data = { ...found.data, ...changes };
  await maintain(platform, [putItem(backupEntity, backupEntity.key(account, data.id), data)]);
  return data;
}
