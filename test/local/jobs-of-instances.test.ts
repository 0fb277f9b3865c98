import { setTimeout } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { Key, Store } from '../../shared/store/store.ts';
import { contentsOf } from '../../shared/table/data-ids.ts';
import { instanceNameEntity } from '../../shared/table/entities/instances.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { instanceId } from '../support/stored-records.ts';

/* Jobs wait for earlier requests of their own instance, and not for those of other tenants. */

const it = newWorldTest('one', { wrap: withHold })
  .extend('other', ({ api, world }) => openWorld(api, `other-than-${world.instance}`))
  .extend('held', async ({ api, store, world }, { onCleanup }) => {
    const id = await instanceId(api.platform.store, world.instance);
    onCleanup(() => store.release());
    return {
      /** Begins a request that has read its instance, and cannot write. */
      write: (other: World['own'] = world.own) => {
        store.hold('write', (key) => contentsOf(key) === id);
        return begin(other('POST', 'classes/', { name: 'held', schema: [] }));
      },
      /** Begins a request that cannot read the record of its instance. */
      read: () => {
        const { pk, sk } = instanceNameEntity.key(world.instance);
        store.hold('get', (key) => key.pk === pk && key.sk === sk);
        return begin(world.own('GET', 'classes/'));
      },
    };
  });

const longMs = 2000; // much longer than a restore of an empty instance

describe('a request of another tenant that takes long', () => {
  it.for([
    ['by itself', (world: World): World['own'] => world.own],
    ['in a batch', inBatch],
  ] as const)('%s delays no restore', async ([_, ownOf], { held, store, world, other }) => {
    const backup = await backedUp(other);
    const request = held.write(ownOf(world));

    const restore = await restored(other, backup);

    expect([restore.status, request.isOver()]).toEqual(['success', false]);
    store.release();
    expect((await request.response).status).toBeLessThan(300);
  });

  it('delays no deletion of what a user owned', async ({ api, held, store, other }) => {
    const { id } = await other.create('users/', { username: 'ann', password: 'p' });
    await other.dataClass('book', []);
    const book = await other.create('classes/book/objects/', { owner: id });
    const request = held.write();

    expected(await other.own('DELETE', `users/${id}/`), 204);
    await api.platform.idle();

    const { status } = await other.own('GET', `classes/book/objects/${book.id}/`);
    expect([status, request.isOver()]).toEqual([404, false]);
    store.release();
    await request.response;
  });
});

describe('a restore waits for an earlier request', () => {
  it('of its instance', async ({ held, store, world }) => {
    const backup = await backedUp(world);
    const request = held.write();

    const restoring = begin(restored(world, backup));
    await setTimeout(longMs);

    expect(restoring.isOver()).toBe(false);
    store.release();
    expect((await restoring.response).status).toBe('success');
    expect((await request.response).status).toBe(201);
  });

  it('of which no instance is known yet', async ({ held, store, other }) => {
    const backup = await backedUp(other);
    const request = held.read();

    const restoring = begin(restored(other, backup));
    await setTimeout(longMs);

    expect(restoring.isOver()).toBe(false);
    store.release();
    expect((await restoring.response).status).toBe('success');
    expect((await request.response).status).toBe(200);
  });
});

/** A store whose next operation with a key can be held; of writes, those of clients. */
interface HeldStore extends Store {
  hold(action: 'get' | 'write', isHeld: (key: Key) => boolean): void;
  release(): void;
}

function withHold(store: Store): HeldStore {
  let held: { readonly action: string; readonly isHeld: (key: Key) => boolean } | undefined;
  let release: () => void = () => undefined;
  const pass = async (action: string, keys: readonly Key[]): Promise<void> => {
    if (held?.action !== action || !keys.some(held.isHeld)) return;
    held = undefined; // later ones pass
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  };
  return {
    ...store,
    hold: (action, isHeld) => {
      held = { action, isHeld };
    },
    release: () => {
      held = undefined;
      release();
    },
    get: async (keys) => {
      await pass('get', keys);
      return store.get(keys);
    },
    write: async (transaction) => {
      const { change, writes } = transaction;
      const keys = writes.map(({ key }) => key);
      if (change.cause === 'client') await pass('write', keys);
      return store.write(transaction);
    },
  };
}

/** Begins something, of which it is then known whether it is over. */
function begin<Result>(response: Promise<Result>) {
  let isOver = false;
  void response.finally(() => {
    isOver = true;
  });
  return { response, isOver: () => isOver };
}

/** Returns a function that sends a request as the item of a batch. */
function inBatch({ base, own }: World): World['own'] {
  return (method, path, body) =>
    own('POST', 'batch/', { requests: [{ method, path: base + path, body }] });
}

async function backedUp(world: World): Promise<number> {
  const { id } = await world.create('backups/full/', {});
  await ended(world, `backups/full/${id}/`);
  return id;
}

/** Restores a backup, and returns the restore at its end. */
async function restored(world: World, backup: number) {
  const { id } = await world.create('restores/', { backup });
  return ended(world, `restores/${id}/`);
}

async function ended(world: World, path: string): Promise<{ readonly status: string }> {
  for (;;) {
    const { status } = await world.read(path);
    if (!['scheduled', 'running', 'uploading'].includes(status)) return { status };
    await setTimeout(20);
  }
}
