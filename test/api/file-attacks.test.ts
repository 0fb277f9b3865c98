import { describe, expect } from 'vitest';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { removeFiles } from '../../shared/objects/files/remove-files.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { type Api, expected, openWorld } from '../support/api.ts';
import { deleteTextsAsFiles, downloadStatus, keyAt, storeFile } from '../support/file-attack.ts';
import { worldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { instanceId } from '../support/stored-records.ts';

const it = worldTest().extend('files', { scope: 'file' }, async ({ api, world }) => {
  const victim = await openWorld(api, 'victim-2');
  return { own: await storeFile(world), other: await storeFile(victim) };
});

it('a trigger that moves to another class deletes no files of others', async ({ api, world }) => {
  const victim = await openWorld(api, 'victim-1');
  const { url } = await storeFile(victim);
  const backup = expected(await victim.own('POST', 'backups/full/', {}), 201);
  await api.platform.idle();
  const before = await downloadStatus(url);

  await deleteTextsAsFiles(world, ['public', 'backups', keyAt(url)]);

  const after = await downloadStatus(url);
  const restore = { backup: backup.id };
  const begun = expected(await victim.own('POST', 'restores/', restore), 201);
  await api.platform.idle();
  const ended = await victim.own('GET', `restores/${begun.id}/`);
  expect([before, after]).toEqual([200, 200]);
  expect(expected(ended, 200)).toMatchObject({ status: 'success' });
});

// jobs are put into the table past the functions of a deployment
describe.skipIf(isOn('roles'))('a job that deletes files', () => {
  const failed = [['a step of a job failed', 'remove-files']];
  const texts: readonly (readonly [string, (of: { own: string; other: string }) => unknown])[] = [
    ['an area', () => 'public'],
    ['the area of backups', () => 'backups'],
    ['a file of another instance', ({ other }) => other],
    ['a way up', () => '../x'],
    ['an empty text', () => ''],
    ['the folder of its instance', ({ own }) => own.split('/').slice(0, 2).join('/')],
    ['the folder of its class', ({ own }) => own.split('/').slice(0, 3).join('/')],
    ['the same with a slash', ({ own }) => `${own.split('/').slice(0, 3).join('/')}/`],
    ['a manifest', () => 'backups/1/1/manifest'],
    ['a number', () => 7],
    ['null', () => null],
  ];

  it.for(texts)(
    'fails and deletes nothing for %s beside its own file',
    async ([_, textOf], { api, world, files: { own, other } }) => {
      const keys = { own: keyAt(own.url), other: keyAt(other.url) };
      const instance = await instanceId(api.platform.store, world.instance);
      const text = textOf(keys) as string;

      const errors = await run(api, { instance, keys: [keys.own, text] });
      const old = await run(api, { keys: [keys.own, text] });
      const alone = await run(api, { keys: [text] });

      expect([errors, old, alone]).toEqual([failed, failed, failed]);
      expect([await downloadStatus(own.url), await downloadStatus(other.url)]).toEqual([200, 200]);
    },
  );

  it.for<[string, JsonObject]>([
    ['without keys', { instance: 1 }],
    ['with a text for its keys', { instance: 1, keys: 'public' }],
    ['with a text for its instance', { instance: '1', keys: [] }],
  ])('fails %s', async ([_, task], { api }) => {
    expect(await run(api, task)).toEqual(failed);
  });

  it('of an earlier release deletes no file that an object has', async ({
    api,
    files: { own },
  }) => {
    expect(await run(api, { keys: [keyAt(own.url)] })).toEqual(failed);
    expect(await downloadStatus(own.url)).toBe(200);
  });

  it('of an earlier release deletes a file that no object has', async ({ api, world }) => {
    const { store, files: port } = api.platform;
    const { url, self } = await storeFile(world, 'lost');
    const instance = await instanceId(store, world.instance);
    const key = keyAt(url);
    const content = await port.get({ kind: 'data', id: instance }, key);
    expected(await api.send({ as: world.owner, method: 'DELETE', path: self }), 204);
    await api.platform.idle();
    if (content !== undefined) await port.put({ kind: 'data', id: instance }, key, content);
    const before = await downloadStatus(url);

    expect(await run(api, { keys: [key] })).toEqual([]);
    expect([before, await downloadStatus(url)]).toEqual([200, 404]);
  });
});

it.skipIf(isOn('roles'))(
  'an object with a text for a file can be deleted, which is logged',
  async ({ api, world }) => {
    const victim = await openWorld(api, 'victim-3');
    const other = await storeFile(victim);
    const { store } = api.platform;
    const instance = await instanceId(store, world.instance);
    const { self } = await storeFile(world, 'wrong');
    const classNumber = Number(
      expected(await api.send({ as: world.owner, path: self }), 200)
        .f.value.split('/')
        .at(-2),
    );
    const [item] = await objectEntity.listAll(store, [instance, classNumber]);
    if (item === undefined) throw new Error('there is no object');
    const values = { ...item.data.values, '1_f': keyAt(other.url) };
    await maintain(api.platform, [updateItem(item, { ...item.data, values })]);
    const before = api.logged.length;

    expected(await api.send({ as: world.owner, method: 'DELETE', path: self }), 204);
    await api.platform.idle();

    expect(await downloadStatus(other.url)).toBe(200);
    expect(api.logged.slice(before)).toContainEqual({
      level: 'error',
      message: 'a file field has a value that is not the key of a file',
      instance,
      class: classNumber,
      field: '1_f',
    });
  },
);

/** Runs a job with this task; returns its errors. */
async function run(api: Api, task: JsonObject): Promise<readonly unknown[]> {
  const job = newJob(api.platform, removeFiles, task);
  const before = api.logged.length;
  await maintain(api.platform, [job]);
  await api.platform.idle();
  // without repeated steps of earlier jobs
  const errors = api.logged
    .slice(before)
    .filter(({ level, failures = 1 }) => level === 'error' && failures === 1);
  return errors.map(({ message, kind }) => [message, kind]);
}
