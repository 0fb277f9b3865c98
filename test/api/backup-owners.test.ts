import { randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { backupEntity } from '../../shared/table/entities/accounts.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import {
  guestPlaceEntity,
  userAddressEntity,
  userSettingsEntity,
} from '../../shared/table/entities/user-accounts.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import { findProviderSecret } from '../../shared/users/settings/provider-secrets.ts';
import { settingsIn } from '../../shared/users/settings/user-settings.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { isOn } from '../support/medium.ts';
import { configure } from '../support/push.ts';
import { backUp, ended, openNew, remove, restore } from '../support/rescue.ts';
import { noPk } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';
import { userRecord } from '../support/user-accounts.ts';
import { setUserSettings } from '../support/user-sessions.ts';

/* What a backup brings along into an instance of its owner or of another one, and who may use it. */

const it = apiTest();

describe('push credentials and aliases', () => {
  const text = randomBytes(20).toString('hex');
  let shop: World;
  let backup: { readonly id: number };
  const config = async (of: World) =>
    (await of.own('GET', 'push_notifications/gcm/config/')).body.production_api_key;

  /** Returns the status of a request that reads as the alias. */
  const asAlias = async (of: World) => (await of.call(text, 'GET', 'users/')).status;

  it.beforeAll(async ({ api }) => {
    shop = await openWorld(api, 'push-1');
    const devices = 'push_notifications/gcm/devices/';
    const device = { registration_id: 'a-token', label: 'phone' };
    await shop.create(devices, device);
    await configure(shop, 'gcm');
    await configure(shop, 'apns');
    const key = await shop.create('api_keys/', { ignore_acl: true, description: 'app' });
    const path = `api_keys/${key.id}/aliases/`;
    expected(await shop.own('POST', path, { alias: text }), 200);
    backup = await backUp(shop);
  });

  it('come along into another instance of the owner', async () => {
    const copy = await openNew(shop, 'push-2');
    expect(await restore(backup.id, copy)).toMatchObject({ status: 'success', status_info: '' });

    expect(await config(copy)).toBe(await config(shop));
    expect([await asAlias(shop), await asAlias(copy)]).toEqual([200, 200]);
    const keys = async () => (await copy.own('GET', 'api_keys/')).body.objects;
    expect(await keys()).toMatchObject([{ ignore_acl: true, description: 'app' }]);
    await restore(backup.id, copy);
    expect(await keys()).toHaveLength(1);

    const third = await openNew(shop, 'push-3');
    await restore((await backUp(copy)).id, third);
    await remove(copy);
    expect([await asAlias(shop), await asAlias(third)]).toEqual([200, 200]);
    expect(await config(third)).toBe(await config(shop));
  });

  it('do not come along into an instance of another owner', async () => {
    const member = await joinAs(shop, 'full');
    const made = expected(await shop.call(member, 'POST', 'backups/full/', {}), 201);
    await ended({ ...shop, owner: member }, `backups/full/${made.id}/`);
    const theirs = await openNew(shop, 'push-4', member);

    expect(await restore(made.id, theirs)).toMatchObject({ status: 'success' });

    expect(await config(theirs)).toBeNull();
    expect(await asAlias(theirs)).toBe(403);
    const devices = await theirs.call(member, 'GET', 'push_notifications/gcm/devices/');
    expect(devices.body.objects).toHaveLength(1);
  });

  it.skipIf(isOn('roles'))(
    'of a backup of version 0.1 they come as long as its instance exists',
    async ({ api }) => {
      const old = await openWorld(api, 'old-1');
      await configure(old, 'gcm');
      const { id, author } = await backUp(old);
      const { store } = api.platform;
      const found = await backupEntity.read(store, author.id, id);
      if (found === undefined) throw new Error('there is no backup');
      const { owner: _, ...data } = found.data;
      const details = { ...data.details, user: { count: 1, list: ['anna'] } };
      await maintain(api.platform, [updateItem(found, { ...data, details })]);
      const shown = await old.own('GET', `backups/full/${id}/`);
      expect(shown.body.details.user).toEqual({ count: 1 });

      const [before, after] = [await openNew(old, 'old-2'), await openNew(old, 'old-3')];
      expect(await restore(id, before)).toMatchObject({ status: 'success' });
      await remove(old);
      expect(await restore(id, after)).toMatchObject({ status: 'success' });

      expect([await config(before), await config(after)]).toEqual([expect.any(String), null]);
    },
  );
});

describe('settings of users', () => {
  const provider = { name: 'work', kind: 'oidc', client_id: 'app', issuer: 'https://id.example/' };
  const secretOf = async ({ api, instance }: World) => {
    const { store } = api.platform;
    const data = await instanceId(store, instance);
    const [found] = settingsIn(await userSettingsEntity.read(store, data)).providers;
    return found && findProviderSecret(api.platform, data, found);
  };
  const saved = { email: 'optional', providers: [{ ...provider, has_secret: true }] };

  it.skipIf(isOn('roles'))('come with their secrets only to their owner', async ({ api }) => {
    const shop = await openWorld(api, 'settings-1');
    const body = { email: 'optional', providers: [{ ...provider, secret: 's3cret' }] };
    expected(await shop.own('PATCH', 'user_settings/', body), 200);
    const backup = await backUp(shop);
    await shop.own('PUT', 'user_settings/', {});
    const copy = await openNew(shop, 'settings-2');
    const member = await joinAs(shop, 'full');
    expected(await shop.own('PATCH', 'user_settings/', body), 200);
    const made = expected(await shop.call(member, 'POST', 'backups/full/', {}), 201);
    await ended({ ...shop, owner: member }, `backups/full/${made.id}/`);
    const theirs = await openNew(shop, 'settings-3', member);

    for (const to of [shop, copy]) {
      expect(await restore(backup.id, to)).toMatchObject({ status: 'success', status_info: '' });
      expect(await to.read('user_settings/')).toMatchObject(saved);
      expect(await secretOf(to)).toBe('s3cret');
    }
    expect(await restore(made.id, theirs)).toMatchObject({ status: 'success', status_info: '' });
    const { providers } = await theirs.read('user_settings/');
    expect(providers).toEqual([{ ...provider, has_secret: false }]);
  });
});

it.skipIf(isOn('roles'))('addresses find their users after a restore', async ({ api }) => {
  const shop = await openWorld(api, 'addresses-1');
  const ann = { id: 1, username: 'ann', profile: 2, email: 'ann@example.com' };
  expected(await shop.own('POST', 'import/', { kind: 'users', records: [ann] }), 200);
  const copy = await openNew(shop, 'addresses-2');

  await restore((await backUp(shop)).id, copy);

  const { store } = api.platform;
  const data = await instanceId(store, copy.instance);
  const found = await userAddressEntity.read(store, data, encodeText(ann.email));
  expect(found?.data).toEqual({ user: 1 });
});

it.skipIf(isOn('roles'))(
  'guests have their place and their end after a restore',
  async ({ api }) => {
    const shop = await openWorld(api, 'guests-1');
    await setUserSettings(shop, { guests: true });
    const key = await shop.apiKey({ allow_user_create: true });
    const guest = expected(await shop.call(key, 'POST', 'user/auth/guest/', {}), 201);
    const { guestPlace = 0 } = await userRecord(shop, guest.id);

    await restore((await backUp(shop)).id, shop);

    const { store } = api.platform;
    const instance = await instanceId(store, shop.instance);
    const place = await guestPlaceEntity.read(store, instance, guestPlace);
    expect(place?.data).toEqual({ user: guest.id });
    const found = await Promise.all(jobShards.map((shard) => jobEntity.listAll(store, [shard])));
    const jobs = found.flat().map(({ data }) => data);
    expect(jobs).toContainEqual(
      expect.objectContaining({ kind: 'remove-guest', task: { instance, user: guest.id } }),
    );
  },
);

describe('rights and limits', () => {
  it('a backup goes into instances where its maker has the role full, and nobody else may use it', async ({
    api,
  }) => {
    const shop = await openWorld(api, 'rights-1');
    const backup = await backUp(shop);
    const other = await openWorld(api, 'rights-2');
    const full = await joinAs(shop, 'full');
    const theirs = await openNew(shop, 'rights-3', full);
    const ask = async (of: World, as: string) => {
      const { status, body } = await of.call(as, 'POST', 'restores/', { backup: backup.id });
      return [status, status === 400 ? body : undefined];
    };
    const unknown = [400, { backup: noPk(backup.id) }];

    expect(await ask(other, other.owner)).toEqual(unknown);
    expect(await ask(theirs, full)).toEqual(unknown);
    expect(await ask(shop, full)).toEqual(unknown);
    expect(await ask(theirs, shop.owner)).toEqual([403, undefined]);
    const member = backup.author;
    const invited = { email: member.email, role: 'write' };
    const invitation = await theirs.call(full, 'POST', 'invitations/', invited);
    const body = { invitation_key: expected(invitation, 201).key };
    const path = '/v1.1/account/invitations/accept/';
    expected(await api.send({ as: shop.owner, path, body }), 204);
    expect(await ask(theirs, shop.owner)).toEqual([403, undefined]);
    expected(await theirs.call(full, 'PATCH', `admins/${member.id}/`, { role: 'full' }), 200);
    expect(await ask(theirs, shop.owner)).toEqual([201, undefined]);
  });

  it('of a member who was removed no longer shows the instance', async ({ api }) => {
    const shop = await openWorld(api, 'hidden-1');
    const member = await joinAs(shop, 'full');
    const { id } = expected(await shop.call(member, 'POST', 'backups/full/', {}), 201);
    await ended({ ...shop, owner: member }, `backups/full/${id}/`);
    const path = `/v1.1/backups/full/${id}/`;
    const before = expected(await api.send({ as: member, path }), 200);
    const { id: account } = expected(await api.send({ as: member, path: '/v1.1/account/' }), 200);
    const left = await shop.own('DELETE', `admins/${account}/`);
    const renamed = await shop.own('POST', 'rename/', { new_name: 'hidden-2' });

    const shown = await api.send({ as: member, path });
    const list = await api.send({ as: member, path: '/v1.1/backups/full/' });

    expect([left.status, renamed.status, before.instance]).toEqual([204, 200, 'hidden-1']);
    expect(shown.body).toEqual({ ...before, instance: null });
    expect(list.body.objects).toEqual([{ ...before, instance: null }]);
  });

  it('of a deleted instance counts as before', async ({ api }) => {
    const shop = await openWorld(api, 'counts-1');
    const { id, author } = await backUp(shop);
    await remove(shop);
    const found = await backupEntity.read(api.platform.store, author.id, id);
    if (found === undefined) throw new Error('the backup is gone');
    const more = Array.from({ length: 74 }, (_, at) => ({ ...found.data, id: 1_000_000 + at }));
    for (const data of more) {
      const key = backupEntity.key(author.id, data.id);
      await maintain(api.platform, [
        { ...updateItem(found, data), key, condition: { kind: 'none' } },
      ]);
    }
    const next = await openNew(shop, 'counts-2');

    const { status, body } = await next.own('POST', 'backups/full/', {});

    const detail = 'Maximum number of backups per account reached (75).';
    expect([status, body]).toEqual([400, { detail }]);
  });
});
