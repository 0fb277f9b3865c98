import { describe, expect, vi } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { moveFiles } from '../../shared/objects/files/move-files.ts';
import type { Store, Transaction } from '../../shared/store/store.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { classEntity, fileEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import type { ClassData } from '../../shared/table/records/records.ts';
import {
  dataOwner,
  newFileKey,
  objectFiles,
  privateFiles,
  readFileKey,
} from '../../shared/values/file-keys.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { downloadStatus, keyAt } from '../support/file-attack.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { hasFile } from '../support/has-file.ts';
import { isOn } from '../support/medium.ts';
import { instanceId } from '../support/stored-records.ts';

/* The move of files after a field has become private: whatever happens meanwhile, no byte is lost or left public. */

const it = newWorldTest('box').extend('given', ({ world }) => setUp(world));

const title = { name: 'title', type: 'string' };
const open = [{ name: 'f', type: 'file' }, title];
const closed = [{ name: 'f', type: 'file', private: true }, title];

describe.skipIf(isOn('roles'))('a move', () => {
  it.for<[string, Act]>([
    ['is not written', () => Promise.reject(new Error('the write failed'))],
    [
      'is written and the response is lost',
      async (write) => {
        await write();
        throw new Error('the response is lost');
      },
    ],
  ])('that %s is repeated', async ([_, fault], { world, given: { url, read } }) => {
    const errors = await move(world, fault);

    const moved = (await read()).f.value;
    expect([errors, keyIn(moved)]).toEqual([['Error'], expect.any(String)]);
    expect([await downloadStatus(moved), await downloadStatus(url)]).toEqual([200, 404]);
    expect(await recordsOf(world)).toEqual([{ sk: keyIn(moved), bytes: 7 }]);
  });

  it('keeps what a client writes meanwhile', async ({ world, given: { patch, read } }) => {
    const errors = await move(world, async (write) => {
      expected(await patch({ title: 'newer' }), 200);
      await write();
    });

    const { title, f } = await read();
    expect([errors, title]).toEqual([['ConditionFailed'], 'newer']);
    expect([keyIn(f.value) !== undefined, await downloadStatus(f.value)]).toEqual([true, 200]);
  });

  it('does not outlive a switch back', async ({ world, given: { url, change, read } }) => {
    const errors = await move(world, async (write) => {
      await change(open);
      await write();
    });

    expect([errors, (await read()).f.value]).toEqual([['ConditionFailed'], url]);
    expect(await downloadStatus(url)).toBe(200);
  });

  it('leaves a deleted object deleted, with its files', async ({
    api,
    world,
    given: { self, url },
  }) => {
    const errors = await move(world, async (write) => {
      expected(await api.send({ as: world.owner, method: 'DELETE', path: self }), 204);
      await write();
    });

    expect([errors, await downloadStatus(url)]).toEqual([['ConditionFailed'], 404]);
  });

  it('of a lost file leaves its address as it is', async ({ api, world, given: { url, read } }) => {
    const { files, store } = api.platform;
    const owner = dataOwner(await instanceId(store, world.instance));
    await files.remove(owner, [keyAt(url)]);

    const errors = await move(world, (write) => write());

    expect([errors, (await read()).f.value]).toEqual([[], url]);
  });
});

describe.skipIf(isOn('roles'))('a backup', () => {
  async function ended({ api, read }: World, path: string) {
    return vi.waitFor(
      async () => {
        await api.platform.idle();
        const body = await read(path);
        expect(body.status).toBe('success');
        return body;
      },
      { timeout: 20_000, interval: 100 },
    );
  }

  it('has private files, which stay private and keep their rights', async ({
    api,
    world,
    given: { path, change, read },
  }) => {
    await change(closed);
    await settled(world, read, true);
    const left = await plant(world, objectFiles);
    const backup = await world.create('backups/full/');
    await ended(world, `backups/full/${backup.id}/`);
    const restored = await world.create('restores/', { backup: backup.id });
    await ended(world, `restores/${restored.id}/`);

    const url = await settled(world, read, true); // the job of the restore has moved it
    expect(await downloadStatus(url)).toBe(200);
    expect(await hasFile(api.platform.files, left)).toBe(false);
    const copy = expected(await api.send({ as: world.owner, path, body: { f: url } }), 201);
    expect(await downloadStatus(copy.f.value)).toBe(200);
  });

  it('with a file that became private after its class was read gives it an address again', async ({
    world,
    given: { read },
  }) => {
    const left = await plant(world, privateFiles);
    expect((await read()).f.value).toBe(left); // the record of the class knows of no private files
    const backup = await world.create('backups/full/');
    await ended(world, `backups/full/${backup.id}/`);
    const restored = await world.create('restores/', { backup: backup.id });
    await ended(world, `restores/${restored.id}/`);

    expect(await downloadStatus(await settled(world, read, false))).toBe(200);
  });

  /** Puts the file of the only object of a class where the schema does not want it, as another schema did. */
  async function plant(world: World, folderOf: typeof objectFiles): Promise<string> {
    const { platform } = world.api;
    const { store, files, ids } = platform;
    const instance = await instanceId(store, world.instance);
    const owner = dataOwner(instance);
    const number = (await classEntity.read(store, instance, 'box'))?.data.number ?? 0;
    const [item] = await objectEntity.listAll(store, [instance, number]);
    const [storage = '', value] = Object.entries(item?.data.values ?? {})[0] ?? [];
    const from = readFileKey(String(value));
    if (item === undefined || from === undefined) throw new Error('there is no file');
    const key = newFileKey(folderOf(instance, number), ids, from);
    await files.copy({ owner, key: from }, { owner, key });
    await maintain(platform, [
      updateItem(item, { ...item.data, values: { ...item.data.values, [storage]: key } }),
    ]);
    return key;
  }
});

it('a deleted instance leaves no private file', async ({ api }) => {
  const other = await openWorld(api, 'gone-1');
  const path = `${await other.dataClass('box', closed)}objects/`;
  const body = new FormData();
  body.append('f', new Blob(['content']), 'a.txt');
  const made = expected(await api.send({ as: other.owner, method: 'POST', path, body }), 201);
  const key = keyIn(made.f.value) ?? '';
  expect(await hasFile(api.platform.files, key)).toBe(true);
  expected(await api.send({ as: other.owner, method: 'DELETE', path: other.base }), 204);
  await api.platform.idle();
  expect(await hasFile(api.platform.files, key)).toBe(false);
});

type Act = (write: () => Promise<void>) => Promise<void>;

/** Replaces the next write that moves the files of an object. */
function sabotaged(store: Store, act: Act): Store {
  let next: Act | undefined = act;
  const isMove = ({ writes }: Transaction) =>
    writes.some((write) => write.action === 'put' && write.kind === objectEntity.kind);
  return {
    ...store,
    write: (transaction) => {
      const write = () => store.write(transaction);
      const now = isMove(transaction) ? next : undefined;
      if (now === undefined) return write();
      next = undefined;
      return now(write);
    },
  };
}

/** Makes the field of a class private without the job, and runs the job by hand, again after each error. */
async function move({ api: { platform }, instance: name }: World, act: Act) {
  const { store } = platform;
  const instance = await instanceId(store, name);
  const found = await classEntity.read(store, instance, 'box');
  if (found === undefined) throw new Error('there is no class');
  const { schema, revision, number: classNumber } = found.data;
  const closing = schema.map((field) =>
    field.type === 'file' ? { ...field, private: true as const } : field,
  );
  const data: ClassData = { ...found.data, schema: closing, revision: revision + 1 };
  await maintain(platform, [updateItem(found, { ...data, hasPrivateFiles: true })]);
  const context = {
    ...platform,
    store: sabotaged(store, act),
    settled: () => Promise.resolve(),
    endedBefore: () => Promise.resolve(true),
  };
  const errors: string[] = [];
  for (let task: JsonObject = { instance, className: 'box', classNumber }; ; ) {
    try {
      const result = await moveFiles.step(context, task);
      if (result === 'done') break;
      task = result.task;
    } catch (error) {
      errors.push(error instanceof Error ? error.name : '');
    }
  }
  await platform.idle();
  return errors;
}

const keyIn = (url: string) => /private\/[^?]*/.exec(url)?.[0];

/** Creates an object with a file. */
async function setUp(world: World) {
  const { api } = world;
  const path = `${await world.dataClass('box', open)}objects/`;
  const body = new FormData();
  body.append('f', new Blob(['content']), 'a.txt');
  const made = expected(await api.send({ as: world.owner, method: 'POST', path, body }), 201);
  const self: string = made.links.self;
  const change = async (schema: readonly object[]) =>
    expected(await world.own('PATCH', 'classes/box/', { schema }), 200);
  const read = async () => expected(await api.send({ as: world.owner, path: self }), 200);
  const patch = (body: object) => api.send({ as: world.owner, method: 'PATCH', path: self, body });
  return { path, self, patch, url: made.f.value as string, change, read };
}

/** Waits until the file of an object is private, or public. */
async function settled(
  { api }: World,
  read: () => Promise<{ f: { value: string } }>,
  isPrivate: boolean,
) {
  return vi.waitFor(
    async () => {
      await api.platform.idle();
      const { f } = await read();
      expect(keyIn(f.value) !== undefined).toBe(isPrivate);
      return f.value;
    },
    { timeout: 10_000, interval: 100 },
  );
}

/** Returns the records by which the files of the class are counted. */
async function recordsOf(world: World) {
  const { store } = world.api.platform;
  const instance = await instanceId(store, world.instance);
  const number = (await classEntity.read(store, instance, 'box'))?.data.number ?? 0;
  const records = await fileEntity.listAll(store, [instance, number]);
  return records.map(({ key, data }) => ({ sk: key.sk, bytes: data.bytes }));
}
