import { expect } from 'vitest';
import type { World } from '../support/api.ts';
import { type ApiResponse, type Credentials, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/*
 * What users see of users, groups and memberships. Who may send which request is in rights.test.ts.
 */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const credentials: Record<string, Credentials> = {};
/** The user who sends requests, another one, and their groups. */
const ids = { self: 0, other: 0, group: 0, foreign: 0 };

it.for(['user', 'user, ignoring', 'user, creating users'] as const)(
  '%s lists only itself',
  async (as, { world }) => {
    const list = await world.call(credentials[as], 'GET', 'users/');
    const named = await world.call(credentials[as], 'GET', 'users/?username__startswith=sel');
    const others = await world.call(credentials[as], 'GET', 'users/?username__startswith=oth');

    expect([idsOf(list), idsOf(named), idsOf(others)]).toEqual([[ids.self], [ids.self], []]);
  },
);

it('a user sees only itself in a group, and no users of other groups', async ({ world }) => {
  const own = await world.call(credentials.user, 'GET', `groups/${ids.group}/users/`);
  const foreign = await world.call(credentials.user, 'GET', `groups/${ids.foreign}/users/`);
  const none = await world.call(credentials.user, 'GET', 'groups/9999/users/');

  expect(own.body.objects.map((each: { user: { id: number } }) => each.user.id)).toEqual([
    ids.self,
  ]);
  expect(foreign.body.objects).toEqual([]);
  expect([none.status, none.body]).toEqual([404, { detail: 'Group was not found.' }]);
});

it('the groups of another user are forbidden to a user, whether there is one or not', async ({
  world,
}) => {
  const paths = [
    `users/${ids.other}/groups/`,
    'users/9999/groups/',
    `users/${ids.other}/groups/1/`,
  ];
  const responses = await Promise.all(
    paths.map((path) => world.call(credentials.user, 'GET', path)),
  );

  const forbidden = { detail: 'You do not have permission to perform this action.' };
  expect(responses.map(({ status, body }) => [status, body])).toEqual(
    paths.map(() => [403, forbidden]),
  );
});

it('a user with an ignore_acl key may delete itself, and no other user', async ({ world }) => {
  const body = { username: 'remover', password: 'p' };
  const { id, user_key } = await world.create('users/', body);
  const as = { key: String(credentials.ignoring), user: user_key };

  const other = await world.call(as, 'DELETE', `users/${ids.other}/`);
  const own = await world.call(as, 'DELETE', `users/${id}/`);

  expect([other.status, own.status]).toEqual([404, 204]);
});

async function setUp(world: World) {
  const { owner } = world;
  const made = async (path: string, body: object) =>
    expected(await world.call(owner, 'POST', path, body), 201);

  const self = await made('users/', { username: 'self', password: 'p' });
  const other = await made('users/', { username: 'other', password: 'p' });
  const group = await made('groups/', { label: 'of self' });
  const foreign = await made('groups/', { label: 'of the other' });
  await made(`groups/${group.id}/users/`, { user: self.id });
  await made(`groups/${group.id}/users/`, { user: other.id });
  await made(`groups/${foreign.id}/users/`, { user: other.id });
  Object.assign(ids, { self: self.id, other: other.id, group: group.id, foreign: foreign.id });
  const bare = await world.apiKey();
  const ignoring = await world.apiKey({ ignore_acl: true });
  Object.assign(credentials, {
    ignoring,
    user: { key: bare, user: self.user_key },
    'user, creating users': {
      key: await world.apiKey({ allow_user_create: true }),
      user: self.user_key,
    },
    'user, ignoring': { key: ignoring, user: self.user_key },
  });
}

const idsOf = ({ body }: ApiResponse) => body.objects.map(({ id }: { id: number }) => id);
