import { beforeAll, describe, expect, it } from 'vitest';
import { type Credentials, expected, openWorld, type World } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import {
  blank,
  column,
  isNull,
  missing,
  noPk,
  required,
  taken,
  tooLong,
} from '../support/responses.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

let bare: string;

beforeAll(async () => {
  bare = await world.apiKey();
});

const call = (method: string, path: string, body?: unknown) =>
  world.call(world.owner, method, path, body);

let count = 0;
async function newUser(): Promise<{ readonly id: number; readonly as: Credentials }> {
  count += 1;
  const body = { username: `member-${count}`, password: 'p' };
  const { id, user_key } = expected(await call('POST', 'users/', body), 201);
  return { id, as: { key: bare, user: user_key } };
}

async function newGroup(body: object = {}): Promise<number> {
  return expected(await call('POST', 'groups/', body), 201).id;
}

describe('groups', () => {
  it('have an optional name, label and description', async () => {
    const empty = await call('POST', 'groups/', {});
    const full = await call('POST', 'groups/', {
      name: ' Editors-1 ',
      label: 'Editors',
      description: 'Who writes',
    });

    const { id } = full.body;
    const self = `/v1.1/instances/blog-1/groups/${id}/`;
    expect(empty.body).toMatchObject({ name: null, label: '', description: '' });
    expect([full.status, full.body]).toEqual([
      201,
      {
        id,
        name: 'editors-1',
        label: 'Editors',
        description: 'Who writes',
        links: { self, users: `${self}users/` },
      },
    ]);
    expect((await call('GET', `groups/${id}/`)).body).toEqual(full.body);
  });

  it('PATCH changes the fields that are sent; PUT removes the name', async () => {
    const id = await newGroup({ name: 'patched', label: 'a', description: 'b' });

    const patched = await call('PATCH', `groups/${id}/`, { label: 'c' });
    const put = await call('PUT', `groups/${id}/`, { description: 'd' });
    const other = await call('POST', 'groups/', { name: 'patched' });

    expect(patched.body).toMatchObject({ name: 'patched', label: 'c', description: 'b' });
    expect(put.body).toMatchObject({ name: null, label: 'c', description: 'd' });
    expect(other.status).toBe(201);
  });

  const names = 'Enter a valid value consisting of letters, numbers, underscores, hyphens.';
  it.each<[string, object, object]>([
    ['a name that is taken', { name: 'TAKEN' }, { name: taken }],
    [
      'a name that is taken and long values',
      { name: 'taken', label: 'x'.repeat(65), description: 'x'.repeat(257) },
      { name: taken, label: tooLong(64), description: tooLong(256) },
    ],
    [
      'a name with other characters',
      { name: 'a b-' },
      { name: ['Value has to end with a letter or a number.', names] },
    ],
    [
      'a long name',
      { name: 'x'.repeat(65) },
      { name: ['Ensure this value has at most 64 characters (it has 65).'] },
    ],
    ['blank names and labels of null', { name: '', label: null }, { name: blank, label: isNull }],
  ])('reject %s', async (name, body, response) => {
    if (name === 'a name that is taken') await newGroup({ name: 'taken' });
    const id = await newGroup();

    const created = await call('POST', 'groups/', body);
    const patched = await call('PATCH', `groups/${id}/`, body);

    expect([created.status, created.body]).toEqual([400, response]);
    expect([patched.status, patched.body]).toEqual([400, response]);
  });

  it('one of two of the same name at the same time is created', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => call('POST', 'groups/', { name: 'raced' })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });

  it.each<[string, readonly string[]]>([
    ['', ['Abc', 'abd', 'Abe', 'x']],
    ['ordering=desc', ['x', 'Abe', 'abd', 'Abc']],
    ['label__startswith=Ab', ['Abc', 'Abe']],
    ['label__startswith=Ab&page_size=1&direction=1&last_pk=1', ['Abe']],
    ['label__startswith=q', []],
  ])('are listed by ?%s', async (query, labels) => {
    openedLists ??= openLists();
    const lists = await openedLists;

    const page = await lists.call(lists.owner, 'GET', `groups/?${query}`);

    expect(column(page, 'label')).toEqual(labels);
  });

  let openedLists: Promise<World> | undefined;
  async function openLists(): Promise<World> {
    const lists = await openWorld(api, 'lists-1');
    for (const label of ['Abc', 'abd', 'Abe', 'x'])
      expected(await lists.call(lists.owner, 'POST', 'groups/', { label }), 201);
    return lists;
  }
});

describe('memberships', () => {
  it('are one relation from both sides', async () => {
    const { id: user } = await newUser();
    const [left, right] = [await newGroup({ label: 'left' }), await newGroup({ label: 'right' })];

    const byUser = await call('POST', `users/${user}/groups/`, { group: right });
    const byGroup = await call('POST', `groups/${left}/users/`, { user: String(user) });

    const base = '/v1.1/instances/blog-1';
    const group = (await call('GET', `groups/${right}/`)).body;
    const whole = (await call('GET', `users/${user}/`)).body;
    const asUser = { group, links: { self: `${base}/users/${user}/groups/${right}/` } };
    const asGroup = { user: whole, links: { self: `${base}/groups/${left}/users/${user}/` } };
    expect([byUser.status, byUser.body]).toEqual([201, asUser]);
    expect([byGroup.status, byGroup.body]).toEqual([201, asGroup]);
    expect(whole.groups.map(({ id }: { id: number }) => id)).toEqual([left, right]);
    expect((await call('GET', `users/${user}/groups/${right}/`)).body).toEqual(asUser);
    expect((await call('GET', `groups/${left}/users/${user}/`)).body).toEqual(asGroup);
    expect((await call('GET', `users/${user}/groups/?ordering=desc`)).body).toEqual({
      next: null,
      prev: null,
      objects: [asUser, expect.objectContaining({ group: expect.objectContaining({ id: left }) })],
    });
    expect((await call('GET', `groups/${right}/users/`)).body.objects).toEqual([
      { user: whole, links: { self: `${base}/groups/${right}/users/${user}/` } },
    ]);
  });

  it.each(['users', 'groups'])('are deleted from the side of %s', async (side) => {
    const { id: user } = await newUser();
    const group = await newGroup();
    await call('POST', `groups/${group}/users/`, { user });
    const [there, here] = [`users/${user}/groups/${group}/`, `groups/${group}/users/${user}/`];
    const path = side === 'users' ? there : here;

    const removed = await call('DELETE', path);

    const after = [await call('GET', there), await call('GET', here), await call('DELETE', path)];
    expect(removed.status).toBe(204);
    expect(after.map(({ status, body }) => [status, body])).toEqual([
      [404, missing],
      [404, missing],
      [404, missing],
    ]);
    expect((await call('GET', `users/${user}/`)).body.groups).toEqual([]);
    expect((await call('GET', `groups/${group}/users/`)).body.objects).toEqual([]);
    expect((await call('POST', `users/${user}/groups/`, { group })).status).toBe(201);
  });

  it('added twice at the same time exist once', async () => {
    const { id: user } = await newUser();
    const group = await newGroup();

    const answers = await Promise.all([
      call('POST', `groups/${group}/users/`, { user }),
      call('POST', `users/${user}/groups/`, { group }),
      call('POST', `groups/${group}/users/`, { user }),
    ]);

    const refused = answers.filter(({ status }) => status === 400);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    for (const { body } of refused) {
      expect(body).toEqual({ detail: 'User is already a part of that group.' });
    }
    expect((await call('GET', `groups/${group}/users/`)).body.objects).toHaveLength(1);
  });

  it('are limited to 32 per user, also for concurrent requests', async () => {
    const { id: user } = await newUser();
    const groups = await Promise.all(Array.from({ length: 34 }, () => newGroup()));
    for (const group of groups.slice(0, 30)) await call('POST', `users/${user}/groups/`, { group });

    const answers = await Promise.all(
      groups.slice(30).map((group) => call('POST', `groups/${group}/users/`, { user })),
    );
    const freed = await call('DELETE', `groups/${groups[0]}/`);
    const next = await call('POST', `users/${user}/groups/`, { group: await newGroup() });

    const refused = answers.filter(({ status }) => status === 400).map(({ body }) => body);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400]);
    expect(refused[0]).toEqual({ detail: "User's group count exceeded (32)." });
    expect([freed.status, next.status]).toEqual([204, 201]); // a deleted group does not count
  });

  it.each<[string, string, object, number, object]>([
    ['no group', 'users/{user}/groups/', {}, 400, { group: required }],
    ['no user', 'groups/{group}/users/', {}, 400, { user: required }],
    ['null', 'users/{user}/groups/', { group: null }, 400, { group: isNull }],
    [
      'a group that does not exist',
      'users/{user}/groups/',
      { group: 999 },
      400,
      { group: noPk(999) },
    ],
    ['a user who does not exist', 'groups/{group}/users/', { user: 999 }, 400, { user: noPk(999) }],
    [
      'a user by name',
      'groups/{group}/users/',
      { user: 'ann' },
      400,
      { user: ['Incorrect type. Expected pk value, received str.'] },
    ],
    ['below no user', 'users/999/groups/', { group: 1 }, 404, { detail: 'User was not found.' }],
    ['below no group', 'groups/999/users/', { user: 1 }, 404, { detail: 'Group was not found.' }],
    ['below no id', 'groups/x/users/', { user: 1 }, 404, { detail: 'Group was not found.' }],
  ])('reject %s', async (_, path, body, status, response) => {
    const { id: user } = await newUser();
    const group = await newGroup();
    const place = path.replace('{user}', String(user)).replace('{group}', String(group));

    const refused = await call('POST', place, body);

    expect([refused.status, refused.body]).toEqual([status, response]);
  });

  it('are paged by the id of the other side', async () => {
    const group = await newGroup();
    const users = [await newUser(), await newUser(), await newUser()].map(({ id }) => id);
    for (const user of [...users].reverse()) await call('POST', `groups/${group}/users/`, { user });

    const first = await call('GET', `groups/${group}/users/?page_size=2&fields=user,id`);
    const next = await api.send({ as: world.owner, path: first.body.next });

    const shown = [...first.body.objects, ...next.body.objects];
    expect(shown).toEqual(users.map((id) => ({ user: { id } })));
  });
});

describe('the permissions of members', () => {
  let objects: string;
  beforeAll(async () => {
    await world.dataClass('note', []);
    objects = 'classes/note/objects/';
  });

  async function sharedWith(group: number): Promise<string> {
    const rights = { group, group_permissions: 'write' };
    return `${objects}${expected(await call('POST', objects, rights), 201).id}/`;
  }

  it('begin and end with the membership, at the next request', async () => {
    const { id: user, as } = await newUser();
    const group = await newGroup();
    const path = await sharedWith(group);

    const before = await world.call(as, 'PATCH', path, {});
    await call('POST', `groups/${group}/users/`, { user });
    const member = await world.call(as, 'PATCH', path, {});
    await call('DELETE', `users/${user}/groups/${group}/`);
    const after = await world.call(as, 'PATCH', path, {});

    expect([before.status, member.status, after.status]).toEqual([404, 200, 404]);
  });

  it('end with the group, though objects and users may still name it', async () => {
    const { id: user, as } = await newUser();
    const [group, other] = [await newGroup({ name: 'short-lived' }), await newGroup()];
    const [path, otherPath] = [await sharedWith(group), await sharedWith(other)];
    const rights = { other_permissions: 'none', group, group_permissions: 'create_objects' };
    await world.dataClass('club', [], rights);
    for (const id of [group, other]) await call('POST', `groups/${id}/users/`, { user });
    expect((await world.call(as, 'GET', path)).status).toBe(200);
    expect((await world.call(as, 'POST', 'classes/club/objects/', {})).status).toBe(201);

    const removed = await call('DELETE', `groups/${group}/`);

    const after = await Promise.all([
      world.call(as, 'GET', path),
      world.call(as, 'GET', otherPath),
      world.call(as, 'POST', 'classes/club/objects/', {}),
      world.call(as, 'GET', 'classes/club/'),
      world.call(as, 'POST', objects, { group }),
      call('GET', `groups/${group}/`),
      call('GET', `groups/${group}/users/`),
      call('GET', `users/${user}/groups/${group}/`),
      call('POST', `users/${user}/groups/`, { group }),
    ]);
    expect(removed.status).toBe(204);
    expect(after.map(({ status }) => status)).toEqual([
      404, 200, 403, 404, 400, 404, 404, 404, 400,
    ]);
    const { body } = await call('GET', `users/${user}/`);
    expect(body.groups.map(({ id }: { id: number }) => id)).toEqual([other]);
    expect(await newGroup({ name: 'short-lived' })).toBeGreaterThan(other);
  });

  it('a group deleted while a user joins it grants nothing', async () => {
    const { id: user, as } = await newUser();
    const group = await newGroup();
    const path = await sharedWith(group);

    await Promise.all([
      call('DELETE', `groups/${group}/`),
      call('POST', `groups/${group}/users/`, { user }),
      call('POST', `users/${user}/groups/`, { group }),
    ]);

    expect((await world.call(as, 'GET', path)).status).toBe(404);
    expect((await call('GET', `users/${user}/`)).body.groups).toEqual([]);
  });

  it('many groups deleted at the same time are all gone', async () => {
    const groups = await Promise.all(Array.from({ length: 8 }, () => newGroup()));
    const { id: user, as } = await newUser();
    for (const group of groups) await call('POST', `groups/${group}/users/`, { user });
    const paths = await Promise.all(groups.map(sharedWith));

    const removed = await Promise.all(groups.map((group) => call('DELETE', `groups/${group}/`)));

    const read = await Promise.all(paths.map((path) => world.call(as, 'GET', path)));
    expect(removed.map(({ status }) => status)).toEqual(groups.map(() => 204));
    expect(read.map(({ status }) => status)).toEqual(groups.map(() => 404));
  });
});
