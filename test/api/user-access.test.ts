import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forbidden, missing } from '../support/answers.ts';
import {
  type Answer,
  type Api,
  type Credentials,
  expected,
  openWorld,
  startApi,
  type World,
} from '../support/api.ts';
import { joinAs } from '../support/join-as.ts';

/*
 * Access to users, groups and memberships: every kind of caller against every route.
 */

let api: Api;
let world: World;
const credentials: Record<string, Credentials> = {};
/** A user for each caller that is one, and one who sends no requests. */
const ids = { self: 0, other: 0, group: 0, foreign: 0 };

beforeAll(async () => {
  api = await startApi();
  world = await openWorld(api);
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
  const users = await world.apiKey({ allow_user_create: true });
  const groups = await world.apiKey({ allow_group_create: true });
  Object.assign(credentials, {
    owner,
    bare,
    ignoring,
    'creating users': users,
    'creating groups': groups,
    full: await joinAs(world, 'full'),
    write: await joinAs(world, 'write'),
    read: await joinAs(world, 'read'),
    stranger: await world.account('stranger@example.com'),
    'key of another instance': await (await openWorld(api, 'shop-1')).apiKey({ ignore_acl: true }),
    reading: await world.apiKey({ allow_anonymous_read: true }),
    user: { key: bare, user: self.user_key },
    'user, creating users': { key: users, user: self.user_key },
    'user, creating groups': { key: groups, user: self.user_key },
    'user, ignoring': { key: ignoring, user: self.user_key },
    'a user key that is none': { key: bare, user: 'ab'.repeat(28) },
    'a user key alone': self.user_key,
    nobody: undefined,
  });
});
afterAll(() => api.close());

const ok = 200;
const made = 201;
const done = 204;
const no = 403;
const gone = 404;

/** Expected status for each caller, in the order of `calls`. */
type Row = readonly number[];

const calls = [
  'GET users/',
  'GET users/{other}/',
  'GET users/{self}/',
  'POST users/',
  'PATCH users/{other}/',
  'PUT users/{self}/',
  'PATCH users/{self}/',
  'DELETE users/{spare}/',
  'POST users/{other}/reset_key/',
] as const;
const groupCalls = [
  'GET groups/',
  'GET groups/{group}/',
  'POST groups/',
  'PATCH groups/{group}/',
  'PUT groups/{group}/',
  'DELETE groups/{spareGroup}/',
] as const;
const memberCalls = [
  'GET users/{self}/groups/',
  'GET users/{self}/groups/{group}/',
  'GET users/{other}/groups/',
  'GET users/{other}/groups/{foreign}/',
  'GET groups/{group}/users/',
  'GET groups/{group}/users/{self}/',
  'GET groups/{group}/users/{other}/',
  'POST users/{spare}/groups/',
  'POST groups/{group}/users/',
  'DELETE groups/{group}/users/{spare}/',
  'DELETE users/{spare}/groups/{foreign}/',
] as const;
const ownCalls = ['GET user/', 'PATCH user/', 'DELETE user/', 'POST user/auth/'] as const;

const everything: Row = [ok, ok, ok, made, ok, ok, ok, done, ok];
const allGroups: Row = [ok, ok, made, ok, ok, done];
const readGroups: Row = [ok, ok, no, no, no, no];
const createGroups: Row = [ok, ok, made, no, no, no];
const allMembers: Row = [ok, ok, ok, ok, ok, ok, ok, made, made, done, done];
const noMembers: Row = [no, no, no, no, no, no, no, no, no, no, no];
const ownMembers: Row = [ok, ok, gone, gone, ok, ok, gone, no, no, no, no];
const nothing: Row = [no, no, no, no, no, no, no, no, no];
const himself: Row = [ok, gone, ok, no, gone, ok, ok, no, gone];
const logInOnly: Row = [no, no, no, ok];
const isUser: Row = [ok, ok, 405, ok];

type Callers = Record<string, { users: Row; groups: Row; members: Row; own: Row }>;
const admin = { users: everything, groups: allGroups, members: allMembers, own: logInOnly };
const outside = {
  users: nothing,
  groups: [no, no, no, no, no, no],
  members: noMembers,
  own: [no, no, no, no],
};
const bareKey = { users: nothing, groups: readGroups, members: noMembers, own: logInOnly };
const user = { users: himself, groups: readGroups, members: ownMembers, own: isUser };
const callers: Callers = {
  owner: admin,
  full: admin,
  write: admin,
  read: {
    users: [ok, ok, ok, no, no, no, no, no, no],
    groups: readGroups,
    members: [ok, ok, ok, ok, ok, ok, ok, no, no, no, no],
    own: logInOnly,
  },
  bare: bareKey,
  reading: bareKey,
  'a user key that is none': bareKey,
  ignoring: { ...bareKey, users: everything },
  'creating users': { ...bareKey, users: [no, no, no, made, no, no, no, no, no] },
  'creating groups': { ...bareKey, groups: createGroups },
  user,
  'user, creating users': { ...user, users: [ok, gone, ok, made, gone, ok, ok, no, gone] },
  'user, creating groups': { ...user, groups: createGroups },
  'user, ignoring': { ...user, users: [ok, gone, ok, made, gone, ok, ok, gone, gone] },
  nobody: outside,
  stranger: outside,
  'key of another instance': outside,
  'a user key alone': outside,
};

let count = 0;
/** A user and a group to be deleted. */
async function spares() {
  count += 1;
  const { owner } = world;
  const body = { username: `spare-${count}`, password: 'p' };
  const { id: spare } = expected(await world.call(owner, 'POST', 'users/', body), 201);
  const { id: spareGroup } = expected(await world.call(owner, 'POST', 'groups/', {}), 201);
  return { spare, spareGroup };
}

async function answerTo(caller: string, text: string): Promise<Answer> {
  const names: Record<string, number> = { ...ids, ...(await spares()) };
  const [method = '', template = ''] = text.split(' ');
  const { spare } = names;
  if (text.startsWith('DELETE') && template.includes('/groups/{foreign}'))
    await world.call(world.owner, 'POST', `groups/${ids.foreign}/users/`, { user: spare });
  if (text.startsWith('DELETE groups/{group}/users'))
    await world.call(world.owner, 'POST', `groups/${ids.group}/users/`, { user: spare });
  const path = template.replace(/\{(\w+)\}/g, (_, name) => String(names[name]));
  const own = { username: 'self', password: 'p' };
  const bodies: Record<string, object> = {
    'POST users/': { username: `made-${count}`, password: 'p' },
    'PUT users/{self}/': own,
    'POST user/auth/': own,
    'POST users/{spare}/groups/': { group: ids.group },
    'POST groups/{group}/users/': { user: spare },
  };
  const body = method === 'GET' || method === 'DELETE' ? undefined : (bodies[text] ?? {});
  return world.call(credentials[caller], method, path, body);
}

describe.each(Object.entries(callers))('%s', (caller, rows) => {
  const table = [
    ...calls.map((call, at) => [call, rows.users[at]] as const),
    ...groupCalls.map((call, at) => [call, rows.groups[at]] as const),
    ...memberCalls.map((call, at) => [call, rows.members[at]] as const),
    ...ownCalls.map((call, at) => [call, rows.own[at]] as const),
  ];

  it.each(table)('%s: %i', async (text, status) => {
    const answer = await answerTo(caller, text);

    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    if (status === 403 && rows !== outside) expect(answer.body).toEqual(forbidden);
    if (status === 404 && !text.includes('/groups/')) expect(answer.body).toEqual(missing);
  });
});

const idsOf = ({ body }: Answer) => body.objects.map(({ id }: { id: number }) => id);

it.each(['user', 'user, ignoring', 'user, creating users'])('%s lists only itself', async (as) => {
  const list = await world.call(credentials[as], 'GET', 'users/');
  const named = await world.call(credentials[as], 'GET', 'users/?username__startswith=sel');
  const others = await world.call(credentials[as], 'GET', 'users/?username__startswith=oth');

  expect([idsOf(list), idsOf(named), idsOf(others)]).toEqual([[ids.self], [ids.self], []]);
});

it('a user sees only itself in a group, and no users of other groups', async () => {
  const own = await world.call(credentials.user, 'GET', `groups/${ids.group}/users/`);
  const foreign = await world.call(credentials.user, 'GET', `groups/${ids.foreign}/users/`);
  const none = await world.call(credentials.user, 'GET', 'groups/9999/users/');

  expect(own.body.objects.map((each: { user: { id: number } }) => each.user.id)).toEqual([
    ids.self,
  ]);
  expect(foreign.body.objects).toEqual([]);
  expect([none.status, none.body]).toEqual([404, { detail: 'Group was not found.' }]);
});

it('the groups of another user are missing for a user', async () => {
  const other = await world.call(credentials.user, 'GET', `users/${ids.other}/groups/`);
  const none = await world.call(credentials.user, 'GET', 'users/9999/groups/');

  expect([other.status, other.body]).toEqual([404, { detail: 'User was not found.' }]);
  expect([none.status, none.body]).toEqual([404, { detail: 'User was not found.' }]);
});

it('a user with an ignore_acl key may delete itself, and no other user', async () => {
  const body = { username: 'remover', password: 'p' };
  const { id, user_key } = expected(await world.call(world.owner, 'POST', 'users/', body), 201);
  const as = { key: String(credentials.ignoring), user: user_key };

  const other = await world.call(as, 'DELETE', `users/${ids.other}/`);
  const own = await world.call(as, 'DELETE', `users/${id}/`);

  expect([other.status, own.status]).toEqual([404, 204]);
});
