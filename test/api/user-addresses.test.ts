import { describe, expect } from 'vitest';
import { userAddressEntity } from '../../shared/table/entities/user-accounts.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { column, taken } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';

/* Addresses in the records of users: who sees them, and how administrators change them. */

const it = newWorldTest('crew').extend('ann', async ({ world }) => {
  expected(await world.own('PATCH', 'user_settings/', { email: 'optional', guests: true }), 200);
  const ann = await world.create('users/', { username: 'ann', password: 'secret' });
  const body = { email: 'Ann@Example.com', is_email_confirmed: true };
  expected(await world.own('PATCH', `users/${ann.id}/`, body), 200);
  return ann;
});

const shown = { email: 'ann@example.com', is_email_confirmed: true, guest_until: null };
const off = (world: World) => world.own('PATCH', 'user_settings/', { email: 'off', guests: false });
const addressOf = async ({ api, instance }: World, email: string) => {
  const { store } = api.platform;
  const data = await instanceId(store, instance);
  return (await userAddressEntity.read(store, data, encodeText(email)))?.data.user;
};

describe('the address of a user', () => {
  it('is shown to administrators and to the user', async ({ world, ann }) => {
    const reader = await joinAs(world, 'read');
    const user = { key: await world.apiKey(), user: ann.user_key };

    for (const as of [world.owner, reader, user]) {
      for (const path of [`users/${ann.id}/`, ...(as === user ? ['user/'] : [])]) {
        expect((await world.call(as, 'GET', path)).body).toMatchObject(shown);
      }
      expect((await world.call(as, 'GET', 'users/')).body.objects[0]).toMatchObject(shown);
    }
  });

  it('is not shown to API keys, nor in responses to other users', async ({ world, ann }) => {
    const keys = [
      await world.apiKey({ ignore_acl: true }),
      await world.apiKey({ allow_user_create: true }),
    ];
    const bob = await world.create('users/', { username: 'bob', password: 'secret' });
    const group = await world.create('groups/', { label: 'all' });
    await world.create(`groups/${group.id}/users/`, { user: ann.id });
    await world.create(`groups/${group.id}/users/`, { user: bob.id });

    for (const key of keys) {
      for (const as of [key, { key, user: bob.user_key }]) {
        for (const path of [`users/${ann.id}/`, 'users/', `groups/${group.id}/users/`]) {
          const { body } = await world.call(as, 'GET', path);
          expect(JSON.stringify(body)).not.toContain('ann@example.com');
        }
      }
      const made = { username: `of-${key.slice(-5)}`, password: 'p' };
      expect((await world.call(key, 'POST', 'users/', made)).body).not.toHaveProperty('email');
    }
  });

  it('is not shown, and not changed, where addresses are off', async ({ world, ann }) => {
    await off(world);

    const read = await world.read(`users/${ann.id}/`);
    const patched = await world.own('PATCH', `users/${ann.id}/`, { email: 'no address' });
    const options = await world.own('OPTIONS', `users/${ann.id}/`);

    const before = ['id', 'username', 'profile', 'groups', 'user_key', 'links'];
    expect(Object.keys(read)).toEqual(before);
    expect([patched.status, patched.headers.get('X-Ignored')]).toEqual([200, 'email']);
    expect(JSON.stringify(options.body)).not.toContain('is_email_confirmed');
    expect(JSON.stringify(options.body)).not.toContain('guest_until');
    expect(await addressOf(world, 'ann@example.com')).toBe(ann.id);
  });

  it('is changed and deleted by administrators', async ({ world, ann }) => {
    const path = `users/${ann.id}/`;
    const moved = await world.own('PATCH', path, { email: 'ann@xn--mnchen-3ya.de' });
    const kept = await world.own('PATCH', path, { username: 'anna' });
    const gone = await world.own('PATCH', path, { email: null });

    expect(moved.body).toMatchObject({
      email: 'ann@xn--mnchen-3ya.de',
      is_email_confirmed: false,
    });
    expect(kept.body).toMatchObject({ username: 'anna', email: 'ann@xn--mnchen-3ya.de' });
    expect(gone.body).toMatchObject({ email: null, is_email_confirmed: false });
    expect(await addressOf(world, 'ann@example.com')).toBeUndefined();
    expect(await addressOf(world, 'ann@xn--mnchen-3ya.de')).toBeUndefined();
  });

  it('is that of one user, and confirmed by the role full only', async ({ world, ann }) => {
    const bob = await world.create('users/', { username: 'bob', password: 'secret' });
    const writer = await joinAs(world, 'write');
    const path = `users/${bob.id}/`;
    const own = { key: await world.apiKey({ ignore_acl: true }), user: bob.user_key };

    const doubled = await world.own('PATCH', path, { email: 'ANN@example.com' });
    const invalid = await world.own('PATCH', path, { email: 'ann' });
    const confirmed = { email: 'bob@example.com', is_email_confirmed: true };
    const byWriter = await world.call(writer, 'PATCH', path, confirmed);
    const byUser = await world.call(own, 'PATCH', 'user/', confirmed);

    expect(doubled.body).toEqual({ email: taken });
    expect(invalid.body).toEqual({ email: ['Enter a valid email address.'] });
    const message = 'Only an address is confirmed, and by the role full.';
    expect(byWriter.body).toEqual({ is_email_confirmed: [message] });
    expect(byUser.body.email).toBeNull();
    expect(column(await world.own('GET', 'users/'), 'email')).toEqual(['ann@example.com', null]);
    expect(ann.id).not.toBe(bob.id);
  });
});
