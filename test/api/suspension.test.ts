import { describe, expect } from 'vitest';
import { changeSuspension, listSuspensions } from '../../shared/instances/suspension.ts';
import type { Api } from '../support/api.ts';
import { type Credentials, expected, plantUser } from '../support/api.ts';
import {
  type FilledWorld,
  inOneVersion,
  isRedirect,
  isRun,
  isWait,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { sampleOf } from '../support/sample.ts';

/*
 * A suspended instance (docs/reference/instances.md#suspended): for every path of the map, every method and every kind
 * of caller. A new path that is open to more than the owner's reads fails here.
 */

const it = apiTest().extend('given', { scope: 'file', auto: true }, ({ api }) => setUp(api));

/** Every caller but the owner, by name. */
const others = new Map<string, Credentials>();
/** What the owner read before, by path. */
const before = new Map<string, { readonly status: number; readonly body: unknown }>();
const suspended = { detail: 'This instance is suspended.' };
const reads = ['GET', 'HEAD', 'OPTIONS'];
const writes = ['POST', 'PUT', 'PATCH', 'DELETE'];
/** What the owner may do in addition to reading: everything else that is not a read is a write. */
const ownerWrites: readonly string[] = [
  'POST /instances/{instance}/backups/full/',
  'POST /instances/{instance}/batch/', // each item is checked
];
/** What looks like a read, and runs a script. */
const runs: readonly string[] = [
  'GET /instances/{instance}/endpoints/scripts/{endpoint}/run/',
  'GET /instances/{instance}/endpoints/scripts/p/{link}/',
  'GET /instances/{instance}/endpoints/scripts/p/{link}/{endpoint}/',
  'GET /instances/{instance}/sockets/endpoints/scripts/p/{link}/',
  'GET /instances/{instance}/sockets/endpoints/scripts/p/{link}/{endpoint}/',
  'GET /instances/{instance}/webhooks/{endpoint}/run/',
  'GET /instances/{instance}/webhooks/p/{link}/',
  'GET /instances/{instance}/webhooks/p/{link}/{endpoint}/',
];
const isInside = ({ template }: Place) => template.includes('{instance}');
const inside = places.filter(isInside);

describe('every call of a suspended instance', () => {
  it.for(inside.map((place) => [place.name, place] as const))(
    '%s is closed to all but the owner',
    async ([_, place], { api, given: { ours } }) => {
      const attempts = [...others].flatMap(([name, as]) =>
        [...reads, ...writes].map((method) => ({ name, as, method })),
      );
      for (const { name, as, method } of sampleOf(attempts, 3)) {
        const { status, body, headers } = await send(api, as, method, ours.path(place));
        const found = [status, method === 'HEAD' ? suspended : body, headers.get('x-error-code')];
        expect(found, `${method} by ${name}`).toEqual([403, suspended, 'instance_suspended']);
      }
    },
  );

  it.for(
    inside
      .filter((place) => !isWait(place) && !isRedirect(place))
      .map((place) => [place.name, place] as const),
  )(
    '%s is read by the owner as before, and not written',
    async ([_, place], { api, given: { ours } }) => {
      const path = ours.path(place);
      const known = before.get(place.name);
      if (runs.includes(nameOf('GET', place))) {
        const run = await send(api, ours.owner, 'GET', path);
        expect([run.status, run.body]).toEqual([403, suspended]);
      } else {
        expect(await readPlace(api, ours, place)).toEqual(known);
      }
      for (const method of writes) {
        if (ownerWrites.includes(nameOf(method, place))) continue;
        const { status, body } = await send(
          api,
          ours.owner,
          method,
          path,
          ours.sample(place, 'other'),
        );
        expect([status, body], method).toEqual([403, suspended]);
      }
    },
  );

  it('is unknown to strangers where the instance is', async ({ api, given: { ours, theirs } }) => {
    const path = `${ours.base}`;
    const { status } = await send(api, theirs.owner, 'GET', path);
    expect(status).toBe(404);
  });
});

describe('another instance', () => {
  it.for(
    inOneVersion(
      places.filter((place) => isInside(place) && !isWait(place) && !isRedirect(place)),
      1,
    ).map((place) => [place.name, place] as const),
  )('%s is served as ever', async ([_, place], { api, given: { theirs } }) => {
    if (place.route.operations.GET === undefined) return;
    const { status } = await send(api, theirs.caller(place), 'GET', theirs.path(place));
    expect(status).toBe(200);
  });

  it('is written as ever', async ({ given: { theirs } }) => {
    const { status } = await theirs.own('POST', 'groups/', { label: 'a' });
    expect(status).toBe(201);
  });
});

describe('the lists of the owner', () => {
  it('still have the instance', async ({ api, given: { ours } }) => {
    const { body } = await send(api, ours.owner, 'GET', '/v1.1/instances/');
    expect(body.objects.map(({ name }: { readonly name: string }) => name)).toContain('our-shop');
  });

  it('are closed to a key of the instance', async ({ api }) => {
    for (const path of ['/v1.1/instances/', '/v1.1/', '/']) {
      const { status, body } = await send(api, others.get('a bare key'), 'GET', path);
      expect([status, body], path).toEqual([403, suspended]);
    }
  });

  it('of operators name it', async ({ api }) => {
    expect(await listSuspensions(api.platform.store)).toEqual([
      { instance: 'our-shop', reason: 'spam', suspended_at: expect.any(String) },
    ]);
  });
});

describe('a batch of the owner', () => {
  it('reads, and does not write', async ({ given: { ours } }) => {
    const item = (method: string, path: string, body?: unknown) => ({
      method,
      path: `${ours.base}${path}`,
      body,
    });
    const requests = [
      item('GET', 'groups/1/'),
      item('POST', 'groups/', { label: 'a' }),
      item('DELETE', 'classes/book/objects/1/'),
      item('GET', 'endpoints/scripts/greet/run/'),
      item('POST', 'classes/book/objects/', { title: 'a' }),
      item('POST', 'classes/book/objects/', { title: 'b' }),
    ];

    const body = expected(await ours.own('POST', 'batch/', { requests }), 200);

    const closed = { code: 403, content: suspended };
    expect(body.slice(1)).toEqual([closed, closed, closed, closed, closed]);
    expect(body[0].code).toBe(200);
  });
});

describe('an invitation', () => {
  it('neither adds a member nor is shown nor declined', async ({
    api,
    given: { ours, theirs },
  }) => {
    await changeSuspension(api.platform, { action: 'resume', instance: 'our-shop' });
    const body = { email: 'late@example.com', role: 'full' };
    const sent = await ours.create('invitations/', body);
    await changeSuspension(api.platform, { action: 'suspend', instance: 'our-shop' });
    const path = '/v1.1/account/invitations/accept/';
    const accepted = await send(api, theirs.owner, 'POST', path, { invitation_key: sent.key });
    const show = '/v1.1/account/invitations/show/';
    const shown = await send(api, theirs.owner, 'POST', show, { invitation_key: sent.key });
    const late = await ours.account('late@example.com');
    const own = expected(await send(api, late, 'GET', '/v1.1/account/invitations/'), 200).objects;
    const declined = await send(api, late, 'DELETE', `/v1.1/account/invitations/${own[0].id}/`);

    for (const { status, body } of [accepted, shown, declined]) {
      expect([status, body]).toEqual([403, suspended]);
    }
    await changeSuspension(api.platform, { action: 'resume', instance: 'our-shop' });
    expected(await ours.own('DELETE', `invitations/${sent.id}/`), 204);
    await changeSuspension(api.platform, { action: 'suspend', instance: 'our-shop' });
  });
});

describe('a backup of the owner', () => {
  it('is made, and not restored', async ({ api, given: { ours } }) => {
    const made = await ours.create('backups/full/', {});
    await api.platform.idle();

    const read = await ours.read(`backups/full/${made.id}/`);
    const restore = await ours.own('POST', 'restores/', { backup: made.id });

    expect(read.status).toBe('success');
    expect([restore.status, restore.body]).toEqual([403, suspended]);
  });
});

describe('once it is resumed', () => {
  it('serves all as before', async ({ api, given: { ours } }) => {
    await changeSuspension(api.platform, { action: 'resume', instance: 'our-shop' });

    for (const place of inside) {
      const known = before.get(place.name);
      if (known === undefined || place.template.includes('backups')) continue;
      expect(await readPlace(api, ours, place), place.name).toEqual(known);
    }
    const made = await ours.call(others.get('full'), 'POST', 'groups/', { label: 'a' });
    expect(made.status).toBe(201);
    expect(await listSuspensions(api.platform.store)).toEqual([]);
    await expect(
      changeSuspension(api.platform, { action: 'resume', instance: 'our-shop' }),
    ).rejects.toThrow('our-shop is not suspended');
    await expect(
      changeSuspension(api.platform, { action: 'suspend', instance: 'nowhere' }),
    ).rejects.toThrow('there is no instance nowhere');
  });
});

async function setUp(api: Api) {
  const theirs: FilledWorld = await openFilledWorld(api, 'their-shop', 'marker-of-theirs');
  const ours: FilledWorld = await openFilledWorld(api, 'our-shop', 'marker-of-ours');
  const user = await plantUser(ours, 7);
  const all = ['ignore_acl', 'allow_user_create', 'allow_group_create', 'allow_anonymous_read'];
  const bare = await ours.apiKey();
  const strong = await ours.apiKey(Object.fromEntries(all.map((flag) => [flag, true])));
  for (const role of ['full', 'write'] as const) others.set(role, await joinAs(ours, role));
  others.set('a bare key', bare);
  others.set('a key with all flags', strong);
  others.set('a user', { key: bare, user });
  others.set('a user with a strong key', { key: strong, user });
  others.set('nobody', undefined);
  await api.platform.idle();
  for (const place of inside.filter((each) => !isWait(each) && !isRun(each))) {
    before.set(place.name, await readPlace(api, ours, place));
  }
  await changeSuspension(api.platform, { action: 'suspend', instance: 'our-shop', reason: 'spam' });
  return { ours, theirs };
}

/** Reads a path as the owner, without what each request adds to. */
async function readPlace(api: Api, world: FilledWorld, place: (typeof inside)[number]) {
  const { status, body } = await send(api, world.owner, 'GET', world.path(place));
  return { status, body: place.template.endsWith('/request_log/') ? undefined : body };
}

const send = (api: Api, as: Credentials, method: string, path: string, body?: unknown) =>
  api.send({ as, method, path, body });

function nameOf(method: string, { template, version }: Place): string {
  return `${method} ${template.slice(version.length + 1)}`;
}
