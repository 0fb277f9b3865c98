import { expect } from 'vitest';
import { type Client, connectOwner, errorOf, fieldsOf, run } from '../support/client-calls.ts';
import { apiTest } from '../support/fixtures.ts';

const it = apiTest()
  // a connection with an account key
  .extend('client', { scope: 'file' }, ({ api }) => connectOwner(api));

/*
 * Scripts and their traces in requests of the original client library.
 */

it('is created, read, changed, listed and deleted', async ({ client }) => {
  const script = await make(client, { config: { timeout: 5 }, description: 'says it again' });

  const { id } = script;
  script.label = 'louder';
  const saved = await run(script.save());
  const updated = await run(client.Script.please().update({ id }, { source: '1' }));
  const listed = await run(client.Script.please().list());
  const read = await run(client.Script.please().get({ id }));
  await run(client.Script.please().delete({ id }));
  const gone = await errorOf(client.Script.please().get({ id }));

  expect([saved.label, updated.source]).toEqual(['louder', '1']);
  expect(listed.map((each: Client) => each.id)).toEqual([id]);
  expect(fieldsOf(read)).toMatchObject({
    label: 'louder',
    source: '1',
    config: { timeout: 5 },
    description: 'says it again',
  });
  expect(gone.status).toBe(404);
});

it('is run, and its traces are read', async ({ api, client }) => {
  const script = await make(client);
  const at = { scriptId: script.id };

  const byModel = await script.run({ payload: { a: 1 } });
  const bare = await script.run({ a: 2 });
  const byClass = await run(client.Script.please().run({ id: script.id }, { payload: { a: 3 } }));
  await api.platform.idle();
  const trace = await run(client.ScriptTrace.please().get({ ...at, id: byModel.id }));
  const traces = await run(client.ScriptTrace.please().list(at));

  expect([byModel, bare, byClass].map(({ status }) => status)).toEqual(Array(3).fill('pending'));
  expect(fieldsOf(trace)).toMatchObject({ status: 'success', result: { stdout: '{"a":1}' } });
  // only `payload` is a payload, with this client too
  expect(traces.map(({ result }: Client) => result.stdout)).toEqual(['{"a":3}', '{}', '{"a":1}']);
});

it('is written for one of the runtimes', async ({ client }) => {
  const runtimes = await run(client.Script.please().getRuntimes());
  const script = await make(client);
  const same = await script.getRuntimes();
  const told = await errorOf(client.Script({ label: 'x', runtime_name: 'ruby' }).save());

  expect(Object.keys(runtimes)).toContain('nodejs_library_v1.0');
  expect(same).toEqual(runtimes);
  expect(told).toMatchObject({
    status: 400,
    message: '"runtime_name" "ruby" is not a valid choice.',
  });
});

function make(client: Client, more: object = {}): Promise<Client> {
  const source = 'console.log(JSON.stringify(ARGS))';
  return run(client.Script({ label: 'echo', runtime_name: 'nodejs_v6', source, ...more }).save());
}
