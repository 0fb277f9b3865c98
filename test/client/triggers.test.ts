import { expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { type Client, connectOwner, errorOf, fieldsOf, run } from '../support/client-calls.ts';
import { apiTest } from '../support/fixtures.ts';

const it = apiTest().extend('given', { scope: 'file' }, ({ api }) => setUp(api));

/*
 * Triggers and schedules in requests of the original client library.
 */

it('a trigger is created, read, changed, listed and deleted', async ({
  given: { client, script, makeTrigger },
}) => {
  const trigger = await makeTrigger('post_delete');
  const { id } = trigger;

  trigger.label = 'louder';
  const saved = await run(trigger.save());
  const updated = await run(client.Trigger.please().update({ id }, { signal: 'post_update' }));
  const read = await run(client.Trigger.please().get({ id }));
  const listed = await run(client.Trigger.please().list());
  await run(client.Trigger.please().delete({ id }));
  const gone = await errorOf(client.Trigger.please().get({ id }));

  expect([saved.label, updated.signal]).toEqual(['louder', 'post_update']);
  expect(fieldsOf(read)).toMatchObject({ label: 'louder', class: 'novel', script });
  expect(listed.map((each: Client) => each.id)).toEqual([id]);
  expect(gone.status).toBe(404);
});

it('a trigger runs its script for each change, and has traces', async ({
  api,
  given: { client, makeTrigger },
}) => {
  const { id } = await makeTrigger('post_create');
  await run(client.DataObject({ className: 'novel', title: 'Dune' }).save());
  await run(client.DataObject({ className: 'novel', title: 'Emma' }).save());
  await api.platform.idle();

  const traces = await run(client.TriggerTrace.please().list({ triggerId: id }));
  const [newest] = traces;
  const read = await run(client.TriggerTrace.please().get({ triggerId: id, id: newest.id }));

  expect(traces.map(({ result }: Client) => result.stdout)).toEqual(['create Emma', 'create Dune']);
  expect(fieldsOf(read)).toMatchObject({ status: 'success', result: { stdout: 'create Emma' } });
});

it('a schedule is created, read, changed, listed and deleted, and has traces', async ({
  given: { client, script },
}) => {
  const fields = { label: 'hourly', script, crontab: '5 * * * *', timezone: 'Europe/Warsaw' };
  const schedule = await run(client.Schedule(fields).save());
  const { id } = schedule;

  const other = { crontab: null, interval_sec: 60 };
  const updated = await run(client.Schedule.please().update({ id }, other));
  const read = await run(client.Schedule.please().get({ id }));
  const listed = await run(client.Schedule.please().list());
  const traces = await run(client.ScheduleTrace.please().list({ scheduleId: id }));
  await run(client.Schedule.please().delete({ id }));
  const gone = await errorOf(client.Schedule.please().get({ id }));

  expect(new Date(schedule.scheduled_next).getUTCMinutes()).toBe(5);
  expect(updated).toMatchObject({ interval_sec: 60, crontab: null });
  expect(fieldsOf(read)).toMatchObject({ label: 'hourly', timezone: 'Europe/Warsaw', script });
  expect([listed.length, traces.length, gone.status]).toEqual([1, 0, 404]);
});

async function setUp(api: Api) {
  const client = await connectOwner(api);
  const source = 'console.log(META.signal + " " + ARGS.title)';
  const made = await run(client.Script({ label: 'x', runtime_name: 'nodejs_v6', source }).save());
  const schema = [{ name: 'title', type: 'string' }];
  await run(client.Class({ name: 'novel', schema }).save());
  const script: number = made.id;
  const makeTrigger = (signal: string): Promise<Client> =>
    run(client.Trigger({ label: signal, signal, script, class: 'novel' }).save());
  return { client, script, makeTrigger };
}
