import type { Citizen } from '../citizen.ts';

const below = [
  '',
  'classes/',
  'classes/user_profile/objects/',
  'api_keys/',
  'users/',
  'groups/',
  'endpoints/data/',
  'endpoints/scripts/',
  'snippets/scripts/',
  'snippets/config/',
  'snippets/templates/',
];

/** Tries its valid keys on the instances of others. The client checks all responses for their data. */
export const spy: Citizen = {
  name: 'spy',
  homes: ['own'],
  settle: async (life) => {
    const { client, home, random, others } = life;
    return {
      act: async () => {
        const victim = random.pick(others());
        const key = random.pick([home.apiKey, home.accountKey]);
        const path = `${victim.base}${random.pick(below)}`;
        if (random.chance(0.7)) await client.expect({ path, key }, 403, 404);
        else {
          const body = { name: 'spied', label: 'spied', username: 'spied', password: 'spied' };
          await client.expect({ path, key, body }, 403, 404, 405);
        }
        const requests = [{ method: 'GET', path }];
        const call = { path: `${victim.base}batch/`, key, body: { requests } };
        const response = await client.expect(call, 200, 403, 404); // its items are authorized one by one
        if (response.status === 200 && ![403, 404].includes(response.body[0].code))
          client.fail(call, response, `its item has code ${response.body[0].code}`);
        await client.expect({ path: `${home.base}batch/`, key, body: { requests } }, 400);
      },
    };
  },
};
