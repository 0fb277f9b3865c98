import { beforeAll, describe, expect, it } from 'vitest';
import { listChanges } from '../../shared/jobs/dead-letters.ts';
import { publicError } from '../../shared/jobs/instance-letters.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { deleteItem } from '../../shared/store/writes.ts';
import { deadLetterEntity, instanceLetterEntity } from '../../shared/table/entities/jobs.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { plantDeadLetter } from '../support/dead-letters.ts';
import { ownedKey } from '../support/has-file.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden, missing, time } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';
import { makeScript, makeTrigger, printedBy, printInputs } from '../support/triggers.ts';
import { useWorld, world } from '../support/world-fixture.ts';

/* Dead letters of an instance: changes that a consumer failed to process. */

useWorld();

let other: World;
let trigger: number;

beforeAll(async () => {
  other = await openWorld(api, 'shop-1');
  await world.dataClass('book', []);
  await makeScript(world, printInputs);
  trigger = await makeTrigger(world, { signal: 'update' });
});

const path = 'dead_letters/';
const call = (method: string, below = '') => world.call(world.owner, method, path + below);
const list = async () => expected(await call('GET'), 200).objects;

async function plant(letter: Parameters<typeof plantDeadLetter>[2] = {}): Promise<number> {
  await plantDeadLetter(api, world.instance, { triggers: [trigger], ...letter });
  const { objects } = expected(await call('GET', '?ordering=desc&page_size=1'), 200);
  return objects[0].id;
}

async function clear(): Promise<void> {
  for (const { id } of await list()) expected(await call('DELETE', `${id}/`), 204);
  await api.platform.idle();
}

describe('dead letters', () => {
  it('show what failed, without internal keys', async () => {
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
    expect(expected(await call('GET'), 200)).toEqual({ next: null, prev: null, objects: [letter] });
    expect(expected(await call('GET', `${id}/`), 200)).toEqual(letter);
    await clear();
  });

  it('are read page by page', async () => {
    const ids = [await plant(), await plant(), await plant()];

    const first = expected(await call('GET', '?page_size=2'), 200);
    const second = expected(await api.send({ as: world.owner, path: first.next }), 200);

    const shown = [...first.objects, ...second.objects].map(({ id }) => id);
    expect([shown, second.next]).toEqual([ids, null]);
    await clear();
  });

  it('belong to one instance', async () => {
    const id = await plant();

    const found = await other.call(other.owner, 'GET', path);
    const foreign = await other.call(other.owner, 'GET', `${path}${id}/`);
    const replayed = await other.call(other.owner, 'POST', `${path}${id}/replay/`);
    const deleted = await other.call(other.owner, 'DELETE', `${path}${id}/`);

    expect(found.body.objects).toEqual([]);
    for (const { status, body } of [foreign, replayed, deleted]) {
      expect({ status, body }).toEqual({ status: 404, body: missing });
    }
    expect(await list()).toHaveLength(1);
    await clear();
  });

  it('are for owners and members with role full', async () => {
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
    await clear();
  });

  it('are deleted with what the operator sees of them', async () => {
    const id = await plant({ args: { text: 'x'.repeat(300_000) } });
    const [letter] = await listChanges(api.platform.store);
    const { owner, key } = ownedKey(`dead-letters/${letter?.id}`);
    const before = await api.platform.files.get(owner, key);

    expected(await call('DELETE', `${id}/`), 204);
    await api.platform.idle();

    expect(before).toBeDefined();
    expect(await api.platform.files.get(owner, key)).toBeUndefined();
    expect(await listChanges(api.platform.store)).toEqual([]);
    expect((await call('GET', `${id}/`)).status).toBe(404);
  });
});

describe('a replay', () => {
  it('processes the change, and deletes the letter', async () => {
    const id = await plant({ object: 7, args: { id: 7 } });

    const { status, body } = await call('POST', `${id}/replay/`);
    await api.platform.idle();

    expect([status, body.status]).toEqual([200, 'replaying']);
    expect(await printedBy(world, trigger)).toMatchObject([[{ id: 7 }, { executor: trigger }]]);
    expect([await list(), await listChanges(api.platform.store)]).toEqual([[], []]);
  });

  it('that fails keeps the letter, with the new error', async () => {
    const id = await plant({ consumer: 'one of old' });

    expected(await call('POST', `${id}/replay/`), 200);
    await api.platform.idle();

    const error = 'there is no consumer one of old any more';
    expect(await list()).toMatchObject([{ id, status: 'failed', error }]);
    expect(await listChanges(api.platform.store)).toHaveLength(1);
    expect((await call('POST', `${id}/replay/`)).body.status).toBe('replaying'); // may be repeated
    await api.platform.idle();
    await clear();
  });

  it('of a letter that the operator has dropped deletes it', async () => {
    const id = await plant();
    const [letter] = (await deadLetterEntity.list(api.platform.store, [], { limit: 10 })).items;
    await maintain(api.platform, letter === undefined ? [] : [deleteItem(letter)]); // as earlier releases do

    expected(await call('POST', `${id}/replay/`), 200);
    await api.platform.idle();

    expect(await list()).toEqual([]);
  });
});

describe('an instance that is deleted', () => {
  it('takes its letters with it', async () => {
    const third = await openWorld(api, 'leaving-1');
    const { store } = api.platform;
    const instance = await instanceId(store, third.instance);
    const shown = () => instanceLetterEntity.list(store, [instance], { limit: 10 });
    await plantDeadLetter(api, third.instance);
    const before = await shown();

    expected(await third.call(third.owner, 'DELETE', ''), 204);
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
