import { randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import type { Platform, Secrets } from '../../shared/ports/ports.ts';
import type { Store } from '../../shared/store/store.ts';
import { instanceNameEntity } from '../../shared/table/entities/instances.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import type { Api, World } from '../support/api.ts';
import { type Call, expected, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { noSuchKey } from '../support/responses.ts';

/** Keys of another service that stand for an API key. */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const keys = '/v1.1/instances/blog-1/api_keys/';
const newText = () => randomBytes(20).toString('hex');
const ended = [403, noSuchKey];

describe('an alias acts as its API key', () => {
  const text = { 'Content-Type': 'text/plain' };
  it.for<[string, (given: Given) => Call]>([
    ['in the header', ({ alias }: Given) => ({ path: keys, headers: { 'X-API-KEY': alias } })],
    [
      'in upper case',
      ({ alias }: Given) => ({ path: keys, headers: { 'X-API-KEY': alias.toUpperCase() } }),
    ],
    [
      'in Authorization',
      ({ alias }: Given) => ({ path: keys, headers: { Authorization: `token ${alias}` } }),
    ],
    ['as api_key', ({ alias }: Given) => ({ path: `${keys}?api_key=${alias}` })],
    ['as apikey', ({ alias }: Given) => ({ path: `${keys}?apikey=${alias}` })],
    [
      'in text with another method',
      ({ alias }: Given) => ({
        method: 'POST',
        path: keys,
        headers: text,
        body: JSON.stringify({ _method: 'GET', _api_key: alias }),
      }),
    ],
  ])('%s', async ([_, call], { given, api, given: { key } }) => {
    const response = await api.send(call(given));

    expect([response.status, response.body.objects?.[0]?.id]).toEqual([200, key.id]);
  });

  const parts = (first: Readonly<Record<string, string>>) => {
    const sent = new FormData();
    for (const [name, value] of Object.entries(first)) sent.append(name, value);
    sent.append('scan', new Blob(['x'.repeat(200_000)]), 'scan.txt');
    return sent;
  };
  it.for<[string, (given: Given) => unknown]>([
    ['JSON', ({ alias }: Given) => ({ _api_key: alias, text: 'a' })],
    ['a form', ({ alias }: Given) => new URLSearchParams({ _api_key: alias, text: 'a' })],
    [
      'the start of a large multipart body',
      ({ alias }: Given) => parts({ _api_key: alias, text: 'a' }),
    ],
  ])('in %s', async ([_, body], { given, api, given: { notes } }) => {
    const response = await api.send({ method: 'POST', path: notes, body: body(given) });

    expect([response.status, response.body.text]).toEqual([201, 'a']);
  });

  it('with a user key, for items of a batch, and for a poll', async ({
    api,
    world,
    given: { newKey, notes, alias },
  }) => {
    const bare = await newAlias(world, (await newKey()).id);
    const user = await plantUser(world, 3);
    const own = await api.send({
      path: '/v1.1/instances/blog-1/user/',
      headers: { 'X-API-KEY': bare, 'X-USER-KEY': user },
    });
    const create = { method: 'POST', path: notes, body: { text: 'b' } };
    const batch = await world.call(alias, 'POST', 'batch/', { requests: [create, create] });
    const poll = await world.call(alias, 'GET', 'channels/default/poll/?room=a');

    expect([own.status, own.body.id]).toEqual([200, 3]);
    expect(batch.body.map((item: { code: number }) => item.code)).toEqual([201, 201]);
    expect(poll.status).toBe(204);
  });

  it('in a page', async ({ api, given: { notes, alias } }) => {
    const page = await api.send({
      path: `${notes}?api_key=${alias}`,
      headers: { Accept: 'text/html' },
    });

    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('html'),
    ]);
  });

  it('for a body of more than 64 KB', async ({ world, given: { alias } }) => {
    const body = { text: 'a', ignored: 'x'.repeat(70_000) };
    const known = await world.call(alias, 'POST', 'classes/note/objects/', body);
    const unknown = await world.call(newText(), 'POST', 'classes/note/objects/', body);

    expect([known.status, unknown.status, unknown.body]).toEqual([201, ...ended]);
  });

  it('after the instance was renamed, but not in one that gets its name', async ({
    api,
    world,
  }) => {
    const make = (name: string) =>
      api.send({ as: world.owner, path: '/v1.1/instances/', body: { name } });
    const send = (as: string, method: string, path: string, body?: object) =>
      api.send({ as, method, path: `/v1.1/instances/${path}`, ...(body && { body }) });
    expected(await make('wiki-1'), 201);
    const { id } = expected(await send(world.owner, 'POST', 'wiki-1/api_keys/', {}), 201);
    const old = newText();
    expected(
      await send(world.owner, 'POST', `wiki-1/api_keys/${id}/aliases/`, { alias: old }),
      200,
    );
    expected(await send(world.owner, 'POST', 'wiki-1/rename/', { new_name: 'wiki-2' }), 200);
    expected(await make('wiki-1'), 201);

    const there = await send(old, 'GET', 'wiki-2/api_keys/');
    const here = await send(old, 'GET', 'wiki-1/api_keys/');

    expect([there.status, here.status]).toEqual([200, 403]);
  });
});

describe('a key of 40 digits is rejected', () => {
  it.for([
    ['that no one has registered', () => ({ as: newText(), path: keys })],
    [
      'in another instance',
      ({ alias }: Given) => ({ as: alias, path: '/v1.1/instances/blog-2/api_keys/' }),
    ],
    [
      'in one that does not exist',
      ({ alias }: Given) => ({ as: alias, path: '/v1.1/instances/nowhere/classes/' }),
    ],
    ['outside of instances', ({ alias }: Given) => ({ as: alias, path: '/v1.1/instances/' })],
    ['as an account key', ({ alias }: Given) => ({ as: alias, path: '/v1.1/account/' })],
  ] as const)('%s', async ([_, call], { given, api }) => {
    const { status, body } = await api.send(call(given));

    expect([status, body]).toEqual(ended);
  });

  it('as a user key is ignored', async ({ api, given: { alias } }) => {
    const headers = { 'X-API-KEY': alias, 'X-USER-KEY': alias };
    const { status } = await api.send({ path: '/v1.1/instances/blog-1/user/', headers });

    expect(status).toBe(403);
  });
});

describe('an alias ends at once', () => {
  it.for<[string, (world: World, id: number) => Promise<{ status: number }>]>([
    [
      'with a reset of its API key',
      (world: World, id) => owned(world, 'POST', `api_keys/${id}/reset_key/`),
    ],
    [
      'with the deletion of its API key',
      (world: World, id) => owned(world, 'DELETE', `api_keys/${id}/`),
    ],
    [
      'with its own deletion',
      (world: World, id) => owned(world, 'DELETE', `api_keys/${id}/aliases/`),
    ],
  ])('%s, and may be registered again', async ([_, end], { world, given: { newKey } }) => {
    const { id } = await newKey();
    const text = await newAlias(world, id);
    const before = await seenAs(world, text);
    const { status } = await end(world, id);
    const after = await seenAs(world, text);
    const listed = await owned(world, 'GET', `api_keys/${id}/aliases/`);
    const other = await newKey();
    expected(await add(world, other.id, text), 200);

    expect([before, status < 300, after]).toEqual([id, true, ended]);
    expect([{ aliases: [] }, { detail: 'Not found.' }]).toContainEqual(listed.body);
    expect(await seenAs(world, text)).toBe(other.id);
  });

  it('changes of its API key leave it', async ({ world, given: { newKey } }) => {
    const { id } = await newKey();
    const text = await newAlias(world, id);
    expected(await owned(world, 'PATCH', `api_keys/${id}/`, { ignore_acl: true }), 200);

    expect(await seenAs(world, text)).toBe(id);
  });
});

describe('a registration', () => {
  it('shows the last four digits only, of the aliases of this API key', async ({
    api,
    world,
    given: { newKey },
  }) => {
    const { id } = await newKey();
    const first = await newAlias(world, id);
    const second = newText();

    const added = await add(world, id, second.toUpperCase());
    const listed = await owned(world, 'GET', `api_keys/${id}/aliases/`);
    const name = await instanceNameEntity.read(api.platform.store, 'blog-1');

    expect([added.status, listed.status, added.body]).toEqual([200, 200, listed.body]);
    expect(listed.body).toEqual({ aliases: [first.slice(-4), second.slice(-4)] });
    expect(JSON.stringify(name)).not.toContain(first.slice(0, 8));
  });

  it.for<[string, unknown, object]>([
    ['nothing', undefined, { alias: ['This field is required.'] }],
    ['39 digits', '1'.repeat(39), { alias: ['Not a key of 40 digits.'] }],
    ['other characters', 'g'.repeat(40), { alias: ['Not a key of 40 digits.'] }],
    ['a number', 1e39, { alias: ['Not a key of 40 digits.'] }],
  ])('needs 40 hexadecimal digits: %s', async ([_, text, body], { world, given: { key } }) => {
    const response = await owned(world, 'POST', `api_keys/${key.id}/aliases/`, { alias: text });

    expect([response.status, response.body]).toEqual([400, body]);
  });

  it('is refused where the instance has the alias', async ({
    world,
    given: { key, alias, newKey },
  }) => {
    const unique = { alias: ['This field must be unique.'] };
    const again = await add(world, key.id, alias);
    const other = await add(world, (await newKey()).id, alias.toUpperCase());

    expect([again.status, again.body, other.status, other.body]).toEqual([
      400,
      unique,
      400,
      unique,
    ]);
  });

  it('of an API key that does not exist is 404', async ({ world }) => {
    const responses = await Promise.all(
      ['GET', 'POST', 'DELETE'].map((method) =>
        owned(world, method, 'api_keys/999/aliases/', method === 'POST' ? {} : undefined),
      ),
    );

    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('keeps both of two at once', async ({ world, given: { newKey } }) => {
    const { id } = await newKey();
    const texts = [newText(), newText(), newText()];

    const added = await Promise.all(texts.map((text) => add(world, id, text)));

    expect(added.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await Promise.all(texts.map((as) => seenAs(world, as)))).toEqual([id, id, id]);
  });

  it('is refused beyond 20 of an instance; ended ones do not count', async ({
    world,
    given: { newKey },
  }) => {
    for (const { id } of expected(await owned(world, 'GET', 'api_keys/'), 200).objects) {
      expected(await owned(world, 'DELETE', `api_keys/${id}/aliases/`), 204);
    }
    const [full, other] = [await newKey(), await newKey()];
    await newAlias(world, other.id);
    for (let count = 1; count < 20; count += 1) await newAlias(world, full.id);

    const beyond = await add(world, other.id, newText());
    expected(await owned(world, 'POST', `api_keys/${full.id}/reset_key/`), 200);
    const after = await add(world, other.id, newText());

    expect([beyond.status, beyond.body]).toEqual([400, { detail: 'Alias count exceeded (20).' }]);
    expect(after.body.aliases).toHaveLength(2);
  });
});

describe('while an alias is added, its API key', () => {
  it('is reset: the alias is of the new one', async ({ world, given: { newKey } }) => {
    const [{ id }, text] = [await newKey(), newText()];

    const { status } = await addDuring(world, id, text, () =>
      owned(world, 'POST', `api_keys/${id}/reset_key/`),
    );

    expect([status, await seenAs(world, text)]).toEqual([200, id]);
  });

  it('is deleted: there is none to add it to', async ({ world, given: { newKey } }) => {
    const [{ id }, text] = [await newKey(), newText()];

    const { status } = await addDuring(world, id, text, () =>
      owned(world, 'DELETE', `api_keys/${id}/`),
    );

    expect([status, await seenAs(world, text)]).toEqual([404, ended]);
  });
});

describe('after a new version of the master secret', () => {
  const added = { version: 200, secret: Buffer.alloc(32, 7) };
  it('an alias lives on with its API key, and ends when its version is retired', async ({
    api,
    world,
    given: { newKey },
  }) => {
    const { secrets } = api.platform;
    const rotated = withSecrets(api, {
      current: async () => added,
      get: async (version) => (version === added.version ? added : secrets.get(version)),
    });
    const before = await newKey();
    const [first, second, third] = [await newAlias(world, before.id), newText(), newText()];
    expected(await rotated(world.owner, 'POST', `${before.id}/aliases/`, { alias: second }), 200);
    const after = expected(await rotated(world.owner, 'POST', ''), 201);
    expected(await rotated(world.owner, 'POST', `${after.id}/aliases/`, { alias: third }), 200);
    const retired = withSecrets(api, {
      get: async (version) => (version === added.version ? added : undefined),
    });

    const statuses = async (call: typeof rotated) =>
      Promise.all([first, second, third].map(async (as) => (await call(as, 'GET', '')).status));

    expect(await statuses(rotated)).toEqual([200, 200, 200]);
    expect(await statuses(retired)).toEqual([403, 403, 200]);
  });
});

async function setUp(world: World) {
  const newKey = async (flags: object = {}): Promise<typeof key> =>
    expected(await owned(world, 'POST', 'api_keys/', flags), 201);

  const notes = `${await world.dataClass('note', [
    { name: 'text', type: 'text' },
    { name: 'scan', type: 'file' },
  ])}objects/`;
  const key: { readonly id: number; readonly api_key: string } = await newKey({ ignore_acl: true });
  const alias = await newAlias(world, key.id);
  return { alias, key, notes, newKey };
}

type Given = Awaited<ReturnType<typeof setUp>>;

const owned = (world: World, method: string, path: string, body?: object) =>
  world.own(method, path, body);

const add = (world: World, id: number, text: string) =>
  owned(world, 'POST', `api_keys/${id}/aliases/`, { alias: text });

async function newAlias(world: World, id: number): Promise<string> {
  const text = newText();
  expected(await add(world, id, text), 200);
  return text;
}

/** Returns the id of the API key as which a request acts: it sees no other. */
async function seenAs(world: World, as: string): Promise<unknown> {
  const { status, body } = await world.call(as, 'GET', 'api_keys/');
  return status === 200 ? body.objects[0]?.id : [status, body];
}

/** Returns a way to send requests to a server that differs in some services. */
function withServices(api: Api, services: Partial<Platform>) {
  const dispatch = createDispatch(
    routes,
    { ...api.platform, ...services },
    { renderer: responseTemplates },
  );
  return async (as: string, method: string, path: string, body: object = {}) => {
    const { status, body: shown } = await dispatch({
      id: 'test',
      method,
      path: `${keys}${path}`,
      headers: { 'x-api-key': as },
      query: new URLSearchParams(),
      body: { kind: 'json', value: body },
      sourceAddress: '127.0.0.1',
    });
    return { status, body: JSON.parse(JSON.stringify(shown ?? null)) };
  };
}

const withSecrets = (api: Api, secrets: Partial<Secrets>) =>
  withServices(api, { secrets: { ...api.platform.secrets, ...secrets } });

/** Adds an alias, and ends the API key just before the write. */
async function addDuring(world: World, id: number, text: string, end: () => Promise<unknown>) {
  const { store } = world.api.platform;
  let ended: Promise<unknown> | undefined;
  const write: Store['write'] = async (transaction) => {
    ended ??= end();
    await ended;
    return store.write(transaction);
  };
  const ends = withServices(world.api, { store: Object.assign(Object.create(store), { write }) });
  return ends(world.owner, 'POST', `${id}/aliases/`, { alias: text });
}
