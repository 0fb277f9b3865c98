import { describe, expect } from 'vitest';
import { accountKey } from '../../shared/accounts/keys.ts';
import type { Key } from '../../shared/store/store.ts';
import { accountEntity } from '../../shared/table/entities/accounts.ts';
import { scriptEndpointEntity } from '../../shared/table/entities/endpoints.ts';
import { apiKeyEntity } from '../../shared/table/entities/instances.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import { parseKey } from '../../shared/values/keys/credentials.ts';
import { expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { dataIdOf } from '../support/moved-store.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/* New keys start at a random generation, so that ids that are reused after a restore have other keys. */

const it = worldTest();

const kinds: Readonly<Record<string, (world: World, name: number) => Promise<Made>>> = {
  account: async (world, name) => {
    const key = await world.account(`person-${name}@example.com`);
    const record = accountEntity.key(claimsOf(key).scope);
    const reset = async () => {
      const { store, secrets } = world.api.platform;
      const found = await accountEntity.read(store, claimsOf(key).scope);
      const call = { method: 'POST', path: '/v1.1/account/reset_key/' };
      const current = found && (await accountKey(secrets, found.data));
      return expected(await world.api.send({ as: current, ...call }), 200).account_key;
    };
    return { key, record, reset };
  },
  apiKey: async (world) => {
    const { id, api_key: key } = await post(world, 'api_keys/');
    const record = apiKeyEntity.key(claimsOf(key).scope, id);
    return {
      key,
      record,
      reset: async () => (await post(world, `api_keys/${id}/reset_key/`)).api_key,
    };
  },
  user: async (world, name) => {
    const body = { username: `user-${name}`, password: 'p' };
    const { id, user_key: key } = await post(world, 'users/', body);
    const record = userEntity.key(dataIdOf(claimsOf(key).scope), id);
    return {
      key,
      record,
      reset: async () => (await post(world, `users/${id}/reset_key/`)).user_key,
    };
  },
  publicLink: async (world, name) => {
    const { name: endpoint, public_link: key } = await makeEndpoint(world, `run-${name}`, '');
    const path = `endpoints/scripts/${endpoint}/reset_link/`;
    const record = scriptEndpointEntity.key(dataIdOf(claimsOf(key).scope), endpoint);
    return { key, record, reset: async () => (await post(world, path)).public_link };
  },
};

describe.each(Object.entries(kinds))('a key of the kind %s', (_, make) => {
  it('starts at a random generation, and a reset takes the next', async ({ world }) => {
    const generations: number[] = [];
    for (let n = 0; n < 16; n += 1) generations.push(generationOf((await make(world, n)).key));
    const { key, reset } = await make(world, 16);
    const next = generationOf(await reset());

    expectRandom(generations);
    expect(next).toBe((generationOf(key) % 65_535) + 1);
  });

  it('starts again at the first generation after the last', async ({ world }) => {
    const { record, reset } = await make(world, 17);
    await spend(world, record);

    const texts = [await reset(), await reset()];

    expect(texts.map(generationOf)).toEqual([1, 2]);
  });
});

it('the key of an invitation starts at a random generation', async ({ world }) => {
  const generations: number[] = [];
  for (let n = 0; n < 16; n += 1) {
    const { key } = await post(world, 'invitations/', { email: `guest-${n}@example.com` });
    generations.push(generationOf(key));
  }

  expectRandom(generations);
});

/** A record with a key, the way to reset the key, and the location of the record. */
interface Made {
  readonly key: string;
  readonly reset: () => Promise<string>;
  readonly record: Key;
}

async function post(world: World, path: string, body: object = {}) {
  const response = await world.own('POST', path, body);
  expect([200, 201]).toContain(response.status);
  return response.body;
}

function claimsOf(key: string) {
  const claims = parseKey(key)?.claims;
  if (claims === undefined || claims.kind === 'script') throw new Error('this is no key');
  return claims;
}

const generationOf = (key: string) => claimsOf(key).generation;

/** 16 draws of 65,535 are all the same, or all below 4,096, less than once in 10^18 runs. */
function expectRandom(generations: readonly number[]): void {
  expect(new Set(generations).size).toBeGreaterThan(1);
  expect(Math.min(...generations)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...generations)).toBeGreaterThan(4096);
}

/** Sets the record of a key to the last generation, in the store. */
async function spend({ api }: World, key: Key): Promise<void> {
  const { store, ids } = api.platform;
  const [item] = await store.get([key]);
  if (item === undefined) throw new Error('there is no record');
  const { kind, version, data } = item;
  await store.write({
    id: ids.random(),
    change: { actor: {}, cause: 'maintenance', depth: 0 },
    writes: [
      {
        action: 'put',
        key,
        kind,
        data: { ...(data as object), generation: 65_535 },
        condition: { kind: 'version', version },
      },
    ],
  });
}
