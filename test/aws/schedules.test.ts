import { expect } from 'vitest';
import { jobTypes } from '../../functions/jobs.ts';
import { createBackground } from '../../shared/platforms/aws/jobs/background.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';

/** Schedules in the background function, many invocations of which may run at once. */

const clock = openMovedClock('2026-05-01T09:03:00Z');
const it = worldTest({ clock });

it('run once at each time, however many ticks and wake-ups find them due', async ({ world }) => {
  const { platform } = world.api;
  const body = { runtime_name: 'nodejs_v8', source: 'console.log(META.executor)' };
  const script = expected(await world.own('POST', 'snippets/scripts/', body), 201).id;
  const schedule = { script, interval_sec: 30 };
  const made = [1, 2, 3].map(async () => (await world.own('POST', 'schedules/', schedule)).body.id);
  const ids = await Promise.all(made);
  const handle = createBackground({
    services: platform,
    consumers: [],
    kinds: jobTypes,
    wakeUps: () => Promise.resolve(),
    invokeLater: () => Promise.resolve(),
  });
  const context = { getRemainingTimeInMillis: () => 300_000 };

  for (let time = 0; time < 3; time += 1) {
    clock.forward(30);
    await Promise.all([1, 2, 3, 4].map(() => handle({}, context)));
    await platform.idle();
  }

  for (const id of ids) {
    const { objects } = expected(await world.own('GET', `schedules/${id}/traces/`), 200);
    const output = { status: 'success', result: { stdout: String(id), stderr: '' } };
    expect(objects).toMatchObject([output, output, output]);
    expect(expected(await world.own('GET', `schedules/${id}/`), 200).missed).toBe(0);
  }
});
