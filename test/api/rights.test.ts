import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { type Credentials, expected, openWorld } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { isOn } from '../support/medium.ts';
import { forbidden, missing } from '../support/responses.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { setUserSettings } from '../support/user-sessions.ts';

/*
 * Who may do what: the status of each request for each caller, from rights.txt. Permissions on classes and objects
 * are in object-access.test.ts, what a list shows to whom in user-access.test.ts.
 */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const lines = readFileSync(new URL('rights.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.trim().split(/\s+/));
const [[, , ...names] = [], ...table] = lines;
/** Callers with which all functions send every kind of request to AWS that they send with all callers. */
const kinds = ['own', 'rea', 'acl', 'u', 'u+acl', 'no'];

describe('each caller', () => {
  it.for(table)(
    '%s %s',
    async ([method = '', template = '', ...statuses], { given: { statusFor } }) => {
      const got: string[] = [];
      const rows = names.map((name, at) => ({ name, status: statuses[at] }));
      const asked = isOn('roles') ? rows.filter(({ name }) => kinds.includes(name)) : rows;
      for (const { name, status } of asked) {
        const isSent = status !== '-';
        got.push(isSent ? `${name} ${await statusFor(name, method, template)}` : `${name} -`);
      }

      expect(got).toEqual(asked.map(({ name, status }) => `${name} ${status}`));
    },
  );
});

it('each operation of the interface document has a row', async ({ api, world }) => {
  const { paths } = expected(await api.send({ path: '/v1.1/schema/?format=openapi' }), 200);
  const operations = Object.entries<object>(paths).flatMap(([path, own]) =>
    Object.keys(own)
      .filter((name) => name !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  // a path like `runtimes/` is matched by `{id}/` too
  const byParameters = operations.sort((a, b) => a.split('{').length - b.split('{').length);
  const patterns = byParameters.map((name) => ({
    name,
    pattern: new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  const covered = table.map(([method, template = '']) => {
    const request = `${method} ${pathOf(world, template)}`;
    return patterns.find(({ pattern }) => pattern.test(request))?.name;
  });

  expect(operations.filter((name) => !covered.includes(name))).toEqual([]);
});

async function setUp(world: World) {
  const { api } = world;
  /** Bodies with which a request succeeds, or does nothing; all others have invalid values. */
  const bodies: Readonly<Record<string, () => object>> = {
    'POST users/': () => ({ username: `made-${count}`, password: 'p' }),
    'PUT users/{self}/': () => ({ username: 'self', password: 'p' }),
    'PATCH users/{self}/': () => ({}),
    'PATCH users/{other}/': () => ({}),
    'POST users/{other}/reset_key/': () => ({}),
    'POST groups/': () => ({}),
    'PATCH groups/{group}/': () => ({}),
    'PUT groups/{group}/': () => ({}),
    'POST users/{spare}/groups/': () => ({ group: targets.group }),
    'POST groups/{group}/users/': () => ({ user: targets.spare }),
    'PATCH user/': () => ({}),
    'PUT user/': () => ({ username: 'self', password: 'p' }),
    'POST user/auth/': () => ({ username: 'self', password: 'p' }),
    'PATCH snippets/scripts/1/': () => ({ label: 'x' }),
    'PUT snippets/scripts/1/': () => ({ runtime_name: 'nodejs' }),
    'POST snippets/scripts/1/run/': () => ({}),
    'POST snippets/scripts/': () => ({ runtime_name: 'nodejs' }),
    'POST snippets/templates/': () => ({
      name: `t${count}`,
      content: 'a',
      content_type: 'text/html',
    }),
    'POST channels/': () => ({ name: `c${count}` }),
    'PATCH channels/a/': () => ({}),
    'PUT channels/a/': () => ({ custom_publish: true }),
    'POST channels/a/publish/': () => ({}),
    'POST endpoints/data/': () => ({ name: `d${count}`, class: 'note' }),
    'POST endpoints/scripts/': () => ({ name: `s${count}`, script: 1 }),
    'POST schedules/': () => ({ script: 1, interval_sec: 60 }),
    'PUT schedules/1/': () => ({ script: 1 }),
    'PATCH schedules/1/': () => ({}),
    'POST triggers/': () => ({ signal: 'post_delete', class: 'note', script: 1 }),
    'PUT triggers/1/': () => ({ signal: 'post_delete', class: 'note', script: 1 }),
    'PATCH triggers/1/': () => ({}),
    'POST push_notifications/gcm/devices/': () => ({ registration_id: `r${count}` }),
    'PUT endpoints/data/a/': () => ({ class: 'note' }),
    'PATCH endpoints/data/a/': () => ({}),
    'PUT endpoints/scripts/a/': () => ({ script: 1 }),
    'PATCH endpoints/scripts/a/': () => ({}),
    'POST endpoints/scripts/a/run/': () => ({}),
    'PATCH snippets/templates/a/': () => ({}),
    'PUT snippets/templates/a/': () => ({ content: 'a', content_type: 'text/html' }),
    'POST snippets/templates/a/render/': () => ({}),
  };
  let count = 0;
  /** Creates a user and a group to be deleted, or to become and end a member. */
  async function openSpares(request: string): Promise<void> {
    count += 1;
    if (!request.includes('{spare') && request !== 'POST groups/{group}/users/') return;
    const { id: user } = await create(world, 'users/', {
      username: `spare-${count}`,
      password: 'p',
    });
    const { id: spareGroup } = await create(world, 'groups/', {});
    Object.assign(targets, { spare: user, spareGroup });
    const [, joined] = /^DELETE .*\{(group|foreign)\}/.exec(request) ?? [];
    if (joined !== undefined) await create(world, `groups/${targets[joined]}/users/`, { user });
  }
  /** Sends a request of the table as a caller, with fresh spares; returns its status. */
  async function statusFor(name: string, method: string, template: string): Promise<number> {
    const request = `${method} ${template}`;
    await openSpares(request);
    const { status, body } = await api.send({
      as: callers[name],
      method,
      path: pathOf(world, template).replace(/\{(\w+)\}/g, (_, target) => String(targets[target])),
      ...(writes.includes(method) && { body: bodies[request]?.() ?? invalid }),
    });
    if (method !== 'HEAD') expectError(`${name}: ${request}`, status, body);
    return status;
  }
  await world.dataClass('note', [{ name: 'text', type: 'string' }]);
  await setUserSettings(world, { email: 'optional', guests: true, codes: true });
  await openPeople(world);
  const made = (path: string, body: object) => create(world, path, { name: 'a', ...body });
  await makeEndpoint(world, 'a', 'console.log(1)');
  targets.link = (await makeEndpoint(world, 'b', 'console.log(1)', { public: true })).public_link;
  await made('endpoints/data/', { class: 'note' });
  await made('channels/', { custom_publish: true });
  await made('schedules/', { script: 1, interval_sec: 60 });
  await create(world, 'triggers/', { signal: 'post_delete', class: 'note', script: 1 });
  await made('snippets/templates/', { content: 'a', content_type: 'text/html' });
  return { statusFor };
}

const noSuchKey = { detail: 'No such API Key.' };

const noUser = { detail: 'User was not found.' };

/** By their names in the first line of the table. */
const callers: Record<string, Credentials> = {};

/** Replace `{…}` in a path. */
const targets: Record<string, number | string> = {};

async function create(world: World, path: string, body: object) {
  return world.create(path, body);
}

/** Creates all callers; `self` is a user who shares a group with `other`, who is also in `foreign`. */
async function openPeople(world: World): Promise<void> {
  const self = await create(world, 'users/', { username: 'self', password: 'p' });
  const other = await create(world, 'users/', { username: 'other', password: 'p' });
  const group = await create(world, 'groups/', { label: 'of self' });
  const foreign = await create(world, 'groups/', { label: 'of the other' });
  for (const user of [self.id, other.id])
    await create(world, `groups/${group.id}/users/`, { user });
  await create(world, `groups/${foreign.id}/users/`, { user: other.id });
  Object.assign(targets, { self: self.id, other: other.id, group: group.id, foreign: foreign.id });
  const flags = { uc: 'allow_user_create', gc: 'allow_group_create', ar: 'allow_anonymous_read' };
  const all = {
    ignore_acl: true,
    ...Object.fromEntries(Object.values(flags).map((n) => [n, true])),
  };
  const key = await world.apiKey();
  const acl = await world.apiKey({ ignore_acl: true });
  const uc = await world.apiKey({ [flags.uc]: true });
  const gc = await world.apiKey({ [flags.gc]: true });
  Object.assign(callers, {
    own: world.owner,
    ful: await joinAs(world, 'full'),
    wri: await joinAs(world, 'write'),
    rea: await joinAs(world, 'read'),
    str: await world.account('stranger@example.com'),
    key,
    acl,
    uc,
    gc,
    ar: await world.apiKey({ [flags.ar]: true }),
    all: await world.apiKey(all),
    u: { key, user: self.user_key },
    'u+acl': { key: acl, user: self.user_key },
    'u+uc': { key: uc, user: self.user_key },
    'u+gc': { key: gc, user: self.user_key },
    'u?': { key, user: 'ab'.repeat(28) },
    uk: self.user_key,
    for: await (await openWorld(world.api, 'shop-1')).apiKey({ ignore_acl: true }),
    no: undefined,
  });
}

const writes = ['POST', 'PUT', 'PATCH'];

const invalid = { ignore_acl: 5, text: [], config: 5, label: [] };

/** Checks the body of a response that must not reveal more than its status. */
function expectError(what: string, status: number, body: unknown): void {
  const isOutside = /^(uk|for):/.test(what);
  if (status === 403)
    expect(isOutside ? [forbidden, noSuchKey] : [forbidden], what).toContainEqual(body);
  if (status === 404)
    expect(body, what).toEqual(/ users\/.*groups\//.test(what) ? noUser : missing);
}

/** Returns the path of a row, with its `{…}`. */
function pathOf(world: World, template: string): string {
  if (template.startsWith('/')) return template;
  return world.base + (template === '.' ? '' : template);
}
