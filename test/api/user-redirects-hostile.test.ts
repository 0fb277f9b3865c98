import { generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { describe, expect } from 'vitest';
import { readMetadata, withKeysOnly } from '../../shared/users/redirects/service-documents.ts';
import { withOrigin } from '../../shared/values/caught.ts';
import { openWorld, type World } from '../support/api.ts';
import { keySet, openFakeOpenId, openFakeServices } from '../support/fake-services.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { appPage, openRedirectApp, setUpServices } from '../support/redirect-log-in.ts';

/* A service that the admin of an instance has set up against the server, or against other instances. */

const services = openFakeServices();
const work = openFakeOpenId(services, 'https://id.example.com');
const it = newWorldTest('hostile', { egress: services.egress });
const provider = { name: 'work', kind: 'oidc', client_id: 'app', issuer: work.issuer, secret: 's' };

const discoveries = (issuer: string) =>
  services.received.filter(({ url }) => url.href === `${issuer}/.well-known/openid-configuration`)
    .length;

describe.skipIf(isOn('roles'))('metadata of a hostile service', () => {
  it.for<[string, object]>([
    ['another issuer', { issuer: work.issuer }],
    ['an address that is a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['an address without TLS', { authorization_endpoint: 'http://h.example.com/' }],
    ['an address that no header holds', { authorization_endpoint: `https://h/${'x'.repeat(9e3)}` }],
    ['no address', { authorization_endpoint: undefined }],
    ['a number as address', { authorization_endpoint: 5 }],
    ['algorithms that are no list', { id_token_signing_alg_values_supported: 'RS256' }],
    ['endless algorithms', { id_token_signing_alg_values_supported: Array(1000).fill('RS256') }],
  ])('with %s ends the log-in', async ([, metadata], { world }) => {
    const hostile = openFakeOpenId(services, 'https://h.example.com', { ...metadata });
    await setUpServices(world, [{ ...provider, issuer: hostile.issuer }]);
    const app = await openRedirectApp(world);

    const { response, address } = await app.start('work');

    expect([response.status, address.href]).toEqual([302, `${appPage}?error=provider_failed`]);
  });

  it.for<[string, object]>([
    ['a token without an algorithm', { id_token_signing_alg_values_supported: ['none'] }],
    ['tokens with a MAC', { id_token_signing_alg_values_supported: ['HS256'] }],
    ['tokens from a file', { token_endpoint: 'file:///etc/passwd' }],
    ['no keys', { jwks_uri: undefined }],
    ['keys that are none', { jwks_uri: 'https://h.example.com/none' }],
    ['too many keys', { jwks_uri: 'https://h.example.com/many' }],
  ])('with %s proves no user', async ([, metadata], { world }) => {
    const hostile = openFakeOpenId(services, 'https://h.example.com', { ...metadata });
    services.on('https://h.example.com/none', () => ({ keys: ['x', { kty: 5 }] }));
    services.on('https://h.example.com/many', async () => ({
      keys: [
        ...(await keySet()).keys,
        ...Array.from({ length: 100 }, (_, kid) => ({ kid: `${kid}` })),
      ],
    }));
    await setUpServices(world, [{ ...provider, issuer: hostile.issuer }]);
    const app = await openRedirectApp(world);
    const { address } = await app.start('work');

    const page = await app.callback('work', hostile.logIn(address));

    expect(page.href).toBe(`${appPage}?error=provider_failed`);
  });

  it('whose challenges take long to read ends the log-in at once', async ({ world }) => {
    const hostile = openFakeOpenId(services, 'https://h.example.com');
    const headers = { 'www-authenticate': 'a '.repeat(100_000) };
    services.on('https://h.example.com/token', () => Response.json({}, { status: 401, headers }));
    await setUpServices(world, [{ ...provider, issuer: hostile.issuer }]);
    const app = await openRedirectApp(world);
    const { address } = await app.start('work');
    const before = performance.now();

    const page = await app.callback('work', hostile.logIn(address));

    expect(page.href).toBe(`${appPage}?error=provider_failed`);
    expect(performance.now() - before).toBeLessThan(1000); // otherwise about 15 seconds
  });

  it('is read again when the settings of the service change in any part', async ({ world }) => {
    const secret = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString();
    const kids: unknown[] = [];
    services.on('https://appleid.apple.com/auth/token', ({ form }) => {
      kids.push(decodeProtectedHeader(form.get('client_secret') ?? '').kid);
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    });
    const apple = { name: 'apple', kind: 'apple', client_id: 'c', secret, team_id: 'TEAM123456' };
    const begin = async (key_id: string, sent: object) => {
      await setUpServices(world, [{ ...sent, key_id }]);
      const app = await openRedirectApp(world);
      const { address } = await app.start('apple');
      const state = address.searchParams.get('state') ?? '';
      await app.callback('apple', new URLSearchParams({ code: 'c', state }), 'POST');
    };
    const { secret: _, ...without } = apple;

    await begin('KEY1234567', apple);
    await begin('KEY7654321', without);

    expect(kids).toEqual(['KEY1234567', 'KEY7654321']);
  });

  it('is kept without what a log-in does not need', async () => {
    const known = {
      issuer: work.issuer,
      authorization_endpoint: `${work.issuer}/authorize`,
      id_token_signing_alg_values_supported: ['RS256'],
    };
    const { keys } = await keySet();
    const filling = Array(1000).fill({});

    const metadata = readMetadata({ ...known, filling });
    const response = await withKeysOnly(
      Response.json({ keys: keys.map((key) => ({ ...key, filling })), filling }),
    );

    expect(metadata).toEqual(known);
    expect(await response.json()).toEqual({ keys });
  });
});

it.skipIf(isOn('roles'))('a fault of this server is none of the service', async ({ world }) => {
  openFakeOpenId(services, 'https://h.example.com');
  services.on('https://h.example.com/.well-known/openid-configuration', () => {
    throw withOrigin(new Error('throttled'), { service: 'KMS', action: 'Decrypt' });
  });
  const name = 'constructor'; // of all objects, and of no other path
  await setUpServices(world, [{ ...provider, name, issuer: 'https://h.example.com' }]);
  const app = await openRedirectApp(world);

  const { response } = await app.start(name);

  expect(response.status).toBe(500);
});

it.skipIf(isOn('roles'))('an instance takes the place of no other', async ({ api, world }) => {
  const there = await openWorld(api, `there-${world.instance}`);
  const begin = async (of: World, names: readonly string[]) => {
    await setUpServices(
      of,
      names.map((name) => ({ ...provider, name })),
    );
    const app = await openRedirectApp(of);
    for (const name of names) expect((await app.start(name)).response.status).toBe(302);
    return app;
  };
  const app = await begin(world, ['work']);
  for (let round = 0; round < 21; round += 1) {
    await begin(
      there,
      Array.from({ length: 10 }, (_, at) => `of-${round}-${at}`),
    );
  }
  const before = discoveries(work.issuer);

  expect((await app.start('work')).response.status).toBe(302);

  expect(discoveries(work.issuer)).toBe(before);
});
