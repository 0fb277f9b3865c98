import { generateKeyPairSync } from 'node:crypto';
import { describe, expect } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { openCredential } from '../../shared/push/push-config.ts';
import type { PushProvider } from '../../shared/push/rules/provider.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { pushConfigEntity } from '../../shared/table/entities/push.ts';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { p12File } from '../support/p12.ts';
import { apnsToken, serviceAccount, tokenKey } from '../support/push.ts';
import { required } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';

/* Credentials of push providers. */

const it = newWorldTest('blog');

const badTokenKey = 'Invalid file: it is no whole P-256 key, as a .p8 file of Apple has.';

const escaped = (pem: string) => pem.replaceAll('\n', '\\n');
const crlf = (pem: string) => pem.replaceAll('\n', '\r\n');
const p384Key = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

describe('the keys of Firebase', () => {
  it('are stored, shown in part, and kept when that part is sent back', async ({ world }) => {
    const self = { self: `${world.base}push_notifications/gcm/config/` };
    const empty = await gcm(world, 'GET');
    const keys = { production_api_key: serviceAccount, development_api_key: null };
    const set = await gcm(world, 'PUT', keys);
    const again = await gcm(world, 'PUT', set.body);
    const text = await gcm(world, 'PATCH', { development_api_key: JSON.stringify(serviceAccount) });
    const old = await gcm(world, 'PATCH', { development_api_key: 'AIzaSyOldServerKey' });
    const gone = await gcm(world, 'PATCH', { production_api_key: '' });

    const shown = `service_account:${serviceAccount.client_email}`;
    expect(empty.body).toEqual({
      production_api_key: null,
      development_api_key: null,
      links: self,
    });
    expect([set.status, set.body]).toEqual([
      200,
      { production_api_key: shown, development_api_key: null, links: self },
    ]);
    expect(again.body).toEqual(set.body);
    expect(text.body.development_api_key).toBe(shown);
    expect(old.body.development_api_key).toBe('AIzaSyOldServerKey');
    expect(gone.body.production_api_key).toBeNull();
  });

  const bad = 'Invalid service account: project_id, private_key, client_email are required.';
  const otherFile = 'Invalid service account: its type must be "service_account".';
  const badLegacyKey =
    'Invalid server key: it has printable ASCII characters only, without blanks.';
  const badKey = 'Invalid service account: private_key is no whole RSA key in PEM.';
  it.for<[unknown, string]>([
    [{ project_id: 'a' }, bad],
    ['{', bad],
    ['service_account:somebody-else@example.com', bad],
    ['a'.repeat(41), 'Ensure this field has no more than 40 characters.'],
    [5, 'Not a valid string.'],
    [{ ...serviceAccount, type: 'authorized_user' }, otherFile],
    [{ installed: { client_id: 'x', project_id: 'demo', client_secret: 'y' } }, bad],
    [{ project_info: { project_number: '1', project_id: 'demo' }, client: [] }, bad],
    [{ ...serviceAccount, private_key: tokenKey }, badKey],
    [{ ...serviceAccount, private_key: p384Key }, badKey],
    [{ ...serviceAccount, private_key: 5 }, bad],
    [{ ...serviceAccount, private_key: serviceAccount.private_key.slice(0, 900) }, badKey],
    [{ ...serviceAccount, private_key: 'c2VjcmV0' }, badKey],
    [{ ...serviceAccount, more: 'a'.repeat(17_000) }, 'Too big object defined (exceeds 16384).'],
  ])('are rejected: %#', async ([sent, message], { world }) => {
    const { status, body } = await gcm(world, 'PATCH', { production_api_key: sent });

    expect([status, body]).toEqual([400, { production_api_key: [message] }]);
  });

  it.for(['AB\r\nX: y', 'é', 'a b', 'a\tb', 'a\0b', '\u007f'])(
    'are rejected: %j',
    async (sent, { world }) => {
      const { status, body } = await gcm(world, 'PATCH', { production_api_key: sent });

      expect([status, body]).toEqual([400, { production_api_key: [badLegacyKey] }]);
    },
  );

  it.for<[string, (pem: string) => unknown]>([
    ['as an object', (pem) => ({ ...serviceAccount, private_key: pem })],
    ['as text', (pem) => JSON.stringify({ ...serviceAccount, private_key: pem })],
    [
      'as text with a BOM',
      (pem) => `\ufeff${JSON.stringify({ ...serviceAccount, private_key: pem })}`,
    ],
    ['with a literal \\n in its key', (pem) => ({ ...serviceAccount, private_key: escaped(pem) })],
    [
      'as text, with a literal \\n in its key',
      (pem) => JSON.stringify({ ...serviceAccount, private_key: escaped(pem) }),
    ],
    ['with CRLF in its key', (pem) => ({ ...serviceAccount, private_key: crlf(pem) })],
  ])('are a service account %s', async ([_, sent], { world }) => {
    const { status } = await gcm(world, 'PUT', {
      production_api_key: sent(serviceAccount.private_key),
    });

    const { opened } = await stored(world, 'gcm');
    expect([status, opened]).toEqual([
      200,
      { kind: 'serviceAccount', text: JSON.stringify(serviceAccount) },
    ]);
  });

  it('are encrypted in the store', async ({ world }) => {
    const middle = serviceAccount.private_key.split('\n')[5] ?? 'nothing';
    expected(await gcm(world, 'PUT', { production_api_key: serviceAccount }), 200);
    const account = await stored(world, 'gcm');
    expected(await gcm(world, 'PUT', { production_api_key: legacy }), 200);
    const old = await stored(world, 'gcm');

    expect(account.opened).toMatchObject({ text: expect.stringContaining(middle) });
    expect(account.item).toContain('sealed');
    expect(account.item).not.toContain(middle);
    expect(old.opened).toEqual({ kind: 'legacyKey', key: legacy });
    expect(old.item).not.toContain(legacy);
  });
});

const legacy = 'AIzaSyOldServerKey';

describe('a server key of old', () => {
  it.for([
    ['owner', legacy],
    ['full', legacy],
    ['write', '****rKey'],
    ['read', '****rKey'],
  ] as const)('is shown to %s as %s', async ([role, shown], { world }) => {
    expected(await gcm(world, 'PUT', { production_api_key: legacy }), 200);
    const as = role === 'owner' ? world.owner : await joinAs(world, role);

    const { body } = await world.call(as, 'GET', 'push_notifications/gcm/config/');

    expect(body.production_api_key).toBe(shown);
  });

  it.for([
    ['in clear', legacy],
    ['masked', '****rKey'],
  ])('that is sent back %s changes nothing', async ([_, sent], { world }) => {
    expected(await gcm(world, 'PUT', { production_api_key: legacy }), 200);
    const before = await stored(world, 'gcm');

    const { status, body } = await gcm(world, 'PUT', { production_api_key: sent });

    expect([status, body.production_api_key]).toEqual([200, legacy]);
    expect((await stored(world, 'gcm')).sealed).toBe(before.sealed);
  });

  it('replaces another', async ({ world }) => {
    expected(await gcm(world, 'PUT', { production_api_key: legacy }), 200);

    const { body } = await gcm(world, 'PATCH', { production_api_key: 'AIzaSyNewServerKey' });

    expect(body.production_api_key).toBe('AIzaSyNewServerKey');
  });
});

describe("a token key of Apple's", () => {
  it('is stored, masked, changed in part, and deleted', async ({ world }) => {
    const self = `${world.base}push_notifications/apns/config/`;
    const links = { self, remove_certificate: `${self}remove_certificate/` };
    const empty = await apns(world, 'GET');
    const set = await apns(world, 'PATCH', apnsToken('production'));
    const back = await apns(world, 'PUT', set.body);
    const moved = await apns(world, 'PATCH', { production_key_id: 'NEWNEW1234' });
    const gone = await apns(world, 'PATCH', { production_token_key: null });

    const none = { ...unset('production'), ...unset('development'), links };
    const token = { ...apnsToken('production'), production_token_key: 'token_key:ABCDE12345' };
    expect(empty.body).toEqual(none);
    expect([set.status, set.body]).toEqual([200, { ...none, ...token }]);
    expect(back.body).toEqual(set.body);
    expect(moved.body.production_token_key).toBe('token_key:NEWNEW1234');
    expect(gone.body).toEqual({ ...none, production_bundle_identifier: 'com.example.app' });
  });

  it.for<[object, object]>([
    [
      { production_token_key: tokenKey },
      {
        production_key_id: required,
        production_team_id: required,
        production_bundle_identifier: required,
      },
    ],
    ...[
      'no key',
      tokenKey.slice(0, 150),
      p384Key,
      serviceAccount.private_key,
      JSON.stringify(serviceAccount),
    ].map((production_token_key): [object, object] => [
      { ...apnsToken('production'), production_token_key },
      { production_token_key: [badTokenKey] },
    ]),
  ])('is rejected: %#', async ([sent, response], { world }) => {
    const { status, body } = await apns(world, 'PATCH', sent);

    expect([status, body]).toEqual([400, response]);
  });

  it.for([
    ['as it is', tokenKey],
    ['with a literal \\n', escaped(tokenKey)],
    ['with CRLF', crlf(tokenKey)],
    ['without the last line end', tokenKey.trim()],
  ])('is stored %s, encrypted', async ([_, production_token_key], { world }) => {
    const sent = { ...apnsToken('production'), production_token_key };
    const { status } = await apns(world, 'PATCH', sent);

    const { opened, item } = await stored(world, 'apns');
    const ids = { keyId: 'ABCDE12345', teamId: 'FGHIJ67890', bundle: 'com.example.app' };
    expect([status, opened]).toEqual([200, { kind: 'token', key: tokenKey, ...ids }]);
    expect(item).not.toContain(tokenKey.split('\n')[1]);
  });
});

const appName = 'Apple Push Services: com.example.app';

describe("a certificate of Apple's", () => {
  it('is uploaded, fills the fields that it contains, and is deleted', async ({ world }) => {
    const names = { production_certificate_name: 'mine', production_certificate: false };
    expected(await apns(world, 'PUT', names), 200);

    const set = await apns(world, 'PATCH', form(p12(appName)));
    const back = await apns(world, 'PUT', set.body);
    const kept = await call(world, 'POST', 'apns/config/remove_certificate/', {});
    const gone = await call(world, 'POST', 'apns/config/remove_certificate/', {
      production_certificate: true,
    });

    expect(set.body).toMatchObject({
      production_certificate_name: 'mine',
      production_certificate: true,
      production_bundle_identifier: 'com.example.app',
      production_expiration_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(back.body).toEqual(set.body);
    expect(kept.body).toEqual(set.body);
    expect([gone.status, gone.body]).toEqual([
      200,
      { ...set.body, production_certificate: false, production_expiration_date: null },
    ]);
  });

  it.for<[string, () => FormData, RegExp]>([
    ['of another type', () => form(p12(appName), 'text/plain'), /^Invalid content type/],
    ['that is none', () => form(new Uint8Array(10)), /^Invalid file\.$/],
    ['with a pass phrase', () => form(p12(appName, 30, 'secret')), /^Invalid file\.$/],
    ['that is large', () => form(new Uint8Array(209_713)), /^Please keep filesize under 209712\.$/],
    ['without name', () => form(p12(undefined)), /^Empty friendlyname date\.$/],
    ['of somebody', () => form(p12('Somebody')), /^Invalid friendly name: "Somebody"\.$/],
    [
      'for development',
      () => form(p12('Apple Development IOS Push Services: com.example.app')),
      /^Incorrect certificate type\. Upload appropriate production certificate file\.$/,
    ],
    ['that has ended', () => form(p12(appName, -1)), /^Your certificate has expired: "/],
    [
      'that has ended, and has no pass phrase at all',
      () => form(p12(appName, -1, null)),
      /^Your certificate has expired: "/,
    ],
  ])('%s is rejected', async ([_, sent, message], { world }) => {
    const { status, body } = await apns(world, 'PATCH', sent());

    expect(status).toBe(400);
    expect(body).toEqual({ production_certificate: [expect.stringMatching(message)] });
  });
});

describe('a credential whose key the deployment no longer has', () => {
  /** Has the production credential of a provider sealed under a key that is gone. */
  async function loseKey({ api, instance: name }: World, provider: PushProvider) {
    const instance = await instanceId(api.platform.store, name);
    const item = await pushConfigEntity.read(api.platform.store, instance, provider);
    const production = item?.data.production;
    if (item === undefined || !production?.credential) throw new Error('nothing is stored');
    const credential = { ...production.credential, sealed: '250.AAAA' };
    const data = { ...item.data, production: { ...production, credential } };
    await maintain(api.platform, [updateItem(item, data)]);
  }

  it('is shown in part, and is replaced by one that is sent again', async ({ world }) => {
    await gcm(world, 'PUT', { production_api_key: 'AIzaSyOldServerKey' });
    await loseKey(world, 'gcm');

    const shown = await gcm(world, 'GET');
    const other = await gcm(world, 'PATCH', { development_api_key: 'AIzaSyOther' });
    const again = await gcm(world, 'PATCH', { production_api_key: 'AIzaSyOldServerKey' });

    expect([shown.status, other.status, again.status]).toEqual([200, 200, 200]);
    expect(shown.body.production_api_key).not.toBe('AIzaSyOldServerKey');
    expect(again.body.production_api_key).toBe('AIzaSyOldServerKey');
    expect((await stored(world, 'gcm')).opened).toEqual({
      kind: 'legacyKey',
      key: 'AIzaSyOldServerKey',
    });
  });

  it('is required where a token key gets another id', async ({ world }) => {
    await apns(world, 'PATCH', apnsToken('production'));
    await loseKey(world, 'apns');

    const other = await apns(world, 'PATCH', { production_key_id: 'ZZZZZ12345' });
    const again = await apns(world, 'PATCH', {
      ...apnsToken('production'),
      production_key_id: 'ZZZZZ12345',
    });

    expect(other).toMatchObject({
      status: 400,
      body: { production_token_key: [expect.stringMatching('send it again')] },
    });
    expect(again).toMatchObject({ status: 200, body: { production_key_id: 'ZZZZZ12345' } });
  });
});

const call = (world: World, method: string, path: string, body?: unknown) =>
  world.own(method, `push_notifications/${path}`, body);
const gcm = (world: World, method: string, body?: unknown) =>
  call(world, method, 'gcm/config/', body);
const apns = (world: World, method: string, body?: unknown) =>
  call(world, method, 'apns/config/', body);

/** Returns the credential for production, decrypted, and its text in the store. */
async function stored(world: World, provider: PushProvider) {
  const { store, vault } = world.api.platform;
  const instance = await instanceId(store, world.instance);
  const item = await pushConfigEntity.read(store, instance, provider);
  const credential = item?.data.production.credential;
  const scope = { instance, provider, environment: 'production' } as const;
  const opened = credential && (await openCredential(vault, scope, credential));
  return { opened, sealed: credential?.sealed, item: JSON.stringify(item?.data) };
}

const unset = (environment: string) => ({
  [`${environment}_certificate_name`]: null,
  [`${environment}_certificate`]: false,
  [`${environment}_bundle_identifier`]: null,
  [`${environment}_expiration_date`]: null,
  [`${environment}_token_key`]: null,
  [`${environment}_key_id`]: null,
  [`${environment}_team_id`]: null,
});

/** A certificate that is valid for some days. */
function p12(friendlyName: string | undefined, days = 30, password: string | null = '') {
  const now = Math.floor(Date.now() / 1000) * 1000;
  return p12File({ friendlyName, notAfter: new Date(now + days * 86_400_000), password });
}

function form(bytes: Uint8Array<ArrayBuffer>, type = 'application/x-pkcs12'): FormData {
  const data = new FormData();
  data.set('production_certificate', new Blob([bytes], { type }), 'push.p12');
  return data;
}
