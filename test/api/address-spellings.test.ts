import { expect, test } from 'vitest';
import { expected, openWorld } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { taken } from '../support/responses.ts';

useApi();

const password = 'a password';

const register = (email: string, more: object = {}) =>
  api.send({ path: '/v1.1/account/register/', body: { email, password, ...more } });

const spellings = [
  ['joe@bücher.example', 'joe@xn--bcher-kva.example'],
  ['ann@xn--strae-oqa.example', 'Ann@STRAßE.example'],
  ['zoe@ａb.example', 'zoe@ab.example'],
] as const;

test.each(spellings)('%s and %s are one account, shown as it was typed', async (one, other) => {
  const { account_key: key } = expected(await register(one), 201);

  const second = await register(other);
  const found = await Promise.all([
    api.send({ path: '/v1.1/account/auth/', body: { email: other, password } }),
    api.send({ path: '/v1.1/account/password/reset/', body: { email: other } }),
    api.send({ path: '/v1.1/account/resend_email/', body: { email: other } }),
  ]);

  expect(second).toMatchObject({ status: 400, body: { email: taken } });
  expect(found.map(({ status }) => status)).toEqual([200, 204, 204]);
  expect(found[0]?.body).toMatchObject({ email: one, account_key: key });
});

test('an account changes the spelling of its address, and keeps it', async () => {
  const { account_key: key, ...before } = expected(await register('kim@köln.example'), 201);
  const email = 'kim@xn--kln-sna.example';

  const changed = await api.send({
    as: key,
    method: 'PATCH',
    path: '/v1.1/account/',
    body: { email },
  });

  expect(expected(changed, 200)).toMatchObject({ email, is_active: before.is_active });
  expect((await register('kim@köln.example')).status).toBe(400);
});

test('an address has one invitation, in whichever spelling, and its account gets it', async () => {
  const world = await openWorld(api, 'spellings');
  const invite = (email: string) =>
    world.call(world.owner, 'POST', 'invitations/', { email, role: 'read' });
  const invited = expected(await invite('bea@zürich.example'), 201);

  const second = await invite('bea@xn--zrich-kva.example');
  const { account_key: key } = expected(await register('bea@xn--zrich-kva.example'), 201);
  const list = await api.send({ as: key, path: '/v1.1/account/invitations/' });

  expect(invited.email).toBe('bea@zürich.example');
  expect(second.status).toBe(400);
  expect(expected(list, 200).objects).toMatchObject([{ id: invited.id }]);
});
