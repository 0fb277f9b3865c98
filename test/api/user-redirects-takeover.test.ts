import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { openFakeOpenId, openFakeServices, type Told } from '../support/fake-services.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { openRedirectApp, type RedirectApp, setUpServices } from '../support/redirect-log-in.ts';
import { storedUser } from '../support/user-sessions.ts';

/* Who gets which user by a log-in by redirect: guests, and addresses that somebody else has typed before. */

const services = openFakeServices();
const work = openFakeOpenId(services, 'https://id.example.com');
const it = newWorldTest('taken', { egress: services.egress });

const provider = { name: 'work', kind: 'oidc', client_id: 'app', issuer: work.issuer, secret: 's' };
const ann = { sub: 'ann', email: 'ann@example.com', email_verified: true };

async function openApp(world: World, more: object = {}) {
  await setUpServices(world, [provider], { guests: true, ...more });
  return openRedirectApp(world);
}

/** Logs in; `user` is the key of a session that the request has. */
async function logIn(app: RedirectApp, told: Told, user?: string) {
  const { address, verifier } = await app.start('work');
  const page = await app.callback('work', work.logIn(address, told));
  const as = user === undefined ? app.key : { key: app.key, user };
  return app.exchange(page.searchParams.get('code'), verifier, as);
}

const ownStatus = async (world: World, { key }: RedirectApp, user: string) =>
  (await world.call({ key, user }, 'GET', 'user/')).status;

describe.skipIf(isOn('roles'))('a guest', () => {
  it.for<[string, Told]>([
    ['with a verified address', ann],
    ['without an address', { sub: 'bob' }],
  ])('becomes the user of a new identity %s, and its sessions end', async ([, told], { world }) => {
    const app = await openApp(world);
    const guest = expected(await world.call(app.key, 'POST', 'user/auth/guest/', {}), 201);

    const user = expected(await logIn(app, told, guest.user_key), 200);
    const again = expected(await logIn(app, told), 200);

    const { data } = await storedUser(world, guest.id);
    expect([user.id, again.id]).toEqual([guest.id, guest.id]);
    expect([data.guestUntil, data.guestPlace, data.email]).toEqual([
      undefined,
      undefined,
      told.email,
    ]);
    expect(await ownStatus(world, app, guest.user_key)).toBe(403); // who has planted it shares nothing
    expect(await ownStatus(world, app, user.user_key)).toBe(200);
  });

  it('stays a guest where the identity has a user', async ({ world }) => {
    const app = await openApp(world);
    const user = expected(await logIn(app, ann), 200);
    const guest = expected(await world.call(app.key, 'POST', 'user/auth/guest/', {}), 201);

    const again = expected(await logIn(app, ann, guest.user_key), 200);

    expect(again.id).toBe(user.id);
    expect((await storedUser(world, guest.id)).data.guestUntil).toBeGreaterThan(0);
  });

  it('becomes no user by a key that may not create one', async ({ world }) => {
    const app = await openApp(world);
    const guest = expected(await world.call(app.key, 'POST', 'user/auth/guest/', {}), 201);
    await world.own('PATCH', `api_keys/${app.keyId}/`, { allow_user_create: false });

    const { status } = await logIn(app, ann, guest.user_key);

    expect(status).toBe(403);
    expect((await storedUser(world, guest.id)).data.guestUntil).toBeGreaterThan(0);
  });

  it('is what a user who is logged in is not: it stays as it is', async ({ world }) => {
    const app = await openApp(world);
    const bob = expected(await logIn(app, { sub: 'bob' }), 200);

    const user = expected(await logIn(app, ann, bob.user_key), 200);

    expect(user.id).not.toBe(bob.id);
    expect((await storedUser(world, bob.id)).data.email).toBeUndefined();
  });
});

describe.skipIf(isOn('roles'))('an address that was typed and not proved', () => {
  it('belongs to who proves it: password, keys and sessions of before are void', async ({
    world,
  }) => {
    const app = await openApp(world, { confirmed: 'optional' });
    const body = { email: ann.email, password: 'of the attacker', username: 'waiting' };
    const attacker = expected(await world.call(app.key, 'POST', 'user/register/', body), 201);
    const { user_key: oldKey } = await world.read(`users/${attacker.id}/`);

    const owner = expected(await logIn(app, ann), 200);

    const { username, password } = body;
    const byName = await world.call(app.key, 'POST', 'user/auth/', { username, password });
    expect(owner.id).toBe(attacker.id);
    expect(await ownStatus(world, app, attacker.user_key)).toBe(403);
    expect(await ownStatus(world, app, oldKey)).toBe(403);
    expect(byName.status).toBe(401);
    expect((await storedUser(world, owner.id)).data.isEmailConfirmed).toBe(true);
  });

  it('keeps nothing of an identity that was linked before', async ({ world }) => {
    const app = await openApp(world, { confirmed: 'optional' });
    const body = { email: ann.email, password: 'of the attacker' };
    expected(await world.call(app.key, 'POST', 'user/register/', body), 201);
    const owner = expected(await logIn(app, ann), 200);

    const attacker = expected(await logIn(app, { sub: 'attacker' }), 200);
    const unverified = expected(
      await logIn(app, { sub: 'other', email: ann.email, email_verified: false }),
      200,
    );

    expect(attacker.id).not.toBe(owner.id);
    expect(unverified.id).not.toBe(owner.id);
  });
});
