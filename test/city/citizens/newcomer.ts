import type { Citizen, Life } from '../citizen.ts';

const password = 'a password';

interface Account {
  readonly email: string;
  /** Names of its instances, which must not be lost. */
  readonly instances: Set<string>;
}

/** Registers, logs in, creates, renames and deletes instances, and resets its key. */
export const newcomer: Citizen = {
  name: 'newcomer',
  homes: ['small'],
  pauseMs: 400,
  settle: async (life) => {
    const accounts: Account[] = [];
    const any = () => life.random.pick(accounts);
    const acts = [
      () => moveIn(life, any()),
      () => resetKey(life, any()),
      () => rename(life, any()),
      () => moveOut(life, any()),
    ];
    return {
      act: async () => {
        if (accounts.length < 3) accounts.push(await signUp(life, accounts.length));
        else await life.random.pick(acts)();
      },
      verify: async () => {
        for (const account of accounts) await check(life, account);
      },
    };
  },
};

async function signUp({ client, random, prefix }: Life, count: number): Promise<Account> {
  const email = `${prefix}-${random.word(10)}-${count}@example.com`;
  const body = { email, password };
  await client.expect({ path: '/v1.1/account/register/', body }, 201);
  return { email, instances: new Set() };
}

async function logIn({ client }: Life, { email }: Account): Promise<string> {
  const body = { email, password };
  const response = await client.expect({ path: '/v1.1/account/auth/', body }, 200);
  return response.body.account_key;
}

async function check(life: Life, account: Account): Promise<void> {
  const key = await logIn(life, account);
  for (const name of account.instances)
    await life.client.expect({ path: `/v1.1/instances/${name}/`, key }, 200);
}

async function moveIn(life: Life, account: Account): Promise<void> {
  if (account.instances.size > 5) return moveOut(life, account);
  const key = await logIn(life, account);
  const name = `n${life.random.word(12)}`;
  await life.client.expect({ path: '/v1.1/instances/', key, body: { name } }, 201);
  account.instances.add(name);
  await check(life, account);
}

async function resetKey(life: Life, account: Account): Promise<void> {
  const old = await logIn(life, account);
  const path = '/v1.1/account/reset_key/';
  await life.client.expect({ method: 'POST', path, key: old }, 200);
  await life.client.expect({ path: '/v1.1/instances/', key: old }, 403);
  await check(life, account);
}

async function rename(life: Life, account: Account): Promise<void> {
  const [name] = account.instances;
  if (name === undefined) return;
  const key = await logIn(life, account);
  const other = `n${life.random.word(12)}`;
  account.instances.delete(name); // the valid name is unknown until the response
  const path = `/v1.1/instances/${name}/rename/`;
  await life.client.expect({ path, key, body: { new_name: other } }, 200);
  account.instances.add(other);
  await life.client.expect({ path: `/v1.1/instances/${name}/`, key }, 404);
  await check(life, account);
}

async function moveOut(life: Life, account: Account): Promise<void> {
  const [name] = account.instances;
  if (name === undefined) return;
  const key = await logIn(life, account);
  account.instances.delete(name);
  const path = `/v1.1/instances/${name}/`;
  await life.client.expect({ method: 'DELETE', path, key }, 204);
  await life.client.expect({ path, key }, 404);
}
