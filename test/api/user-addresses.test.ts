import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { changeUser } from '../support/changed-user.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';

/* What responses show of the addresses of users: docs/reference/users-and-groups.md#user. */

const it = newWorldTest('address').extend('user', ({ world }) =>
  world.create('users/', { username: 'ada', password: 'a password' }),
);

const address = { email: 'ada@example.com', is_email_confirmed: true };
const names = ['email', 'is_email_confirmed', 'guest_until'];
const shown = async (world: World, as: Parameters<World['call']>[0], path: string) => {
  const { body } = await world.call(as, 'GET', path);
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
};

describe('a user', () => {
  it('without address has no member for one', async ({ world, user }) => {
    expect(await shown(world, world.owner, `users/${user.id}/`)).toEqual({});
    expect(Object.keys(user).at(-2)).toBe('user_key'); // the links are last
  });

  it('has its address, and whether it is confirmed', async ({ world, user }) => {
    await changeUser(world, user.id, { email: address.email });
    const first = await shown(world, world.owner, `users/${user.id}/`);
    await changeUser(world, user.id, { isEmailConfirmed: true });

    expect(first).toEqual({ ...address, is_email_confirmed: false });
    expect(await shown(world, world.owner, `users/${user.id}/`)).toEqual(address);
    expect((await world.read('users/')).objects[0]).toMatchObject(address);
  });

  it('who is a guest has an end', async ({ world, user }) => {
    await changeUser(world, user.id, { guestUntil: 1_800_000_000 });

    expect(await shown(world, world.owner, `users/${user.id}/`)).toEqual({
      guest_until: '2027-01-15T08:00:00.000000Z',
    });
  });

  it('shows it to itself and to keys that may change users, to no others', async ({
    world,
    user,
  }) => {
    await changeUser(world, user.id, { email: address.email, isEmailConfirmed: true });
    const own = { key: await world.apiKey(), user: user.user_key };
    const path = `users/${user.id}/`;

    expect(await shown(world, own, 'user/')).toEqual(address);
    expect(await shown(world, await world.apiKey({ ignore_acl: true }), path)).toEqual(address);
    expect(await shown(world, await joinAs(world, 'read'), path)).toEqual({});
  });

  it('has it in groups and after a log-in', async ({ world, user }) => {
    await changeUser(world, user.id, { email: address.email, isEmailConfirmed: true });
    await world.create('groups/', { label: 'readers' });
    await world.create('groups/1/users/', { user: user.id });

    const { user: member } = await world.read(`groups/1/users/${user.id}/`);
    const body = { username: 'ada', password: 'a password' };
    const login = await world.call(await world.apiKey(), 'POST', 'user/auth/', body);

    expect([member, login.body]).toMatchObject([address, address]);
  });

  it('does not write it', async ({ world, user }) => {
    await world.own('PATCH', `users/${user.id}/`, {
      email: 'b@example.com',
      is_email_confirmed: true,
    });

    expect(await shown(world, world.owner, `users/${user.id}/`)).toEqual({});
  });
});
