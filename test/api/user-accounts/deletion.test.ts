import { expect } from 'vitest';
import { issueCode } from '../../../shared/users/addresses/issue-code.ts';
import type { World } from '../../support/api.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import { openMovedClock } from '../../support/moved-clock.ts';
import { instanceId } from '../../support/stored-records.ts';
import { recordMails, signedInAs, tokenFor } from '../../support/user-accounts.ts';
import { setUserSettings } from '../../support/user-sessions.ts';

const clock = openMovedClock();
const it = newWorldTest('deletion', { wrap: recordMails, clock }).extend('key', ({ world }) =>
  world.apiKey({ allow_user_create: true }),
);
const on = { email: 'required', confirmed: 'required', guests: true } as const;
const email = 'ann@example.com';

it('a user deletes itself by its password, and is told', async ({ world, key, store }) => {
  const { as, id } = await newUser(world, key);
  clock.forward(601);
  store.reset();

  const statuses = [];
  for (const body of [{}, { password: 'wrong' }, { code: '123456' }, { password: 'secret' }]) {
    statuses.push((await world.call(as, 'POST', 'user/delete/', body)).status);
  }

  expect(statuses).toEqual([400, 400, 400, 204]);
  expect(store.mails).toMatchObject([{ purpose: 'deleted', email }]);
  expect((await world.call(as, 'GET', 'user/')).status).toBe(403);
  expect((await world.own('GET', `users/${id}/`)).status).toBe(404);
  const next = await newUser(world, key);
  expect(next.id).not.toBe(id);
});

it('nobody is told of the end of an account that had its address without proof', async ({
  world,
  key,
  store,
}) => {
  await setUserSettings(world, { email: 'optional', confirmed: 'optional' });
  const body = { email: 'victim@example.com', password: 'p' };
  const as = signedInAs(key, await world.call(key, 'POST', 'user/register/', body));
  store.reset();

  expect((await world.call(as, 'POST', 'user/delete/', {})).status).toBe(204);

  expect(store.mails).toEqual([]);
});

it('a session of the last ten minutes is enough', async ({ world, key }) => {
  const { as } = await newUser(world, key);
  clock.forward(590);

  expect((await world.call(as, 'POST', 'user/delete/', {})).status).toBe(204);
});

it('the key of a user proves nothing by itself', async ({ world, key }) => {
  const { username } = await newUser(world, key);
  const body = { username, password: 'secret' };
  const as = signedInAs(key, await world.call(key, 'POST', 'user/auth/', body));

  const response = await world.call(as, 'POST', 'user/delete/', {});

  expect(response.status).toBe(400);
});

it('a code of a mail is enough', async ({ world, key, store }) => {
  const { as, id } = await newUser(world, key);
  clock.forward(601);
  store.reset();

  const asked = await world.call(as, 'POST', 'user/delete/', { send_code: true });
  await world.api.platform.idle(); // its mail has another code
  const code = await codeFor(world, 'delete');
  const ofLogIn = await codeFor(world, 'log-in');
  const wrong = ofLogIn === code ? '1' : ofLogIn;
  const statuses = [];
  for (const each of [wrong, code]) {
    statuses.push((await world.call(as, 'POST', 'user/delete/', { code: each })).status);
  }

  expect([asked.status, ...statuses]).toEqual([202, 400, 204]);
  expect(store.mails[0]).toMatchObject({ purpose: 'code', use: 'delete', email, user: id });
});

it('a guest needs its session only', async ({ world, key }) => {
  await setUserSettings(world, on);
  const as = signedInAs(key, await world.call(key, 'POST', 'user/auth/guest/', {}));
  clock.forward(86_400);

  expect((await world.call(as, 'POST', 'user/delete/', {})).status).toBe(204);
});

it('nobody else deletes a user by this path', async ({ world, key }) => {
  const { id } = await newUser(world, key);

  const callers = [undefined, key, world.owner];
  const responses = await Promise.all(
    callers.map((as) => world.call(as, 'POST', 'user/delete/', { password: 'secret' })),
  );

  expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect((await world.own('GET', `users/${id}/`)).status).toBe(200);
});

it('deletes the objects of the user', async ({ api, world, key }) => {
  const { as } = await newUser(world, key);
  await world.dataClass('note', [{ name: 'text', type: 'string' }], {
    other_permissions: 'create_objects',
    group_permissions: 'create_objects',
  });
  const note = await world.call(as, 'POST', 'classes/note/objects/', { text: 'mine' });
  expect(note.status).toBe(201);

  await world.call(as, 'POST', 'user/delete/', {});

  await expect
    .poll(async () => {
      await api.platform.idle();
      return (await world.own('GET', `classes/note/objects/${note.body.id}/`)).status;
    })
    .toBe(404);
});

async function newUser(world: World, key: string) {
  await setUserSettings(world, on);
  const token = await tokenFor(world, { purpose: 'register', email });
  const body = { token, password: 'secret' };
  const made = await world.call(key, 'POST', 'user/email/confirm/', body);
  const { id, username } = made.body;
  return { as: signedInAs(key, made), id: Number(id), username: String(username) };
}

async function codeFor(world: World, use: 'log-in' | 'delete'): Promise<string> {
  const { platform } = world.api;
  await platform.idle(); // the job of a mail issues a code too
  const instance = await instanceId(platform.store, world.instance);
  return issueCode(platform, { instance, email, use, key: 1 });
}
