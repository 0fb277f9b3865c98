import type { Citizen } from '../citizen.ts';

/**
 * Looks for its requests in the log of its instance: each is there, unless the server was killed in between, with its
 * status, and no key is.
 */
export const auditor: Citizen = {
  name: 'auditor',
  homes: ['small', 'large'],
  settle: async (life) => {
    const { client, home, random } = life;
    return {
      act: async () => {
        const [path, status] = random.pick([
          [`classes/?api_key=${home.apiKey}`, 200],
          ['classes/user_profile/objects/2000000000/', 404],
          ['classes/?page_size=x', 400],
        ] as const);
        const { headers } = await client.expect(
          { path: home.base + path, key: home.accountKey },
          status,
        );
        const log = `${home.base}request_log/?request_id=${headers['x-request-id']}`;
        const call = { path: log, key: home.accountKey };
        const response = await client.expect(call, 200);
        const found: readonly { readonly status: number }[] = response.body.objects;
        if (found.length > 1 || found.some((record) => record.status !== status)) {
          client.fail(call, response, `the log has another record of a request with ${status}`);
        }
        const text = JSON.stringify(found);
        if (text.includes(home.apiKey) || text.includes(home.accountKey)) {
          client.fail(call, response, 'the log has a key');
        }
      },
    };
  },
};
