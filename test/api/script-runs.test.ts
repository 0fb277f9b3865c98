import { describe, expect } from 'vitest';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import { machine } from '../scripts/python-hosts.ts';
import {
  type ApiResponse,
  type Credentials,
  expected,
  openWorld,
  type World,
} from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import {
  column,
  isNull,
  missing,
  noJson,
  noSuchKey,
  notObject,
  time,
  tooLarge,
} from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';

/** Direct runs of scripts, and their traces. */

const clock = openMovedClock();
const it = newWorldTest('shop', { clock }).extend('shop', ({ world }) => setUp(world));

describe('a direct run', () => {
  it('returns a pending trace at once, and ends later', async ({ api, shop }) => {
    const script = await shop.make('console.log("hi " + ARGS.who + "\\n")');
    const path = `${shop.base}snippets/scripts/${script}/`;

    const begun = await shop.ask('POST', `${script}/run/`, { payload: { who: 'Ann' } });
    await api.platform.idle();
    const trace = expected(await shop.ask('GET', `${script}/traces/1/`), 200);

    const links = { self: `${path}traces/1/` };
    expect([begun.status, begun.body]).toEqual([
      200,
      { id: 1, status: 'pending', executed_at: null, duration: null, result: {}, links },
    ]);
    expect(trace).toEqual({
      id: 1,
      status: 'success',
      executed_at: time,
      duration: expect.any(Number),
      links,
      result: { stdout: 'hi Ann', stderr: '' },
    });
    expect(Number.isInteger(trace.duration)).toBe(true);
  });

  it('shows its arguments and its cause to requests that name them', async ({ api, shop }) => {
    const script = await shop.make('console.log(ARGS.title)');
    await shop.ask('POST', `${script}/run/`, { payload: { who: 'Ann' } });
    expected(await shop.own('POST', 'classes/', { name: 'book', schema: [] }), 201);
    const trigger = { label: 'new', class: 'book', signal: 'post_create', script };
    const { id } = expected(await shop.own('POST', 'triggers/', trigger), 201);
    expected(await shop.own('POST', 'classes/book/objects/', {}), 201);
    await api.platform.idle();

    const { body: direct } = await shop.ask('GET', `${script}/traces/1/?fields=args,meta`);
    const { body: caused } = await shop.own('GET', `triggers/${id}/traces/?fields=args,meta`);

    const meta = { executed_by: 'codebox', executor: script };
    expect(direct).toEqual({ args: { who: 'Ann' }, meta });
    expect(caused.objects).toMatchObject([
      {
        args: { id: 1, revision: 1 },
        meta: { executed_by: 'trigger', executor: id, signal: 'create', event: { class: 'book' } },
      },
    ]);
  });

  it.for<[string, unknown, unknown]>([
    ['no payload', undefined, {}],
    ['other members', { a: 1 }, {}],
    ['an object', { payload: { a: [1, null] } }, { a: [1, null] }],
    ['a list', { payload: [1, 2] }, [1, 2]],
    ['an empty list', { payload: [] }, {}],
    ['JSON as text', { payload: '{"a": 1}' }, { a: 1 }],
    ['an empty list as text', { payload: '[]' }, {}],
    ['an empty text', { payload: '' }, {}],
    ['300 KB', { payload: { a: 'x'.repeat(300_000) } }, { a: 'x'.repeat(300_000) }],
  ])('with %s has it as arguments', async ([_, body, args], { shop }) => {
    const script = await shop.make('console.log(JSON.stringify(ARGS))');

    expect(await shop.printed(script, body)).toEqual(args);
  });

  const badForm = { payload: ['Payload passed in invalid format.'] };
  it.for<[string, unknown, object]>([
    ['a number', { payload: 42 }, badForm],
    ['a number as text', { payload: '42' }, badForm],
    ['a boolean', { payload: true }, badForm],
    ['null as text', { payload: 'null' }, badForm],
    ['null', { payload: null }, { payload: isNull }],
    ['what is no JSON', { payload: '{' }, { payload: noJson }],
    ['a list as body', [1], notObject()],
  ])('with %s is rejected, and leaves no trace', async ([_, body, errors], { shop }) => {
    const script = await shop.make('');

    const response = await shop.ask('POST', `${script}/run/`, body);

    expect([response.status, response.body]).toEqual([400, errors]);
    expect((await shop.ask('GET', `${script}/traces/`)).body.objects).toEqual([]);
  });

  it('of more than 512 KiB is rejected before any other check', async ({ shop }) => {
    const of = (bytes: number, as?: Credentials) =>
      shop.ask('POST', '1/run/', `"${'x'.repeat(bytes - 2)}"`, as ?? undefined);

    const [over, just] = [await of(524_289, 'no key at all'), await of(524_288, 'no key at all')];

    expect([over.status, over.body]).toEqual([413, tooLarge(524_288)]);
    expect(just.status).toBe(403);
  });

  it('in a batch is started like any other', async ({ api, shop }) => {
    const script = await shop.make('console.log(ARGS.a)');
    const path = `${shop.base}snippets/scripts/${script}/run/`;
    const requests = [1, 2].map((a) => ({ method: 'POST', path, body: { payload: { a } } }));

    const response = await shop.own('POST', 'batch/', { requests });
    await api.platform.idle();
    const { objects } = expected(await shop.ask('GET', `${script}/traces/`), 200);

    expect(
      response.body.map((item: ApiResponse['body']) => [item.code, item.content.status]),
    ).toEqual([
      [200, 'pending'],
      [200, 'pending'],
    ]);
    expect(objects.map((trace: ApiResponse['body']) => trace.result.stdout)).toEqual(['2', '1']);
  });

  it('runs the source at the time of its start, and fails if it was deleted', async ({ shop }) => {
    const script = await shop.make('console.log(1)');
    const ids = [];
    for (const source of ['console.log(2)', `console.log(3) // ${'x'.repeat(70_000)}`]) {
      expected(await shop.ask('PATCH', `${script}/`, { source }), 200);
      ids.push((await shop.run(script)).result.stdout);
    }

    expect(ids).toEqual(['2', '3']);
  });

  it.runIf(machine !== undefined)('has the latest source in another language', async ({ shop }) => {
    const script = await shop.make('console.log(0)');
    const first = await shop.run(script);

    const changed = { runtime_name: 'python3', source: 'print(ARGS["n"])' };
    expected(await shop.ask('PATCH', `${script}/`, changed), 200);
    const second = await shop.run(script, { payload: { n: 7 } });

    expect([first, second].map(({ result }) => result.stdout)).toEqual(['0', '7']);
  });

  it('has the latest configuration', async ({ shop }) => {
    const script = await shop.make('console.log(CONFIG.n)');
    await shop.run(script);

    expected(await shop.ask('PATCH', `${script}/`, { config: { n: 7 }, label: 'other' }), 200);

    expect((await shop.run(script)).result.stdout).toBe('7');
  });

  it('is of its own script, also with identical scripts elsewhere', async ({ shop }) => {
    const scripts = await Promise.all([1, 2, 3, 4].map((n) => shop.make(`console.log(${n})`)));

    const traces = await Promise.all(scripts.map((script) => shop.run(script)));

    expect(traces.map(({ result }) => result.stdout)).toEqual(['1', '2', '3', '4']);
  });

  it.for<[string, string, Record<string, string>]>([
    ['fails', 'console.log(1); throw new Error("no")', { status: 'failure', stdout: '1' }],
    ['does not parse', 'console.log(', { status: 'failure', stdout: '' }],
    ['takes too long', 'console.log(1); for (;;);', { status: 'timeout', stdout: '1' }],
    ['exits', 'process.exit(3)', { status: 'failure', stdout: '' }],
  ])('that %s has that status', async ([_, source, { status, stdout }], { shop }) => {
    const script = await shop.make(source, { config: { timeout: 3 } });

    const trace = await shop.run(script);

    expect([trace.status, trace.result.stdout]).toEqual([status, stdout]);
  });

  it('has a custom response in its trace', async ({ shop }) => {
    const script = await shop.make('setResponse(new HttpResponse(201, "{}", "a/b", ARGS.headers))');

    const bare = await shop.run(script, { payload: {} });
    const headed = await shop.run(script, { payload: { headers: { 'X-A': 'b' } } });

    const response = { status: 201, content_type: 'a/b', content: '{}' };
    expect(bare.result).toEqual({ stdout: '', stderr: '', response });
    expect(headed.result.response).toEqual({ ...response, headers: { 'X-A': 'b' } });
  });
});

describe('the input of a script', () => {
  it("is the configuration of the instance under its own, except for the platform's parameters", async ({
    api,
    shop,
  }) => {
    const ofInstance = { a: 'i', b: 'i', timeout: 0.001, async: 1, mcpu: 1 };
    expected(await shop.own('PUT', 'snippets/config/', { config: ofInstance }), 200);
    const config = { b: 's', c: 's', timeout: 60, async: 2, mcpu: 3, allow_full_access: false };
    const script = await shop.make('console.log(JSON.stringify([CONFIG, META]))', { config });

    const [seen, meta] = (await shop.printed(script)) as [unknown, object];

    expect(seen).toEqual({ a: 'i', b: 's', c: 's', timeout: 0.001, async: 1, mcpu: 1 });
    expect(meta).toEqual({
      executed_by: 'codebox',
      executor: script,
      instance: shop.instance,
      async: 2,
      api_url: api.url,
      api_host: new URL(api.url).host,
    });
  });

  it.for<[string, object, object, boolean]>([
    ['its configuration', { allow_full_access: true }, {}, true],
    ['that of the instance', {}, { allow_full_access: true }, true],
    [
      'its own before that of the instance',
      { allow_full_access: false },
      { allow_full_access: true },
      false,
    ],
    ['nothing but true itself', { allow_full_access: 'true' }, {}, false],
  ])('includes a key or not, by %s', async ([_, config, ofInstance, isGiven], { shop }) => {
    expected(await shop.own('PUT', 'snippets/config/', { config: ofInstance }), 200);
    const script = await shop.make('console.log(JSON.stringify([CONFIG, META]))', { config });

    const [seen, meta] = (await shop.printed(script)) as [object, object];

    expect([Object.keys(meta).includes('token'), seen]).toEqual([isGiven, {}]);
  });
});

describe('the key of a script', () => {
  const printToken = 'console.log(JSON.stringify(META.token))';
  const config = { allow_full_access: true };
  const tokenOf = async ({ make, printed }: ReturnType<typeof setUp>) =>
    (await printed(await make(printToken, { config }))) as string;

  it('acts as the owner of the instance, for ten minutes', async ({ shop }) => {
    const token = await tokenOf(shop);
    const made = await shop.call(token, 'POST', 'classes/', { name: 'book', schema: [] });
    const keys = await shop.call(token, 'POST', 'api_keys/', { description: 'by a script' });
    const requests = [{ method: 'GET', path: `${shop.base}classes/book/` }];
    const batch = await shop.call(token, 'POST', 'batch/', { requests });

    clock.forward(590);
    const late = await shop.call(token, 'GET', 'classes/');
    clock.forward(20);
    const over = await shop.call(token, 'GET', 'classes/');

    expect([made.status, keys.status, late.status]).toEqual([201, 201, 200]);
    expect(batch.body[0].code).toBe(200);
    expect([over.status, over.body]).toEqual([403, noSuchKey]);
  });

  it.for<[string, (other: World) => string]>([
    ['the account', () => '/v1.1/account/'],
    ['the list of instances', () => '/v1.1/instances/'],
    ['another instance', (other) => `${other.base}classes/`],
    ['another instance itself', (other) => other.base],
    ['the root', () => '/v1.1/'],
  ])('is not valid outside: %s', async ([_, path], { api, shop }) => {
    const other = await openWorld(api, `other-${shop.instance}`);
    const token = await tokenOf(shop);

    const response = await api.send({ as: token, path: path(other) });

    expect([response.status, response.body]).toEqual([403, noSuchKey]);
  });

  it('is invalid once the instance is deleted', async ({ api, shop }) => {
    const token = await tokenOf(shop);
    expected(await shop.own('DELETE', ''), 204);
    expected(
      await api.send({ as: shop.owner, path: '/v1.1/instances/', body: { name: shop.instance } }),
      201,
    );

    const response = await shop.call(token, 'GET', 'classes/');

    expect([response.status, response.body]).toEqual([403, noSuchKey]);
  });

  it('is valid for requests during the run, whose runs are nested eight deep at most', async ({
    api,
    shop,
  }) => {
    const source = `
      const at = META.api_url + '/v1.1/instances/' + META.instance + '/snippets/scripts/';
      fetch(at + META.executor + '/run/', { method: 'POST', headers: { 'X-API-KEY': META.token } })
        .then((answer) => console.log(answer.status));`;
    const script = await shop.make(source, { config });

    await shop.run(script);
    for (let n = 0; n < 9; n += 1) await api.platform.idle();
    const { objects } = expected(await shop.ask('GET', `${script}/traces/`), 200);

    const [last, ...before] = objects;
    expect(before).toHaveLength(8);
    expect(before.map((trace: ApiResponse['body']) => trace.result.stdout)).toEqual(
      Array(8).fill('200'),
    );
    expect(last).toMatchObject({ status: 'blocked', result: {}, duration: null });
    expect(last.executed_at).toEqual(time);
  });
});

describe('traces', () => {
  it('are listed newest first, and page both ways', async ({ api, shop }) => {
    const script = await shop.make('console.log(ARGS.n)');
    for (const n of [1, 2, 3, 4, 5]) await shop.run(script, { payload: { n } });
    const page = (path: string) => api.send({ as: shop.owner, path });
    const list = `${shop.base}snippets/scripts/${script}/traces/`;

    const first = await page(`${list}?page_size=2`);
    const second = await page(first.body.next);
    const back = await page(second.body.prev);
    const bare = await page(`${list}?page_size=2&last_pk=4`);
    const oldest = await page(`${list}?ordering=asc&page_size=2`);

    expect([first, second, back, bare, oldest].map((each) => column(each, 'id'))).toEqual([
      [5, 4],
      [3, 2],
      [5, 4],
      [3, 2],
      [1, 2],
    ]);
    expect(first.body.next).toBe(`${list}?page_size=2&direction=1&last_pk=4`);
    expect(first.body.prev).toBeNull();
  });

  it('are whole by id, and large ones are replaced in the list', async ({ shop }) => {
    const script = await shop.make('console.log("x".repeat(ARGS.n))');
    const overhead = JSON.stringify({ stdout: '', stderr: '' }).length;
    const sizes = [65_536 - overhead, 65_537 - overhead, 500_000];

    for (const n of sizes) await shop.run(script, { payload: { n } });
    const { objects } = expected(await shop.ask('GET', `${script}/traces/?ordering=asc`), 200);
    const details = await Promise.all(
      [1, 2, 3].map((id) => shop.ask('GET', `${script}/traces/${id}/`)),
    );

    const replaced = { __error__: 'Result is too big to show in trace.' };
    expect(
      objects.map(({ result }: ApiResponse['body']) => result.stdout?.length ?? result),
    ).toEqual([sizes[0], replaced, replaced]);
    expect(details.map(({ body }) => body.result.stdout.length)).toEqual(sizes);
  });

  it('belong to their own script', async ({ shop }) => {
    const [mine, other] = [await shop.make(''), await shop.make('')];
    await shop.run(mine);

    const strange = await shop.ask('GET', `${other}/traces/1/`);

    expect([strange.status, strange.body]).toEqual([404, missing]);
  });

  it('are limited to a hundred, older ones are kept for five minutes more, all for a day', async ({
    api,
    shop,
  }) => {
    const script = await shop.make('');
    const requests = Array.from({ length: 50 }, () => ({
      method: 'POST',
      path: `${shop.base}snippets/scripts/${script}/run/`,
    }));
    await shop.run(script);
    clock.forward(3600);
    for (const _ of [1, 2]) {
      expected(await shop.own('POST', 'batch/', { requests }), 200);
    }
    await api.platform.idle();
    const idsOf = async () => column(await shop.ask('GET', `${script}/traces/`), 'id');
    const statusesOf = (ids: readonly number[]) =>
      Promise.all(ids.map(async (id) => (await shop.ask('GET', `${script}/traces/${id}/`)).status));

    const listed = await idsOf();
    const soon = await statusesOf([1, 2]);
    clock.forward(301);
    const later = await statusesOf([1, 2]);
    clock.forward(24 * 3600);
    const nextDay = [await idsOf(), await statusesOf([2, 101])];

    expect([listed.length, listed[0], listed.at(-1)]).toEqual([100, 101, 2]);
    expect([soon, later]).toEqual([
      [200, 200],
      [404, 200],
    ]);
    expect(nextDay).toEqual([[], [404, 404]]);
  });
});

it('of a deleted instance are deleted with its scripts', async ({ api, shop }) => {
  const script = await shop.make(`console.log("x".repeat(70000)) // ${'x'.repeat(70_000)}`);
  await shop.run(script);
  const { store } = api.platform;
  const instance = await instanceId(store, shop.instance);
  const sizeOf = async (pk: string) => (await store.query({ pk, limit: 100 })).items.length;
  const partitions = [
    instanceEntity.partition(instance),
    traceEntity.partition(instance, 'script', script),
  ];
  const before = await Promise.all(partitions.map(sizeOf));

  expected(await shop.own('DELETE', ''), 204);
  await api.platform.idle();

  expect(before.every((size) => size > 0)).toBe(true);
  expect(await Promise.all(partitions.map(sizeOf))).toEqual([0, 0]);
});

/** Adds the requests of scripts to an instance. */
function setUp(world: World) {
  const ask = (method: string, path: string, body?: unknown, as: Credentials = world.owner) =>
    world.call(as, method, `snippets/scripts/${path}`, body);

  async function make(source: string, more: object = {}): Promise<number> {
    const body = { runtime_name: 'nodejs_v8', source, ...more };
    return expected(await ask('POST', '', body), 201).id;
  }

  /** Runs a script and returns its trace after the end. */
  async function run(script: number, body: unknown = {}): Promise<ApiResponse['body']> {
    const begun = expected(await ask('POST', `${script}/run/`, body), 200);
    await world.api.platform.idle();
    return expected(await world.api.send({ as: world.owner, path: begun.links.self }), 200);
  }

  /** Returns the JSON output of a script. */
  async function printed(script: number, body?: unknown): Promise<unknown> {
    const { status, result } = await run(script, body);
    expect([status, result.stderr]).toEqual(['success', '']);
    return JSON.parse(result.stdout);
  }

  return { ...world, ask, make, run, printed };
}
