import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type Credentials, openWorld, plantUser, startApi } from '../support/api.ts';
import { joinAs } from '../support/join-as.ts';

let api: Api;
let callers: Readonly<Record<Caller, Credentials>>;

const names = [
  'owner',
  'full',
  'write',
  'read',
  'stranger',
  'key',
  'ignore_acl',
  'user_create',
  'group_create',
  'anonymous_read',
  'user',
  'nobody',
] as const;
type Caller = (typeof names)[number];

beforeAll(async () => {
  api = await startApi();
  const world = await openWorld(api);
  await world.dataClass('note', [{ name: 'text', type: 'string' }]);
  const key = await world.apiKey();
  callers = {
    owner: world.owner,
    full: await joinAs(world, 'full'),
    write: await joinAs(world, 'write'),
    read: await joinAs(world, 'read'),
    stranger: await world.account('stranger@example.com'),
    key,
    ignore_acl: await world.apiKey({ ignore_acl: true }),
    user_create: await world.apiKey({ allow_user_create: true }),
    group_create: await world.apiKey({ allow_group_create: true }),
    anonymous_read: await world.apiKey({ allow_anonymous_read: true }),
    user: { key, user: await plantUser(world, 1) },
    nobody: undefined,
  };
});
afterAll(() => api.close());

/**
 * The status for every caller, in the order of `names`. Paths without a leading slash are relative to the instance,
 * `.` is the instance itself. Every write is sent with invalid values: callers who may write get past 403, to
 * 404 where the target does not exist or to 400 at most.
 */
const table = `
                                  own ful wri rea str   key acl  uc  gc  ar use   nobody
GET    /                          200 200 200 200 200   200 200 200 200 200 200   200
GET    /v1.1/                     200 200 200 200 200   200 200 200 200 200 200   200
GET    snippets/                  200 200 200 200 200   200 200 200 200 200 200   200
GET    endpoints/                 200 200 200 200 200   200 200 200 200 200 200   200
POST   /v1.1/account/register/    400 400 400 400 400   400 400 400 400 400 400   400
GET    /v1.1/account/             200 200 200 200 200   403 403 403 403 403 403   403
PATCH  /v1.1/account/             200 200 200 200 200   403 403 403 403 403 403   403
POST   /v1.1/account/password/    400 400 400 400 400   403 403 403 403 403 403   403
POST   /v1.1/account/activate/    400 400 400 400 400   400 400 400 400 400 400   400
POST   /v1.1/account/resend_email/ 400 400 400 400 400  400 400 400 400 400 400   400
POST   /v1.1/account/password/reset/ 400 400 400 400 400 400 400 400 400 400 400  400
POST   /v1.1/account/password/reset/confirm/ 400 400 400 400 400 400 400 400 400 400 400 400
POST   /v1.1/account/auth/github/ 400 400 400 400 400   400 400 400 400 400 400   400
GET    /v1.1/account/invitations/ 200 200 200 200 200   403 403 403 403 403 403   403
POST   /v1.1/account/invitations/ 405 405 405 405 405   403 403 403 403 403 403   403
GET    /v1.1/account/invitations/99/ 404 404 404 404 404 403 403 403 403 403 403  403
DELETE /v1.1/account/invitations/99/ 404 404 404 404 404 403 403 403 403 403 403  403
POST   /v1.1/account/invitations/accept/ 400 400 400 400 400 403 403 403 403 403 403 403
GET    /v1.1/instances/           200 200 200 200 200   200 200 200 200 200 200   403
POST   /v1.1/instances/           400 400 400 400 400   403 403 403 403 403 403   403
GET    .                          200 200 200 200 404   200 200 200 200 200 200   403
HEAD   .                          200 200 200 200 404   200 200 200 200 200 200   403
PATCH  .                          200 200 403 403 404   403 403 403 403 403 403   403
PUT    .                          200 200 403 403 404   403 403 403 403 403 403   403
POST   rename/                    400 403 403 403 404   403 403 403 403 403 403   403
GET    snippets/config/           200 200 200 200 404   403 200 403 403 403 403   403
PUT    snippets/config/           400 400 403 403 404   403 403 403 403 403 403   403
PATCH  snippets/config/           400 400 403 403 404   403 403 403 403 403 403   403
DELETE snippets/config/           405 405 403 403 404   403 403 403 403 403 403   403
GET    admins/                    200 200 200 200 403   403 403 403 403 403 403   403
POST   admins/                    405 405 403 403 403   403 403 403 403 403 403   403
GET    admins/99/                 404 404 404 404 403   403 403 403 403 403 403   403
PUT    admins/99/                 404 404 403 403 403   403 403 403 403 403 403   403
PATCH  admins/99/                 404 404 403 403 403   403 403 403 403 403 403   403
DELETE admins/99/                 404 404 404 404 403   403 403 403 403 403 403   403
GET    invitations/               200 200 200 200 403   403 403 403 403 403 403   403
POST   invitations/               400 400 403 403 403   403 403 403 403 403 403   403
GET    invitations/99/            404 404 404 404 403   403 403 403 403 403 403   403
PUT    invitations/99/            404 404 403 403 403   403 403 403 403 403 403   403
PATCH  invitations/99/            404 404 403 403 403   403 403 403 403 403 403   403
DELETE invitations/99/            404 404 403 403 403   403 403 403 403 403 403   403
POST   invitations/99/resend/     404 404 403 403 403   403 403 403 403 403 403   403
GET    api_keys/                  200 200 403 403 403   200 200 200 200 200 200   403
POST   api_keys/                  400 400 403 403 403   403 403 403 403 403 403   403
GET    api_keys/99/               404 404 403 403 403   404 404 404 404 404 404   403
PUT    api_keys/99/               404 404 403 403 403   403 403 403 403 403 403   403
PATCH  api_keys/99/               404 404 403 403 403   403 403 403 403 403 403   403
DELETE api_keys/99/               404 404 403 403 403   403 403 403 403 403 403   403
POST   api_keys/99/reset_key/     404 404 403 403 403   403 403 403 403 403 403   403
GET    classes/                   200 200 200 200 403   200 200 200 200 200 200   403
POST   classes/                   400 400 400 403 403   403 403 403 403 403 403   403
GET    classes/none/              404 404 404 404 403   404 404 404 404 404 404   403
PATCH  classes/none/              404 404 404 403 403   403 403 403 403 403 403   403
DELETE classes/none/              404 404 404 403 403   403 403 403 403 403 403   403
GET    classes/note/objects/      200 200 200 200 403   403 200 403 403 200 200   403
GET    classes/note/objects/99/   404 404 404 404 403   403 404 403 403 404 404   403
POST   classes/note/objects/      400 400 400 403 403   400 400 400 400 400 400   403
PATCH  classes/note/objects/99/   404 404 404 403 403   404 404 404 404 404 404   403
DELETE classes/note/objects/99/   404 404 404 403 403   404 404 404 404 404 404   403
DELETE .                            - 403 403 403 404   403 403 403 403 403 403   403
`;

const rows = table
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [method = '', path = '', ...statuses] = line.split(/\s+/);
    return { method, path, statuses };
  });

const body = { ignore_acl: 5, text: [], config: 5 };

describe('access of each caller', () => {
  it.each(rows)('$method $path', async ({ method, path, statuses }) => {
    const below = path === '.' ? '' : path;
    const call = {
      method,
      path: path.startsWith('/') ? path : `/v1.1/instances/blog-1/${below}`,
      ...(['POST', 'PUT', 'PATCH'].includes(method) && { body }),
    };
    const got = await Promise.all(
      names.map(async (name, at) => {
        if (statuses[at] === '-') return '-'; // the owner's deletion of the instance has tests of its own
        const { status } = await api.send({ as: callers[name], ...call });
        return String(status);
      }),
    );

    const by = (list: readonly string[]) => names.map((name, at) => `${name} ${list[at]}`);
    expect(by(got)).toEqual(by(statuses));
  });
});
