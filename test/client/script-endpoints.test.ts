import { expect } from 'vitest';
import type { Api } from '../support/api.ts';
import {
  type Client,
  connect,
  connectOwner,
  errorOf,
  fieldsOf,
  run,
} from '../support/client-calls.ts';
import { apiTest } from '../support/fixtures.ts';

const it = apiTest().extend('given', { scope: 'file' }, ({ api }) => setUp(api));

/*
 * Script endpoints in requests of the original client library.
 */

const name = 'greet-me';
const result = (sent: object) => ({ stdout: JSON.stringify(sent), stderr: '' });

it('is created, read, changed, listed and deleted', async ({ given: { client, script } }) => {
  const { ScriptEndpoint } = client;

  const made = await run(ScriptEndpoint.please().create({ name: 'first-one', script }));
  const changed = await run(
    ScriptEndpoint.please().update({ name: 'first-one' }, { public: true }),
  );
  const listed = await run(ScriptEndpoint.please().list());
  changed.description = 'kept';
  await changed.save();
  const read = await run(ScriptEndpoint.please().get({ name: 'first-one' }));
  await run(ScriptEndpoint.please().delete({ name: 'first-one' }));
  const gone = await errorOf(ScriptEndpoint.please().get({ name: 'first-one' }));

  expect([made.public, changed.public, listed.length]).toEqual([false, true, 1]);
  expect(fieldsOf(read)).toMatchObject({ public: true, description: 'kept', script });
  expect(gone.status).toBe(404);
});

it('is run by its name and by its public link, from the class and from the model', async ({
  api,
  given: { client, script },
}) => {
  const { ScriptEndpoint, ScriptEndpointTrace } = client;
  const model = await run(ScriptEndpoint.please().create({ name, script, public: true }));
  const { public_link } = model;
  const anybody = connect(api.url, { defaults: { instanceName: client.getInstanceName() } });

  const traces = [
    await run(ScriptEndpoint.please().run({ name }, { a: 1 })),
    await model.run({ a: 2 }),
    await model.runPublic({ a: 3 }),
    await run(anybody.ScriptEndpoint.please().runPublic({ name, public_link }, { a: 4 })),
  ];
  const listed = await run(ScriptEndpointTrace.please().list({ scriptEndpointName: name }));
  const one = { scriptEndpointName: name, id: traces[0].id };
  const read = await run(ScriptEndpointTrace.please().get(one));

  expect(traces.map((trace) => trace.result)).toEqual([1, 2, 3, 4].map((a) => result({ a })));
  expect(traces.map((trace) => trace.status)).toEqual(Array(4).fill('success'));
  expect(listed.map((trace: Client) => trace.id)).toEqual(traces.map(({ id }) => id).reverse());
  expect(read.args).toEqual({ GET: {}, POST: { a: 1 } });
  expect(read.executed_at).toBeInstanceOf(Date);
});

it('has another public link after a reset', async ({ given: { client, script } }) => {
  const { ScriptEndpoint } = client;
  const model = await run(
    ScriptEndpoint.please().create({ name: 'reset-me', script, public: true }),
  );
  const { public_link } = model;

  const byClass = await run(ScriptEndpoint.please().reset({ name: 'reset-me' }));
  const byModel = await byClass.reset();
  const old = await errorOf(
    ScriptEndpoint.please().runPublic({ name: 'reset-me', public_link }, {}),
  );

  expect(new Set([public_link, byClass.public_link, byModel.public_link]).size).toBe(3);
  expect(old.status).toBe(404);
});

it('returns the response of its script', async ({ given: { client } }) => {
  const { Script, ScriptEndpoint } = client;
  const source = 'setResponse(new HttpResponse(201, { hello: ARGS.who }))';
  const made = await run(Script.please().create({ label: 'x', runtime_name: 'nodejs_v6', source }));
  await run(ScriptEndpoint.please().create({ name: 'custom', script: made.id }));

  const response = await run(ScriptEndpoint.please().run({ name: 'custom' }, { who: 'Ann' }));

  expect(response.hello).toBe('Ann');
});

/** Opens a connection with an account key, and makes a script. */
async function setUp(api: Api) {
  const client = await connectOwner(api);
  const source = 'console.log(JSON.stringify(ARGS.POST))';
  const made = await run(
    client.Script.please().create({ label: 'echo', runtime_name: 'nodejs_v6', source }),
  );
  return { client, script: made.id };
}
