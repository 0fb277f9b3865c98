import { expect } from 'vitest';
import { sealClaims } from '../../shared/users/redirects/sealed-claims.ts';
import { identityOf, serviceDigest } from '../../shared/users/redirects/services.ts';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import {
  appPage,
  challengeOf,
  openRedirectApp,
  setUpServices,
} from '../support/redirect-log-in.ts';
import { instanceId } from '../support/stored-records.ts';

/* The paths of log-ins by redirect, as far as they send no request to a service: so functions of a deployment have them too. */

const it = newWorldTest('plain').extend('app', async ({ world }) => {
  await setUpServices(world, [{ ...github, secret: 'secret' }]);
  return openRedirectApp(world);
});
const github = { name: 'github', kind: 'github', client_id: 'app' } as const;

it.for(['GET', 'POST'] as const)(
  'a user who does not want to log in is sent back to the app, by %s',
  async (method, { app }) => {
    const { response, address } = await app.start('github', { state: 'mine' });
    const state = address.searchParams.get('state') ?? '';
    const denied = new URLSearchParams({
      state,
      iss: 'https://github.com/login/oauth',
      error: 'access_denied',
    });

    const page = await app.callback('github', denied, method);

    expect([response.status, address.origin]).toEqual([302, 'https://github.com']);
    expect(page.href).toBe(`${appPage}?error=access_denied&state=mine`);
  },
);

it('a code is exchanged for a session of the user', async ({ world, app }) => {
  const verifier = 'v'.repeat(43);
  const code = await codeOf(world, app.keyId, verifier);

  const user = expected(await app.exchange(code, verifier), 200);

  expect(user.services).toEqual(['github']);
  const own = await world.call({ key: app.key, user: user.user_key }, 'GET', 'user/');
  expect([own.status, own.body.id]).toEqual([200, user.id]);
});

/** Makes the code that the callback makes for a user whom the service has proved. */
async function codeOf({ api: { platform }, instance }: World, key: number, verifier: string) {
  const place = { kind: 'code', instance: await instanceId(platform.store, instance) } as const;
  return sealClaims(platform, place, {
    provider: github.name,
    service: serviceDigest(github),
    identity: identityOf('https://github.com/login/oauth', '7'),
    challenge: challengeOf(verifier),
    key,
    until: Math.floor(platform.clock.micros() / 1_000_000) + 60,
    nonce: platform.ids.random(),
  });
}
