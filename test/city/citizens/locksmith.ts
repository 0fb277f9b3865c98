import type { Citizen, Life } from '../citizen.ts';

interface Key {
  readonly id: number;
  readonly secret: string;
}

/** Creates, resets and deletes API keys. An invalid key is rejected at once and permanently. */
export const locksmith: Citizen = {
  name: 'locksmith',
  homes: ['small', 'large'],
  settle: async (life) => {
    const living = new Map<number, Key>();
    const dead: string[] = [];
    const check = async () => {
      for (const { secret } of living.values()) await use(life, secret, 200);
      for (const secret of dead.slice(-20)) await use(life, secret, 403);
    };
    const kill = (key: Key) => {
      dead.push(key.secret);
      living.delete(key.id);
    };
    const acts = [
      async () => {
        const key = await make(life);
        living.set(key.id, key);
        await use(life, key.secret, 200);
      },
      () => check(),
      async () => {
        const key = take(life, living);
        if (key === undefined) return;
        living.delete(key.id); // its validity is unknown until the response
        living.set(key.id, await reset(life, key));
        dead.push(key.secret);
        await check();
      },
      async () => {
        const key = take(life, living);
        if (key === undefined) return;
        living.delete(key.id);
        const path = `${life.home.base}api_keys/${key.id}/`;
        const as = { key: life.home.accountKey };
        await life.client.expect({ ...as, method: 'DELETE', path }, 204);
        kill(key);
        await check();
      },
    ];
    return {
      act: () => life.random.pick(living.size > 6 ? acts.slice(1) : acts)(),
      verify: check,
    };
  },
};

function take({ random }: Life, living: ReadonlyMap<number, Key>): Key | undefined {
  return living.size === 0 ? undefined : random.pick([...living.values()]);
}

async function make({ client, home }: Life): Promise<Key> {
  const body = { description: home.mark, ignore_acl: true };
  const call = { path: `${home.base}api_keys/`, key: home.accountKey, body };
  const made = await client.expect(call, 201);
  return { id: made.body.id, secret: made.body.api_key };
}

async function reset({ client, home }: Life, { id }: Key): Promise<Key> {
  const path = `${home.base}api_keys/${id}/reset_key/`;
  const made = await client.expect({ method: 'POST', path, key: home.accountKey }, 200);
  return { id, secret: made.body.api_key };
}

async function use({ client, home }: Life, key: string, status: number): Promise<void> {
  await client.expect({ path: `${home.base}classes/user_profile/`, key }, status);
}
