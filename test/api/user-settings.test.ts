import { generateKeyPairSync } from 'node:crypto';
import { describe, expect } from 'vitest';
import { userSettingsEntity } from '../../shared/table/entities/user-accounts.ts';
import {
  findProviderSecret,
  openProviderSecret,
} from '../../shared/users/settings/provider-secrets.ts';
import { settingsIn } from '../../shared/users/settings/user-settings.ts';
import type { World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';

const it = newWorldTest('app');

const path = 'user_settings/';
const off = {
  email: 'off',
  confirmed: 'optional',
  guests: false,
  codes: false,
  providers: [],
  redirects: [],
  mails: {},
};
const oidc = {
  name: 'work',
  kind: 'oidc',
  client_id: 'app',
  issuer: 'https://id.example.com/',
} as const;
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

const patch = (world: World, body: unknown) => world.own('PATCH', path, body);
const stored = async (world: World) => {
  const { store } = world.api.platform;
  const instance = await instanceId(store, world.instance);
  return { instance, settings: settingsIn(await userSettingsEntity.read(store, instance)) };
};

describe('the settings of users', () => {
  it('are all off at first', async ({ world }) => {
    expect(await world.read(path)).toEqual(off);
  });

  it('are changed one by one by PATCH, and all by PUT', async ({ world }) => {
    const redirects = ['https://app.example.com/in', 'com.example.app:/in'];
    const changed = await patch(world, { email: 'required', guests: true, redirects });
    const more = await patch(world, { codes: true });
    const read = await world.read(path);
    const replaced = await world.own('PUT', path, { email: 'optional' });

    const all = { ...off, email: 'required', guests: true, redirects };
    expect([changed.status, changed.body]).toEqual([200, all]);
    expect(more.body).toEqual({ ...all, codes: true });
    expect(read).toEqual(more.body);
    expect(replaced.body).toEqual({ ...off, email: 'optional' });
  });

  it('are read and changed by owner and role full only', async ({ world }) => {
    const full = await joinAs(world, 'full');
    const others = [
      await joinAs(world, 'write'),
      await joinAs(world, 'read'),
      await world.apiKey({ ignore_acl: true, allow_user_create: true }),
      undefined,
    ];

    const allowed = await world.call(full, 'PATCH', path, { guests: true });
    expect([allowed.status, allowed.body.guests]).toEqual([200, true]);
    for (const as of others) {
      for (const method of ['GET', 'PUT', 'PATCH']) {
        const { status, body } = await world.call(as, method, path, { guests: false });
        expect([status, body]).toEqual([403, as === undefined ? body : forbidden]);
      }
    }
    expect((await world.read(path)).guests).toBe(true);
  });

  it('are no part of the configuration', async ({ world }) => {
    await patch(world, { providers: [{ ...oidc, secret: 's3cret' }] });

    expect(await world.read('snippets/config/')).toEqual({ config: {} });
  });

  it('exist in the newer version only', async ({ api, world }) => {
    const v1 = `/v1/instances/${world.instance}/${path}`;
    expect((await api.send({ as: world.owner, path: v1 })).status).toBe(404);
  });
});

describe('the secret of a service', () => {
  it('is sealed, never shown, and kept when the list is sent back', async ({ world }) => {
    const set = await patch(world, { providers: [{ ...oidc, secret: 's3cret' }] });
    const again = await patch(world, { providers: set.body.providers });
    const scoped = await world.own('PUT', path, { providers: [{ ...oidc, scopes: ['openid'] }] });

    const shown = { ...oidc, has_secret: true };
    const { instance, settings } = await stored(world);
    const [provider] = settings.providers;
    expect([set.body.providers, again.body.providers]).toEqual([[shown], [shown]]);
    expect(scoped.body.providers).toEqual([{ ...oidc, scopes: ['openid'], has_secret: true }]);
    expect(JSON.stringify([settings, set.body, await world.read(path)])).not.toContain('s3cret');
    expect(provider && (await findProviderSecret(world.api.platform, instance, provider))).toBe(
      's3cret',
    );
  });

  it.for([
    ['issuer', { issuer: 'https://thief.example.com/' }],
    ['client', { client_id: 'other' }],
    ['kind', { kind: 'github', issuer: undefined }],
  ] as const)('is not kept for another %s', async ([, change], { world }) => {
    await patch(world, { providers: [{ ...oidc, secret: 's3cret' }] });

    const kept = await patch(world, { providers: [{ ...oidc, ...change }] });
    const renamed = await patch(world, { providers: [{ ...oidc, name: 'other' }] });

    const message = 'Send it again: kind, issuer or client_id have changed.';
    expect(kept.body).toEqual({ providers: [`Service "work": secret: ${message}`] });
    expect(renamed.body.providers[0].has_secret).toBe(false);
  });

  it('opens for its instance, service, issuer and client only', async ({ world }) => {
    await patch(world, { providers: [{ ...oidc, secret: 's3cret' }] });
    const { instance, settings } = await stored(world);
    const [provider] = settings.providers;
    const { secret = '', ...rest } = { ...oidc, ...provider };
    const { vault } = world.api.platform;
    const open = (at: number, change: object) =>
      openProviderSecret(vault, at, { ...rest, ...change, secret });

    expect(await open(instance, {})).toBe('s3cret');
    await expect(open(instance + 1, {})).rejects.toThrow();
    for (const change of [{ name: 'x' }, { issuer: 'https://x.example/' }, { client_id: 'x' }]) {
      await expect(open(instance, change)).rejects.toThrow();
    }
  });

  it('is deleted by null', async ({ world }) => {
    await patch(world, { providers: [{ ...oidc, secret: 's3cret' }] });

    const gone = await patch(world, { providers: [{ ...oidc, secret: null }] });

    expect(gone.body.providers).toEqual([{ ...oidc, has_secret: false }]);
  });

  it('of Apple is a key', async ({ world }) => {
    const apple = { name: 'apple', kind: 'apple', client_id: 'a', team_id: 'A'.repeat(10) };
    const whole = { ...apple, key_id: 'B'.repeat(10) };

    const bad = await patch(world, { providers: [{ ...whole, secret: 'abc' }] });
    const good = await patch(world, { providers: [{ ...whole, secret: p256 }] });

    const message = 'It is no whole P-256 key, as a .p8 file of Apple has.';
    expect(bad.body).toEqual({ providers: [`Service "apple": secret: ${message}`] });
    expect(good.body.providers).toEqual([{ ...whole, has_secret: true }]);
  });
});

describe('settings are rejected', () => {
  const address = (message: string) => ({ redirects: [`Address 1: ${message}`] });
  const grammar = address(
    'It must begin with https:// or the scheme of an app, as com.example.app:/, without user and fragment, and with other characters encoded.',
  );
  const service = (message: string) => ({ providers: [`Service 1: ${message}`] });
  const providers = (change: object) => ({ providers: [{ ...oidc, ...change }] });
  const issuer = service('issuer: It must begin with https://, without user, query and fragment.');
  const taken = (name: string) => service(`name: "${name}" is the name of something else.`);
  it.for<readonly [string, object, object]>([
    ['script', { redirects: ['javascript:alert(1)'] }, grammar],
    ['script with an authority', { redirects: ['javascript://x/%0aalert(1)'] }, grammar],
    ['data', { redirects: ['data:text/html,x'] }, grammar],
    ['a file', { redirects: ['file:///etc/passwd'] }, grammar],
    ['a blob', { redirects: ['blob:https://app.example.com/x'] }, grammar],
    ['a scheme without dot', { redirects: ['myapp:/x'] }, grammar],
    ['a scheme in capitals', { redirects: ['Com.example.app:/x'] }, grammar],
    ['a fragment', { redirects: ['https://app.example.com/#x'] }, grammar],
    ['a user', { redirects: ['https://app.example.com@evil.example/'] }, grammar],
    ['a backslash', { redirects: ['https://app.example.com\\@evil.example/'] }, grammar],
    ['a space', { redirects: [' https://app.example.com/'] }, grammar],
    ['a line feed', { redirects: ['https://app.example.com/\n'] }, grammar],
    ['letters beyond ASCII', { redirects: ['https://äpp.example.com/'] }, grammar],
    [
      'an app address that no parser reads',
      { redirects: ['com.example.app://['] },
      address('It is no address.'),
    ],
    ['no scheme', { redirects: ['//app.example.com/'] }, grammar],
    [
      'plain http',
      { redirects: ['http://app.example.com/'] },
      address('Only localhost may be without https.'),
    ],
    [
      'a local look-alike',
      { redirects: ['http://localhost.evil.example/'] },
      address('Only localhost may be without https.'),
    ],
    [
      'no slash',
      { redirects: ['https://app.example.com'] },
      address('Write it as https://app.example.com/'),
    ],
    [
      'dots',
      { redirects: ['https://app.example.com/a/../b'] },
      address('Write it as https://app.example.com/b'),
    ],
    ['a number', { redirects: [7] }, address('It is no text.')],
    [
      'a long address',
      { redirects: [`https://app.example.com/${'a'.repeat(512)}`] },
      address('It has more than 512 characters.'),
    ],
    [
      'many addresses',
      { redirects: Array(51).fill('https://a.example/') },
      { redirects: ['There may be 50 addresses.'] },
    ],
    ['no list', { redirects: {} }, { redirects: ['A list of addresses is needed.'] }],
    [
      'a name in capitals',
      providers({ name: 'Work' }),
      service('name: It has at most 40 small letters, digits and hyphens.'),
    ],
    ['the name of codes', providers({ name: 'code' }), taken('code')],
    ['the name of guests', providers({ name: 'guest' }), taken('guest')],
    ['the name of the exchange', providers({ name: 'exchange' }), taken('exchange')],
    ['the name of a backend', providers({ name: 'google-oauth2' }), taken('google-oauth2')],
    [
      'a name twice',
      { providers: [oidc, oidc] },
      { providers: ['Service 2: name: Another one has this name.'] },
    ],
    [
      'many services',
      { providers: Array(11).fill(oidc) },
      { providers: ['There may be 10 services.'] },
    ],
    [
      'an unknown kind',
      providers({ kind: 'saml' }),
      service('kind: One of oidc, google, github, apple, facebook is needed.'),
    ],
    ['no issuer', providers({ issuer: undefined }), service('issuer: This field is required.')],
    ['a plain issuer', providers({ issuer: 'http://id.example.com/' }), issuer],
    ['an issuer with user', providers({ issuer: 'https://a@id.example.com/' }), issuer],
    ['an issuer with query', providers({ issuer: 'https://id.example.com/?a' }), issuer],
    [
      'an issuer of a known service',
      providers({ kind: 'google' }),
      service('issuer: This kind of service has no such member.'),
    ],
    [
      'an unknown member',
      providers({ colour: 1 }),
      service('colour: This kind of service has no such member.'),
    ],
    [
      'no secret',
      { providers: [{ name: 'g', kind: 'google', client_id: 'x' }] },
      { providers: ['Service "g": secret: This field is required.'] },
    ],
    ['a service of text', { providers: ['google'] }, service('An object is needed.')],
    [
      'codes without addresses',
      { codes: true },
      { codes: ['Codes go to addresses: "email" must be optional or required.'] },
    ],
    [
      'an unknown letter',
      { mails: { hello: { subject: 'a', text: 'b' } } },
      {
        mails: [
          'There is no letter "hello": there are register, registered, confirm, reset, code, changed, deleted.',
        ],
      },
    ],
    [
      'half a letter',
      { mails: { reset: { subject: 'a' } } },
      { mails: ['reset: It has a subject and a text.'] },
    ],
    [
      'a second line of a subject',
      { mails: { reset: { subject: 'a\nBcc: x', text: 'b' } } },
      { mails: ['reset: The subject is one line.'] },
    ],
    [
      'a long text',
      { mails: { reset: { subject: 'a', text: 'b'.repeat(8193) } } },
      { mails: ['reset: The text may have 8192 characters.'] },
    ],
    ['a bad mode', { email: 'on' }, { email: ['"on" is not a valid choice.'] }],
  ])('with %s', async ([, body, errors], { world }) => {
    const { status, body: response } = await patch(world, body);

    expect([status, response]).toEqual([400, errors]);
    expect(await world.read(path)).toEqual(off);
  });

  it('with a text that is no template', async ({ world }) => {
    const text = { subject: 'Hello', text: '{% if %}' };

    const { status, body } = await patch(world, { mails: { reset: text } });

    expect([status, body.mails[0]]).toEqual([400, expect.stringMatching(/^reset: text: /)]);
  });
});
