import { describe, expect } from 'vitest';
import { listChanges } from '../../shared/jobs/dead-letters.ts';
import { publicError } from '../../shared/jobs/instance-letters.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { deleteItem } from '../../shared/store/writes.ts';
import { deadLetterEntity, instanceLetterEntity } from '../../shared/table/entities/jobs.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { plantDeadLetter } from '../support/dead-letters.ts';
import { worldTest } from '../support/fixtures.ts';
import { ownedKey } from '../support/has-file.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden, missing, time } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';
import { makeScript, makeTrigger, printedBy, printInputs } from '../support/triggers.ts';

/* Dead letters of an instance: changes that a consumer failed to process. */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const path = 'dead_letters/';

describe('dead letters', () => {
  it('show what failed, without internal keys', async ({ world, given: { plant } }) => {
    const id = await plant({ object: 5, error: 'no room at /var/lib/data for INSTANCE#1#X' });

    const links = {
      self: `${world.base}${path}${id}/`,
      replay: `${world.base}${path}${id}/replay/`,
    };
    const letter = {
      id,
      consumer: 'triggers',
      status: 'failed',
      error: 'no room at … for …',
      item: 'object',
      action: 'update',
      class: 'book',
      item_id: 5,
      created_at: time,
      links,
    };
    expect(expected(await call(world, 'GET'), 200)).toEqual({
      next: null,
      prev: null,
      objects: [letter],
    });
    expect(expected(await call(world, 'GET', `${id}/`), 200)).toEqual(letter);
    await clear(world);
  });

  it('are read page by page', async ({ api, world, given: { plant } }) => {
    const ids = [await plant(), await plant(), await plant()];

    const first = expected(await call(world, 'GET', '?page_size=2'), 200);
    const second = expected(await api.send({ as: world.owner, path: first.next }), 200);

    const shown = [...first.objects, ...second.objects].map(({ id }) => id);
    expect([shown, second.next]).toEqual([ids, null]);
    await clear(world);
  });

  it('belong to one instance', async ({ world, given: { plant, other } }) => {
    const id = await plant();

    const found = await other.own('GET', path);
    const foreign = await other.own('GET', `${path}${id}/`);
    const replayed = await other.own('POST', `${path}${id}/replay/`);
    const deleted = await other.own('DELETE', `${path}${id}/`);

    expect(found.body.objects).toEqual([]);
    for (const { status, body } of [foreign, replayed, deleted]) {
      expect({ status, body }).toEqual({ status: 404, body: missing });
    }
    expect(await list(world)).toHaveLength(1);
    await clear(world);
  });

  it('are for owners and members with role full', async ({ world, given: { plant } }) => {
    const id = await plant();
    const full = await joinAs(world, 'full');
    const others = [
      await joinAs(world, 'write'),
      await joinAs(world, 'read'),
      await world.apiKey({ ignore_acl: true }),
    ];

    expect((await world.call(full, 'GET', `${path}${id}/`)).status).toBe(200);
    for (const as of others) {
      for (const [method, below] of [
        ['GET', ''],
        ['GET', `${id}/`],
        ['POST', `${id}/replay/`],
        ['DELETE', `${id}/`],
      ] as const) {
        const { status, body } = await world.call(as, method, path + below);
        expect({ status, body }).toEqual({ status: 403, body: forbidden });
      }
    }
    await clear(world);
  });

  it('are deleted with what the operator sees of them', async ({
    api,
    world,
    given: { plant },
  }) => {
    const id = await plant({ args: { text: 'x'.repeat(300_000) } });
    const [letter] = await listChanges(api.platform.store);
    const { owner, key } = ownedKey(`dead-letters/${letter?.id}`);
    const before = await api.platform.files.get(owner, key);

    expected(await call(world, 'DELETE', `${id}/`), 204);
    await api.platform.idle();

    expect(before).toBeDefined();
    expect(await api.platform.files.get(owner, key)).toBeUndefined();
    expect(await listChanges(api.platform.store)).toEqual([]);
    expect((await call(world, 'GET', `${id}/`)).status).toBe(404);
  });
});

describe('a replay', () => {
  it('processes the change, and deletes the letter', async ({
    api,
    world,
    given: { plant, trigger },
  }) => {
    const id = await plant({ object: 7, args: { id: 7 } });

    const { status, body } = await call(world, 'POST', `${id}/replay/`);
    await api.platform.idle();

    expect([status, body.status]).toEqual([200, 'replaying']);
    expect(await printedBy(world, trigger)).toMatchObject([[{ id: 7 }, { executor: trigger }]]);
    expect([await list(world), await listChanges(api.platform.store)]).toEqual([[], []]);
  });

  it('that fails keeps the letter, with the new error', async ({
    api,
    world,
    given: { plant },
  }) => {
    const id = await plant({ consumer: 'one of old' });

    expected(await call(world, 'POST', `${id}/replay/`), 200);
    await api.platform.idle();

    const error = 'there is no consumer one of old any more';
    expect(await list(world)).toMatchObject([{ id, status: 'failed', error }]);
    expect(await listChanges(api.platform.store)).toHaveLength(1);
    expect((await call(world, 'POST', `${id}/replay/`)).body.status).toBe('replaying'); // may be repeated
    await api.platform.idle();
    await clear(world);
  });

  it('of a letter that the operator has dropped deletes it', async ({
    api,
    world,
    given: { plant },
  }) => {
    const id = await plant();
    const [letter] = (await deadLetterEntity.list(api.platform.store, [], { limit: 10 })).items;
    await maintain(api.platform, letter === undefined ? [] : [deleteItem(letter)]); // as earlier releases do

    expected(await call(world, 'POST', `${id}/replay/`), 200);
    await api.platform.idle();

    expect(await list(world)).toEqual([]);
  });
});

describe('an instance that is deleted', () => {
  it('takes its letters with it', async ({ api }) => {
    const third = await openWorld(api, 'leaving-1');
    const { store } = api.platform;
    const instance = await instanceId(store, third.instance);
    const shown = () => instanceLetterEntity.list(store, [instance], { limit: 10 });
    await plantDeadLetter(api, third.instance);
    const before = await shown();

    expected(await third.own('DELETE', ''), 204);
    await api.platform.idle();

    expect([before.items.length, (await shown()).items.length]).toEqual([1, 0]);
  });
});

describe('the error of a letter', () => {
  it.each([
    ['no such row', 'no such row'],
    ["ENOSPC: no space left, open '/var/lib/data.mdb'", "ENOSPC: no space left, open '…'"],
    ['User: arn:aws:sts::123456789012:role/x is not allowed', 'User: … is not allowed'],
    ['too large (INSTANCE#1#CLASS#2)', 'too large (…)'],
    [
      'this and/or that, 1/2, at https://example.com/a/b',
      'this and/or that, 1/2, at https://example.com/a/b',
    ],
    ['x'.repeat(2000), 'x'.repeat(1000)],
  ])('%s', (text, shown) => {
    expect(publicError(text)).toBe(shown);
  });
});

async function setUp(world: World) {
  const { api } = world;
  async function plant(letter: Parameters<typeof plantDeadLetter>[2] = {}): Promise<number> {
    await plantDeadLetter(api, world.instance, { triggers: [trigger], ...letter });
    const { objects } = expected(await call(world, 'GET', '?ordering=desc&page_size=1'), 200);
    return objects[0].id;
  }
  const other = await openWorld(api, 'shop-1');
  await world.dataClass('book', []);
  await makeScript(world, printInputs);
  const trigger = await makeTrigger(world, { signal: 'update' });
  return { plant, other, trigger };
}

const call = (world: World, method: string, below = '') => world.own(method, path + below);

const list = async (world: World) => expected(await call(world, 'GET'), 200).objects;

async function clear(world: World): Promise<void> {
  for (const { id } of await list(world)) expected(await call(world, 'DELETE', `${id}/`), 204);
  await world.api.platform.idle();
}
