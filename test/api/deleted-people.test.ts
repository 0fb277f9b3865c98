import { describe, expect } from 'vitest';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import type { Store, Transaction } from '../../shared/store/store.ts';
import { createItem, deleteIfExists } from '../../shared/store/writes.ts';
import {
  deletedGroupsEntity,
  deletedUserEntity,
  userEntity,
} from '../../shared/table/entities/users.ts';
import { clearGroup } from '../../shared/users/clear-group.ts';
import { clearUser } from '../../shared/users/clear-user.ts';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { instanceId } from '../support/stored-records.ts';

/* Users and groups whose clean-up has not ended, and others with their ids. */

const it = newWorldTest('people', { wrap: withHook }).extend('people', ({ world }) =>
  peopleOf(world),
);

const beingDeleted = ['A record with this id is being deleted.'];

const stamp = '2026-01-31T12:00:00.000000Z';
const eve = { id: 9, username: 'eve', password: null, is_confirmed: false, profile: 9 };
const note = { created_at: stamp, updated_at: stamp, revision: 1 };

describe('a user with the id of a deleted one', () => {
  it('is not imported until that is cleared', async ({ people }) => {
    const [record] = await people.exported();
    await people.remove(record.id);
    await people.clear(record.id);
    await people.beginDeletion(record.id);

    const early = await people.imported('users', [record]);
    await people.clear(record.id);
    const later = await people.imported('users', [record]);

    expect([early.status, early.body]).toEqual([400, { records: { 0: { id: beingDeleted } } }]);
    expect([later.status, later.body]).toEqual([200, { created: 1, unchanged: 0, first: null }]);
  });

  it('keeps its objects', async ({ api, people, world }) => {
    const [record] = await people.exported();
    await people.remove(record.id);
    await api.platform.idle();

    expected(await people.imported('users', [record]), 200);
    const note = await world.create('classes/note/objects/', { owner: record.id });
    await people.clear(record.id); // as a job that was planned twice
    await api.platform.idle();

    expect((await world.own('GET', `classes/note/objects/${note.id}/`)).status).toBe(200);
  });
});

it.for<[string, object, string]>([
  ['users', eve, '#USERS'],
  ['groups', { id: 9 }, ''],
])(
  '%s are not imported when others with their ids are deleted during the import',
  async (row, { people, store }) => {
    const [kind, record, partition] = row;
    store.beforeWrite = async ({ writes }) => {
      const pk = `INSTANCE#${people.instance}${partition}`;
      if (!writes.some(({ key, action }) => action === 'put' && key.pk === pk)) return;
      store.beforeWrite = undefined;
      if (kind === 'users') await people.beginDeletion(9);
      else await people.hideGroup(9);
    };

    const response = await people.imported(kind, [record]);

    expect([response.status, response.body]).toEqual([
      400,
      { records: { 0: { id: beingDeleted } } },
    ]);
  },
);

it('a group that was imported again is not cleared', async ({ api, people, world }) => {
  const [user] = await people.exported();
  const { id } = await world.create('groups/', { label: 'a' });
  const job = newJob(api.platform, clearGroup, { instance: people.instance, group: id });
  await world.create(`groups/${id}/users/`, { user: user.id });

  await maintain(api.platform, [job]); // as a job that was planned twice
  await api.platform.idle();

  const { objects } = await world.read(`groups/${id}/users/`);
  expect(objects).toHaveLength(1);
});

it('objects with a deleted owner or group are not imported until that is cleared', async ({
  people,
}) => {
  const [user] = await people.exported();
  await people.beginDeletion(user.id);
  await people.hideGroup(7);

  const response = await people.imported('objects', [
    { ...note, id: 1, owner: user.id },
    { ...note, id: 2, group: 7 },
    { ...note, id: 3, owner: user.id + 1, group: 8 },
  ]);

  expect([response.status, response.body]).toEqual([
    400,
    { records: { 0: { owner: beingDeleted }, 1: { group: beingDeleted } } },
  ]);
});

describe('a backup that was made during the clean-up of a user', () => {
  it('is cleared after its restore', async ({ api, people, world }) => {
    const [user] = await people.exported();
    const { id } = await world.create('classes/note/objects/', { owner: user.id });
    const kept = await world.create('classes/note/objects/', {});
    await people.beginDeletion(user.id);
    await people.removeRecord(user.id);
    const backup = await people.backedUp();

    await people.restored(backup);
    await api.platform.idle();

    const { objects } = await world.read('classes/note/objects/');
    expect(objects.map((object: { id: number }) => object.id)).toEqual([kept.id]);
    expect(id).toBeLessThan(kept.id);
    expect(await people.isBeingDeleted(user.id)).toBe(false);
  });

  it('keeps what belongs to a user that it contains', async ({ api, people, world }) => {
    const [user] = await people.exported();
    const { id } = await world.create('classes/note/objects/', { owner: user.id });
    await people.beginDeletion(user.id); // where a store has no snapshots, a backup may have both
    const backup = await people.backedUp();

    await people.restored(backup);
    await api.platform.idle();

    expect((await world.own('GET', `classes/note/objects/${id}/`)).status).toBe(200);
    expect(await people.isBeingDeleted(user.id)).toBe(false);
  });
});

/** A store with something to do before a client writes. */
interface HookedStore extends Store {
  beforeWrite: ((transaction: Transaction) => Promise<void>) | undefined;
}

function withHook(store: Store): HookedStore {
  const hooked: HookedStore = {
    ...store,
    beforeWrite: undefined,
    write: async (transaction) => {
      if (transaction.change.cause === 'client') await hooked.beforeWrite?.(transaction);
      return store.write(transaction);
    },
  };
  Reflect.deleteProperty(hooked, 'writeAll'); // each transaction is one write
  return hooked;
}

/** Creates a user and a class, and returns what tests do with users. */
async function peopleOf(world: World) {
  const { api, create, own, read } = world;
  const { platform } = api;
  const { store } = platform;
  const instance = await instanceId(store, world.instance);
  await create('users/', { username: 'ann', password: 'p' });
  await world.dataClass('note', []);

  const dataOf = () => instanceId(store, world.instance);

  async function ended(path: string) {
    for (;;) {
      const { status } = await read(path);
      if (!['scheduled', 'running', 'uploading'].includes(status)) return;
      await platform.idle();
    }
  }

  return {
    instance,
    exported: async () => (await read('export/?kind=users')).objects,
    imported: (kind: string, records: readonly object[]) =>
      own('POST', 'import/', { kind, records, ...(kind === 'objects' && { class: 'note' }) }),
    remove: async (id: number) => expected(await own('DELETE', `users/${id}/`), 204),
    /** Puts the record of a deletion, without the job that ends it. */
    beginDeletion: async (id: number) => {
      const key = deletedUserEntity.key(instance, id);
      await maintain(platform, [createItem(deletedUserEntity, key, { user: id })]);
    },
    removeRecord: (id: number) =>
      maintain(platform, [deleteIfExists(userEntity.key(instance, id))]),
    isBeingDeleted: async (id: number) =>
      (await deletedUserEntity.read(store, await dataOf(), id)) !== undefined,
    /** Runs the job that clears a deleted user. */
    clear: async (user: number) => {
      await maintain(platform, [newJob(platform, clearUser, { instance, user, isRecorded: true })]);
      await platform.idle();
    },
    hideGroup: async (group: number) => {
      const key = deletedGroupsEntity.key(instance);
      await maintain(platform, [createItem(deletedGroupsEntity, key, { groups: [group] })]);
    },
    backedUp: async () => {
      const { id } = await create('backups/full/', {});
      await ended(`backups/full/${id}/`);
      return id as number;
    },
    restored: async (backup: number) => {
      const { id } = await create('restores/', { backup });
      await ended(`restores/${id}/`);
    },
  };
}
