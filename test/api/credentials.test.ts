import { describe, expect } from 'vitest';
import { updateItem } from '../../shared/store/writes.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import { keyText, parseKey } from '../../shared/values/keys/credentials.ts';
import { type Api, type Call, openWorld, plantUser, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { dataIdOf } from '../support/moved-store.ts';
import { forbidden, noInstance, noSuchKey } from '../support/responses.ts';

const it = worldTest()
  .extend('given', { scope: 'file' }, ({ world }) => setUp(world))
  .extend('foreign', { scope: 'file' }, async ({ api }) =>
    (await openWorld(api, 'wiki-1')).apiKey({ ignore_acl: true }),
  );

const keys = '/v1.1/instances/blog-1/api_keys/';

/** Each place alone is tested for every path in laws.test.ts. */
describe('the place of a key', () => {
  it.for<[string, (valid: string, other: string) => Call]>([
    ['any first word', (valid) => ({ path: keys, headers: { Authorization: `Bearer ${valid}` } })],
    [
      'the header before the query',
      (valid, other) => ({ path: `${keys}?api_key=${other}`, headers: { 'X-API-KEY': valid } }),
    ],
    [
      'api_key before apikey',
      (valid, other) => ({ path: `${keys}?apikey=${other}&api_key=${valid}` }),
    ],
    [
      'the query before Authorization',
      (valid, other) => ({
        path: `${keys}?apikey=${valid}`,
        headers: { Authorization: `token ${other}` },
      }),
    ],
    [
      'the header before a social token',
      (valid) => ({ path: keys, headers: { 'X-API-KEY': valid, Authorization: 'Token social' } }),
    ],
    [
      'the last of two in the query',
      (valid, other) => ({ path: `${keys}?api_key=${other}&api_key=${valid}` }),
    ],
    [
      'an empty place is passed over',
      (valid) => ({
        path: `${keys}?api_key=&apikey=${valid}`,
        headers: { 'X-API-KEY': '' },
      }),
    ],
    [
      'Authorization before the body',
      (valid, other) => ({
        ...overridden({ _api_key: other }),
        headers: { 'Content-Type': 'text/plain', Authorization: `token ${valid}` },
      }),
    ],
  ])('may be %s', async ([_, callOf], { api, given: { keyA, keyB } }) => {
    expect(await seenAs(api, callOf(keyA.api_key, keyB.api_key))).toBe(keyA.id);
  });

  function overridden(body: object): Call {
    return {
      method: 'POST',
      path: keys,
      headers: { 'Content-Type': 'text/plain' },
      body: JSON.stringify({ _method: 'GET', ...body }),
    };
  }
});

describe('a key in the body', () => {
  const form = 'application/x-www-form-urlencoded';

  it.for<[string, (key: string) => Call]>([
    ['JSON', (_api_key) => ({ path: keys, body: { description: 'new', _api_key } })],
    [
      'text',
      (_api_key) => ({
        path: keys,
        headers: { 'Content-Type': 'text/plain' },
        body: JSON.stringify({ description: 'new', _api_key }),
      }),
    ],
    [
      'a form',
      (_api_key) => ({
        path: keys,
        headers: { 'Content-Type': form },
        body: new URLSearchParams({ description: 'new', _api_key }).toString(),
      }),
    ],
    [
      'multipart',
      (key) => {
        const body = new FormData();
        body.append('description', 'new');
        body.append('_api_key', key);
        return { path: keys, body };
      },
    ],
  ])('is read from %s', async ([_, callOf], { api, world }) => {
    const made = await api.send(callOf(world.owner));

    expect(made).toMatchObject({ status: 201, body: { description: 'new' } });
  });
});

it.for<[string, (key: string) => Partial<Call>, object]>([
  ['one word is no Authorization', (key) => ({ headers: { Authorization: key } }), forbidden],
  [
    'three words are no Authorization',
    (key) => ({ headers: { Authorization: `token ${key} x` } }),
    forbidden,
  ],
  ['a key with another digit at its end', (key) => ({ as: forged(key) }), noSuchKey],
  [
    'a key that claims another record',
    (key) => ({ as: `${key.slice(0, 16)}ff${key.slice(18)}` }),
    noSuchKey,
  ],
  ['a good key and more', (key) => ({ as: `${key}00` }), noSuchKey],
  ['a key of an unknown version of the secret', () => ({ as: ofOtherVersion() }), noSuchKey],
])('%s is rejected', async ([_, callOf, body], { api, given: { keyA } }) => {
  const response = await api.send({ path: keys, ...callOf(keyA.api_key) });

  expect(response).toMatchObject({ status: 403, body });
});

describe('a foreign API key', () => {
  it('of a missing instance is rejected as that', async ({ api, foreign }) => {
    const response = await api.send({ as: foreign, path: '/v1.1/instances/nowhere/classes/' });

    expect([response.status, response.body]).toEqual([404, noInstance]);
  });

  it('takes no ids of that instance', async ({ world, foreign }) => {
    const before = await newKey(world);

    await world.call(foreign, 'POST', 'api_keys/', {});
    const after = await newKey(world);

    expect(after.id).toBe(before.id + 1);
  });
});

describe('a change of a key applies at once', () => {
  it('a reset API key is invalid and its successor is valid', async ({ api, world }) => {
    const key = await newKey(world);
    const reset = await world.own('POST', `api_keys/${key.id}/reset_key/`);

    const old = await seenAs(api, { as: key.api_key, path: keys });
    const now = await seenAs(api, { as: reset.body.api_key, path: keys });

    expect(old).toEqual({ status: 403, ...noSuchKey });
    expect(now).toBe(key.id);
  });

  it('a deleted API key is invalid, on open pages too', async ({ api, world }) => {
    const key = await newKey(world);
    await world.own('DELETE', `api_keys/${key.id}/`);

    const inside = await seenAs(api, { as: key.api_key, path: keys });
    const outside = await seenAs(api, { as: key.api_key, path: '/v1.1/' });

    expect([inside, outside]).toEqual(Array(2).fill({ status: 403, ...noSuchKey }));
  });

  it('a reset account key is invalid and its successor is valid', async ({ api, world }) => {
    const key = await world.account('reset@example.com');
    const reset = await api.send({ as: key, method: 'POST', path: '/v1.1/account/reset_key/' });

    const old = await api.send({ as: key, path: '/v1.1/account/' });
    const now = await api.send({ as: reset.body.account_key, path: '/v1.1/account/' });

    expect([old.status, old.body]).toEqual([403, noSuchKey]);
    const { account_key: _, ...account } = reset.body;
    expect([now.status, now.body]).toEqual([200, account]);
  });

  it('a flag applies once it is set', async ({ api, world, given: { object } }) => {
    const key = await newKey(world);
    const before = await api.send({ as: key.api_key, path: object });
    await api.send({
      as: world.owner,
      method: 'PATCH',
      path: key.links.self,
      body: { ignore_acl: true },
    });

    const after = await api.send({ as: key.api_key, path: object });

    expect([before.status, after.status]).toEqual([403, 200]);
  });
});

describe('a user key', () => {
  it.for<[string, (given: Given) => Partial<Call>]>([
    ['the header', ({ bare, user }) => ({ headers: { 'X-API-KEY': bare, 'X-USER-KEY': user } })],
    [
      'the query user_key',
      ({ bare, object, user }) => ({ as: bare, path: `${object}?user_key=${user}` }),
    ],
    [
      'the query userkey',
      ({ bare, object, user }) => ({ as: bare, path: `${object}?userkey=${user}` }),
    ],
    [
      'the header before the query',
      ({ bare, object, user }) => ({ as: { key: bare, user }, path: `${object}?user_key=abc` }),
    ],
    [
      'JSON, the key in a header',
      ({ bare, user }) => ({ as: bare, method: 'PATCH', body: { _user_key: user } }),
    ],
    [
      'JSON, with the key',
      ({ bare, user }) => ({
        method: 'PATCH',
        body: { _user_key: user, _api_key: bare, text: 'x' },
      }),
    ],
    [
      'text that overrides the method',
      ({ bare, user }) => ({
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: JSON.stringify({ _method: 'GET', _user_key: user, _api_key: bare }),
      }),
    ],
  ])('may be %s', async ([_, callOf], { given }) => {
    expect(await given.send(callOf(given))).toMatchObject({ status: 200, body: { owner: 3 } });
  });

  it.for<[string, (given: Given) => string]>([
    ['unknown', () => 'abc'],
    ['forged', ({ user }) => forged(user)],
    ['an API key', ({ keyB }) => keyB.api_key],
    ['an account key', ({ owner }) => owner],
  ])('is ignored when it is %s', async ([_, textOf], { given }) => {
    const response = await given.send({ as: { key: given.bare, user: textOf(given) } });

    expect([response.status, response.body]).toEqual([403, forbidden]);
  });

  it('of another instance is ignored', async ({ api, given: { send, bare } }) => {
    const other = await plantUser(await openWorld(api, 'shop-1'), 3);

    const response = await send({ as: { key: bare, user: other } });

    expect(response.status).toBe(403);
  });

  it('that was reset is ignored', async ({ api, world, given: { bare } }) => {
    const old = await plantUser(world, 5);
    const { store, ids, secrets } = api.platform;
    const claims = parseKey(old)?.claims;
    const record =
      claims?.kind === 'user' && (await userEntity.read(store, dataIdOf(claims.scope), 5));
    if (!record) throw new Error('no user was planted');
    await store.write({
      id: ids.random(),
      change: { actor: {}, cause: 'maintenance', depth: 0 },
      writes: [updateItem(record, { ...record.data, generation: 2 })],
    });
    const now = keyText({ ...claims, generation: 2 }, (await secrets.current()).secret);
    const list = `${world.base}classes/note/objects/`;

    const responses = await Promise.all(
      [old, now].map((text) => api.send({ as: { key: bare, user: text }, path: list })),
    );

    expect(responses.map(({ status }) => status)).toEqual([403, 200]);
  });

  it('with an account key is ignored', async ({ world, given: { send, user } }) => {
    const reader = await joinAs(world, 'read');

    const made = await world.call({ key: world.owner, user }, 'POST', 'classes/note/objects/', {});
    const refused = await send({ as: { key: reader, user }, method: 'PATCH', body: {} });

    expect(made).toMatchObject({ status: 201, body: { owner: null } });
    expect(refused.status).toBe(403);
  });

  it('alone does not authenticate', async ({ given: { send, user } }) => {
    const response = await send({ headers: { 'X-USER-KEY': user } });

    expect([response.status, response.body]).toEqual([403, forbidden]);
  });
});

it('a set-up code is not a key', async ({ api }) => {
  const { version, secret } = await api.platform.secrets.current();
  const claims = { kind: 'setUp', version, scope: 0, record: 0, generation: 1 } as const;

  const response = await api.send({ as: keyText(claims, secret), path: '/v1.1/' });

  expect([response.status, response.body]).toEqual([403, noSuchKey]);
});

async function setUp(world: World) {
  const keyA = await newKey(world);
  const keyB = await newKey(world);
  const bare = await world.apiKey();
  const user = await plantUser(world, 3);
  await world.dataClass('note', [{ name: 'text', type: 'string' }]);
  const { links } = await world.create('classes/note/objects/', { owner: 3 });
  const object: string = links.self;
  const send = (call: Partial<Call>) => world.api.send({ path: object, ...call });
  return { keyA, keyB, bare, user, object, send, owner: world.owner };
}

type Given = Awaited<ReturnType<typeof setUp>>;

interface NewKey {
  readonly id: number;
  readonly api_key: string;
  readonly links: { readonly self: string };
}

const newKey = (world: World): Promise<NewKey> => world.create('api_keys/', {});

/** Requests that reveal the key of the caller: each sees only itself. */
async function seenAs(api: Api, call: Call): Promise<unknown> {
  const { status, body } = await api.send(call);
  return body.objects?.[0]?.id ?? { status, ...body };
}

function forged(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
}

function ofOtherVersion(): string {
  const claims = { kind: 'apiKey', version: 9, scope: 1, record: 1, generation: 1 } as const;
  return keyText(claims, new Uint8Array(32));
}
