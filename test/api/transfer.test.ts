import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { createItem } from '../../shared/store/writes.ts';
import { type InstanceCounter, instanceCounter } from '../../shared/table/counters.ts';
import { userAddressEntity } from '../../shared/table/entities/user-accounts.ts';
import { deletedGroupsEntity } from '../../shared/table/entities/users.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { isOn } from '../support/medium.ts';
import { forbidden, noPk, required, taken } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';
import { makeScript, makeTrigger } from '../support/triggers.ts';

const it = newWorldTest('copy')
  .extend('source', { scope: 'file' }, async ({ api }) => withBooks(await openWorld(api)))
  .extend('target', ({ world }) => withBooks(world));

const schema = [
  { name: 'title', type: 'string', filter_index: true, order_index: true },
  { name: 'isbn', type: 'string', unique: true },
  { name: 'text', type: 'text' },
  { name: 'pages', type: 'integer', filter_index: true, order_index: true },
  { name: 'price', type: 'float', order_index: true },
  { name: 'sold', type: 'boolean', filter_index: true },
  { name: 'printed', type: 'datetime', filter_index: true },
  { name: 'next', type: 'reference', target: 'self' },
  { name: 'reader', type: 'reference', target: 'user' },
  { name: 'similar', type: 'relation', target: 'self' },
  { name: 'tags', type: 'array', filter_index: true },
  { name: 'extra', type: 'object' },
  { name: 'place', type: 'geopoint', filter_index: true },
];
const moment = '2020-01-02T03:04:05.000006Z';
const base = { created_at: moment, updated_at: moment, revision: 1 };
const differs = ['A record with this id exists, and differs.'];
const unknown = ['Unknown field.'];

const objects = (records: readonly object[], name = 'book') => ({
  kind: 'objects',
  class: name,
  records,
});

describe('objects', () => {
  it('keep everything, and a page that is written again changes nothing', async ({
    source,
    target,
  }) => {
    const first = await source.create('classes/book/objects/', {
      title: 'Emma',
      isbn: '1',
      tags: ['a'],
      place: { longitude: 1, latitude: 2 },
      other_permissions: 'read',
    });
    await source.create('classes/book/objects/', {
      title: 'Nana',
      next: first.id,
      similar: [first.id],
    });
    const path = `classes/book/objects/${first.id}/`;
    expected(await source.own('PATCH', path, { pages: 7 }), 200);
    const records = await exported(source, 'objects', 'book');

    const once = await imported(target, objects(records));
    const twice = await imported(target, objects(records));

    expect(once).toEqual({ created: records.length, unchanged: 0, first: null });
    expect(twice).toEqual({ created: 0, unchanged: records.length, first: null });
    expect(await exported(target, 'objects', 'book')).toEqual(records);
    const { links: _, ...shown } = await target.read(path);
    const { links: __, ...original } = await source.read(path);
    expect(shown).toEqual(original);
    expect(shown).toMatchObject({ revision: 2, created_at: first.created_at });
  });

  it('are found, keep their unique values, and later ones get higher ids', async ({ target }) => {
    const records = [
      { ...base, id: 901, title: 'a', isbn: 'x', pages: 3, next: 1500 },
      { ...base, id: 905, title: 'b', pages: 1, owner: 70, group: 80, group_permissions: 'read' },
    ];
    await imported(target, objects(records));

    target.api.settle();
    const query = encodeURIComponent('{"pages":{"_gt":1}}');
    const found = await target.read(`classes/book/objects/?query=${query}&order_by=-title`);
    const clash = await target.own('POST', 'classes/book/objects/', { isbn: 'x' });
    const made = await target.create('classes/book/objects/', {});
    const user = await target.create('users/', { username: 'u', password: 'p' });
    const group = await target.create('groups/', {});

    expect(found.objects.map(({ id }: Shown) => id)).toEqual([901]);
    expect([clash.status, clash.body]).toEqual([400, { isbn: taken }]);
    expect(made.id).toBeGreaterThan(1500);
    expect(user.id).toBeGreaterThan(70);
    expect(group.id).toBeGreaterThan(80);
  });

  it.skipIf(isOn('dynamodb', 'roles'))('are counted', async ({ api, target }) => {
    await imported(
      target,
      objects([
        { ...base, id: 901 },
        { ...base, id: 905 },
      ]),
    );
    await api.platform.idle();

    expect(await target.read('classes/book/')).toMatchObject({ objects_count: 2 });
  });

  it.skipIf(isOn('dynamodb'))('run no trigger and publish no message', async ({ api, target }) => {
    await target.create('channels/', { name: 'news' });
    const script = await makeScript(target, 'console.log("ran")');
    const id = await makeTrigger(target, { signal: 'create', class: 'book', script });

    await imported(target, objects([{ ...base, id: 5, channel: 'news' }]));
    await api.platform.idle();

    expect((await target.read(`triggers/${id}/traces/`)).objects).toEqual([]);
    expect((await target.read('channels/news/history/')).objects).toEqual([]);
    const path = 'classes/book/objects/5/';
    expected(await target.own('PATCH', path, { title: 'a' }), 200);
    await api.platform.idle();
    expect((await target.read('channels/news/history/')).objects).toHaveLength(1);
  });

  it('are equal one by one after export and import, whatever they contain', async ({ target }) => {
    const id = fc.integer({ min: 1, max: 5000 });
    const other = fc.option(id);
    const date = fc
      .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString().replace('Z', '123Z'));
    const rights = fc.constantFrom('none', 'read', 'write', 'full');
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    const wrapped = (type: string, value: fc.Arbitrary<unknown>) =>
      fc.option(value.map((each) => ({ type, value: each })));
    const record = fc.record({
      id,
      created_at: date,
      updated_at: date,
      revision: fc.integer({ min: 1, max: 1000 }),
      owner: other,
      owner_permissions: rights,
      group: other,
      group_permissions: rights,
      other_permissions: rights,
      channel: fc.constantFrom(null, 'gone'),
      channel_room: fc.option(fc.stringMatching(/^[a-z]{1,64}$/)),
      title: fc.option(text),
      text: fc.option(text),
      isbn: fc.constant(null),
      pages: fc.option(fc.integer({ min: -2147483648, max: 2147483647 })),
      price: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0)),
      sold: fc.option(fc.boolean()),
      printed: wrapped('datetime', date),
      next: wrapped('reference', id).map((value) => value && { ...value, target: 'self' }),
      reader: wrapped('reference', id).map((value) => value && { ...value, target: 'user' }),
      similar: wrapped('relation', fc.uniqueArray(id, { minLength: 1, maxLength: 9 })).map(
        (value) =>
          value && {
            type: 'relation',
            target: 'self',
            value: (value.value as number[]).toSorted((a, b) => a - b),
          },
      ),
      tags: fc.option(fc.array(fc.oneof(text, fc.boolean(), fc.integer()), { maxLength: 5 })),
      extra: fc.option(fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), text, { maxKeys: 4 })),
      place: fc.option(
        fc.record({
          type: fc.constant('geopoint'),
          longitude: fc.integer({ min: -180, max: 180 }),
          latitude: fc.integer({ min: -90, max: 90 }),
        }),
      ),
    });
    const pages = fc.uniqueArray(record, { selector: (each) => each.id, maxLength: 20 });
    let copies = 0;
    const run = async (records: readonly Shown[]) => {
      copies += 2;
      const names = [`many${copies}`, `many${copies + 1}`] as const;
      for (const name of names) await target.dataClass(name, schema);
      await imported(target, objects(records, names[0]));
      const there = await exported(target, 'objects', names[0]);
      await imported(target, objects(there, names[1]));
      expect(await exported(target, 'objects', names[1])).toEqual(there);
      const byId = records.toSorted((a, b) => Number(a.id) - Number(b.id));
      expect(there).toEqual(JSON.parse(JSON.stringify(byId)));
    };

    await fc.assert(fc.asyncProperty(pages, run), { numRuns: 25 });
  });
});

describe('a bad record', () => {
  it.for<[string, object, object]>([
    [
      'without its fields',
      {},
      { id: required, created_at: required, updated_at: required, revision: required },
    ],
    ['with an unknown field', { ...base, id: 9, tite: 'a' }, { tite: unknown }],
    ['with a name that all objects have', { ...base, id: 9, toString: 'a' }, { toString: unknown }],
    [
      'with a value of another type',
      { ...base, id: 9, pages: 'x' },
      { pages: ['A valid integer is required.'] },
    ],
    ['with an id of the page', { ...base, id: 1 }, { id: taken }],
    ['with a unique value of the page', { ...base, id: 9, isbn: 'a' }, { isbn: taken }],
    ['with a unique value of another', { ...base, id: 9, isbn: 'b' }, { isbn: taken }],
    ['that exists with other values', { ...base, id: 2, title: 'c' }, { id: differs }],
    [
      'in a channel without its room',
      { ...base, id: 9, channel: 'default' },
      { channel_room: ['Channel room field is required for channels with separate rooms.'] },
    ],
    ['with a file elsewhere', { ...base, id: 9, scan: 'http://x/y' }, { scan: unknown }],
  ])('%s is named, and nothing of its page is written', async ([_, record, errors], { target }) => {
    await imported(target, objects([{ ...base, id: 2, isbn: 'b' }]));
    const good = { ...base, id: 1, isbn: 'a' };

    const response = await send(target, objects([good, record]));

    expect([response.status, response.body]).toEqual([400, { records: { 1: errors } }]);
    expect(await exported(target, 'objects', 'book')).toHaveLength(1);
  });

  it.for<[object, object]>([
    [{ kind: 'x' }, { kind: ['"x" is not a valid choice.'] }],
    [{ kind: 'objects' }, { class: required }],
    [{ kind: 'objects', class: 'bok' }, { class: ['Object with name=bok does not exist.'] }],
    [{ kind: 'groups', records: 5 }, { records: ['Expected a list of items but got type "int".'] }],
    [
      { kind: 'groups', records: [5] },
      { records: ['Invalid data. Expected a dictionary, but got int.'] },
    ],
    [
      { kind: 'groups', records: Array(101).fill({}) },
      { records: ['Ensure this field has no more than 100 elements.'] },
    ],
  ])('an import, $#, is rejected', async ([body, errors], { target }) => {
    const response = await send(target, body);

    expect([response.status, response.body]).toEqual([400, errors]);
  });
});

describe('users and groups', () => {
  it('keep ids, memberships and passwords', async ({ source, target }) => {
    const group = await source.create('groups/', { name: 'staff', label: 'Staff' });
    const user = await source.create('users/', { username: 'Ann', password: 's3cret' });
    await source.create(`groups/${group.id}/users/`, { user: user.id });
    const gone = await source.create('groups/', {});
    await source.create(`groups/${gone.id}/users/`, { user: user.id });
    expected(await source.own('DELETE', `groups/${gone.id}/`), 204);

    for (const kind of ['groups', 'users']) {
      const records = await exported(source, kind);
      const body = { kind, records };
      expect(await imported(target, body)).toMatchObject({ created: records.length });
      expect(await imported(target, body)).toMatchObject({ unchanged: records.length });
      expect(await exported(target, kind)).toEqual(records);
    }
    const profiles = await exported(source, 'objects', 'user_profile');
    await imported(target, objects(profiles, 'user_profile'));

    const key = await target.apiKey();
    const login = { username: 'ann', password: 's3cret' };
    const logged = expected(await target.call(key, 'POST', 'user/auth/', login), 200);
    expect(logged).toMatchObject({
      id: user.id,
      profile: { id: user.profile.id, owner: user.id, created_at: user.profile.created_at },
      groups: [{ id: group.id, name: 'staff' }],
    });
    expect(logged.user_key).not.toBe(user.user_key);
    expect((await target.read(`groups/${group.id}/users/`)).objects).toHaveLength(1);
    expect((await target.create('users/', { ...login, username: 'eve' })).id).toBeGreaterThan(
      user.id,
    );
  });

  const hash = `scrypt$5$8$${'a'.repeat(22)}==$${'b'.repeat(43)}=`;
  const ann = { id: 1, username: 'ann', password: hash, profile: 3 };
  const email = 'ann@xn--mnchen-3ya.de';

  it('keep addresses, which two users of a page may not share', async ({ api, target }) => {
    const bob = { id: 2, username: 'bob', password: null, profile: 4 };
    const sent = [{ ...ann, email: 'Ann@München.de', is_email_confirmed: true }, bob];
    const twice = await send(target, { kind: 'users', records: [sent[0], { ...bob, email }] });
    expect(twice.body).toEqual({ records: { 1: { email: taken } } });

    expect(await imported(target, { kind: 'users', records: sent })).toMatchObject({ created: 2 });
    expect(await imported(target, { kind: 'users', records: sent })).toMatchObject({
      unchanged: 2,
    });

    const { store } = api.platform;
    const data = await instanceId(store, target.instance);
    expect((await userAddressEntity.read(store, data, encodeText(email)))?.data).toEqual({
      user: 1,
    });
    expect(await exported(target, 'users')).toEqual([
      { ...ann, email, is_email_confirmed: true, is_confirmed: false, groups: [] },
      { ...bob, is_confirmed: false, groups: [] },
    ]);
  });

  it.for<[string, object, object]>([
    ['with a name that is taken', { ...ann, id: 2 }, { username: taken }],
    ['that differs', { ...ann, profile: 4 }, { id: differs }],
    [
      'with a text as password',
      { ...ann, id: 2, username: 'b', password: 'x' },
      { password: expect.anything() },
    ],
    [
      'with a costly hash',
      { ...ann, id: 2, username: 'b', password: hash.replace('$5$', '$20$') },
      {
        password: ['Not a password hash of an export, or one that is too costly for this server.'],
      },
    ],
    ['with an address that is taken', { ...ann, id: 2, username: 'b', email }, { email: taken }],
    [
      'without address that has confirmed one',
      { ...ann, id: 2, username: 'b', is_email_confirmed: true },
      { is_email_confirmed: ['A user without address has confirmed none.'] },
    ],
    [
      'with a bad address',
      { ...ann, id: 2, username: 'b', email: 'b' },
      { email: ['Enter a valid email address.'] },
    ],
    ['in a missing group', { ...ann, id: 2, username: 'b', groups: [7] }, { groups: noPk(7) }],
  ])('a user %s is rejected', async ([_, record, errors], { target }) => {
    await imported(target, { kind: 'users', records: [{ ...ann, email }] });

    const response = await send(target, { kind: 'users', records: [record] });

    expect([response.status, response.body]).toEqual([400, { records: { 0: errors } }]);
  });

  it('a group with a name that is taken is rejected', async ({ target }) => {
    await imported(target, { kind: 'groups', records: [{ id: 1, name: 'a' }] });

    const response = await send(target, { kind: 'groups', records: [{ id: 2, name: 'a' }] });

    expect([response.status, response.body]).toEqual([400, { records: { 0: { name: taken } } }]);
  });

  it('a group with the id of a deleted one is rejected until that is cleared', async ({
    api,
    target,
  }) => {
    const { store } = api.platform;
    const instance = await instanceId(store, target.instance);
    const key = deletedGroupsEntity.key(instance);
    await maintain(api.platform, [createItem(deletedGroupsEntity, key, { groups: [7] })]);

    const response = await send(target, { kind: 'groups', records: [{ id: 7 }, { id: 8 }] });

    const beingDeleted = ['A record with this id is being deleted.'];
    expect([response.status, response.body]).toEqual([
      400,
      { records: { 0: { id: beingDeleted } } },
    ]);
    expect(await exported(target, 'groups')).toEqual([]);
  });
});

it('ids are reserved', async ({ target }) => {
  const { first } = await imported(target, { kind: 'objects', class: 'book', reserve: 1000 });

  const made = await target.create('classes/book/objects/', {});

  expect(made.id).toBeGreaterThanOrEqual(first + 1000);
});

/** Ids are signed numbers of 32 bits in clients, and unsigned ones in keys. */
describe('ids near the last one', () => {
  const last = 2_147_483_647;
  const exhausted = ['Too many ids.'];
  const user = { id: 7, username: 'anna', password: null, is_confirmed: false, profile: 9 };

  async function created(target: World): Promise<readonly number[]> {
    const person = await target.create('users/', { username: 'later', password: 'p' });
    const group = await target.create('groups/', { label: 'later' });
    const object = await target.create('classes/book/objects/', {});
    return [person.id, person.profile.id, group.id, object.id];
  }

  it.for<[string, object, string]>([
    ['the id of a group', { kind: 'groups', records: [{ id: last }] }, 'id'],
    ['the id of a user', { kind: 'users', records: [{ ...user, id: last }] }, 'id'],
    ['the profile of a user', { kind: 'users', records: [{ ...user, profile: last }] }, 'profile'],
    ['the id of an object', objects([{ ...base, id: last }]), 'id'],
    ['the owner of an object', objects([{ ...base, id: 5, owner: last - 9 }]), 'owner'],
    ['the group of an object', objects([{ ...base, id: 5, group: last }]), 'group'],
    ['a reference', objects([{ ...base, id: 5, next: last }]), 'next'],
    ['a reference to a user', objects([{ ...base, id: 5, reader: last - 1000 }]), 'reader'],
    ['a relation', objects([{ ...base, id: 5, similar: [3, last] }]), 'similar'],
  ])('are refused as %s, and later records get ids', async ([_, body, member], { target }) => {
    const before = [await exported(target, 'groups'), await exported(target, 'users')];
    const { kind, records } = body as { kind: string; records: readonly Shown[] };
    const good = { groups: { id: 3 }, users: { ...user, id: 3, username: 'b' } }[kind];
    const page = [good ?? { ...base, id: 3 }, ...records];

    const response = await send(target, { ...body, records: page });

    expect([response.status, response.body]).toEqual([
      400,
      { records: { 1: { [member]: exhausted } } },
    ]);
    expect([await exported(target, 'groups'), await exported(target, 'users')]).toEqual(before);
    expect(await exported(target, 'objects', 'book')).toEqual([]);
    for (const id of await created(target)) expect(id).toBeLessThan(1000);
  });

  it('are not reserved, and nothing of the page is written', async ({ target }) => {
    const responses = [];
    for (const reserve of [last, last, last - 1000]) {
      responses.push(await send(target, { kind: 'groups', records: [{ id: 3 }], reserve }));
    }

    expect(responses.map(({ status, body }) => [status, body])).toEqual(
      Array(3).fill([400, { reserve: exhausted }]),
    );
    expect(await exported(target, 'groups')).toEqual([]);
    for (const id of await created(target)) expect(id).toBeLessThan(1000);
  });

  it('are not reached by pages that are sent at once', async ({ target }) => {
    const high = 2_000_000_000;
    const pages = [0, 1, 2, 3].map((n) => objects([{ ...base, id: high + n, owner: high + n }]));

    const responses = await Promise.all(pages.map((page) => send(target, page)));

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const ids = await created(target);
    expect(ids.filter((id) => id > last)).toEqual([]);
  });

  it.for<[string, InstanceCounter, string, object]>([
    ['a user', 'user', 'users/', { username: 'later', password: 'p' }],
    ['the profile of a user', 'object', 'users/', { username: 'later', password: 'p' }],
    ['a group', 'group', 'groups/', { label: 'later' }],
    ['an object', 'object', 'classes/book/objects/', {}],
    ['an API key', 'key', 'api_keys/', {}],
    ['a channel', 'channel', 'channels/', { name: 'later' }],
  ])(
    'that are used up are an error of %s',
    async ([_, name, path, body], { api, source, target }) => {
      const { store } = api.platform;
      const counter = instanceCounter(await instanceId(store, target.instance), name);
      const used = await store.next(counter);
      await store.next(counter, last - used);

      const response = await target.own('POST', path, body);
      const inBatch = await target.own('POST', 'batch/', {
        requests: [1, 2].map(() => ({ method: 'POST', path: `${target.base}${path}`, body })),
      });
      const foreign = await target.call(source.owner, 'POST', path, body);

      const detail = { detail: 'Too many ids.' };
      expect([response.status, response.body]).toEqual([400, detail]);
      expect(response.headers.get('X-Error-Code')).toBe('limit_reached');
      expect(inBatch.body).toEqual(Array(2).fill({ code: 400, content: detail }));
      expect([foreign.status, foreign.body]).toEqual([403, forbidden]);
    },
  );
});

it('only the owner exports and imports', async ({ target }) => {
  const full = await joinAs(target, 'full');
  const key = await target.apiKey({ ignore_acl: true });

  for (const as of [full, key, undefined]) {
    const read = await target.call(as, 'GET', 'export/?kind=users');
    const write = await target.call(as, 'POST', 'import/', {
      kind: 'groups',
      records: [{ id: 1 }],
    });
    expect([read.status, read.body]).toEqual([403, forbidden]);
    expect([write.status, write.body]).toEqual([403, forbidden]);
  }
  expect(await exported(target, 'groups')).toEqual([]);
});

async function withBooks(world: World): Promise<World> {
  await world.dataClass('book', schema);
  return world;
}

type Shown = Record<string, unknown>;

/** Reads all pages of an export. */
async function exported({ api, base, owner }: World, kind: string, name = '') {
  const records: Shown[] = [];
  let path: string | null = `${base}export/?kind=${kind}&page_size=7&class=${name}`;
  while (path !== null) {
    const page: { next: string | null; objects: Shown[] } = expected(
      await api.send({ as: owner, path }),
      200,
    );
    records.push(...page.objects);
    path = page.next;
  }
  return records;
}

function send(to: World, body: object) {
  return to.own('POST', 'import/', body);
}

async function imported(to: World, body: object) {
  return expected(await send(to, body), 200);
}
