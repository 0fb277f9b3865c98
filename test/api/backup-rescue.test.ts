import { describe, expect } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { backupEntity } from '../../shared/table/entities/accounts.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { backUp, ended, openNew, remove, restore } from '../support/rescue.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/* A backup outlives its instance, and is restored into another one. */

const it = apiTest();

describe('an instance that was deleted by mistake', () => {
  it('comes back whole in a new one, and each can be deleted without the other', async ({
    api,
  }) => {
    const lost = await openWorld(api, 'lost-1');
    const filled = await fill(lost);
    const backup = await backUp(lost);
    await remove(lost);

    const shown = await api.send({ as: lost.owner, path: `/v1.1/backups/full/${backup.id}/` });
    expect(shown.body).toEqual({ ...backup, instance: null });
    const all = await api.send({ as: lost.owner, path: '/v1.1/backups/full/' });
    expect(all.body.objects).toEqual([{ ...backup, instance: null }]);

    const one = await openNew(lost, 'lost-1');
    const two = await openNew(lost, 'second-1');
    expect(await restore(backup.id, one)).toMatchObject({ status: 'success', status_info: '' });
    expect(await restore(backup.id, two)).toMatchObject({ status: 'success' });
    const first = await expectWhole(one, filled);
    const second = await expectWhole(two, filled);
    expect(first.scan).not.toBe(second.scan);
    expect((await one.own('GET', 'backups/full/')).body.objects).toEqual([]);

    await remove(one);
    await expectWhole(two, filled);
    expected(
      await api.send({ as: lost.owner, method: 'DELETE', path: shown.body.links.self }),
      204,
    );
    await api.platform.idle();
    await expectWhole(two, filled);
  });

  it('is copied while it exists; the copy can be deleted, changed and backed up', async ({
    api,
  }) => {
    const shop = await openWorld(api, 'shop-1');
    const filled = await fill(shop);
    const backup = await backUp(shop);
    const copy = await openNew(shop, 'copy-1');
    await restore(backup.id, copy);
    const ofCopy = await backUp(copy);
    expect(ofCopy).toMatchObject({ status: 'success', instance: 'copy-1' });

    const path = `classes/book/objects/${filled.book.id}/`;
    expected(await copy.own('DELETE', path), 204);
    await api.platform.idle();
    await expectWhole(shop, filled);
    await restore(ofCopy.id, copy);
    await expectWhole(copy, filled);
    await remove(shop);
    await expectWhole(copy, filled);
    const third = await openNew(shop, 'third-1');
    await restore(ofCopy.id, third);
    await remove(copy);
    await expectWhole(third, filled);
  });
});

describe('ids and keys in another instance', () => {
  it('later records get ids above those that were restored', async ({ api }) => {
    const shop = await openWorld(api, 'ids-1');
    const filled = await fill(shop);
    const backup = await backUp(shop);
    const copy = await openNew(shop, 'ids-2');
    await restore(backup.id, copy);
    const post = (path: string, body: unknown) => copy.create(path, body);

    const user = await post('users/', { username: 'berta', password: 'p' });
    const group = await post('groups/', { label: 'writers' });
    const book = await post('classes/book/objects/', { title: 'Emma' });
    const other = await makeEndpoint(copy, 'other', '', { public: true });
    await post('channels/', { name: 'news' });
    await post('classes/', { name: 'later' });
    await post('push_notifications/gcm/devices/', { registration_id: 'b-token', label: 'pad' });

    expect(user.id).toBeGreaterThan(filled.user.id);
    expect(group.id).toBeGreaterThan(filled.group.id);
    expect(book.id).toBeGreaterThan(filled.book.id);
    expect(user.profile.id).toBeGreaterThan(filled.user.profile.id);
    expect(other.script).toBeGreaterThan(filled.endpoint.script);
    expect(other.public_link).not.toBe(filled.endpoint.public_link);
    const empty = await copy.own('GET', 'classes/later/objects/');
    expect(empty.body.objects).toEqual([]);
    const list = async (path: string) => (await copy.own('GET', path)).body.objects;
    expect(await list('endpoints/scripts/')).toHaveLength(2);
    expect(await list('push_notifications/gcm/devices/')).toHaveLength(2);
    expect(await list('users/')).toHaveLength(2);
  });

  it('user keys and public links are new, and those of either instance open the other for nobody', async ({
    api,
  }) => {
    const shop = await openWorld(api, 'keys-1');
    const filled = await fill(shop);
    const backup = await backUp(shop);
    const copy = await openNew(shop, 'keys-2');
    const own = await copy.create('users/', { username: 'carla', password: 'p' });
    const link = await makeEndpoint(copy, 'own', '', { public: true });
    expect(own.id).toBe(filled.user.id);
    const before = await backUp(copy);
    await restore(backup.id, copy);
    const { key, user_key } = await expectWhole(copy, filled);
    const status = async (user: string) => (await copy.call({ key, user }, 'GET', 'user/')).status;
    const opens = async (public_link: string) =>
      (await api.send({ path: `${copy.base}endpoints/scripts/p/${public_link}/` })).status;

    const restored = (await copy.own('GET', 'endpoints/scripts/greet/')).body;
    expect(user_key).not.toBe(filled.user.user_key);
    expect([await status(filled.user.user_key), await status(own.user_key)]).toEqual([403, 403]);
    expect([await opens(filled.endpoint.public_link), await opens(link.public_link)]).toEqual([
      404, 404,
    ]);
    expect([await status(user_key), await opens(restored.public_link)]).toEqual([200, 200]);
    const ofShop = await shop.apiKey();
    const old = await shop.call({ key: ofShop, user: filled.user.user_key }, 'GET', 'user/');
    expect(old.status).toBe(200);

    await restore(before.id, copy); // the other user has the same id
    expect(await status(user_key)).toBe(403);
    const carla = (await copy.own('GET', `users/${own.id}/`)).body;
    expect([carla.username, await status(carla.user_key)]).toEqual(['carla', 200]);
    await restore(before.id, copy); // of its own contents: keys stay
    expect(await status(carla.user_key)).toBe(200);
  });
});

it('a scheduled backup can be deleted, and another one made', async ({ api }) => {
  const shop = await openWorld(api, 'scheduled-1');
  const post = () => shop.create('backups/full/', {});
  const { id, author } = await backUp(shop);
  const found = await backupEntity.read(api.platform.store, author.id, id);
  if (found === undefined) throw new Error('there is no backup');
  const scheduled = { ...found.data, status: 'scheduled', size: null } as const;
  await maintain(api.platform, [updateItem(found, scheduled)]);

  expected(await shop.own('DELETE', `backups/full/${id}/`), 204);
  const next = await post();

  expect(await ended(shop, `backups/full/${next.id}/`)).toMatchObject({ status: 'success' });
});

it('details have names of classes only', async ({ api }) => {
  const shop = await openWorld(api, 'details-1');
  await fill(shop);

  expect((await backUp(shop)).details).toEqual({
    class: { count: 3, list: ['book', 'empty', 'user_profile'] },
    data_object: { count: 2 },
    device: { count: 1 },
    group: { count: 1 },
    script: { count: 1 },
    script_endpoint: { count: 1 },
    user: { count: 1 },
  });
});

it('version 1 has backups and restores, with links of its own', async ({ api }) => {
  const shop = await openWorld(api, 'version-1');
  const v1 = shop.base.replace('v1.1', 'v1');
  const send = (method: string, path: string, body?: object) =>
    api.send({ as: shop.owner, method, path, ...(body && { body }) });

  const links = async (path: string) => (await send('GET', path)).body.links;
  expect(await links('/v1/')).toMatchObject({ backups: '/v1/backups/' });
  expect(await links('/v1/backups/')).toEqual({ full: '/v1/backups/full/' });
  expect(await links(v1)).toMatchObject({ backups: `${v1}backups/`, restores: `${v1}restores/` });
  expect(await links(`${v1}backups/`)).toEqual({ full: `${v1}backups/full/` });
  const made = expected(await send('POST', `${v1}backups/full/`, {}), 201);
  const self = `/v1/backups/full/${made.id}/`;
  expect(made.links).toEqual({ self });
  await ended(shop, `backups/full/${made.id}/`);
  const list = (await send('GET', '/v1/backups/full/')).body.objects;
  expect(list).toMatchObject([{ status: 'success', links: { self } }]);
  const begun = expected(await send('POST', `${v1}restores/`, { backup: made.id }), 201);
  expect(begun.links).toEqual({ self: `${v1}restores/${begun.id}/` });
  expect(await ended(shop, `restores/${begun.id}/`)).toMatchObject({ status: 'success' });
  expected(await send('DELETE', self), 204);
});

const login = { username: 'anna', password: 'her password' };

/** Fills an instance: a user with a profile, a group, an object with a file, a long script, its endpoint, a device. */
async function fill(of: World) {
  const post = (path: string, body: unknown) => of.create(path, body);
  await of.dataClass('empty', []);
  await of.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true },
    { name: 'scan', type: 'file' },
  ]);
  const user = await post('users/', login);
  const group = await post('groups/', { label: 'readers' });
  await post(`groups/${group.id}/users/`, { user: user.id });
  const form = new FormData();
  form.append('title', 'Dune');
  form.append('scan', new Blob(['the scan']), 'a.txt');
  const book = await post('classes/book/objects/', form);
  const source = `//${'x'.repeat(300_000)}`; // stored as a file
  const endpoint = await makeEndpoint(of, 'greet', source, { public: true });
  await post('push_notifications/gcm/devices/', { registration_id: 'a-token', label: 'phone' });
  return { user, group, book, endpoint };
}

type Filled = Awaited<ReturnType<typeof fill>>;

/** Checks that an instance has all that `fill` made. */
async function expectWhole(of: World, { user, group, book, endpoint }: Filled) {
  const get = (path: string) => of.read(path);
  const found = await get('classes/book/objects/'); // by the table: indexes may be late
  expect(found.objects).toMatchObject([{ id: book.id, title: 'Dune' }]);
  if (!isOn('roles')) {
    const file = await fetch(found.objects[0].scan.value);
    expect([file.status, await file.text()]).toEqual([200, 'the scan']);
  }
  const key = await of.apiKey();
  const logged = expected(await of.call(key, 'POST', 'user/auth/', login), 200);
  expect(logged).toMatchObject({ id: user.id, username: 'anna', profile: { id: user.profile.id } });
  const members = await get(`groups/${group.id}/users/`);
  expect(members.objects).toMatchObject([{ user: { id: user.id } }]);
  expect((await get(`snippets/scripts/${endpoint.script}/`)).source).toHaveLength(300_002);
  expect((await get('push_notifications/gcm/devices/')).objects).toMatchObject([
    { registration_id: 'a-token' },
  ]);
  expect((await get('classes/')).objects.map(({ name }: { name: string }) => name)).toEqual([
    'user_profile',
    'empty',
    'book',
  ]);
  return { key, scan: found.objects[0].scan.value as string, user_key: logged.user_key as string };
}
