import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { apnsToken, configure, serviceAccount, tokenKey } from '../../support/push.ts';
import {
  type ArrivedPush,
  apnsError,
  fcmError,
  type Reaction,
} from '../../support/push-service.ts';
import { startSending, useSendingApi } from './sending-api.ts';

/* Pushes of one machine to a server that behaves as those of Google and Apple. */

useSendingApi();

/** A token of Apple's that begins with some digits. */
const device = (digits: string) => digits.padEnd(64, '0');

/** Returns a reaction by the beginning of a token; other pushes are accepted. */
const byToken =
  (reactions: Readonly<Record<string, Reaction>>) =>
  ({ token }: ArrivedPush): Reaction =>
    Object.entries(reactions).find(([start]) => token.startsWith(start))?.[1] ?? 'accept';

describe('a push to Google', () => {
  test('is sent by HTTP v1 with an access token of the service account', async () => {
    const { service, world, send, results } = await startSending();
    await configure(world, 'gcm');

    const { status, result } = await send('gcm', ['one', 'two'], { time_to_live: 60 });
    await send('gcm', ['three']);

    const [first] = service.arrived;
    expect([status, result]).toEqual([
      'delivered',
      { success: { one: 'projects/demo/messages/one', two: 'projects/demo/messages/two' } },
    ]);
    expect(first).toMatchObject({
      path: '/v1/projects/demo/messages:send',
      headers: { authorization: 'Bearer token-1', 'content-type': 'application/json' },
      body: {
        validate_only: false,
        message: { data: { a: '1' }, android: { ttl: '60s' }, token: 'one' },
      },
    });
    expect([service.connections(), service.statements.length]).toEqual([1, 1]);
    expect(results).toEqual(['fcm sent', 'fcm sent', 'fcm sent']);
  });

  test('has a statement that is signed for the address of the settings', async () => {
    const { service, world, send } = await startSending();
    const account = { ...serviceAccount, private_key_id: 'k1', token_uri: 'http://evil.example/' };
    const config = { development_api_key: account };
    await world.call(world.owner, 'PUT', 'push_notifications/gcm/config/', config);

    await send('gcm', ['one']);

    const [statement = ''] = service.statements;
    const [header = '', claims = '', signature = ''] = statement.split('.');
    const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
    const { iat, ...said } = decode(claims);
    expect(decode(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    expect(said).toEqual({
      iss: serviceAccount.client_email,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: service.tokenUrl,
      exp: iat + 3600,
    });
    const key = createPublicKey(serviceAccount.private_key);
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test('ends as its response says, for each device', async () => {
    const notFound = fcmError(404, 'UNREGISTERED');
    const { world, send, isActive, results } = await startSending({
      react: byToken({
        gone: notFound,
        other: fcmError(403, 'SENDER_ID_MISMATCH'),
        lost: 'lose',
        bad: {
          status: 400,
          body: { error: { message: 'The registration token is not a valid FCM token' } },
        },
        gateway: { status: 502 },
      }),
    });
    await configure(world, 'gcm');
    for (const registration_id of ['gone', 'other', 'lost', 'bad'])
      await world.call(world.owner, 'POST', 'push_notifications/gcm/devices/', { registration_id });

    const { status, result } = await send('gcm', [
      'good',
      'gone',
      'other',
      'lost',
      'bad',
      'gateway',
    ]);

    expect(status).toBe('partially_delivered');
    expect(result).toEqual({
      success: { good: 'projects/demo/messages/good' },
      errors: {
        NotRegistered: ['gone'],
        InvalidRegistration: ['other', 'bad'],
        Unknown: ['lost', 'gateway'],
      },
    });
    const active = await Promise.all(
      ['gone', 'other', 'lost', 'bad'].map((each) => isActive('gcm', each)),
    );
    expect(active).toEqual([false, true, true, false]);
    expect(results.sort()).toEqual([
      'fcm failed',
      'fcm sent',
      'fcm unknown',
      'fcm unknown',
      'fcm unregistered',
      'fcm unregistered',
    ]);
  });

  test('is sent again when the service was busy, after the time that it asks for', async () => {
    const busy = fcmError(503, 'UNAVAILABLE', { 'retry-after': '1' });
    const times: number[] = [];
    const { service, world, send } = await startSending({
      react: ({ earlier }) => {
        times.push(performance.now());
        return earlier === 0 ? busy : 'accept';
      },
    });
    await configure(world, 'gcm');

    const { status } = await send('gcm', ['one']);

    const [first = 0, second = 0] = times;
    expect([status, service.arrived.length]).toEqual(['delivered', 2]);
    expect(second - first).toBeGreaterThan(950);
  });

  test('fails as a whole when an access token is rejected that was just made', async () => {
    const { api, service, world, send } = await startSending({ react: () => ({ status: 401 }) });
    await configure(world, 'gcm');

    const { status, result } = await send('gcm', ['one']);

    expect([status, result]).toEqual([
      'error',
      'There was an error authenticating the sender account.',
    ]);
    expect(service.statements).toHaveLength(1);
    expect(JSON.stringify(api.logged)).not.toContain('token-1');
  });

  test.each([
    [400, 'There was an error authenticating the sender account.'],
    [401, 'There was an error authenticating the sender account.'],
  ])('without an access token (%i) fails as a whole', async (status, text) => {
    const { world, send, service } = await startSending({
      grant: () => ({ status, body: { error: 'invalid_grant' } }),
    });
    await configure(world, 'gcm');

    const { result } = await send('gcm', ['one', 'two']);

    expect(result).toBe(text);
    expect(service.statements).toHaveLength(1);
    expect(service.arrived).toHaveLength(0);
  });

  test('is not signed with a key that takes long', async () => {
    const { world } = await startSending();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4104 });
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });

    const body = { development_api_key: { ...serviceAccount, private_key } };
    const response = await world.call(world.owner, 'PUT', 'push_notifications/gcm/config/', body);

    expect(response.status).toBe(400);
  });

  test.each(['..', 'demo/../other', '\ud800', 'a b', 'demo\r\nx: y'])(
    'is for no project %j, which is a part of its path',
    async (project_id) => {
      const { world } = await startSending();

      const body = { development_api_key: { ...serviceAccount, project_id } };
      const response = await world.call(world.owner, 'PUT', 'push_notifications/gcm/config/', body);

      expect(response.status).toBe(400);
    },
  );

  test('leaves no secret and no token in the log', async () => {
    const { api, world, send } = await startSending({
      react: () => (stream) => {
        const said = String(stream.sentHeaders) + serviceAccount.private_key;
        stream.respond({ ':status': 404 });
        stream.end(JSON.stringify({ error: { message: said, details: [{ errorCode: said }] } }));
      },
      grant: () => ({ status: 200, body: { access_token: 'token-1', expires_in: 3600 } }),
    });
    await configure(world, 'gcm');

    send('gcm', ['device-1']).catch(() => {}); // tried again for a while
    while (!api.logged.some(({ message }) => message === 'a push could not be sent'))
      await new Promise((resolve) => setTimeout(resolve, 10));

    const log = JSON.stringify(api.logged);
    expect(log).toContain('status 404');
    expect(log).not.toMatch(/BEGIN|PRIVATE|token-1|device-1/);
  });

  test('is not sent with a server key of old: the key is an error of its field', async () => {
    const { world } = await startSending();

    const body = { development_api_key: 'AAAA-legacy' };
    const response = await world.call(world.owner, 'PUT', 'push_notifications/gcm/config/', body);

    expect([response.status, response.body]).toEqual([
      400,
      { development_api_key: ['The push service does not accept this credential.'] },
    ]);
  });
});

describe('a push to Apple', () => {
  test('has the headers of its token key', async () => {
    const { service, world, send } = await startSending();
    await configure(world, 'apns');

    const { status, result } = await send('apns', [device('1')], { extra: 2 });

    const [push] = service.arrived;
    const { authorization, ...headers } = push?.headers ?? {};
    expect([status, result]).toEqual(['delivered', {}]);
    expect([push?.path, push?.body]).toEqual([
      `/3/device/${device('1')}`,
      { aps: { alert: 'hi' }, extra: 2 },
    ]);
    const seconds = Number(headers['apns-expiration']) - Date.now() / 1000;
    expect(Math.abs(seconds - 2_592_000)).toBeLessThan(60);
    expect(headers).toMatchObject({
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const [header = '', claims = '', signature = ''] = String(authorization)
      .replace(/^bearer /, '')
      .split('.');
    expect(Buffer.from(header, 'base64url').toString()).toBe(
      '{"alg":"ES256","typ":"JWT","kid":"ABCDE12345"}',
    );
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: apnsToken('development').development_team_id,
    });
    const key = { key: createPublicKey(tokenKey), dsaEncoding: 'ieee-p1363' } as const;
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test('ends as its response says, for each device', async () => {
    const { world, send, isActive } = await startSending({
      react: byToken({
        a: apnsError(410, 'Unregistered'),
        b: apnsError(400, 'BadDeviceToken'),
        c: apnsError(400, 'DeviceTokenNotForTopic'),
        d: 'lose',
      }),
    });
    await configure(world, 'apns');
    const tokens = ['1', 'a', 'b', 'c', 'd'].map(device);
    for (const registration_id of tokens)
      await world.call(world.owner, 'POST', 'push_notifications/apns/devices/', {
        registration_id,
      });

    const { status, result } = await send('apns', tokens);

    expect(status).toBe('error');
    expect(result).toEqual({
      status: 8,
      identifier: 1,
      description: 'Invalid token',
      success: { [device('1')]: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      errors: {
        NotRegistered: [device('a')],
        InvalidRegistration: [device('b'), device('c')],
        Unknown: [device('d')],
      },
    });
    const active = await Promise.all(tokens.map((each) => isActive('apns', each)));
    expect(active).toEqual([true, false, false, true, true]);
  });

  test.each([
    [403, 'InvalidProviderToken', 'Invalid certificate.'],
    [413, 'PayloadTooLarge', 'The push service refused the message.'],
  ])('that is refused as a whole (%i %s) has one reason', async (status, reason, text) => {
    const { world, send } = await startSending({ react: () => apnsError(status, reason) });
    await configure(world, 'apns');

    expect((await send('apns', [device('1'), device('2')])).result).toBe(text);
  });
});

describe('a connection', () => {
  test('that the service closes is replaced, and refused pushes move to the new one', async () => {
    const tokens = Array.from({ length: 60 }, (_, at) => `t${at}`);
    const { service, world, send } = await startSending({
      react: ({ token, earlier }) => {
        if (token === 't20' || token === 't41') return 'goaway';
        return token.endsWith('5') && earlier === 0 ? 'refuse' : 'accept';
      },
      delayMs: 5,
    });
    await configure(world, 'gcm');

    const { status } = await send('gcm', tokens);

    expect(status).toBe('delivered');
    expect(service.connections()).toBe(3);
  });

  test('has no more streams than the service allows', async () => {
    const tokens = Array.from({ length: 100 }, (_, at) => `t${at}`);
    const { service, world, send } = await startSending({
      settings: { maxConcurrentStreams: 3 },
      delayMs: 2,
    });
    await configure(world, 'gcm');

    const { status } = await send('gcm', tokens);

    expect([status, service.connections(), service.mostStreams()]).toEqual(['delivered', 1, 3]);
  });

  test('closes when it is not used, and the next push opens another', async () => {
    const { service, world, send } = await startSending({}, { bounds: { idleMs: 100 } });
    await configure(world, 'gcm');

    await send('gcm', ['one']);
    while (service.openConnections() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const { status } = await send('gcm', ['two']);

    expect([status, service.connections()]).toEqual(['delivered', 2]);
  });

  test('is opened anew with a changed credential', async () => {
    const { service, world, send } = await startSending();
    await configure(world, 'gcm');
    await send('gcm', ['one']);
    const body = { development_api_key: { ...serviceAccount, project_id: 'other' } };
    await world.call(world.owner, 'PATCH', 'push_notifications/gcm/config/', body);

    await send('gcm', ['two']);

    expect(service.arrived.map(({ path }) => path)).toEqual([
      '/v1/projects/demo/messages:send',
      '/v1/projects/other/messages:send',
    ]);
    expect(service.connections()).toBe(2);
  });

  test('is shared by equal credentials of an instance', async () => {
    const { service, world, send } = await startSending();
    await configure(world, 'gcm');

    await send('gcm', ['one']);
    await send('gcm', ['one'], { environment: 'production' });

    expect([service.connections(), service.statements.length]).toEqual([1, 1]);
  });
});
