import { expect, it } from 'vitest';
import { expected, openWorld } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { deleteTextsAsFiles, downloadStatus, storeFile } from '../support/file-attack.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

it('a trigger that moves to another class deletes no files of others', async () => {
  const victim = await openWorld(api, 'victim-1');
  const { url } = await storeFile(victim);
  const backup = expected(await victim.call(victim.owner, 'POST', 'backups/full/', {}), 201);
  await api.platform.idle();
  const before = await downloadStatus(url);

  await deleteTextsAsFiles(world, ['public', 'backups', url.replace(/^.*\/files\//, 'public/')]);

  const after = await downloadStatus(url);
  const restore = { backup: backup.id };
  const begun = expected(await victim.call(victim.owner, 'POST', 'restores/', restore), 201);
  await api.platform.idle();
  const ended = await victim.call(victim.owner, 'GET', `restores/${begun.id}/`);
  expect([before, after]).toEqual([200, 200]);
  expect(expected(ended, 200)).toMatchObject({ status: 'success' });
});
