import { describe, expect } from 'vitest';
import type { SocialProfile } from '../../shared/ports/social-verifier.ts';
import { objectEntity, uniqueEntity } from '../../shared/table/entities/classes.ts';
import {
  deletedGroupsEntity,
  membershipEntity,
  userEntity,
  userSocialEntity,
} from '../../shared/table/entities/users.ts';
import type { Api, World } from '../support/api.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { instanceId, storedClass } from '../support/stored-records.ts';

/*
 * Background effects of deleting a user or a group.
 */

const profiles = new Map<string, SocialProfile>();

const it = worldTest({ social: { github: async (token) => profiles.get(token) } }).extend(
  'given',
  { scope: 'file', auto: true },
  ({ world }) => setUp(world),
);

describe('a user that was deleted', () => {
  it('takes all its objects along, in all classes, and no other user’s', async ({
    api,
    world,
    given: { instance },
  }) => {
    const [user, other] = [await newUser(world, 'leaver'), await newUser(world, 'stayer')];
    for (const name of ['notes', 'tasks', 'untouched']) {
      await world.dataClass(name, [{ name: 's', type: 'string', unique: true }]);
    }
    await many(230, (n) => made(world, 'classes/notes/objects/', { s: `n${n}`, owner: user }));
    await many(3, (n) => made(world, 'classes/tasks/objects/', { s: `t${n}`, owner: user }));
    const kept = await many(5, (n) =>
      made(world, 'classes/notes/objects/', { s: `o${n}`, owner: other }),
    );
    const free = await made(world, 'classes/untouched/objects/', { s: 'free' });

    expected(await world.own('DELETE', `users/${user}/`), 204);
    await api.platform.idle();

    expect(await idsOf(world, 'notes')).toEqual(ascending(kept));
    expect([await idsOf(world, 'tasks'), await idsOf(world, 'untouched')]).toEqual([[], [free]]);
    expect([await countOf(world, 'notes'), await countOf(world, 'tasks')]).toEqual([5, 0]);
    // unique values are free again
    await made(world, 'classes/notes/objects/', { s: 'n7' });
    const unique = (classNumber: number) => uniqueEntity.partition(instance, classNumber);
    const sizes = await Promise.all([2, 3, 4].map((number) => sizeOf(api, unique(number))));
    expect(sizes).toEqual([6, 0, 1]);
    expect((await world.own('GET', 'classes/user_profile/objects/')).body.objects).toHaveLength(1);
  });

  it('is removed from the social services it logged in with', async ({
    api,
    world,
    given: { instance },
  }) => {
    const key = await world.apiKey({ allow_user_create: true });
    const [gone, stays] = await Promise.all(
      ['gone', 'stays'].map(async (id) => {
        profiles.set(id, { id, email: `${id}@example.com`, first_name: '', last_name: '' });
        const response = await world.call(key, 'POST', 'user/auth/github/', { access_token: id });
        return expected(response, 200).id as number;
      }),
    );

    await world.own('DELETE', `users/${gone}/`);
    await api.platform.idle();

    const { items } = await userSocialEntity.list(api.platform.store, [instance], {
      limit: 10,
    });
    expect(items.map(({ data }) => data)).toEqual([{ user: stays }]);
  });

  it('takes its devices along, whose tokens are free again', async ({ api, world }) => {
    const [user, other] = [await newUser(world, 'caller'), await newUser(world, 'callee')];
    const list = (provider: string) => `push_notifications/${provider}/devices/`;
    const add = (provider: string, registration_id: string, owner: number) =>
      world.own('POST', list(provider), { registration_id, user: owner });
    const iPhone = 'ab'.repeat(32);
    await many(60, (n) => add('gcm', `phone-${n}`, user));
    await add('apns', iPhone, user);
    await add('gcm', 'kept', other);

    expected(await world.own('DELETE', `users/${user}/`), 204);
    await api.platform.idle();

    const seen = async (provider: string) =>
      (await world.own('GET', list(provider))).body.objects.map(
        ({ registration_id }: { registration_id: string }) => registration_id,
      );
    expect([await seen('gcm'), await seen('apns')]).toEqual([['kept'], []]);
    expected(await add('gcm', 'phone-7', other), 201);
    const { body } = await world.own('GET', `${list('gcm')}?user=${other}`);
    expect(body.objects).toHaveLength(2);
  });
});

describe('a group that was deleted', () => {
  it('is removed from its members, classes, objects, and the list of deleted groups', async ({
    api,
    world,
    given: { instance },
  }) => {
    const [group, other] = [await newGroup(world, 'leavers'), await newGroup(world, 'stayers')];
    const members = []; // more at once would be throttled
    for (const part of ['a', 'b', 'c']) {
      members.push(...(await many(40, (n) => newUser(world, `member-${part}-${n}`))));
    }
    await Promise.all(
      members.map(async (user) => {
        for (const id of [group, other]) await world.own('POST', `groups/${id}/users/`, { user });
      }),
    );
    await world.dataClass('shared', [{ name: 'n', type: 'integer', order_index: true }], { group });
    await world.dataClass('foreign', [], { group: other });
    const grouped = (id: number) => ({ group: id, group_permissions: 'read', n: 1 });
    const theirs = await many(150, () => made(world, 'classes/shared/objects/', grouped(group)));
    await made(world, 'classes/shared/objects/', grouped(other));
    const before = await world.own('GET', `classes/shared/objects/${theirs[0]}/`);

    expected(await world.own('DELETE', `groups/${group}/`), 204);
    await api.platform.idle();

    const { store } = api.platform;
    const user = await userEntity.read(store, instance, members[7] ?? 0);
    const list = await deletedGroupsEntity.read(store, instance);
    const shared = await storedClass(world, 'shared');
    const place = [instance, shared.item.data.number] as const;
    const { items } = await objectEntity.list(store, place, { limit: 500 });
    const groups = items.map(({ data }) => data.group);
    const first = await world.own('GET', `classes/shared/objects/${theirs[0]}/`);
    expect(user?.data.groups).toEqual([other]);
    expect(list).toBeUndefined();
    expect(await sizeOf(api, membershipEntity.partition(instance, group))).toBe(0);
    expect(await sizeOf(api, membershipEntity.partition(instance, other))).toBe(120);
    expect((await world.own('GET', 'classes/shared/')).body.group).toBeNull();
    expect((await world.own('GET', 'classes/foreign/')).body.group).toBe(other);
    expect(groups.filter((id) => id === null)).toHaveLength(150);
    expect(groups.filter((id) => id === other)).toHaveLength(1);
    // for their readers nothing else has changed, and only one is still shared
    const { links, ...rest } = before.body;
    expect(first.body).toEqual({ ...rest, group: null, links: { self: links.self } });
    const sharedOnes = await objectEntity.list(store, place, { index: 'shared', limit: 500 });
    const ordered = await objectEntity.list(store, place, { index: 'slot0', limit: 500 });
    expect([sharedOnes.items.length, ordered.items.length]).toEqual([1, 151]);
  });

  it('leaves the references to another one that was deleted at the same time', async ({
    api,
    world,
    given: { instance },
  }) => {
    const groups = await many(3, (n) => newGroup(world, `short-lived ${n}`));
    const user = await newUser(world, 'in-many');
    for (const id of groups) await world.own('POST', `users/${user}/groups/`, { group: id });

    await Promise.all(groups.map((id) => world.own('DELETE', `groups/${id}/`)));
    await api.platform.idle();

    const { store } = api.platform;
    const item = await userEntity.read(store, instance, user);
    const list = await deletedGroupsEntity.read(store, instance);
    expect(item?.data.groups).toEqual([]);
    expect(list).toBeUndefined();
  });
});

async function setUp(world: World) {
  const { api } = world;
  const instance = await instanceId(api.platform.store, world.instance);
  return { instance };
}

const made = async (world: World, path: string, body: object) =>
  (await world.create(path, body)).id as number;

const newUser = (world: World, username: string) =>
  made(world, 'users/', { username, password: 'p' });

const newGroup = (world: World, label: string) => made(world, 'groups/', { label });

const many = <Result>(count: number, one: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, n) => one(n)));

const ascending = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

const idsOf = async (world: World, name: string) => {
  const { body } = await world.own('GET', `classes/${name}/objects/`);
  return body.objects.map(({ id }: { id: number }) => id);
};

const countOf = async (world: World, name: string) =>
  (await world.own('GET', `classes/${name}/`)).body.objects_count;

async function sizeOf(api: Api, pk: string): Promise<number> {
  return (await api.platform.store.query({ pk, limit: 1000 })).items.length;
}
