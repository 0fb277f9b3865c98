import { EventEmitter, once } from 'node:events';
import { describe, expect } from 'vitest';
import { makeBackup } from '../../shared/backups/make-backup.ts';
import { removeBackup } from '../../shared/backups/remove-backup.ts';
import { restoreBackup } from '../../shared/backups/restore-backup.ts';
import type { JobContext, JobType } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import type { Store, Transaction } from '../../shared/store/store.ts';
import { deleteIfExists, putItem } from '../../shared/store/writes.ts';
import { backupReaderEntity } from '../../shared/table/entities/accounts.ts';
import { classEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import { instanceNameEntity } from '../../shared/table/entities/instances.ts';
import { archiveFiles, manifestKey } from '../../shared/values/file-keys.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { ownerOfData, restoredData } from '../../shared/values/keys/data-ids.ts';
import { type Api, expected, openWorld, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { hasFile } from '../support/has-file.ts';
import { instanceId } from '../support/stored-records.ts';

/* Backups and restores beside requests, and by processes that die between steps. */

const it = newWorldTest('shop', { wrap: withHold, settings: { maxBackupBytes: 3_000_000 } }).extend(
  'shop',
  async ({ world, store }) => {
    store.hold = undefined;
    await world.dataClass('book', schema);
    return booksOf(world);
  },
);

const schema = [
  { name: 'title', type: 'string', filter_index: true },
  { name: 'text', type: 'text' },
  { name: 'before', type: 'reference', target: 'self' },
  { name: 'scan', type: 'file' },
];
const long = 'x'.repeat(15_000);

describe('a backup beside writers', () => {
  it('is a snapshot: the instance as it was at one moment', async ({ api, shop }) => {
    let isOver = false;
    for (let at = 0; at < 200; at += 1) {
      expected(await shop.post({ title: `${at}`, text: long }), 201);
    }
    const writer = async () => {
      for (let at = 200; !isOver; at += 1) {
        const { id } = expected(await shop.post({ title: `${at}`, text: long }), 201);
        const deletion = { as: shop.owner, method: 'DELETE', path: `${shop.path}${id}/` };
        if (at % 5 === 0) expected(await api.send(deletion), 204);
      }
    };
    const writing = writer();

    const backup = await shop.backUp();
    isOver = true;
    await writing;
    const found = await shop.titles();
    expect(backup).toMatchObject({ status: 'success', size: expect.any(Number) });
    expect(await shop.restore(backup.id)).toMatchObject({ status: 'success' });

    const restored = (await shop.titles()).map(Number);
    expect(restored.length).toBe(backup.details.data_object.count);
    expect(restored.length).toBeLessThan(found.length);
    // without gaps but those that were deleted; the last one may not be deleted yet
    const end = restored.at(-1) ?? 0;
    const numbers = Array.from({ length: end }, (_, at) => at);
    expect(restored.slice(0, -1)).toEqual(numbers.filter((at) => at < 200 || at % 5 !== 0));
    expect((await shop.own('GET', 'classes/book/')).body.objects_count).toBe(restored.length);
  });

  it('keeps files that are deleted while it is made', async ({ api, shop }) => {
    const form = new FormData();
    form.append('title', 'a');
    form.append('scan', new Blob(['the scan']), 'a.txt');
    const { id } = expected(await shop.post(form), 201);
    for (let at = 0; at < 300; at += 1) expected(await shop.post({ title: 'b', text: long }), 201);
    const made = expected(await shop.own('POST', 'backups/full/', {}), 201);

    expected(await api.send({ as: shop.owner, method: 'DELETE', path: `${shop.path}${id}/` }), 204);
    await shop.ended(`backups/full/${made.id}/`);
    await shop.restore(made.id);

    const shown = await api.send({ as: shop.owner, path: `${shop.path}${id}/` });
    if (shown.status === 404) return; // deleted before the snapshot
    const file = await fetch(shown.body.scan.value);
    expect(await file.text()).toBe('the scan');
  });

  it('ends when the backups of the account would be too large', async ({ api, shop }) => {
    const form = new FormData();
    form.append('title', 'a');
    form.append('scan', new Blob(['s'.repeat(3_000_001)]), 'a.txt');
    expected(await shop.post(form), 201);

    const backup = await shop.backUp();

    expect(backup).toMatchObject({
      status: 'error',
      status_info: 'Size of backups exceeded (3000000 bytes).',
      size: null,
    });
    const archive = `backups/${backup.author.id}/${backup.id}/items/0`;
    expect(await hasFile(api.platform.files, archive)).toBe(false);
  });
});

describe('processes that die between steps', () => {
  it('make a whole backup, and restore it', async ({ api, shop }) => {
    for (let at = 0; at < 300; at += 1) {
      expected(await shop.post({ title: `${at}`, text: long + at }), 201);
    }
    const before = await shop.titles();
    const instance = await instanceId(api.platform.store, shop.instance);
    const { id } = await shop.backUp();
    for (let at = 0; at < 50; at += 1) expected(await shop.post({ title: 'later' }), 201);
    const author = (await api.send({ as: shop.owner, path: '/v1.1/account/' })).body.id;
    const task = {
      instance: ownerOfData(instance),
      restore: 77,
      account: author,
      backup: id,
      chunk: 0,
      phase: 'fill',
      counts: {},
    };

    const steps = await runTwice(api, restoreBackup, task);
    await api.platform.idle();

    expect(steps).toBeGreaterThan(5);
    expect(await shop.titles()).toEqual(before);
    expect((await shop.own('GET', 'classes/book/')).body.objects_count).toBe(300);
    const pointer = await instanceNameEntity.read(api.platform.store, shop.instance);
    expect(pointer?.data).toMatchObject({ data: restoredData(instance, 77) });
    // the contents of before are deleted
    expect(await objectEntity.listAll(api.platform.store, [instance, 2])).toEqual([]);
    expect(await classEntity.listAll(api.platform.store, [instance])).toEqual([]);
  });

  it('fill another instance, whose own requests go on; then the first one is deleted', async ({
    api,
    shop,
  }) => {
    for (let at = 0; at < 20; at += 1) {
      const form = new FormData();
      form.append('title', `${at}`);
      form.append('scan', new Blob([`scan ${at}`]), 'a.txt');
      expected(await shop.post(form), 201);
    }
    const before = await shop.titles();
    const { id, author } = await shop.backUp();
    const other = booksOf(await openWorld(api, `other-${shop.instance}`));
    const [instance, origin] = await Promise.all(
      [other, shop].map((of) => instanceId(api.platform.store, of.instance)),
    );
    if (instance === undefined || origin === undefined) throw new Error('an instance is gone');
    const task = {
      restore: 1,
      account: author.id,
      backup: id,
      chunk: 0,
      phase: 'fill',
      counts: {},
    };
    const ids = { instance: ownerOfData(instance), origin: ownerOfData(origin), isOfOwner: false };

    await runTwice(api, restoreBackup, { ...task, ...ids });
    expected(await shop.own('DELETE', ''), 204);
    await api.platform.idle();

    expect(await other.titles()).toEqual(before);
    const [last] = (await api.send({ as: other.owner, path: `${other.path}?order_by=-id` })).body
      .objects;
    expect(await (await fetch(last.scan.value)).text()).toBe('scan 19');
    const next = expected(await other.post({ title: 'next' }), 201);
    expect(next.id).toBeGreaterThan(last.id);
    const { body } = await other.own('GET', 'classes/book/');
    expect(body.objects_count).toBe(21);
  });

  it('delete the archive of a backup when no restore into any instance reads it', async ({
    api,
    shop,
  }) => {
    const { id, author } = await shop.backUp();
    const instance = await instanceId(api.platform.store, shop.instance);
    const task = { account: author.id, backup: id, instance };
    const archive = archiveFiles(author.id, id);
    const manifest = () => api.platform.files.size(archive.owner, manifestKey(archive));
    const reader = backupReaderEntity.key(author.id, id, 99);
    await maintain(api.platform, [putItem(backupReaderEntity, reader, { backup: id })]);

    const waiting = await removeBackup.step(newProcess(api), task);
    const kept = await manifest();
    await maintain(api.platform, [deleteIfExists(reader)]);
    const done = await removeBackup.step(newProcess(api), task);

    expect(waiting).toMatchObject({ afterMs: expect.any(Number) });
    expect([kept, done, await manifest()]).toEqual([expect.any(Number), 'done', undefined]);
  });

  it('begin a backup again, which needs its snapshot', async ({ api, shop }) => {
    for (let at = 0; at < 300; at += 1)
      expected(await shop.post({ title: `${at}`, text: long }), 201);
    const { id, author } = await shop.backUp();
    const instance = await instanceId(api.platform.store, shop.instance);
    const task = { account: author.id, backup: id, instance };
    const dying = newProcess(api);
    const first = await makeBackup.step(dying, task);
    if (first === 'done') throw new Error('a step made all of it');
    expected(await shop.post({ title: 'later' }), 201);

    await makeBackup.step(newProcess(api), first.task); // dies as well
    const last = newProcess(api);
    for (let next = first.task; ; ) {
      const result = await makeBackup.step(last, next);
      if (result === 'done') break;
      next = result.task;
    }

    const { body } = await shop.own('GET', `backups/full/${id}/`);
    expect(body).toMatchObject({ status: 'success', details: { data_object: { count: 301 } } });
    expect(await shop.restore(id)).toMatchObject({ status: 'success' });
    expect(await shop.titles()).toHaveLength(301);
  });
});

describe('a restore beside requests', () => {
  it('waits for writes that have begun, rejects others for that time, and loses none afterwards', async ({
    api,
    store,
    shop,
  }) => {
    expected(await shop.post({ title: 'old' }), 201);
    const backup = await shop.backUp();
    const gate = new EventEmitter();
    const held = once(gate, 'open');
    store.hold = async ({ writes }) => {
      if (JSON.stringify(writes).includes('slow')) await held;
    };
    const slow = shop.post({ title: 'slow' });

    const made = expected(await shop.own('POST', 'restores/', { backup: backup.id }), 201);
    await expect
      .poll(async () => (await shop.post({ title: 'while closed' })).status, { timeout: 30_000 })
      .toBe(503);
    const closed = await shop.post({ title: 'while closed' });
    expect(closed.headers.get('retry-after')).toBe('5');
    expect((await api.send({ as: shop.owner, path: shop.path })).status).toBe(200);
    expect((await shop.own('GET', `restores/${made.id}/`)).body.status).toBe('running');
    gate.emit('open');
    expect((await slow).status).toBe(201); // before the switch: replaced with all else
    expect(await shop.ended(`restores/${made.id}/`)).toMatchObject({ status: 'success' });
    expected(await shop.post({ title: 'new' }), 201);

    expect(await shop.titles()).toEqual(['old', 'new']);
  });

  it('keeps everything that is acknowledged after its end', async ({ shop }) => {
    expected(await shop.post({ title: 'old' }), 201);
    const backup = await shop.backUp();
    const acknowledged: string[] = [];
    let [isOver, isSwitched] = [false, false];
    const statuses = new Set<number>();
    const writer = async (name: number) => {
      for (let at = 0; !isOver; at += 1) {
        const isLater = isSwitched;
        const title = `${name}-${at}`;
        const { status } = await shop.post({ title });
        statuses.add(status);
        if (status === 201 && isLater) acknowledged.push(title);
      }
    };
    const writing = Promise.all([1, 2, 3, 4].map(writer));

    expect(await shop.restore(backup.id)).toMatchObject({ status: 'success' });
    isSwitched = true;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    isOver = true;
    await writing;

    expect(await shop.titles()).toEqual(expect.arrayContaining(['old', ...acknowledged]));
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
  });

  it('of an instance that is deleted meanwhile leaves nothing behind', async ({ api, shop }) => {
    for (let at = 0; at < 100; at += 1) expected(await shop.post({ title: 'a', text: long }), 201);
    const { id, author } = await shop.backUp();
    const instance = await instanceId(api.platform.store, shop.instance);
    const task = {
      instance: ownerOfData(instance),
      restore: 88,
      account: author.id,
      backup: id,
      chunk: 0,
      phase: 'fill',
      counts: {},
    };
    const first = await restoreBackup.step(newProcess(api), task);
    if (first === 'done') throw new Error('a step made all of it');
    const data = restoredData(instance, 88);
    expect(await objectEntity.listAll(api.platform.store, [data, 2])).not.toEqual([]);

    expected(await shop.own('DELETE', ''), 204);
    expect(await restoreBackup.step(newProcess(api), first.task)).toBe('done');
    await api.platform.idle();

    expect(await objectEntity.listAll(api.platform.store, [data, 2])).toEqual([]);
    expect(await classEntity.listAll(api.platform.store, [data])).toEqual([]);
  });
});

interface HeldStore extends Store {
  /** Delays the writes of clients. */
  hold: ((transaction: Transaction) => Promise<void>) | undefined;
}

function withHold(store: Store): HeldStore {
  const held: HeldStore = {
    ...store,
    hold: undefined,
    write: async (transaction) => {
      if (transaction.change.cause === 'client') await held.hold?.(transaction);
      return store.write(transaction);
    },
  };
  return held;
}

/** Adds to an instance the requests of its books and backups. */
function booksOf(world: World) {
  const { api, owner, own, create } = world;
  const path = `${world.base}classes/book/objects/`;

  async function ended(at: string) {
    for (;;) {
      const { body } = await own('GET', at);
      if (!['scheduled', 'running', 'uploading'].includes(body.status)) return body;
      await api.platform.idle();
    }
  }

  /** Returns the titles of all objects, in order. */
  async function titles(): Promise<readonly string[]> {
    const all: string[] = [];
    let next: string | null = `${path}?page_size=500`;
    while (next !== null) {
      const body: { objects: { title: string }[]; next: string | null } = expected(
        await api.send({ as: owner, path: next }),
        200,
      );
      all.push(...body.objects.map(({ title }) => title));
      next = body.next;
    }
    return all;
  }

  return {
    ...world,
    path,
    ended,
    titles,
    post: (body: unknown) => api.send({ as: owner, path, body }),
    backUp: async () => ended(`backups/full/${(await create('backups/full/', {})).id}/`),
    restore: async (backup: number) =>
      ended(`restores/${(await create('restores/', { backup })).id}/`),
  };
}

/** A process of its own with the same data: what another one has in memory is lost. */
function newProcess({ platform }: Api): JobContext {
  const store = { ...platform.store };
  const endedBefore = () => Promise.resolve(true);
  return { ...platform, store, settled: () => Promise.resolve(), endedBefore };
}

/** Runs each step of a job twice, by processes that die after it; the first result of a step is lost. */
async function runTwice(api: Api, type: JobType, first: JsonObject): Promise<number> {
  let task = first;
  for (let steps = 1; ; steps += 1) {
    await type.step(newProcess(api), task);
    const result = await type.step(newProcess(api), task);
    if (result === 'done') return steps;
    task = result.task;
  }
}
