import { describe, expect } from 'vitest';
import { expected, openWorld, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { makeScript, makeTrigger } from '../support/triggers.ts';

/*
 * A trigger that moves to another class writes both classes in one transaction, so that both have the same version. What
 * a process caches of the first class must not be used for the second one.
 */

const it = newWorldTest('moved');

describe('after a trigger has moved from one class to another', () => {
  it('objects of the second class take values of its own fields', async ({ world }) => {
    await moveBetween(world, [{ name: 'f', type: 'integer' }], [{ name: 'f', type: 'text' }]);
    await list(world, 'a');

    const created = await world.own('POST', 'classes/b/objects/', { f: 'a text' });

    expect({ status: created.status, f: created.body.f }).toEqual({ status: 201, f: 'a text' });
    expect(await list(world, 'b')).toEqual([expect.objectContaining({ f: 'a text' })]);
  });

  it.skipIf(isOn('late'))(
    'a filter means the fields of the class that is listed',
    async ({ world }) => {
      const indexed = { name: 'f', filter_index: true };
      await moveBetween(
        world,
        [{ ...indexed, type: 'string' }],
        [{ ...indexed, type: 'integer' }],
        [7],
      );
      const query = `?query=${encodeURIComponent('{"f":{"_eq":"7"}}')}`;
      await list(world, 'a', query);

      const objects = await list(world, 'b', query);

      expect(objects).toEqual([expect.objectContaining({ f: 7 })]);
    },
  );

  it('objects with the names of folders as text delete no files', async ({ api, world }) => {
    const victim = await openWorld(api, `victim-of-${world.instance}`);
    await victim.dataClass('paper', [{ name: 'scan', type: 'file' }]);
    const form = new FormData();
    form.append('scan', new Blob(['of the victim']), 'a.txt');
    const send = (method: string, path: string, body?: unknown) => victim.own(method, path, body);
    const { scan } = expected(await send('POST', 'classes/paper/objects/', form), 201);
    const backup = expected(await send('POST', 'backups/full/', {}), 201).id;
    await api.platform.idle();
    const folders = ['public', 'backups'];
    await moveBetween(world, [{ name: 'f', type: 'file' }], [{ name: 'f', type: 'text' }], folders);
    await list(world, 'a');

    for (const [at] of folders.entries()) await world.own('DELETE', `classes/b/objects/${at + 1}/`);
    await api.platform.idle();

    expect((await fetch(scan.value)).status).toBe(200);
    expected(await send('POST', 'restores/', { backup }), 201);
    await api.platform.idle();
    const [restore] = expected(await send('GET', 'restores/'), 200).objects;
    expect(restore).toMatchObject({ status: 'success', status_info: '' });
  });
});

const list = async ({ read }: World, name: string, query = '') =>
  (await read(`classes/${name}/objects/${query}`)).objects;

/** Creates the classes `a` and `b`, and objects of `b` with these values; then moves a trigger from `a` to `b`. */
async function moveBetween(
  world: World,
  a: readonly object[],
  b: readonly object[],
  values: readonly unknown[] = [],
): Promise<void> {
  await makeScript(world, '1');
  await world.dataClass('a', a);
  await world.dataClass('b', b);
  for (const f of values) await world.create('classes/b/objects/', { f });
  const trigger = await makeTrigger(world, { signal: 'create', class: 'a' });
  expected(await world.own('PATCH', `triggers/${trigger}/`, { class: 'b' }), 200);
}
