import { describe, expect } from 'vitest';
import { errorCodeTexts as errorCodes } from '../../shared/values/errors/error-code-texts.ts';
import type { ErrorCode } from '../../shared/values/errors/error-codes.ts';
import type { World } from '../support/api.ts';
import { type Call, type Credentials, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

const it = worldTest({ settings: { userMail: 'off' } }).extend(
  'given',
  { scope: 'file', auto: true },
  ({ world }) => setUp(world),
);

const requests = Array(51).fill({ method: 'GET', path: '/v1.1/instances/blog-1/classes/' });
const stale = { title: 'x', expected_revision: 9 };
const member = { email: 'owner-of-blog-1@example.com' };
const xml = { 'Content-Type': 'text/xml' };
const json = { 'Content-Type': 'application/json' };
const rows: readonly Row[] = [
  ['nobody', 'GET classes/', 403, 'key_missing'],
  ['nobody', 'GET classes/book/objects/', 403, 'key_missing'],
  ['forged', 'GET classes/', 403, 'key_unknown'],
  ['former', 'GET classes/', 403, 'key_reset'],
  ['former', 'GET /v1.1/account/', 403, 'key_reset'],
  ['plain', 'GET snippets/scripts/', 403, 'account_key_needed'],
  ['plain', 'POST groups/', 403, 'key_flag_needed', { body: { label: 'x' } }],
  ['plain', 'GET users/', 403, 'user_key_needed'],
  ['plain', 'GET classes/book/objects/', 403, 'user_key_needed'],
  ['plain', 'GET user/', 403, 'user_key_needed'],
  ['owner', 'GET user/', 403, 'user_key_needed'],
  ['stranger', 'GET classes/', 403, 'not_a_member'],
  ['reader', 'GET api_keys/', 403, 'role_too_low'],
  ['reader', 'POST classes/', 403, 'role_too_low', { body: {} }],
  ['reader', 'POST classes/book/objects/', 403, 'role_too_low', { body: {} }],
  ['user', 'POST classes/book/objects/', 403, 'class_denies', { body: {} }],
  ['user', 'GET classes/secret/objects/', 403, 'class_denies'],
  ['user', 'DELETE classes/book/objects/1/', 403, 'object_denies'],
  ['user', 'GET classes/book/objects/2/', 404, 'not_found'],
  ['owner', 'DELETE admins/1/', 403, 'item_protected'],
  ['owner', 'DELETE classes/user_profile/', 403, 'item_protected'],
  ['owner', 'GET classes/none/', 404, 'not_found'],
  ['owner', 'GET classes/none/objects/', 404, 'parent_not_found'],
  ['owner', 'GET nowhere/', 404, 'path_unknown'],
  ['owner', 'GET classes', 404, 'no_trailing_slash'],
  ['owner', 'GET classes?page_size=1', 404, 'no_trailing_slash'],
  ['owner', 'GET nowhere', 404, 'path_unknown'],
  ['owner', 'GET classes/?format=xml', 404, 'format_unknown'],
  ['owner', 'PUT classes/', 405, 'method_not_allowed', { body: {} }],
  ['owner', 'POST classes/', 400, 'malformed_body', { body: '{"name', headers: json }],
  ['owner', 'POST classes/', 415, 'media_type_unknown', { body: '<a/>', headers: xml }],
  ['owner', 'GET classes/', 406, 'not_acceptable', { headers: { Accept: 'application/xml' } }],
  ['owner', 'GET classes/?template=none', 406, 'not_acceptable'],
  ['owner', 'GET classes/?template=broken', 400, 'template_failed'],
  ['owner', 'GET endpoints/scripts/greet/run/?template=broken', 400, 'template_failed'],
  ['owner', 'GET endpoints/?template=broken', 400, 'template_unsupported'],
  ['owner', 'POST snippets/scripts/1/run/', 413, 'too_large', { body: 'x'.repeat(600_000) }],
  ['owner', 'POST classes/', 400, 'invalid_input', { body: {} }],
  ['owner', 'GET classes/?page_size=x', 400, 'paging_invalid'],
  ['owner', 'GET classes/book/objects/?order_by=title', 400, 'order_invalid'],
  ['owner', 'GET classes/book/objects/?query={"title":{"_eq":1}}', 400, 'query_invalid'],
  [
    'owner',
    'PATCH user_settings/',
    400,
    'mail_denied',
    { body: { email: 'optional', codes: true } },
  ],
  ['owner', 'PATCH classes/book/objects/1/', 400, 'revision_mismatch', { body: stale }],
  ['owner', 'POST batch/', 400, 'limit_reached', { body: { requests } }],
  ['owner', 'POST invitations/', 400, 'state_conflict', { body: member }],
  ['plain', 'POST user/auth/', 401, 'login_failed', { body: { username: 'x', password: 'x' } }],
  ['nobody', 'GET /v2/', 404, 'path_unknown'],
  ['nobody', 'GET /v1.1', 404, 'no_trailing_slash'],
  ['plain', 'GET /v1.1/account/', 403, 'account_key_needed'],
  ['owner', 'GET /v1.1/instances/none/classes/', 404, 'parent_not_found'],
  [
    'nobody',
    'POST /v1.1/account/auth/',
    401,
    'login_failed',
    { body: { email: 'x@y.zz', password: 'x' } },
  ],
  [
    'nobody',
    'POST /v1.1/account/auth/nowhere/',
    400,
    'social_login_failed',
    { body: { access_token: 'x' } },
  ],
];

describe('X-Error-Code', () => {
  it.for<Row>(rows)(
    '%s %s %s %s',
    async ([who, call, status, code, more], { api, world, given: { callers } }) => {
      const [method = '', path = ''] = call.split(' ');
      const place = path.startsWith('/') ? path : world.base + path;
      const from = api.logged.length;

      const response = await api.send({ as: callers[who], method, path: place, ...more });

      const line = api.logged.slice(from).find(({ message }) => message === 'request');
      expect([response.status, response.headers.get('X-Error-Code')]).toEqual([status, code]);
      expect(line).toMatchObject({ status, code });
      expect(errorCodes[code].statuses).toContain(status);
    },
  );

  it('is absent from successful responses and their log lines', async ({ api, world }) => {
    const from = api.logged.length;

    const { status, headers } = await world.own('GET', 'classes/');

    const line = api.logged.slice(from).find(({ message }) => message === 'request');
    expect([status, headers.get('X-Error-Code')]).toEqual([200, null]);
    expect(line).not.toHaveProperty('code');
  });

  it('does not change the body of an error response, in a batch as well', async ({
    api,
    world,
  }) => {
    const path = '/v1.1/instances/blog-1/classes/none/';
    const body = { requests: [{ method: 'GET', path }] };

    const alone = await api.send({ as: world.owner, path });
    const batch = await world.own('POST', 'batch/', body);

    expect(alone.body).toEqual({ detail: 'Not found.' });
    expect(batch.body).toEqual([{ code: 404, content: { detail: 'Not found.' } }]);
    expect(batch.headers.get('X-Error-Code')).toBe(null);
  });

  it('pages of other origins may read it', async ({ api }) => {
    const sent = { path: '/v1.1/', headers: { Origin: 'https://a.example' } };
    const { headers } = await api.send(sent);

    expect(headers.get('Access-Control-Expose-Headers')).toBe(
      'Retry-After, Allow, X-Last-Id, X-Request-Id, X-Error-Code, X-Ignored',
    );
  });

  it('a script cannot put its own text into the log', async ({ api, world }) => {
    const source = `setResponse(new HttpResponse(200, 'x', 'text/plain', { 'X-Error-Code': 'mine' }));`;
    await makeEndpoint(world, 'coded', source);
    const from = api.logged.length;

    const { headers } = await world.own('POST', 'endpoints/scripts/coded/run/', {});

    const line = api.logged.slice(from).find(({ message }) => message === 'request');
    expect(headers.get('X-Error-Code')).toBe('mine');
    expect(line).not.toHaveProperty('code');
  });

  it.for([
    ['a missing file', 'GET', 404, 'not_found'],
    ['a method that files lack', 'PUT', 405, 'method_not_allowed'],
  ] as const)('of %s', async ([_, method, status, code], { api }) => {
    const response = await api.send({ method, path: '/files/none' });

    expect([response.status, response.headers.get('X-Error-Code')]).toEqual([status, code]);
  });
});

async function setUp(world: World) {
  const { call, owner } = world;
  await world.dataClass('book', [{ name: 'title', type: 'string' }], {
    other_permissions: 'read',
  });
  await world.dataClass('secret', [], { other_permissions: 'none', group_permissions: 'none' });
  for (const other_permissions of ['read', 'none']) {
    expected(await call(owner, 'POST', 'classes/book/objects/', { other_permissions }), 201);
  }
  const user = expected(
    await call(owner, 'POST', 'users/', { username: 'ann', password: 'a password' }),
    201,
  );
  const plain = await world.apiKey();
  const former = await world.account('former@example.com');
  await world.api.send({ as: former, method: 'POST', path: '/v1.1/account/reset_key/' });
  const callers: Readonly<Record<string, Credentials>> = {
    nobody: undefined,
    owner,
    reader: await joinAs(world, 'read'),
    stranger: await world.account('stranger@example.com'),
    plain,
    user: { key: plain, user: user.user_key },
    former,
    forged: `02${'0'.repeat(54)}`,
  };
  const template = { name: 'broken', content: '{{ a.b.c }}', content_type: 'text/plain' };
  expected(await call(owner, 'POST', 'snippets/templates/', template), 201);
  await makeEndpoint(world, 'greet', 'console.log(1);');
  return { callers };
}

type Row = [who: string, call: string, status: number, code: ErrorCode, more?: Partial<Call>];
