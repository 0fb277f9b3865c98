import { describe, expect } from 'vitest';
import { type Credentials, expected, plantUser, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { configure, outboxOf, serviceAccount } from '../support/push.ts';
import {
  isNull,
  missing,
  noJson,
  noPk,
  required,
  taken,
  time,
  tooLong,
} from '../support/responses.ts';

/** Devices and messages; the configuration is in push-config.test.ts. */

const it = newWorldTest('blog');

const hex = 'Ab'.repeat(32);
const content = {
  environment: 'development',
  registration_ids: ['dk3:a', 'b'],
  data: { message: 'sample', more: { n: 1 } },
};

it.afterEach(({ api }) => api.platform.idle()); // the outbox is shared: messages of one test must not be left to the next

describe('a device', () => {
  it('is registered, shown, changed and deleted', async ({ world }) => {
    const sent = { registration_id: 'dk3:APA91bE-x|1', device_id: '1F', label: 'Pixel' };
    const list = `${world.base}push_notifications/gcm/`;
    const self = `${list}devices/dk3:APA91bE-x%7C1/`;

    const made = await call(world, 'POST', 'gcm/devices/', sent);
    const path = self.slice(`${world.base}push_notifications/`.length);
    const changed = await call(world, 'PATCH', path, { label: 'New', registration_id: 'other' });
    const put = await call(world, 'PUT', path, { is_active: false });
    const listed = await call(world, 'GET', 'gcm/devices/');
    const removed = await call(world, 'DELETE', path);
    const gone = await call(world, 'GET', path);

    const whole = {
      label: 'Pixel',
      user: null,
      registration_id: 'dk3:APA91bE-x|1',
      device_id: '0x1f',
      metadata: {},
      is_active: true,
      created_at: time,
      updated_at: time,
      links: { self, config: `${list}config/`, send_message: `${self}send_message/` },
    };
    expect([made.status, made.body]).toEqual([201, whole]);
    expect([changed.status, changed.body]).toEqual([200, { ...whole, label: 'New' }]);
    expect([put.status, put.body.is_active, put.body.label]).toEqual([200, false, 'New']);
    expect(listed.body.objects).toEqual([put.body]);
    expect([removed.status, gone.status]).toEqual([204, 404]);
  });

  const badToken = 'Registration ID (device token) is invalid.';
  const badId = 'Device ID is not a valid hex number.';
  const badHex = `${badToken}Device tokens should be represented as a hexadecimal string, 64 characters long, without spaces or other separators.`;
  it.for([
    ['gcm', {}, { registration_id: required }],
    ['gcm', { registration_id: 'a b' }, { registration_id: [badToken] }],
    ['gcm', { registration_id: 'a'.repeat(513) }, { registration_id: [badToken] }],
    ['apns', { registration_id: 'abc' }, { registration_id: [badHex] }],
    ['gcm', { device_id: 'egg' }, { device_id: [badId] }],
    ['gcm', { device_id: 1 }, { device_id: [badId] }],
    ['gcm', { device_id: '' }, { device_id: [badId] }],
    ['gcm', { device_id: null }, { device_id: isNull }],
    [
      'gcm',
      { device_id: '0x8000000000000000' },
      { device_id: ['ValidationError Device ID is out of range.'] },
    ],
    ['apns', { device_id: 'x' }, { device_id: ['"x" is not a valid UUID.'] }],
    ['gcm', { user: 9 }, { user: noPk(9) }],
    ['gcm', { metadata: 3 }, { metadata: ['Metadata passed in invalid format.'] }],
    ['gcm', { label: 'a'.repeat(81) }, { label: tooLong(80) }],
  ] as const)('of %s with %j is rejected', async ([provider, sent, response], { world }) => {
    const isBare = Object.keys(sent).length === 0;
    const token = isBare ? {} : { registration_id: provider === 'gcm' ? 'a' : hex };

    const refused = await call(world, 'POST', `${provider}/devices/`, { ...token, ...sent });

    expect([refused.status, refused.body]).toEqual([400, response]);
  });

  it('exists once, for Apple whatever the case of its digits', async ({ world }) => {
    const id = '12345678-1234-1234-1234-123456789abc';
    const made = await call(world, 'POST', 'apns/devices/', {
      registration_id: hex,
      device_id: id.replaceAll('-', '').toUpperCase(),
    });

    const again = await call(world, 'POST', 'apns/devices/', {
      registration_id: hex.toLowerCase(),
    });
    const found = await call(world, 'GET', `apns/devices/${hex.toUpperCase()}/`);

    expect(made.body).toMatchObject({ registration_id: hex, device_id: id });
    expect([again.status, again.body]).toEqual([400, { registration_id: taken }]);
    expect(found.body).toEqual(made.body);
  });

  it('is found by id, user and whether it is active, page by page', async ({ world }) => {
    await plantUser(world, 4);
    const devices = [
      { registration_id: 'a', user: 4 },
      { registration_id: 'b', device_id: '0xb', user: 4 },
      { registration_id: 'c', is_active: false },
    ];
    for (const each of devices) expected(await call(world, 'POST', 'gcm/devices/', each), 201);
    const found = async (query: string) => {
      const { status, body } = await call(world, 'GET', `gcm/devices/?${query}`);
      const ids = body.objects?.map((each: { registration_id: string }) => each.registration_id);
      return status === 200 ? ids : body;
    };

    expect(await found('device_id=B')).toEqual(['b']);
    expect(await found('user=4')).toEqual(['a', 'b']);
    expect(await found('is_active=FALSE')).toEqual(['c']);
    expect(await found('is_active=t&ordering=desc')).toEqual(['b', 'a']);
    expect(await found('device_id=x')).toEqual({ device_id: [badId] });
    expect(await found('user=9')).toEqual({ user: noPk(9) });
    const page = expected(await call(world, 'GET', 'gcm/devices/?user=4&page_size=1'), 200);
    expect(page.next).toContain('?user=4&page_size=1&direction=1&last_pk=1');
  });
});

describe('access to push', () => {
  it('a user sees and changes their own devices, and cannot give one away', async ({ world }) => {
    await configure(world, 'gcm');
    const key = await world.apiKey();
    const own = { key, user: await plantUser(world, 4) };
    const other = { key, user: await plantUser(world, 5) };
    const post = (as: Credentials, body: object) => call(world, 'POST', 'gcm/devices/', body, as);
    const mine = await post(own, { registration_id: 'mine' });
    const theirs = await post(own, { registration_id: 'theirs', user: 5 });
    const given = await call(world, 'PATCH', 'gcm/devices/mine/', { user: 5 }, own);
    const seen = await call(world, 'GET', 'gcm/devices/', undefined, other);
    const hidden = await call(world, 'GET', 'gcm/devices/mine/', undefined, other);
    const content = { environment: 'production', data: { a: 1 } };
    const sent = await call(world, 'POST', 'gcm/devices/mine/send_message/', { content }, own);
    const stolen = await call(world, 'POST', 'gcm/devices/mine/send_message/', { content }, other);

    const notGiven = [400, { user: ['Cannot change owner of Device.'] }];
    expect(mine.body.user).toBe(4);
    expect([theirs.status, theirs.body]).toEqual(notGiven);
    expect([given.status, given.body]).toEqual(notGiven);
    expect(seen.body.objects).toEqual([]);
    expect([hidden.status, hidden.body]).toEqual([404, missing]);
    expect(sent.status).toBe(200);
    expect(sent.body.content).toEqual({ ...content, registration_ids: ['mine'] });
    expect(stolen.status).toBe(404);
  });
});

describe('a message', () => {
  it.for([
    ['as an object', (each: object) => each],
    ['as JSON text', (each: object) => JSON.stringify(each)],
  ] as const)(
    'with content %s is accepted, and delivered to the outbox',
    async ([_, written], { api, world }) => {
      await configure(world, 'gcm');

      const made = await call(world, 'POST', 'gcm/messages/', { content: written(content) });
      await api.platform.idle();
      const { body } = await call(world, 'GET', 'gcm/messages/1/');

      const links = { self: `${world.base}push_notifications/gcm/messages/1/` };
      const first = { id: 1, status: 'scheduled', content, result: {}, links };
      expect(made.status).toBe(201);
      expect(made.body).toEqual({ ...first, created_at: time, updated_at: time });
      const id = expect.stringMatching(/^outbox:/);
      const result = { success: { 'dk3:a': id, b: id } };
      expect(body).toMatchObject({ ...first, status: 'delivered', result });
      expect((await call(world, 'GET', 'gcm/messages/')).body.objects).toEqual([body]);
      const payload = {
        fcmV1Message: {
          validate_only: false,
          message: { data: { message: 'sample', more: '{"n":1}' } },
        },
      };
      const ofB = outboxOf(api).find((line) => line.id === body.result.success.b);
      expect(ofB).toMatchObject({
        provider: 'gcm',
        environment: 'development',
        registration_id: 'b',
        platform: 'GCM',
        payload,
        attributes: {},
      });
    },
  );

  it('of Apple is sent with its type and expiration', async ({ api, world }) => {
    await configure(world, 'apns');
    const aps = { alert: { title: 'a', body: 'b' }, badge: 1 };
    const sent = { environment: 'development', registration_ids: [hex], aps, custom: [1] };

    const body = await delivered(world, 'apns', sent);

    expect([body.status, body.result]).toEqual(['delivered', {}]);
    expect(outboxOf(api).at(-1)).toMatchObject({
      platform: 'APNS_SANDBOX',
      payload: { aps, custom: [1] },
      attributes: {
        'AWS.SNS.MOBILE.APNS.PUSH_TYPE': 'alert',
        'AWS.SNS.MOBILE.APNS.PRIORITY': '10',
        'AWS.SNS.MOBILE.APNS_SANDBOX.TTL': '2592000',
      },
    });
  });

  it('lists the devices that are no longer registered, and deactivates them', async ({ world }) => {
    await configure(world, 'gcm');
    const gone = { registration_id: 'invalid-1' };
    expected(await call(world, 'POST', 'gcm/devices/', gone), 201);
    const registration_ids = ['invalid-1', 'invalid-2', 'good', 'no token'];

    const body = await delivered(world, 'gcm', { ...content, registration_ids });

    expect(body.status).toBe('partially_delivered');
    expect(body.result).toEqual({
      success: { good: expect.any(String) },
      errors: { NotRegistered: ['invalid-1', 'invalid-2'], InvalidRegistration: ['no token'] },
    });
    expect((await call(world, 'GET', 'gcm/devices/invalid-1/')).body.is_active).toBe(false);
  });

  it('to unregistered devices only is an error with the reason of the first one', async ({
    world,
  }) => {
    await configure(world, 'apns');
    const sent = {
      environment: 'production',
      registration_ids: ['invalid-1'],
      aps: { alert: 'a' },
    };

    const body = await delivered(world, 'apns', sent);

    expect([body.status, body.result]).toEqual([
      'error',
      {
        status: 8,
        identifier: 0,
        description: 'Invalid token',
        errors: { NotRegistered: ['invalid-1'] },
      },
    ]);
  });

  it('that Apple accepts in part is an error with that part', async ({ world }) => {
    await configure(world, 'apns');
    const registration_ids = [hex, 'invalid-1'];
    const sent = { environment: 'production', registration_ids, aps: { alert: 'a' } };

    const body = await delivered(world, 'apns', sent);

    expect([body.status, body.result]).toEqual([
      'error',
      {
        status: 8,
        identifier: 1,
        description: 'Invalid token',
        success: { [hex]: expect.any(String) },
        errors: { NotRegistered: ['invalid-1'] },
      },
    ]);
  });

  it('reaches a device that was registered as inactive, each time', async ({ world }) => {
    await configure(world, 'gcm');
    const device = { registration_id: 'asleep', is_active: false };
    expected(await call(world, 'POST', 'gcm/devices/', device), 201);

    const statuses = [];
    for (const _ of [1, 2]) {
      const message = await delivered(world, 'gcm', { ...content, registration_ids: ['asleep'] });
      statuses.push(message.status);
    }

    expect(statuses).toEqual(['delivered', 'delivered']);
  });

  it('to a thousand devices reaches each once; to none, it is delivered', async ({
    api,
    world,
  }) => {
    await configure(world, 'gcm');
    const registration_ids = Array.from({ length: 1000 }, (_, at) => `many-${at}`);

    const body = await delivered(world, 'gcm', { ...content, registration_ids });
    const empty = await delivered(world, 'gcm', { ...content, registration_ids: [] });

    expect(body.status).toBe('delivered');
    expect(Object.keys(body.result.success).sort()).toEqual([...registration_ids].sort());
    expect(body.content.registration_ids).toEqual(registration_ids);
    const lines = outboxOf(api).filter((each) => String(each.registration_id).startsWith('many-'));
    expect(lines).toHaveLength(1000);
    expect([empty.status, empty.result]).toEqual(['delivered', {}]);
  });

  it('that is too large for any device has that error', async ({ world }) => {
    await configure(world, 'gcm');

    const data = { text: 'a'.repeat(5000) };
    const body = await delivered(world, 'gcm', { ...content, data });

    expect([body.status, body.result]).toEqual([
      'error',
      'Notification body cannot exceed 4096 bytes.',
    ]);
  });

  it('whose credentials are deleted before it is sent has that error', async ({ api, world }) => {
    await configure(world, 'gcm');
    const requests = [
      ['POST', 'messages/', { content }],
      ['PATCH', 'config/', { development_api_key: null }],
    ].map(([method, path, body]) => ({
      method,
      path: `${world.base}push_notifications/gcm/${path}`,
      body,
    }));
    const before = await call(world, 'POST', 'gcm/messages/', {
      content: { ...content, environment: 'x' },
    });
    const batch = await world.own('POST', 'batch/', { requests });
    await api.platform.idle();

    const after = await call(world, 'POST', 'gcm/messages/', { content });

    expect(before.status).toBe(400);
    expect(batch.body.map(({ code }: { code: number }) => code)).toEqual([201, 200]);
    const lacking = 'GCM api key for "development" environment is required.';
    expect([after.status, after.body]).toEqual([400, { non_field_errors: [lacking] }]);
  });

  const aps = { alert: 'a' };
  const apple = { environment: 'production', registration_ids: [hex], aps };
  const lacking = 'Object is missing one or all of required properties';
  it.for([
    ['gcm', { ...content, extra: 1 }, 'Object contains unexpected property.'],
    ['gcm', [1], 'Object contains value of wrong type (expected: object).'],
    ['gcm', { a: 1 }, lacking],
    ['gcm', { ...content, environment: 'x' }, 'Element "environment" contains invalid value.'],
    [
      'gcm',
      { ...content, registration_ids: [1] },
      'Element "registration_ids->0" contains value of wrong type (expected: string).',
    ],
    [
      'gcm',
      { ...content, registration_ids: ['a', 'a'] },
      'Element "registration_ids" contains non-unique values.',
    ],
    [
      'gcm',
      { ...content, registration_ids: Array(1001).fill('a') },
      'Element "registration_ids" contains too many items defined (max: 1000).',
    ],
    [
      'gcm',
      { ...content, data: Object.fromEntries(Array.from({ length: 257 }, (_, at) => [at, 1])) },
      'Element "data" contains too many properties defined (max: 256).',
    ],
    [
      'gcm',
      { ...content, time_to_live: 2_419_201 },
      'Element "time_to_live" contains too high value (max: 2419200).',
    ],
    [
      'gcm',
      { ...content, time_to_live: 0 },
      'Element "time_to_live" contains too low value (min: 1).',
    ],
    ['gcm', { ...content, priority: 'urgent' }, 'Element "priority" contains invalid value.'],
    ['apns', { ...apple, aps: {} }, 'Element "aps" is missing one or all of required properties'],
    [
      'apns',
      { ...apple, aps: { alert: { title: 'a' } } },
      'Element "aps->alert" doesn\'t match any of possible values',
    ],
  ] as const)('of %s has another schema: %#', async ([provider, sent, message], { world }) => {
    const { status, body } = await call(world, 'POST', `${provider}/messages/`, { content: sent });

    expect([status, body]).toEqual([400, { content: [`Invalid JSON: ${message}`] }]);
  });

  it.for([
    [undefined, required],
    [{}, required],
    ['', required],
    [null, required],
    ['{', noJson],
    [
      { ...content, data: { text: 'a'.repeat(70_000) } },
      ['Too big object defined (exceeds 65536).'],
    ],
  ] as const)('is rejected: %#', async ([sent, messages], { world }) => {
    const { status, body } = await call(world, 'POST', 'gcm/messages/', { content: sent });

    expect([status, body]).toEqual([400, { content: messages }]);
  });

  it('to one device requires content, and an environment', async ({ world }) => {
    expected(await call(world, 'POST', 'gcm/devices/', { registration_id: 'a' }), 201);

    const { status, body } = await call(world, 'POST', 'gcm/devices/a/send_message/', {});

    expect([status, body]).toEqual([400, { content: [`Invalid JSON: ${lacking}`] }]);
  });

  it('has no content in the log', async ({ api, world }) => {
    await configure(world, 'gcm');
    expected(await call(world, 'POST', 'gcm/devices/', { registration_id: 'token-of-mine' }), 201);
    const secret = { ...content, data: { a: 'payload-of-mine' } };
    const registration_ids = ['token-of-mine', 'invalid-of-mine'];

    await call(world, 'POST', 'gcm/messages/', { content: { ...secret, registration_ids } });
    await call(world, 'POST', 'gcm/devices/token-of-mine/send_message/', { content: secret });
    await api.platform.idle();

    const logged = JSON.stringify(api.logged);
    expect(logged).not.toMatch(/of-mine|BEGIN PRIVATE/);
    for (const line of serviceAccount.private_key.split('\n').slice(1, -2)) {
      expect(logged).not.toContain(line);
    }
  });
});

const call = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
  as: Credentials = world.owner,
) => world.call(as, method, `push_notifications/${path}`, body);

/** Sends a message, and returns it once it has been delivered. */
async function delivered(world: World, provider: 'gcm' | 'apns', sent: object) {
  const { id } = expected(
    await call(world, 'POST', `${provider}/messages/`, { content: sent }),
    201,
  );
  await world.api.platform.idle();
  return expected(await call(world, 'GET', `${provider}/messages/${id}/`), 200);
}
