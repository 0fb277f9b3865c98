import { describe, expect } from 'vitest';
import {
  type ClassPermission,
  classPermissions,
  type ObjectPermission,
  objectPermissions,
} from '../../shared/classes/rules/permissions.ts';
import type { World } from '../support/api.ts';
import { type ApiResponse, type Credentials, expected, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden, missing } from '../support/responses.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const callers: readonly Caller[] = [
  { name: 'owner', free: 'write', mayRead: true },
  { name: 'write', free: 'write', mayRead: true },
  { name: 'read', free: 'read', mayRead: true },
  { name: 'ignoring', free: 'write', mayRead: true },
  { name: 'ignoring for a user', free: 'write', mayRead: true },
  { name: 'bare', mayRead: false },
  { name: 'bare for nobody known', mayRead: false },
  { name: 'reading', mayRead: true },
  { name: 'allowing users and groups', mayRead: false },
  { name: 'owning user', user: 7, groups: [], mayRead: true },
  { name: 'owning user in the group', user: 10, groups: [3], mayRead: true },
  { name: 'user in the group', user: 8, groups: [3, 4], mayRead: true },
  { name: 'user in another group', user: 9, groups: [4], mayRead: true },
  { name: 'reading for a user', user: 8, groups: [3, 4], mayRead: true },
  { name: 'nobody', outside: true, mayRead: false },
  { name: 'stranger', outside: true, mayRead: false },
];
const credentials: Record<string, Credentials> = {};
const denied = [403, forbidden.detail];
const notThere = [404, missing.detail];
const classRank = (permission: ClassPermission) => classPermissions.indexOf(permission);
const rank = (permission: ObjectPermission) => objectPermissions.indexOf(permission);

describe('the permissions of a class', () => {
  const groups = [
    { group: null, right: 'create_objects' as const },
    ...classPermissions.map((right) => ({ group: 3, right })),
  ];
  const places = classPermissions.flatMap((other) =>
    groups.map(({ group, right }) => ({
      other,
      group,
      right,
      name: `c_${other}_${group ?? 'nobody'}_${right}`,
    })),
  );

  it.beforeAll(async ({ world }) => {
    for (const { name, other, group, right } of places) {
      const rights = { other_permissions: other, group, group_permissions: right };
      await world.dataClass(name, [], rights);
    }
  });

  /** Expected results for a permission on a class: 0 none, 1 read, 2 create_objects. */
  function promised({ free, mayRead }: Caller, right: number): object {
    const mayWrite = right > 0 && free !== 'read';
    const write = mayWrite ? notThere : denied;
    const [list, get] = right > 0 && mayRead ? [[200, ''], notThere] : [denied, denied];
    const create = mayWrite && right === 2 ? [201, ''] : denied;
    return { list, get, patch: write, post: write, put: write, delete: write, create };
  }

  function rightOf({ outside, free, groups = [] }: Caller, place: (typeof places)[number]): number {
    if (outside) return 0;
    if (free) return 2;
    const isMember = place.group !== null && groups.includes(place.group);
    return Math.max(classRank(place.other), isMember ? classRank(place.right) : 0);
  }

  it.for(callers.map((caller) => [caller.name, caller] as const))(
    '%s',
    async ([_, caller], { world }) => {
      await Promise.all(
        places.map(async (place) => {
          const { name } = place;
          const list = `classes/${name}/objects/`;
          const responses = {
            list: shown(await call(world, caller.name, 'GET', list)),
            get: shown(await call(world, caller.name, 'GET', `${list}999999/`)),
            patch: shown(await call(world, caller.name, 'PATCH', `${list}999999/`, {})),
            post: shown(await call(world, caller.name, 'POST', `${list}999999/`, {})),
            put: shown(await call(world, caller.name, 'PUT', `${list}999999/`, {})),
            delete: shown(await call(world, caller.name, 'DELETE', `${list}999999/`)),
            create: shown(await call(world, caller.name, 'POST', list, {})),
          };

          expect({ name, ...responses }).toEqual({
            name,
            ...promised(caller, rightOf(caller, place)),
          });
        }),
      );
    },
  );

  it('apply to the next request', async ({ world }) => {
    await world.dataClass('fickle', [], { other_permissions: 'create_objects' });
    const list = 'classes/fickle/objects/';
    const before = await call(world, 'user in another group', 'POST', list, {});
    await call(world, 'owner', 'PATCH', 'classes/fickle/', { other_permissions: 'read' });
    const reader = await call(world, 'user in another group', 'POST', list, {});
    const read = await call(world, 'user in another group', 'GET', list);
    await call(world, 'owner', 'PATCH', 'classes/fickle/', { other_permissions: 'none' });
    const shut = await call(world, 'user in another group', 'GET', list);
    await call(world, 'owner', 'PATCH', 'classes/fickle/', { group: 4, group_permissions: 'read' });
    const member = await call(world, 'user in another group', 'GET', list);

    const statuses = [before, reader, read, shut, member].map(({ status }) => status);
    expect(statuses).toEqual([201, 403, 200, 403, 200]);
  });
});

describe('the permissions of an object', () => {
  const list = 'classes/open/objects/';
  const kinds = objectPermissions.flatMap((owner_permissions, i) =>
    objectPermissions.flatMap((group_permissions, j) =>
      objectPermissions.map((other_permissions, k) => ({
        owner: (i + j + k) % 2 === 0 ? 7 : 10,
        owner_permissions,
        group: 3,
        group_permissions,
        other_permissions,
      })),
    ),
  );
  type Kind = (typeof kinds)[number] & { readonly id: number };
  const objects: Kind[] = [];

  it.beforeAll(async ({ world }) => {
    await world.dataClass('open', [{ name: 'n', type: 'integer' }], { other_permissions: 'read' });
    for (const kind of kinds) {
      const { id } = expected(await call(world, 'owner', 'POST', list, { ...kind, n: 0 }), 201);
      objects.push({ ...kind, id });
    }
  });

  /** Effective permission: 0 none, 1 read, 2 write, 3 full. */
  function effective({ free, user, groups }: Caller, object: Kind): number {
    if (free) return 3;
    return Math.max(
      rank(object.other_permissions),
      user === object.owner ? rank(object.owner_permissions) : 0,
      groups?.includes(object.group) ? rank(object.group_permissions) : 0,
    );
  }

  /** Expected results for a permission where another is required. */
  function promised({ free, mayRead }: Caller, permission: number, needed: number): unknown[] {
    if (needed === 1 ? !mayRead : free === 'read') return denied;
    if (permission >= needed) return [200, ''];
    return permission === 0 ? notThere : denied;
  }

  const insiders = callers.filter(({ outside }) => !outside);
  it.for(insiders.map((caller) => [caller.name, caller] as const))(
    '%s',
    async ([_, caller], { world }) => {
      await Promise.all(
        objects.map(async (object) => {
          const path = `${list}${object.id}/`;
          const responses = [
            await call(world, caller.name, 'GET', path),
            await call(world, caller.name, 'PATCH', path, { n: { _increment: 1 } }),
          ];
          const permission = effective(caller, object);
          const mayDelete = permission === 3 && caller.free !== 'read';
          if (!mayDelete) responses.push(await call(world, caller.name, 'DELETE', path));

          const wanted = [1, 2, 3].map((needed) => promised(caller, permission, needed));
          expect({ object, answers: responses.map(shown) }).toEqual({
            object,
            answers: wanted.slice(0, responses.length),
          });
        }),
      );
    },
  );

  it.for(insiders.filter(({ mayRead }) => mayRead).map((caller) => [caller.name, caller] as const))(
    '%s lists the objects it may read, in full pages',
    async ([_, caller], { api, world }) => {
      const visible = objects.filter((object) => effective(caller, object) > 0);

      const ids: number[] = [];
      let path: string | null = `${world.base}${list}?page_size=20&fields=id`;
      const sizes: number[] = [];
      while (path !== null) {
        const { body } = await api.send({ as: credentials[caller.name], path });
        sizes.push(body.objects.length);
        ids.push(...body.objects.map(({ id }: { id: number }) => id));
        path = body.next;
      }

      expect(ids).toEqual(visible.map(({ id }) => id));
      expect(sizes.slice(0, -1).every((size) => size === 20)).toBe(true);
    },
  );

  it.for<[string, string, object]>([
    ['the owner by full right', 'owning user', { owner: 7, owner_permissions: 'full' }],
    ['a member by full right', 'user in the group', { group: 3, group_permissions: 'full' }],
    ['a bare key by full right of others', 'bare', { other_permissions: 'full' }],
    ['a reading key by full right of others', 'reading', { other_permissions: 'full' }],
    ['an ignore_acl key', 'ignoring', { owner_permissions: 'none' }],
    ['an administrator', 'write', { owner_permissions: 'none' }],
  ])('%s deletes', async ([_, caller, rights], { world }) => {
    const { id } = expected(await call(world, 'owner', 'POST', list, rights), 201);

    const removed = await call(world, caller, 'DELETE', `${list}${id}/`);
    const read = await call(world, 'owner', 'GET', `${list}${id}/`);

    expect([removed.status, read.status]).toEqual([204, 404]);
  });

  const member = 'user in the group';
  const written = { group: 3, group_permissions: 'write' };
  const readable = { ...written, other_permissions: 'read' };
  const writable = { other_permissions: 'write' };
  const all = { owner_permissions: 'full', group_permissions: 'full', other_permissions: 'full' };
  const more = { group_permissions: 'full', other_permissions: 'full' };
  const less = { group_permissions: 'read', other_permissions: 'none' };
  it.for<[string, string, object, string, object, string]>([
    ['a writer gives at most what it has', member, written, 'PATCH', all, 'write write write'],
    ['a writer may give less', member, written, 'PATCH', less, 'full read none'],
    ['what is not sent stays above the cap', member, written, 'PATCH', { n: 5 }, 'full write none'],
    ['defaults of POST are capped as well', member, readable, 'POST', {}, 'write none none'],
    ['defaults of PUT are capped as well', member, readable, 'PUT', {}, 'write none none'],
    [
      'the cap of a bare key is that of others',
      'bare',
      writable,
      'PATCH',
      all,
      'write write write',
    ],
    ['an owner may give all', 'owning user', { owner: 7 }, 'PATCH', more, 'full full full'],
    [
      'an ignore_acl key is not capped',
      'ignoring for a user',
      { owner: 7 },
      'PATCH',
      { other_permissions: 'full' },
      'full none full',
    ],
  ])('%s', async ([_, caller, rights, method, body, after], { world }) => {
    const { id } = expected(await call(world, 'owner', 'POST', list, rights), 201);

    const response = await call(world, caller, method, `${list}${id}/`, body);
    const read = await call(world, 'owner', 'GET', `${list}${id}/`);

    const { owner_permissions, group_permissions, other_permissions } = response.body;
    expect(response.status).toBe(200);
    expect(`${owner_permissions} ${group_permissions} ${other_permissions}`).toBe(after);
    expect(read.body).toEqual(response.body);
  });

  it('a user who revokes their own permission gets one more response, and then a 404', async ({
    world,
  }) => {
    const { id } = expected(await call(world, 'owner', 'POST', list, { owner: 7 }), 201);

    const last = await call(world, 'owning user', 'PATCH', `${list}${id}/`, {
      owner_permissions: 'none',
    });
    const later = await call(world, 'owning user', 'PATCH', `${list}${id}/`, {});

    expect([last.status, last.body.owner_permissions]).toEqual([200, 'none']);
    expect(shown(later)).toEqual(notThere);
  });
});

async function setUp(world: World) {
  const bare = await world.apiKey();
  const ignoring = await world.apiKey({ ignore_acl: true });
  const reading = await world.apiKey({ allow_anonymous_read: true });
  const inGroup = await plantUser(world, 8, [3, 4]);
  Object.assign(credentials, {
    owner: world.owner,
    bare,
    ignoring,
    reading,
    nobody: undefined,
    'allowing users and groups': await world.apiKey({
      allow_user_create: true,
      allow_group_create: true,
    }),
    write: await joinAs(world, 'write'),
    read: await joinAs(world, 'read'),
    stranger: await world.account('stranger@example.com'),
    'owning user': { key: bare, user: await plantUser(world, 7) },
    'owning user in the group': { key: bare, user: await plantUser(world, 10, [3]) },
    'user in the group': { key: bare, user: inGroup },
    'user in another group': { key: bare, user: await plantUser(world, 9, [4]) },
    'ignoring for a user': { key: ignoring, user: inGroup },
    'reading for a user': { key: reading, user: inGroup },
    'bare for nobody known': { key: bare, user: 'ab'.repeat(28) },
  });
}

/** A caller in terms of the rules; the tables below state the documented rules in short form. */
interface Caller {
  readonly name: string;
  /** Bypasses ACL. */
  readonly free?: 'read' | 'write';
  readonly user?: number;
  readonly groups?: readonly number[];
  /** Has no key of this instance. */
  readonly outside?: true;
  readonly mayRead: boolean;
}

const call = (world: World, caller: string, method: string, path: string, body?: unknown) =>
  world.call(credentials[caller], method, path, body);

const shown = ({ status, body }: ApiResponse) => [
  status,
  status < 400 ? '' : (body as { detail?: string }).detail,
];
