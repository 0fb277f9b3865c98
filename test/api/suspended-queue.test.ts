import { expect } from 'vitest';
import { changeSuspension } from '../../shared/instances/suspension.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

/* Runs that wait for one of the eight slots of their instance when it is suspended. */

it('runs that wait for a slot do not start any more', async ({ world }) => {
  const { platform } = world.api;
  const source = 'setTimeout(() => console.log(1), 2500)';
  const script = await world.create('snippets/scripts/', { runtime_name: 'nodejs', source });
  const run = () => world.own('POST', `snippets/scripts/${script.id}/run/`, {});
  for (const response of await Promise.all(Array.from({ length: 14 }, run)))
    expected(response, 200);
  const change = (action: 'suspend' | 'resume') =>
    changeSuspension(platform, { action, instance: world.instance });
  await expect
    .poll(async () => (await statuses()).filter((status) => status === 'processing').length)
    .toBe(14); // eight of them execute
  await change('suspend');
  await platform.idle();

  const all = await statuses();
  expect(all.filter((status) => status === 'success').length).toBeLessThanOrEqual(8);
  expect(all.filter((status) => status === 'blocked').length).toBeGreaterThanOrEqual(6);
  await change('resume');

  async function statuses(): Promise<readonly string[]> {
    const path = `snippets/scripts/${script.id}/traces/`;
    const { objects } = await world.read(path);
    return objects.map(({ status }: { status: string }) => status);
  }
});
