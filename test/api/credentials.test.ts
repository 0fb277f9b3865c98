import { beforeAll, describe, expect, it } from 'vitest';
import { updateItem } from '../../shared/store/writes.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import { keyText, parseKey } from '../../shared/values/keys/credentials.ts';
import { type Call, expected, openWorld, plantUser } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { joinAs } from '../support/join-as.ts';
import { dataIdOf } from '../support/moved-store.ts';
import { forbidden, noInstance, noSuchKey } from '../support/responses.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

let keyA: { id: number; api_key: string; links: { self: string; reset_key: string } };
let keyB: typeof keyA;
let user: string;
let object: string;

beforeAll(async () => {
  keyA = await newKey();
  keyB = await newKey();
  user = await plantUser(world, 3);
  await world.dataClass('note', [{ name: 'text', type: 'string' }]);
  object = expected(
    await world.call(world.owner, 'POST', 'classes/note/objects/', { owner: 3 }),
    201,
  ).links.self;
});

async function newKey(flags = {}): Promise<typeof keyA> {
  return expected(await world.call(world.owner, 'POST', 'api_keys/', flags), 201);
}

const keys = '/v1.1/instances/blog-1/api_keys/';

/** Requests that reveal the key of the caller: each sees only itself. */
async function seenAs(call: Call): Promise<unknown> {
  const { status, body } = await api.send(call);
  return body.objects?.[0]?.id ?? { status, ...body };
}

/** Each place alone is tested for every path in laws.test.ts. */
describe('the place of a key', () => {
  const valid = () => keyA.api_key;
  const other = () => keyB.api_key;
  const rows: readonly [string, () => Call][] = [
    ['any first word', () => ({ path: keys, headers: { Authorization: `Bearer ${valid()}` } })],
    [
      'the header before the query',
      () => ({ path: `${keys}?api_key=${other()}`, headers: { 'X-API-KEY': valid() } }),
    ],
    ['api_key before apikey', () => ({ path: `${keys}?apikey=${other()}&api_key=${valid()}` })],
    [
      'the query before Authorization',
      () => ({
        path: `${keys}?apikey=${valid()}`,
        headers: { Authorization: `token ${other()}` },
      }),
    ],
    [
      'the header before a social token',
      () => ({ path: keys, headers: { 'X-API-KEY': valid(), Authorization: 'Token social' } }),
    ],
    [
      'the last of two in the query',
      () => ({ path: `${keys}?api_key=${other()}&api_key=${valid()}` }),
    ],
    [
      'an empty place is passed over',
      () => ({
        path: `${keys}?api_key=&apikey=${valid()}`,
        headers: { 'X-API-KEY': '' },
      }),
    ],
    [
      'Authorization before the body',
      () => ({
        ...overridden({ _api_key: other() }),
        headers: { 'Content-Type': 'text/plain', Authorization: `token ${valid()}` },
      }),
    ],
  ];

  function overridden(body: object): Call {
    return {
      method: 'POST',
      path: keys,
      headers: { 'Content-Type': 'text/plain' },
      body: JSON.stringify({ _method: 'GET', ...body }),
    };
  }

  it.each(rows)('may be %s', async (_, call) => {
    expect(await seenAs(call())).toBe(keyA.id);
  });
});

describe('a key in the body', () => {
  const created = (extra: object) => ({ ...extra, _api_key: world.owner });
  const form = 'application/x-www-form-urlencoded';

  it.each([
    ['JSON', () => ({ path: keys, body: created({ description: 'new' }) })],
    [
      'text',
      () => ({
        path: keys,
        headers: { 'Content-Type': 'text/plain' },
        body: JSON.stringify(created({ description: 'new' })),
      }),
    ],
    [
      'a form',
      () => ({
        path: keys,
        headers: { 'Content-Type': form },
        body: new URLSearchParams({ description: 'new', _api_key: world.owner }).toString(),
      }),
    ],
    [
      'multipart',
      () => {
        const body = new FormData();
        body.append('description', 'new');
        body.append('_api_key', world.owner);
        return { path: keys, body };
      },
    ],
  ] as readonly [string, () => Call][])('is read from %s', async (_, call) => {
    expect(await api.send(call())).toMatchObject({ status: 201, body: { description: 'new' } });
  });
});

it.each<[string, () => Partial<Call>, object]>([
  ['one word is no Authorization', () => ({ headers: { Authorization: keyA.api_key } }), forbidden],
  [
    'three words are no Authorization',
    () => ({ headers: { Authorization: `token ${keyA.api_key} x` } }),
    forbidden,
  ],
  ['a key with another digit at its end', () => ({ as: forged(keyA.api_key) }), noSuchKey],
  [
    'a key that claims another record',
    () => ({ as: `${keyA.api_key.slice(0, 16)}ff${keyA.api_key.slice(18)}` }),
    noSuchKey,
  ],
  ['a good key and more', () => ({ as: `${keyA.api_key}00` }), noSuchKey],
  ['a key of an unknown version of the secret', () => ({ as: ofOtherVersion() }), noSuchKey],
])('%s is rejected', async (_, call, body) => {
  expect(await api.send({ path: keys, ...call() })).toMatchObject({ status: 403, body });
});

function forged(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
}

function ofOtherVersion(): string {
  const claims = { kind: 'apiKey', version: 9, scope: 1, record: 1, generation: 1 } as const;
  return keyText(claims, new Uint8Array(32));
}

describe('a foreign API key', () => {
  let foreign: string;

  beforeAll(async () => {
    const other = await openWorld(api, 'wiki-1');
    foreign = await other.apiKey({ ignore_acl: true });
  });

  it('of a missing instance is rejected as that', async () => {
    const response = await api.send({ as: foreign, path: '/v1.1/instances/nowhere/classes/' });

    expect([response.status, response.body]).toEqual([404, noInstance]);
  });

  it('takes no ids of that instance', async () => {
    const before = await newKey();

    await world.call(foreign, 'POST', 'api_keys/', {});
    const after = await newKey();

    expect(after.id).toBe(before.id + 1);
  });
});

describe('a change of a key applies at once', () => {
  it('a reset API key is invalid and its successor is valid', async () => {
    const key = await newKey();
    const reset = await world.call(world.owner, 'POST', `api_keys/${key.id}/reset_key/`);

    const old = await seenAs({ as: key.api_key, path: keys });
    const now = await seenAs({ as: reset.body.api_key, path: keys });

    expect(old).toEqual({ status: 403, ...noSuchKey });
    expect(now).toBe(key.id);
  });

  it('a deleted API key is invalid, on open pages too', async () => {
    const key = await newKey();
    await world.call(world.owner, 'DELETE', `api_keys/${key.id}/`);

    const inside = await seenAs({ as: key.api_key, path: keys });
    const outside = await seenAs({ as: key.api_key, path: '/v1.1/' });

    expect([inside, outside]).toEqual(Array(2).fill({ status: 403, ...noSuchKey }));
  });

  it('a reset account key is invalid and its successor is valid', async () => {
    const key = await world.account('reset@example.com');
    const reset = await api.send({ as: key, method: 'POST', path: '/v1.1/account/reset_key/' });

    const old = await api.send({ as: key, path: '/v1.1/account/' });
    const now = await api.send({ as: reset.body.account_key, path: '/v1.1/account/' });

    expect([old.status, old.body]).toEqual([403, noSuchKey]);
    const { account_key: _, ...account } = reset.body;
    expect([now.status, now.body]).toEqual([200, account]);
  });

  it('a flag applies once it is set', async () => {
    const key = await newKey();
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
  const send = (call: Partial<Call>) => api.send({ path: object, ...call });
  let bare: string;

  beforeAll(async () => {
    bare = await world.apiKey();
  });

  it.each([
    ['the header', () => ({ headers: { 'X-API-KEY': bare, 'X-USER-KEY': user } })],
    ['the query user_key', () => ({ as: bare, path: `${object}?user_key=${user}` })],
    ['the query userkey', () => ({ as: bare, path: `${object}?userkey=${user}` })],
    [
      'the header before the query',
      () => ({ as: { key: bare, user }, path: `${object}?user_key=abc` }),
    ],
    ['JSON, the key in a header', () => ({ as: bare, method: 'PATCH', body: { _user_key: user } })],
    [
      'JSON, with the key',
      () => ({ method: 'PATCH', body: { _user_key: user, _api_key: bare, text: 'x' } }),
    ],
    [
      'text that overrides the method',
      () => ({
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: JSON.stringify({ _method: 'GET', _user_key: user, _api_key: bare }),
      }),
    ],
  ] as readonly [string, () => Partial<Call>][])('may be %s', async (_, call) => {
    expect(await send(call())).toMatchObject({ status: 200, body: { owner: 3 } });
  });

  it.each([
    ['unknown', () => 'abc'],
    ['forged', () => forged(user)],
    ['an API key', () => keyB.api_key],
    ['an account key', () => world.owner],
  ])('is ignored when it is %s', async (_, text) => {
    const response = await send({ as: { key: bare, user: text() } });

    expect([response.status, response.body]).toEqual([403, forbidden]);
  });

  it('of another instance is ignored', async () => {
    const other = await plantUser(await openWorld(api, 'shop-1'), 3);

    const response = await send({ as: { key: bare, user: other } });

    expect(response.status).toBe(403);
  });

  it('that was reset is ignored', async () => {
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

    const answers = await Promise.all(
      [old, now].map((text) => api.send({ as: { key: bare, user: text }, path: list })),
    );

    expect(answers.map(({ status }) => status)).toEqual([403, 200]);
  });

  it('with an account key is ignored', async () => {
    const reader = await joinAs(world, 'read');

    const made = await world.call({ key: world.owner, user }, 'POST', 'classes/note/objects/', {});
    const refused = await send({ as: { key: reader, user }, method: 'PATCH', body: {} });

    expect(made).toMatchObject({ status: 201, body: { owner: null } });
    expect(refused.status).toBe(403);
  });

  it('alone does not authenticate', async () => {
    const response = await send({ headers: { 'X-USER-KEY': user } });

    expect([response.status, response.body]).toEqual([403, forbidden]);
  });
});

it('a set-up code is not a key', async () => {
  const { version, secret } = await api.platform.secrets.current();
  const claims = { kind: 'setUp', version, scope: 0, record: 0, generation: 1 } as const;

  const response = await api.send({ as: keyText(claims, secret), path: '/v1.1/' });

  expect([response.status, response.body]).toEqual([403, noSuchKey]);
});
