import { describe, expect } from 'vitest';
import { type Api, type Credentials, openWorld, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
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

const it = worldTest()
  .extend('blog', { scope: 'file' }, ({ world }) => setUp(world))
  .extend('lists', { scope: 'file' }, ({ api }) => openLists(api));
const objects = 'classes/note/objects/';

describe('groups', () => {
  it('have an optional name, label and description', async ({ blog }) => {
    const empty = await blog.own('POST', 'groups/', {});
    const full = await blog.own('POST', 'groups/', {
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
    expect((await blog.own('GET', `groups/${id}/`)).body).toEqual(full.body);
  });

  it('PATCH changes the fields that are sent; PUT removes the name', async ({ blog }) => {
    const id = await blog.newGroup({ name: 'patched', label: 'a', description: 'b' });

    const patched = await blog.own('PATCH', `groups/${id}/`, { label: 'c' });
    const put = await blog.own('PUT', `groups/${id}/`, { description: 'd' });
    const other = await blog.own('POST', 'groups/', { name: 'patched' });

    expect(patched.body).toMatchObject({ name: 'patched', label: 'c', description: 'b' });
    expect(put.body).toMatchObject({ name: null, label: 'c', description: 'd' });
    expect(other.status).toBe(201);
  });

  const names = 'Enter a valid value consisting of letters, numbers, underscores, hyphens.';
  it.for<[string, object, object]>([
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
  ])('reject %s', async ([name, body, response], { blog }) => {
    if (name === 'a name that is taken') await blog.newGroup({ name: 'taken' });
    const id = await blog.newGroup();

    const created = await blog.own('POST', 'groups/', body);
    const patched = await blog.own('PATCH', `groups/${id}/`, body);

    expect([created.status, created.body]).toEqual([400, response]);
    expect([patched.status, patched.body]).toEqual([400, response]);
  });

  it('one of two of the same name at the same time is created', async ({ blog }) => {
    const responses = await Promise.all(
      [1, 2, 3].map(() => blog.own('POST', 'groups/', { name: 'raced' })),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });

  it.for<[string, readonly string[]]>([
    ['', ['Abc', 'abd', 'Abe', 'x']],
    ['ordering=desc', ['x', 'Abe', 'abd', 'Abc']],
    ['label__startswith=Ab', ['Abc', 'Abe']],
    ['label__startswith=Ab&page_size=1&direction=1&last_pk=1', ['Abe']],
    ['label__startswith=q', []],
  ])('are listed by ?%s', async ([query, labels], { lists }) => {
    const page = await lists.own('GET', `groups/?${query}`);

    expect(column(page, 'label')).toEqual(labels);
  });
});

describe('memberships', () => {
  it('are one relation from both sides', async ({ blog }) => {
    const { id: user } = await blog.newUser();
    const [left, right] = [
      await blog.newGroup({ label: 'left' }),
      await blog.newGroup({ label: 'right' }),
    ];

    const byUser = await blog.own('POST', `users/${user}/groups/`, { group: right });
    const byGroup = await blog.own('POST', `groups/${left}/users/`, { user: String(user) });

    const base = '/v1.1/instances/blog-1';
    const group = (await blog.own('GET', `groups/${right}/`)).body;
    const whole = (await blog.own('GET', `users/${user}/`)).body;
    const asUser = { group, links: { self: `${base}/users/${user}/groups/${right}/` } };
    const asGroup = { user: whole, links: { self: `${base}/groups/${left}/users/${user}/` } };
    expect([byUser.status, byUser.body]).toEqual([201, asUser]);
    expect([byGroup.status, byGroup.body]).toEqual([201, asGroup]);
    expect(whole.groups.map(({ id }: { id: number }) => id)).toEqual([left, right]);
    expect((await blog.own('GET', `users/${user}/groups/${right}/`)).body).toEqual(asUser);
    expect((await blog.own('GET', `groups/${left}/users/${user}/`)).body).toEqual(asGroup);
    expect((await blog.own('GET', `users/${user}/groups/?ordering=desc`)).body).toEqual({
      next: null,
      prev: null,
      objects: [asUser, expect.objectContaining({ group: expect.objectContaining({ id: left }) })],
    });
    expect((await blog.own('GET', `groups/${right}/users/`)).body.objects).toEqual([
      { user: whole, links: { self: `${base}/groups/${right}/users/${user}/` } },
    ]);
  });

  it.for(['users', 'groups'])('are deleted from the side of %s', async (side, { blog }) => {
    const { id: user } = await blog.newUser();
    const group = await blog.newGroup();
    await blog.own('POST', `groups/${group}/users/`, { user });
    const [there, here] = [`users/${user}/groups/${group}/`, `groups/${group}/users/${user}/`];
    const path = side === 'users' ? there : here;

    const removed = await blog.own('DELETE', path);

    const after = [
      await blog.own('GET', there),
      await blog.own('GET', here),
      await blog.own('DELETE', path),
    ];
    expect(removed.status).toBe(204);
    expect(after.map(({ status, body }) => [status, body])).toEqual([
      [404, missing],
      [404, missing],
      [404, missing],
    ]);
    expect((await blog.own('GET', `users/${user}/`)).body.groups).toEqual([]);
    expect((await blog.own('GET', `groups/${group}/users/`)).body.objects).toEqual([]);
    expect((await blog.own('POST', `users/${user}/groups/`, { group })).status).toBe(201);
  });

  it('added twice at the same time exist once', async ({ blog }) => {
    const { id: user } = await blog.newUser();
    const group = await blog.newGroup();

    const responses = await Promise.all([
      blog.own('POST', `groups/${group}/users/`, { user }),
      blog.own('POST', `users/${user}/groups/`, { group }),
      blog.own('POST', `groups/${group}/users/`, { user }),
    ]);

    const refused = responses.filter(({ status }) => status === 400);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    for (const { body } of refused) {
      expect(body).toEqual({ detail: 'User is already a part of that group.' });
    }
    expect((await blog.own('GET', `groups/${group}/users/`)).body.objects).toHaveLength(1);
  });

  it('are limited to 32 per user, also for concurrent requests', async ({ blog }) => {
    const { id: user } = await blog.newUser();
    const groups = await Promise.all(Array.from({ length: 34 }, () => blog.newGroup()));
    for (const group of groups.slice(0, 30))
      await blog.own('POST', `users/${user}/groups/`, { group });

    const responses = await Promise.all(
      groups.slice(30).map((group) => blog.own('POST', `groups/${group}/users/`, { user })),
    );
    const freed = await blog.own('DELETE', `groups/${groups[0]}/`);
    const next = await blog.own('POST', `users/${user}/groups/`, { group: await blog.newGroup() });

    const refused = responses.filter(({ status }) => status === 400).map(({ body }) => body);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400]);
    expect(refused[0]).toEqual({ detail: "User's group count exceeded (32)." });
    expect([freed.status, next.status]).toEqual([204, 201]); // a deleted group does not count
  });

  it.for<[string, string, object, number, object]>([
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
  ])('reject %s', async ([_, path, body, status, response], { blog }) => {
    const { id: user } = await blog.newUser();
    const group = await blog.newGroup();
    const place = path.replace('{user}', String(user)).replace('{group}', String(group));

    const refused = await blog.own('POST', place, body);

    expect([refused.status, refused.body]).toEqual([status, response]);
  });

  it('are paged by the id of the other side', async ({ api, blog }) => {
    const group = await blog.newGroup();
    const users = [await blog.newUser(), await blog.newUser(), await blog.newUser()].map(
      ({ id }) => id,
    );
    for (const user of [...users].reverse())
      await blog.own('POST', `groups/${group}/users/`, { user });

    const first = await blog.own('GET', `groups/${group}/users/?page_size=2&fields=user,id`);
    const next = await api.send({ as: blog.owner, path: first.body.next });

    const shown = [...first.body.objects, ...next.body.objects];
    expect(shown).toEqual(users.map((id) => ({ user: { id } })));
  });
});

describe('the permissions of members', () => {
  it('begin and end with the membership, at the next request', async ({ blog }) => {
    const { id: user, as } = await blog.newUser();
    const group = await blog.newGroup();
    const path = await blog.sharedWith(group);

    const before = await blog.call(as, 'PATCH', path, {});
    await blog.own('POST', `groups/${group}/users/`, { user });
    const member = await blog.call(as, 'PATCH', path, {});
    await blog.own('DELETE', `users/${user}/groups/${group}/`);
    const after = await blog.call(as, 'PATCH', path, {});

    expect([before.status, member.status, after.status]).toEqual([404, 200, 404]);
  });

  it('end with the group, though objects and users may still name it', async ({ blog }) => {
    const { id: user, as } = await blog.newUser();
    const [group, other] = [await blog.newGroup({ name: 'short-lived' }), await blog.newGroup()];
    const [path, otherPath] = [await blog.sharedWith(group), await blog.sharedWith(other)];
    const rights = { other_permissions: 'none', group, group_permissions: 'create_objects' };
    await blog.dataClass('club', [], rights);
    for (const id of [group, other]) await blog.own('POST', `groups/${id}/users/`, { user });
    expect((await blog.call(as, 'GET', path)).status).toBe(200);
    expect((await blog.call(as, 'POST', 'classes/club/objects/', {})).status).toBe(201);

    const removed = await blog.own('DELETE', `groups/${group}/`);

    const after = await Promise.all([
      blog.call(as, 'GET', path),
      blog.call(as, 'GET', otherPath),
      blog.call(as, 'POST', 'classes/club/objects/', {}),
      blog.call(as, 'GET', 'classes/club/'),
      blog.call(as, 'POST', objects, { group }),
      blog.own('GET', `groups/${group}/`),
      blog.own('GET', `groups/${group}/users/`),
      blog.own('GET', `users/${user}/groups/${group}/`),
      blog.own('POST', `users/${user}/groups/`, { group }),
    ]);
    expect(removed.status).toBe(204);
    expect(after.map(({ status }) => status)).toEqual([
      404, 200, 403, 404, 400, 404, 404, 404, 400,
    ]);
    const { body } = await blog.own('GET', `users/${user}/`);
    expect(body.groups.map(({ id }: { id: number }) => id)).toEqual([other]);
    expect(await blog.newGroup({ name: 'short-lived' })).toBeGreaterThan(other);
  });

  it('a group deleted while a user joins it grants nothing', async ({ blog }) => {
    const { id: user, as } = await blog.newUser();
    const group = await blog.newGroup();
    const path = await blog.sharedWith(group);

    await Promise.all([
      blog.own('DELETE', `groups/${group}/`),
      blog.own('POST', `groups/${group}/users/`, { user }),
      blog.own('POST', `users/${user}/groups/`, { group }),
    ]);

    expect((await blog.call(as, 'GET', path)).status).toBe(404);
    expect((await blog.own('GET', `users/${user}/`)).body.groups).toEqual([]);
  });

  it('many groups deleted at the same time are all gone', async ({ blog }) => {
    const groups = await Promise.all(Array.from({ length: 8 }, () => blog.newGroup()));
    const { id: user, as } = await blog.newUser();
    for (const group of groups) await blog.own('POST', `groups/${group}/users/`, { user });
    const paths = await Promise.all(groups.map(blog.sharedWith));

    const removed = await Promise.all(
      groups.map((group) => blog.own('DELETE', `groups/${group}/`)),
    );

    const read = await Promise.all(paths.map((path) => blog.call(as, 'GET', path)));
    expect(removed.map(({ status }) => status)).toEqual(groups.map(() => 204));
    expect(read.map(({ status }) => status)).toEqual(groups.map(() => 404));
  });
});

/** Adds to an instance what makes its users, groups and objects. */
async function setUp(world: World) {
  const key = await world.apiKey();
  await world.dataClass('note', []);
  let count = 0;
  return {
    ...world,
    newUser: async (): Promise<{ readonly id: number; readonly as: Credentials }> => {
      count += 1;
      const body = { username: `member-${count}`, password: 'p' };
      const { id, user_key } = await world.create('users/', body);
      return { id, as: { key, user: user_key } };
    },
    newGroup: async (body: object = {}): Promise<number> =>
      (await world.create('groups/', body)).id,
    sharedWith: async (group: number) => {
      const { id } = await world.create(objects, { group, group_permissions: 'write' });
      return `${objects}${id}/`;
    },
  };
}

async function openLists(api: Api): Promise<World> {
  const lists = await openWorld(api, 'lists-1');
  for (const label of ['Abc', 'abd', 'Abe', 'x']) await lists.create('groups/', { label });
  return lists;
}
