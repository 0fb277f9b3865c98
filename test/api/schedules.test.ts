import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { type Credentials, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import {
  column,
  isNull,
  missing,
  noChoice,
  noInteger,
  noPk,
  noText,
  rejections,
  required,
  time,
  tooLong,
} from '../support/responses.ts';

/** The records of schedules; their runs are in schedule-runs.test.ts. */

const clock = openMovedClock('2026-05-01T09:03:00Z');

const it = worldTest({ clock });

const both = { non_field_errors: ["You can't specify both crontab and interval_sec."] };
const neither = { non_field_errors: ['Either crontab or interval_sec has to be specified.'] };

describe('a schedule', () => {
  it('is created with a crontab, and has the next time in its zone', async ({ world }) => {
    const script = await makeScript(world);
    const sent = { label: 'hourly', script, crontab: ' 5 * * * *', timezone: 'Asia/Kathmandu' };

    const { status, body } = await call(world, 'POST', '', sent);

    const self = `${world.base}schedules/${body.id}/`;
    const made = {
      id: expect.any(Number),
      label: 'hourly',
      description: '',
      created_at: time,
      interval_sec: null,
      crontab: '5 * * * *',
      scheduled_next: '2026-05-01T09:20:00.000000Z',
      timezone: 'Asia/Kathmandu',
      script,
      links: {
        self,
        traces: `${self}traces/`,
        script: `${world.base}snippets/scripts/${script}/`,
      },
    };
    expect([status, body]).toEqual([201, made]);
    expect((await call(world, 'GET', `${body.id}/`)).body).toEqual({ ...made, missed: 0 });
    expect((await call(world, 'GET', '')).body.objects.at(-1)).toEqual(made);
  });

  it('is created with an interval, and has the next time after one', async ({ world }) => {
    const made = await make(world, { interval_sec: '90', crontab: '', payload: '{}' });

    expect([made.interval_sec, made.crontab, made.timezone]).toEqual([90, null, 'UTC']);
    expect(made.scheduled_next).toMatch(/^2026-05-01T09:04:30\.\d{6}Z$/);
  });

  it('is created by a form, with empty fields', async ({ world }) => {
    const script = String(await makeScript(world));
    const form = new URLSearchParams({ script, interval_sec: '', crontab: '0 0 * * *', label: '' });

    const made = expected(await call(world, 'POST', '', form), 201);

    expect([made.interval_sec, made.crontab, made.label]).toEqual([null, '0 0 * * *', '']);
  });

  it('is changed in part by PATCH; PUT resets the time zone only', async ({ world }) => {
    const made = await make(world, { label: 'a', crontab: '0 9 * * *', timezone: 'Europe/Warsaw' });
    const { script } = made;

    const patched = await call(world, 'PATCH', `${made.id}/`, { description: 'd' });
    const replaced = await call(world, 'PUT', `${made.id}/`, { script });
    const refused = await call(world, 'PUT', `${made.id}/`, { label: 'b' });

    expect(patched.body).toEqual({ ...made, description: 'd', missed: 0 });
    const scheduled_next = '2026-05-02T09:00:00.000000Z';
    const utc = { ...patched.body, timezone: 'UTC', scheduled_next };
    expect([replaced.status, replaced.body]).toEqual([200, utc]);
    expect([refused.status, refused.body]).toEqual([400, { script: required }]);
    expect((await call(world, 'GET', `${made.id}/`)).body).toEqual(replaced.body);
  });

  it('has a new next time after each change', async ({ world }) => {
    const { id } = await make(world, { interval_sec: 60 });
    const next = async (body: object) =>
      expected(await call(world, 'PATCH', `${id}/`, body), 200).scheduled_next;

    const times = [await next({ interval_sec: 3600 }), await next({ label: 'a' })];
    clock.forward(15);
    times.push(await next({ label: 'b' }));

    expect(times).toEqual([
      expect.stringMatching(/T10:03:00\.\d{6}Z$/),
      expect.stringMatching(/T10:03:00\.\d{6}Z$/),
      expect.stringMatching(/T10:03:15\.\d{6}Z$/),
    ]);
  });

  it.for([
    ['PATCH with the other kind is rejected', 'PATCH', { crontab: '* * * * *' }, 400, both],
    ['PUT with the other kind is rejected', 'PUT', { crontab: '* * * * *' }, 400, both],
    ['PATCH that leaves no kind is rejected', 'PATCH', { interval_sec: null }, 400, neither],
    [
      'PATCH with the other kind and null changes it',
      'PATCH',
      { crontab: '* * * * *', interval_sec: null },
      200,
      { crontab: '* * * * *', interval_sec: null },
    ],
    [
      'PUT with the other kind and null changes it',
      'PUT',
      { crontab: '* * * * *', interval_sec: null },
      200,
      { crontab: '* * * * *', interval_sec: null },
    ],
  ] as const)('of an interval: %s', async ([_, method, body, status, response], { world }) => {
    const { id, script } = await make(world, { interval_sec: 60 });

    const answer = await call(world, method, `${id}/`, { script, ...body });

    expect([answer.status, answer.body]).toMatchObject([status, response]);
  });

  it('is deleted', async ({ world }) => {
    const { id } = await make(world, { interval_sec: 60 });

    const removed = await call(world, 'DELETE', `${id}/`);

    expect([removed.status, removed.body]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await call(world, method, `${id}/`)).body).toEqual(missing);
    }
    const traces = await call(world, 'GET', `${id}/traces/`);
    expect([traces.status, traces.body]).toEqual([404, { detail: 'Schedule was not found.' }]);
  });

  it('is deleted with its script, at once', async ({ world }) => {
    const { id, script } = await make(world, { interval_sec: 60 });
    const other = await make(world, { interval_sec: 60 });

    expected(await world.own('DELETE', `snippets/scripts/${script}/`), 204);

    const ids = column(await call(world, 'GET', ''), 'id');
    expect([ids.includes(id), ids.includes(other.id)]).toEqual([false, true]);
    for (const [method, body] of [['GET'], ['PATCH', { label: 'a' }], ['DELETE']] as const) {
      expect([method, (await call(world, method, `${id}/`, body)).body]).toEqual([method, missing]);
    }
    const traces = await call(world, 'GET', `${id}/traces/`);
    expect(traces.body).toEqual({ detail: 'Schedule was not found.' });
  });

  it('names a codebox in version 1', async ({ world }) => {
    const codebox = await makeScript(world);
    const path = `/v1/instances/${world.instance}/schedules/`;
    const as = world.owner;

    const sent = { codebox, crontab: '0 0 * * *' };
    const { body } = await world.api.send({ as, path, body: sent });
    const wrong = await world.api.send({ as, path, body: { codebox: 999, interval_sec: 60 } });
    const self = `${path}${body.id}/`;
    const patch = { method: 'PATCH', body: { label: 'a' } };
    const changed = await world.api.send({ as, path: self, ...patch });

    expect(body).toMatchObject({
      codebox,
      links: {
        self,
        traces: `${self}traces/`,
        codebox: `/v1/instances/${world.instance}/codeboxes/${codebox}/`,
      },
    });
    expect(changed.body).toEqual({ ...body, label: 'a', missed: 0 });
    expect([wrong.status, wrong.body]).toEqual([400, { codebox: noPk(999) }]);
  });
});

rejections(
  it,
  'a schedule is rejected with',
  async (body, world) =>
    call(world, 'POST', '', { script: await makeScript(world), ...(body as object) }),
  [
    ['no script', { script: undefined, interval_sec: 60 }, { script: required }],
    ['an unknown script', { script: 999, interval_sec: 60 }, { script: noPk(999) }],
    ['neither kind', {}, neither],
    ['nulls for both kinds', { interval_sec: null, crontab: null }, neither],
    ['an empty crontab', { crontab: ' ' }, neither],
    ['both kinds', { interval_sec: 60, crontab: '* * * * *' }, both],
    [
      'an interval of 29 seconds',
      { interval_sec: 29 },
      { interval_sec: ['Ensure this value is greater than or equal to 30.'] },
    ],
    [
      'an interval of more than a day',
      { interval_sec: 86_401 },
      { interval_sec: ['Ensure this value is less than or equal to 86400.'] },
    ],
    ['half a second', { interval_sec: 60.5 }, { interval_sec: noInteger }],
    ['an interval in words', { interval_sec: 'hourly' }, { interval_sec: noInteger }],
    [
      'a crontab of 4 parts',
      { crontab: '* * * *' },
      { crontab: ['Crontab has to have 5 parts specified.'] },
    ],
    [
      'weekday 7',
      { crontab: '* * * * 7' },
      { crontab: ['Not a valid crontab, "7" does not fit the weekday (0-6).'] },
    ],
    [
      'a day that no month has',
      { crontab: '0 0 30 2 *' },
      { crontab: ['Not a valid crontab, it never matches.'] },
    ],
    [
      'a crontab of 41 characters',
      { crontab: `${'0,'.repeat(16)}0 * * * *` },
      { crontab: tooLong(40) },
    ],
    ['a crontab that is a list', { crontab: ['*'] }, { crontab: noText }],
    [
      'an unknown time zone',
      { crontab: '* * * * *', timezone: 'Mars/Base' },
      { timezone: noChoice('Mars/Base') },
    ],
    [
      'null as label and time zone',
      { interval_sec: 60, label: null, timezone: null },
      { label: isNull, timezone: isNull },
    ],
    ['a long label', { interval_sec: 60, label: 'x'.repeat(81) }, { label: tooLong(80) }],
  ],
);

describe('an instance', () => {
  // there, items of one batch that are created at once delay each other, some until they are 429
  it.skipIf(isOn('dynamodb'))(
    'has at most 100 schedules, and room again after a deletion',
    async ({ api, world }) => {
      await api.platform.idle(); // schedules of deleted scripts are deleted
      const script = await makeScript(world);
      const { body } = await call(world, 'GET', '');
      const requests = Array.from({ length: 101 - body.objects.length }, () => ({
        method: 'POST',
        path: `${world.base}schedules/`,
        body: { script, interval_sec: 60 },
      }));
      const halves = [requests.slice(0, 50), requests.slice(50)];
      const made: { code: number }[] = [];
      for (const half of halves)
        made.push(...(await world.own('POST', 'batch/', { requests: half })).body);

      const refused = made.filter(({ code }) => code !== 201);
      const { objects } = (await call(world, 'GET', '')).body;
      expected(await call(world, 'DELETE', `${objects[0].id}/`), 204);
      const next = await call(world, 'POST', '', { script, interval_sec: 60 });

      const content = { detail: 'Schedule count exceeded (100).' };
      expect(refused).toEqual([{ code: 400, content }]);
      expect([objects.length, next.status]).toEqual([100, 201]);
    },
  );
});

const call = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
  as: Credentials = world.owner,
) => world.call(as, method, `schedules/${path}`, body);

const makeScript = async (world: World): Promise<number> =>
  (await world.create('snippets/scripts/', { runtime_name: 'nodejs_v8' })).id;

const make = async (world: World, body: object) => {
  const script = await makeScript(world);
  return expected(await call(world, 'POST', '', { script, ...body }), 201);
};
