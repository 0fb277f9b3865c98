import { expect } from 'vitest';
import { userKey } from '../../shared/accounts/keys.ts';
import type { World } from '../support/api.ts';
import { openFilledWorld, places } from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';
import { type RawResponse, sendRaw } from '../support/http-client.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { instanceId } from '../support/stored-records.ts';
import { beginSession, storedUser } from '../support/user-sessions.ts';

/*
 * A session never sees the key of its user, which works longer than it (docs/reference/user-accounts.md#sessions); and
 * neither logs nor scripts see the key of a session.
 */

const it = apiTest();
const flags = ['ignore_acl', 'allow_user_create', 'allow_group_create', 'allow_anonymous_read'];
const self = 1;
const password = 'a password';

/** Returns the key of the user, which `users/` shows to administrators. */
async function oldKey(world: World): Promise<string> {
  const { store, secrets } = world.api.platform;
  const { data } = await storedUser(world, self);
  return userKey(secrets, await instanceId(store, world.instance), data);
}

it('no response to a session has the key of its user', async ({ api }) => {
  const world = await openFilledWorld(api, 'our-shop', 'a marker');
  const key = await world.apiKey(Object.fromEntries(flags.map((flag) => [flag, true])));
  const name = (await storedUser(world, self)).data.username;
  await world.own('PATCH', `users/${self}/`, { password });
  const old = new Set([await oldKey(world)]);
  let user = await beginSession(world, self);
  const shown = new Map<string, number>();
  const ofSession = new Set<string>();

  async function send(method: string, path: string, body?: object): Promise<RawResponse> {
    const as = { key, user };
    const response = await sendRaw(api.url, { as, method, path, ...(body && { body }) });
    old.add(await oldKey(world));
    const all = JSON.stringify([response.text, response.headers]);
    const found = [...old].filter((text) => all.includes(text));
    expect(found, `${method} ${path}`).toEqual([]);
    for (const text of all.match(/"user_key\\":\\?\s*\\"[0-9a-f]{64}/g) ?? []) ofSession.add(text);
    shown.set(method, (shown.get(method) ?? 0) + 1);
    user = await beginSession(world, self); // the request may have ended that before
    return response;
  }

  const users = places.filter(
    ({ template }) => /\/(users|user|groups)\//.test(template) && !template.endsWith('/delete/'),
  );
  for (const place of places) await send('GET', world.path(place));
  for (const place of users) {
    for (const method of ['POST', 'PUT', 'PATCH'] as const) {
      const { route } = place;
      if (route.operations[method] === undefined) continue;
      const body = world.sample(place) ?? { username: name, password };
      await send(method, world.path(place), body);
    }
  }
  const requests = [{ method: 'GET', path: `${world.base}users/` }];
  await send('POST', `${world.base}batch/`, { requests });
  await send('GET', `${world.base}users/?template_response=newest`);

  expect(shown.get('GET')).toBeGreaterThan(80);
  expect(shown.get('POST')).toBeGreaterThan(5);
  expect(ofSession.size).toBeGreaterThan(3);
}, 120_000);

it('no log, script or trace has the key of a session', async ({ api }) => {
  const world = await openFilledWorld(api, 'their-shop', 'a marker');
  const key = await world.apiKey({ ignore_acl: true });
  const user = await beginSession(world, self);
  const as = { key, user };
  const source = 'console.log(JSON.stringify([META, ARGS]))';
  const { links } = await makeEndpoint(world, 'shown', source, { public: true });
  const path = links['public-link'] ?? '';

  const ran = [
    await api.send({ as, path, body: { a: 1 } }),
    await api.send({ as: key, path: `${path}?user_key=${user}`, body: { a: 1 } }),
    await api.send({ as: key, path, body: { a: 1, _user_key: user } }),
  ];
  await world.call({ key, user: `${user.slice(0, -1)}x` }, 'GET', `user/?user_key=${user}`);
  await world.call(as, 'GET', `classes/${user}/`);
  await api.platform.idle();

  expect(ran.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(ran[0]?.body.result.stdout).toContain('"a":1');
  const texts = [
    ...ran.map(({ body }) => JSON.stringify(body)),
    JSON.stringify(api.logged),
    ...(await Promise.all(
      ['request_log/?page_size=500', 'endpoints/scripts/shown/traces/'].map(async (list) =>
        JSON.stringify((await world.own('GET', list)).body),
      ),
    )),
  ];
  expect(texts.filter((text) => text.includes(user))).toEqual([]);
}, 120_000);
