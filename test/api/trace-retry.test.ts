import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden, missing } from '../support/responses.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { changeTrace } from '../support/stored-records.ts';

/** Repeated runs: POST to `retry/` of a trace. Those of triggers and schedules are the same routes. */

const it = newWorldTest('shop');

const source = 'console.log(JSON.stringify([ARGS, META]))';

describe('a repeated run', () => {
  it.for([
    ['small', { a: [1] }],
    ['large', { a: 'x'.repeat(100_000) }],
  ] as const)('of a script has its arguments: %s ones', async ([_, payload], { api, world }) => {
    const script = await makeScript(world);
    expected(await as(world, `${script}run/`, 'POST', { payload }), 200);
    await api.platform.idle();
    const first = await read(world, `${world.base}${script}traces/1/`);

    const again = await repeat(world, `${script}traces/1/`);

    const result = { ...first.result };
    expect(again).toMatchObject({ id: 2, status: 'success', result });
    expect((await as(world, `${script}traces/`)).body.objects).toHaveLength(2);
  });

  it('of an endpoint has its arguments and its request', async ({ world }) => {
    await makeEndpoint(world, 'greet', source);
    expected(await as(world, 'endpoints/scripts/greet/run/?a=1', 'POST', { b: [2] }), 200);
    const path = 'endpoints/scripts/greet/traces/';
    const first = await read(world, `${world.base}${path}1/`);

    const again = await repeat(world, `${path}1/`);
    const third = await repeat(world, `${path}2/`);

    const seen = JSON.parse(first.result.stdout);
    expect(seen[0]).toMatchObject({ a: '1', b: [2], GET: { a: '1' } });
    for (const { meta, args, result } of [again, third]) {
      expect([meta, args]).toEqual([first.meta, first.args]);
      expect(JSON.parse(result.stdout)).toEqual(seen);
    }
  });

  it('is a run of the present source', async ({ api, world }) => {
    const script = await makeScript(world, 'console.log("old")');
    expected(await as(world, `${script}run/`, 'POST'), 200);
    await api.platform.idle();
    expected(await as(world, script, 'PATCH', { source: 'console.log("new")' }), 200);

    expect((await repeat(world, `${script}traces/1/`)).result.stdout).toBe('new');
  });
});

describe('a run is not repeated', () => {
  it('that does not exist, or is of another script', async ({ api, world }) => {
    const [script, other] = [await makeScript(world), await makeScript(world)];
    expected(await as(world, `${script}run/`, 'POST'), 200);
    await api.platform.idle();

    for (const path of [`${script}traces/2/retry/`, `${other}traces/1/retry/`]) {
      const { status, body } = await as(world, path, 'POST');
      expect([path, status, body]).toEqual([path, 404, missing]);
    }
    const gone = await as(world, 'snippets/scripts/9/traces/1/retry/', 'POST');
    expect([gone.status, gone.body]).toEqual([404, { detail: 'Script was not found.' }]);
  });

  it.for([
    ['pending', {}, 'The run has not ended.'],
    ['processing', {}, 'The run has not ended.'],
    ['blocked', {}, 'The arguments of the run were not kept.'],
    ['success', { lacksArguments: true }, 'The arguments of the run were not kept.'],
  ] as const)('that is %s %j', async ([status, more, detail], { api, world }) => {
    const script = await makeScript(world);
    expected(await as(world, `${script}run/`, 'POST'), 200);
    await api.platform.idle();
    await changeTrace(world, { kind: 'script', parent: 1, trace: 1 }, { status, ...more });

    const refused = await as(world, `${script}traces/1/retry/`, 'POST');

    expect([refused.status, refused.body]).toEqual([400, { detail }]);
  });

  it('by a member with the role read', async ({ api, world }) => {
    const script = await makeScript(world);
    expected(await as(world, `${script}run/`, 'POST'), 200);
    await api.platform.idle();
    const reader = await joinAs(world, 'read');

    const refused = await world.call(reader, 'POST', `${script}traces/1/retry/`);

    expect([refused.status, refused.body]).toEqual([403, forbidden]);
  });
});

const as = (world: World, path: string, method = 'GET', body?: unknown) =>
  world.own(method, path, body);

const read = async (world: World, path: string) =>
  expected(await world.api.send({ as: world.owner, path }), 200);

async function makeScript(world: World, text = source): Promise<string> {
  const sent = { runtime_name: 'nodejs_v8', source: text };
  return `snippets/scripts/${expected(await as(world, 'snippets/scripts/', 'POST', sent), 201).id}/`;
}

/** Repeats a run, and returns its trace after the end. */
async function repeat(world: World, trace: string) {
  const begun = expected(await as(world, `${trace}retry/`, 'POST'), 200);
  expect(begun).toMatchObject({ status: 'pending', executed_at: null, result: {} });
  await world.api.platform.idle();
  return read(world, begun.links.self);
}
