import { describe, expect } from 'vitest';
import { expected, openWorld } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { makeScript, makeTrigger } from '../support/triggers.ts';

/* The limits that hold for an instance, and what it has used of them. */

const it = apiTest({
  settings: { maxClasses: 7, maxObjectBytes: 50_000, maxTraceBytes: 100_000, instanceRate: 900 },
});

describe('the limits of an instance', () => {
  it('are those of the settings and the fixed ones, with what is used', async ({ api }) => {
    const world = await openWorld(api, 'blog-1');
    const read = () => world.read('limits/');
    const before = await read();
    await world.dataClass('book', [{ name: 'title', type: 'string' }]);
    const body = { title: 'x'.repeat(100) };
    await world.create('classes/book/objects/', body);
    const script = await makeScript(world, 'console.log(1)');
    await makeTrigger(world, { signal: 'delete', script });
    const schedule = { script, interval_sec: 3600 };
    await world.create('schedules/', schedule);

    const after = await read();

    expect(before).toEqual({
      classes: { limit: 7, used: 1 },
      object_bytes: { limit: 50_000, used: 0 },
      file_bytes: { limit: null, used: 0 },
      trace_bytes: { limit: 100_000, used: 0 },
      schedules: { limit: 100, used: 0 },
      triggers: { limit: 100, used: 0 },
      trigger_runs_per_minute: { limit: 3600, used: null },
      concurrent_runs: { limit: 8, used: null },
      requests_per_second: { limit: 900, used: null },
    });
    expect(after).toMatchObject({
      classes: { used: 2 },
      object_bytes: { used: expect.any(Number) },
      schedules: { used: 1 },
      triggers: { used: 1 },
    });
    // the emulated stream has no changes of objects
    if (!isOn('roles')) expect(after.object_bytes.used).toBeGreaterThan(100);
  });

  // on AWS the function that has counted them stores them later
  it.skipIf(isOn('roles'))('count the bytes of traces', async ({ api }) => {
    const world = await openWorld(api, 'shop-1');
    await makeScript(world, "console.log('x'.repeat(1000))");
    expected(await world.own('POST', 'snippets/scripts/1/run/'), 200);
    await api.platform.idle();

    const { trace_bytes } = await world.read('limits/');

    expect(trace_bytes.used).toBeGreaterThan(1000);
  });
});
