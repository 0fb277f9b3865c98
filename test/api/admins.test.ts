import { describe, expect } from 'vitest';
import type { Role } from '../../shared/values/access.ts';
import { type Api, type ApiResponse, expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden, missing } from '../support/responses.ts';

/** Each test has an instance with the owner and one admin per role, who joined in this order. */
const it = newWorldTest('staff', { settings: { maxInstances: 200 } }).extend('given', ({ world }) =>
  setUp(world),
);

describe('the list', () => {
  it('is in the order of joining, the owner first, for every member', async ({
    given: { call, keys, shown },
  }) => {
    const list = [shown('owner', 'full'), shown('read', 'read')];
    const all = [...list, shown('full', 'full'), shown('write', 'write')];

    for (const name of Object.keys(keys)) {
      const { status, body } = await call(name, 'GET', 'admins/');
      expect([status, body]).toEqual([200, { next: null, prev: null, objects: all }]);
    }
  });

  it('is paged by joining, not by account', async ({
    api,
    world,
    given: { call, path, shown, who },
  }) => {
    const late = await joinAs(world, 'read').catch(() => undefined); // the address is taken
    expect(late).toBeUndefined();
    // an admin who rejoins has the highest account id no more, and is still last
    expected(await call('read', 'DELETE', path('read')), 204);
    const invitation = { email: `read-of-${world.instance}@example.com`, role: 'read' };
    const { key } = expected(await call('owner', 'POST', 'invitations/', invitation), 201);
    await api.send({ ...accepting(key), as: who('read') });

    const pages: string[][] = [];
    let next: string | null = `${world.base}admins/?page_size=2`;
    while (next !== null && pages.length < 5) {
      const { body }: ApiResponse = await api.send({ as: world.owner, path: next });
      pages.push(body.objects.map((each: { email: string }) => each.email.split('-')[0]));
      next = body.next;
    }
    const last = await call('owner', 'GET', 'admins/?page_size=1&direction=0');
    const down = await call('owner', 'GET', 'admins/?ordering=desc&page_size=1');

    expect(pages).toEqual([
      ['owner', 'full'],
      ['write', 'read'],
    ]);
    expect(last.body.objects).toEqual([shown('read', 'read')]);
    expect(down.body.objects).toEqual([shown('read', 'read')]);
  });

  it('contains current names and addresses', async ({
    api,
    world,
    given: { call, path, shown, who },
  }) => {
    const body = { first_name: 'Kim', email: `kim-of-${world.instance}@example.com` };
    await api.send({ as: who('read'), method: 'PATCH', path: '/v1.1/account/', body });

    const response = await call('owner', 'GET', path('read'));

    expect(response.body).toEqual({ ...shown('read', 'read'), ...body });
  });
});

describe('a role', () => {
  it.for<[string, object, Role]>([
    ['PATCH', { role: 'read' }, 'read'],
    ['PATCH', { role: 2 }, 'write'],
    ['PATCH', {}, 'write'],
    ['PUT', { role: 'read' }, 'read'],
    ['PUT', {}, 'full'],
    ['PUT', { id: 1, email: 'x@example.com', first_name: 'X', role: 'write' }, 'write'],
  ])('%s of %j leaves %s', async ([method, body, role], { given: { call, path, shown } }) => {
    const response = await call('full', method, path('write'), body);
    const read = await call('owner', 'GET', path('write'));

    const wanted = shown('write', role);
    expect([response.status, response.body]).toEqual([200, wanted]);
    expect(read.body).toEqual(wanted);
  });

  it.for<[unknown, string]>([
    ['furry', '"furry" is not a valid choice.'],
    ['owner', '"owner" is not a valid choice.'],
    [0, '"0" is not a valid choice.'],
    [null, 'This field may not be null.'],
  ])('%j is invalid', async ([role, message], { given: { call, path, roleOf } }) => {
    const responses = [
      await call('owner', 'PATCH', path('write'), { role }),
      await call('owner', 'PUT', path('write'), { role }),
    ];

    for (const response of responses) {
      expect([response.status, response.body]).toEqual([400, { role: [message] }]);
    }
    expect(await roleOf('write')).toBe('write');
  });

  it('applies from the next request on', async ({ given: { call, path } }) => {
    const create = (name: string) => call('read', 'POST', 'classes/', { name, schema: [] });
    const before = await create('early');

    await call('owner', 'PATCH', path('read'), { role: 'write' });
    const after = await create('late');
    const seen = await call('read', 'GET', '');

    expect([before.status, after.status, seen.body.role]).toEqual([403, 201, 'write']);
  });

  it('changed twice at the same time is one of the two', async ({
    given: { call, path, roleOf },
  }) => {
    const responses = await Promise.all(
      ['read', 'full'].map((role) => call('owner', 'PATCH', path('write'), { role })),
    );

    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(['read', 'full']).toContain(await roleOf('write'));
    const seen = await call('write', 'GET', '');
    expect(seen.body.role).toBe(await roleOf('write'));
  });
});

describe('changing and removing members', () => {
  // actor, target, status of PATCH and PUT, status of DELETE
  it.for<[string, string, number, number]>([
    ['owner', 'owner', 403, 403],
    ['full', 'owner', 403, 403],
    ['write', 'owner', 403, 403],
    ['read', 'owner', 403, 403],
    ['owner', 'full', 200, 204],
    ['full', 'full', 200, 204],
    ['full', 'read', 200, 204],
    ['write', 'full', 403, 403],
    ['write', 'read', 403, 403],
    ['write', 'write', 403, 204],
    ['read', 'write', 403, 403],
    ['read', 'read', 403, 204],
  ])('%s of %s: %i, %i', async ([by, whose, change, removal], { given: { call, path } }) => {
    const patch = await call(by, 'PATCH', path(whose), {});
    const put = await call(by, 'PUT', path(whose), { role: 'full' });
    const remove = await call(by, 'DELETE', path(whose));

    expect([patch.status, put.status, remove.status]).toEqual([change, change, removal]);
    for (const { status, body } of [patch, put, remove]) {
      if (status === 403) expect(body).toEqual(forbidden);
    }
    const left = await call('owner', 'GET', path(whose));
    expect(left.status).toBe(removal === 204 ? 404 : 200);
  });

  it('an invalid role for the owner is a 403 as well', async ({ given: { call, path } }) => {
    const response = await call('owner', 'PUT', path('owner'), { role: 'furry' });

    expect([response.status, response.body]).toEqual([403, forbidden]);
  });

  it('a removed member has no access from the next request on', async ({
    api,
    given: { call, path, who },
  }) => {
    const left = await call('read', 'DELETE', path('read'));

    const instance = await call('read', 'GET', '');
    const below = await call('read', 'GET', 'classes/');
    const list = await api.send({ as: who('read'), path: '/v1.1/instances/' });
    const twice = await call('owner', 'DELETE', path('read'));

    expect([left.status, left.body]).toEqual([204, '']);
    expect([instance.status, instance.body]).toEqual([404, missing]);
    expect([below.status, below.body]).toEqual([403, forbidden]);
    expect(list.body.objects).toEqual([]);
    expect([twice.status, twice.body]).toEqual([404, missing]);
  });

  it('two removals at the same time remove once', async ({ given: { call, path } }) => {
    const responses = await Promise.all([1, 2].map(() => call('owner', 'DELETE', path('read'))));

    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('a removal and a change at the same time leave no partial member', async ({
    given: { call, path },
  }) => {
    const [removal, change] = await Promise.all([
      call('owner', 'DELETE', path('read')),
      call('full', 'PATCH', path('read'), { role: 'write' }),
    ]);

    expect(removal.status).toBe(204);
    expect([200, 404]).toContain(change.status);
    expect((await call('read', 'GET', '')).status).toBe(404);
    expect((await call('owner', 'GET', path('read'))).status).toBe(404);
  });
});

it('the account of a non-member is a 404', async ({ api, world, given: { call } }) => {
  const stranger = await idOf(api, await world.account('no-member@example.com'));

  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const response = await call('full', method, `admins/${stranger}/`);
    expect([response.status, response.body]).toEqual([404, missing]);
  }
});

async function setUp(world: World) {
  const [read, full, write] = [
    await joinAs(world, 'read'),
    await joinAs(world, 'full'),
    await joinAs(world, 'write'),
  ];
  const keys: Readonly<Record<string, string>> = { owner: world.owner, read, full, write };
  const found = await Promise.all(
    Object.entries(keys).map(async ([name, key]) => [name, await idOf(world.api, key)] as const),
  );
  const ids = Object.fromEntries(found);
  const who = (name: string) => keys[name];
  const path = (name: string) => `admins/${ids[name]}/`;
  const shown = (name: string, role: Role) => ({
    id: ids[name],
    role,
    email: `${name}-of-${world.instance}@example.com`,
    first_name: '',
    last_name: '',
    links: { self: world.base + path(name) },
  });
  const call = (by: string, method: string, below: string, body?: unknown): Promise<ApiResponse> =>
    world.call(who(by), method, below, body);
  async function roleOf(name: string): Promise<string | undefined> {
    const { status, body } = await call('owner', 'GET', path(name));
    return status === 200 ? body.role : undefined;
  }
  return { call, keys, path, roleOf, shown, who };
}

async function idOf(api: Api, key: string): Promise<number> {
  return expected(await api.send({ as: key, path: '/v1.1/account/' }), 200).id;
}

function accepting(invitation_key: string) {
  return { path: '/v1.1/account/invitations/accept/', body: { invitation_key } };
}
