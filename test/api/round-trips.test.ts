import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import type { Dispatch } from '../../shared/core/http/message.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { type Api, expected, plantUser, type World } from '../support/api.ts';
import { type CountingStore, countRoundTrips } from '../support/counting-store.ts';
import { worldTest } from '../support/fixtures.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { makeScript, makeTrigger } from '../support/triggers.ts';
import { beginSession } from '../support/user-sessions.ts';

const it = worldTest({ wrap: countRoundTrips })
  .extend('given', { scope: 'file', auto: true }, ({ world, store }) => setUp(world, store))
  .extend('run', { scope: 'file' }, ({ world }) => makeRun(world))
  .extend('here', { scope: 'file' }, ({ api }) => newProcess(api))
  .extend('elsewhere', { scope: 'file' }, ({ api }) => newProcess(api));

const base = '/v1.1/instances/blog-1/';
const objects = (name: string) => `${base}classes/${name}/objects/`;
const endpoint = (action: string) => async () => `${base}endpoints/data/books/${action}`;
const callers = [
  'an API key',
  'an API key and a user key',
  'an API key and the key of a session',
  'an account key',
  'a token of a script',
];
const list = async () => objects('book');
const rows: readonly Row[] = [
  { name: 'one object', method: 'GET', path: freshObject, status: 200, warm: 1, cold: 2 },
  {
    name: 'a list',
    method: 'GET',
    path: list,
    status: 200,
    warm: 2,
    cold: 3,
    coldWithApiKey: 2,
  },
  ...[
    'query={"title":{"_eq":"Dunes"}}&include_count=true',
    'query={"title":{"_gt":"A"}}&order_by=-updated_at',
    'order_by=-title',
  ].map((query) => ({
    name: `a list by ${query}`,
    method: 'GET',
    path: list,
    query,
    status: 200,
    warm: 2,
    cold: 3,
    coldWithApiKey: 2,
  })),
  {
    name: 'a list that a template shows',
    method: 'GET',
    path: list,
    query: 'template=objects_csv',
    status: 200,
    warm: 2,
    cold: 3,
    coldWithApiKey: 2,
  },
  {
    name: 'a list by what another class says',
    method: 'GET',
    path: list,
    query: 'query={"author":{"_is":{}}}',
    status: 200,
    warm: 4,
    cold: 5,
    coldWithApiKey: 4,
  },
  {
    name: 'a new object',
    method: 'POST',
    path: list,
    status: 201,
    warm: 2,
    cold: 3,
    coldWithApiKey: 2,
  },
  {
    name: 'a new object that a trigger waits for',
    method: 'POST',
    path: async () => objects('parcel'),
    status: 201,
    warm: 2,
    cold: 3,
    coldWithApiKey: 2,
  },
  {
    name: 'a new object with a reference',
    method: 'POST',
    path: list,
    body: { author: 1 },
    status: 201,
    warm: 3,
    cold: 4,
    coldWithApiKey: 3,
  },
  {
    name: 'a change',
    method: 'PATCH',
    path: freshObject,
    body: { title: 'Sand' },
    status: 200,
    warm: 2,
    cold: 3,
  },
  {
    name: 'a change of a reference',
    method: 'PATCH',
    path: freshObject,
    body: { author: 1 },
    status: 200,
    warm: 3,
    cold: 4,
  },
  ...[
    { query: '', warm: 2 },
    { query: 'expand=author', warm: 3 },
    { query: 'expand=reader', warm: 4 },
    { query: 'expand=author,reader', warm: 4 },
  ].map(({ query, warm }) => ({
    name: `a data endpoint with ${query}`,
    method: 'GET',
    path: endpoint('get/'),
    query,
    status: 200,
    // the endpoint names its class: that costs a round trip if no object is read
    warm,
    cold: warm + 2,
    coldWithApiKey: warm + 1,
  })),
  {
    name: 'a new object by a data endpoint',
    method: 'POST',
    path: endpoint('post/'),
    status: 201,
    warm: 2,
    cold: 4,
    coldWithApiKey: 3,
  },
  { name: 'an object', method: 'DELETE', path: freshObject, status: 204, warm: 2, cold: 3 },
];

describe.each(rows)('$method of $name', (row) => {
  it.for(callers)('with %s', async (who, { world, given: { keys, rounds } }) => {
    const key = keys[who] ?? {};
    const make = async () => ({ ...row, path: await row.path(world), key });

    const counted = await rounds(make, row.status);

    const { warm, cold, coldWithApiKey = cold } = row;
    expect(counted).toEqual({ warm, cold: who === 'an account key' ? cold : coldWithApiKey });
  });
});

describe('a run of a script endpoint', () => {
  const atOnce = 1;
  const begun = 1; // the trace as processing, while the script runs; one that ends within 3 ms has none
  const ended = 1;

  it('by its name', async ({ run, given: { owner: key, rounds } }) => {
    const call = { method: 'POST', path: run.links.run ?? '', key };

    const counted = await rounds(async () => call, 200);

    // a process without cache reads the instance, then the endpoint, then the script
    expect(counted).toEqual({ warm: atOnce + begun + ended, cold: 3 + begun + ended });
  });

  it('by its public link, which names its instance', async ({ run, given: { rounds } }) => {
    const call = { method: 'GET', path: run.links['public-link'] ?? '', key: {} };

    const counted = await rounds(async () => call, 200);

    expect(counted).toEqual({ warm: atOnce + begun + ended, cold: 2 + begun + ended });
  });

  it('is corrected after another process changed its script or name', async ({
    api,
    world,
    run,
    given,
  }) => {
    const here = newProcess(api);
    const [byName, byLink] = [run.links.run ?? '', run.links['public-link'] ?? ''];
    const call = (path: string) => send(here, { method: 'GET', path, key: given.owner });
    const before = [await call(byName), await call(byLink)];
    const other = await makeEndpoint(world, 'other', 'console.log(2)');
    const at = 'endpoints/scripts/greet/';
    expected(await world.own('PATCH', at, { script: other.script }), 200);
    const moved = [await call(byName), await call(byLink)];
    expected(await world.own('POST', `${at}rename/`, { new_name: 'greeting' }), 200);
    const renamed = [await call(byName), await call(byLink)];

    const responses = [...before, ...moved, ...renamed];
    expect(responses.map(({ body }) => body.result?.stdout)).toEqual([
      '1',
      '1',
      '2',
      '2',
      undefined,
      '2',
    ]);
  });
});

describe('a key of 40 digits', () => {
  const alias = 'a1'.repeat(20);
  const listed = (key: string) => async () => ({
    method: 'GET',
    path: objects('book'),
    key: { 'x-api-key': key },
  });

  it('costs the read of the name, with and without aliases in the instance', async ({
    world,
    given: { rounds },
  }) => {
    const before = await rounds(listed(alias), 403);
    const key = await world.create('api_keys/', { ignore_acl: true });
    expected(await world.own('POST', `api_keys/${key.id}/aliases/`, { alias }), 200);
    const known = await rounds(listed(alias), 200);
    const unknown = await rounds(listed('b2'.repeat(20)), 403);
    const other = await rounds(listed(key.api_key), 200);

    expect([before, unknown]).toEqual([
      { cold: 1, warm: 1 },
      { cold: 1, warm: 1 },
    ]);
    expect([known, other]).toEqual([
      { cold: 3, warm: 3 },
      { cold: 2, warm: 2 },
    ]);
  });

  it('of another length costs no read', async ({ given: { rounds } }) => {
    expect(await rounds(listed('a'.repeat(39)), 403)).toEqual({ cold: 0, warm: 0 });
    expect(await rounds(listed('0'.repeat(56)), 403)).toEqual({ cold: 0, warm: 0 });
  });
});

describe('the cached names of a process', () => {
  async function makeClass(dispatch: Dispatch, key: Key, instance: string): Promise<string> {
    const path = `/v1.1/instances/${instance}/classes/`;
    await send(dispatch, { method: 'POST', path, key, body: { name: 'note' } });
    return `${path}note/objects/`;
  }

  function makeInstance(dispatch: Dispatch, key: Key, name: string) {
    return send(dispatch, {
      method: 'POST',
      path: '/v1.1/instances/',
      key,
      body: { name },
    });
  }

  it('are corrected after a class was recreated elsewhere', async ({
    world,
    here,
    elsewhere,
    given: { owner },
  }) => {
    const path = await makeClass(here, owner, world.instance);
    const old = await send(here, { method: 'POST', path, key: owner });
    await send(elsewhere, { method: 'DELETE', path: path.replace('objects/', ''), key: owner });
    await makeClass(elsewhere, owner, world.instance);

    const gone = await send(here, { method: 'GET', path: old.body.links.self, key: owner });
    const made = await send(here, { method: 'POST', path, key: owner });
    const listed = await send(elsewhere, { method: 'GET', path, key: owner });

    expect(gone).toEqual({ status: 404, body: { detail: 'Not found.' } });
    expect(listed.body.objects).toEqual([made.body]);
  });

  it('are corrected after an instance was renamed elsewhere', async ({
    here,
    elsewhere,
    given: { owner },
  }) => {
    await makeInstance(here, owner, 'wiki-1');
    const path = await makeClass(here, owner, 'wiki-1');
    const made = await send(here, { method: 'POST', path, key: owner });
    await send(elsewhere, {
      method: 'POST',
      path: '/v1.1/instances/wiki-1/rename/',
      key: owner,
      body: { new_name: 'wiki-2' },
    });

    const before = await send(here, { method: 'GET', path, key: owner });
    const after = await send(here, {
      method: 'GET',
      path: path.replace('wiki-1', 'wiki-2'),
      key: owner,
    });

    expect(before).toEqual({ status: 404, body: { detail: 'Instance was not found.' } });
    expect(after.body.objects).toMatchObject([{ id: made.body.id }]);
  });

  it('are corrected after an instance was recreated elsewhere, where old keys are invalid', async ({
    here,
    elsewhere,
    given: { owner },
  }) => {
    await makeInstance(here, owner, 'shop-1');
    const path = await makeClass(here, owner, 'shop-1');
    await send(here, { method: 'POST', path, key: owner });
    const key = await send(here, {
      method: 'POST',
      path: '/v1.1/instances/shop-1/api_keys/',
      key: owner,
      body: { ignore_acl: true },
    });
    const apiKey = { 'x-api-key': key.body.api_key };
    await send(here, { method: 'GET', path, key: apiKey });
    const self = '/v1.1/instances/shop-1/';
    await send(elsewhere, { method: 'DELETE', path: self, key: owner });
    await makeInstance(elsewhere, owner, 'shop-1');
    await makeClass(elsewhere, owner, 'shop-1');

    const listed = await send(here, { method: 'GET', path, key: owner });
    const withKey = await send(here, { method: 'GET', path, key: apiKey });
    const instances = await send(here, { method: 'GET', path: '/v1.1/instances/', key: apiKey });

    const noSuchKey = { status: 403, body: { detail: 'No such API Key.' } };
    expect(listed.body).toEqual({ next: null, prev: null, objects: [] });
    expect([withKey, instances]).toEqual([noSuchKey, noSuchKey]);
  });
});

interface Row {
  readonly name: string;
  readonly method: string;
  readonly path: (world: World) => Promise<string>;
  readonly body?: unknown;
  readonly query?: string;
  readonly status: number;
  readonly warm: number;
  readonly cold: number;
  /** An API key or a token names its instance, which saves a round trip if no object is read. */
  readonly coldWithApiKey?: number;
}

type Key = Readonly<Record<string, string>>;

interface PlainCall {
  readonly method: string;
  readonly path: string;
  readonly key: Key;
  readonly body?: unknown;
  readonly query?: string;
}

async function setUp(world: World, store: CountingStore) {
  const { api } = world;
  const owner = { 'x-api-key': world.owner };
  await world.dataClass('author', []);
  await world.dataClass('parcel', []);
  const script = await makeScript(world, '');
  await makeTrigger(world, { signal: 'create', class: 'parcel', script });
  await world.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true, order_index: true },
    { name: 'author', type: 'reference', target: 'author', filter_index: true },
    { name: 'reader', type: 'reference', target: 'user' },
  ]);
  await send(newProcess(api), { method: 'POST', path: objects('author'), key: owner });
  const user = await plantUser(world, 4);
  const book = { author: 1, reader: 4, other_permissions: 'read' };
  await world.create('classes/book/objects/', book);
  const endpoint = { name: 'books', class: 'book', query: { author: { _exists: true } } };
  await world.create('endpoints/data/', endpoint);
  const keys: Readonly<Record<string, Key>> = {
    'an API key': { 'x-api-key': await world.apiKey({ ignore_acl: true }) },
    'an API key and a user key': { 'x-api-key': await world.apiKey(), 'x-user-key': user },
    'an API key and the key of a session': {
      'x-api-key': await world.apiKey(),
      'x-user-key': await beginSession(world, 4),
    },
    'an account key': owner,
    'a token of a script': { 'x-api-key': await tokenOfScript(world) },
  };
  /** Counts the round trips of a request by a process that has just started, and by one that has read the records. */
  async function rounds(make: () => Promise<PlainCall>, status: number) {
    const counted: number[] = [];
    const dispatch = newProcess(api);
    for (const _ of ['cold', 'warm']) {
      const call = await make();
      store.reset();
      const response = await send(dispatch, call);
      counted.push(store.rounds);
      expect(response).toMatchObject({ status });
    }
    const [cold, warm] = counted;
    return { cold, warm };
  }
  return { owner, keys, rounds };
}

async function tokenOfScript(world: World): Promise<string> {
  const config = { allow_full_access: true };
  await makeEndpoint(world, 'caller', 'console.log(META.token)', { config });
  const ran = await world.own('POST', 'endpoints/scripts/caller/run/');
  return expected(ran, 200).result.stdout;
}

/** An endpoint of a script whose process is warm. */
async function makeRun(world: World) {
  const slow = 'setTimeout(() => console.log(1), 50)';
  const run = await makeEndpoint(world, 'greet', slow, { public: true });
  await world.read('endpoints/scripts/greet/run/');
  return run;
}

/** Returns what serves requests in a process that has cached nothing. */
function newProcess({ platform }: Api): Dispatch {
  return createDispatch(routes, platform, { renderer: responseTemplates });
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
async function send(dispatch: Dispatch, call: PlainCall): Promise<{ status: number; body: any }> {
  const { method, path, key, body = {} } = call;
  const { status, body: response } = await dispatch({
    id: 'test',
    method,
    path,
    headers: key,
    query: new URLSearchParams(call.query),
    body: { kind: 'json', value: body },
    sourceAddress: '127.0.0.1',
  });
  return { status, body: response === undefined ? response : JSON.parse(JSON.stringify(response)) };
}

/** Returns the path of a new object, created by another process. */
async function freshObject({ api, owner }: World): Promise<string> {
  const made = await send(newProcess(api), {
    method: 'POST',
    path: objects('book'),
    key: { 'x-api-key': owner },
    body: { title: 'Dunes', other_permissions: 'full' },
  });
  return made.body.links.self;
}
