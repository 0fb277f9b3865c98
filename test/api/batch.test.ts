import { describe, expect, vi } from 'vitest';
import type { Store } from '../../shared/store/store.ts';
import { sendElsewhere } from '../support/another-process.ts';
import { type Credentials, expected, openWorld, plantUser, type World } from '../support/api.ts';
import { countRoundTrips } from '../support/counting-store.ts';
import { type FaultyStore, makeFaulty } from '../support/faulty-store.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { isOn } from '../support/medium.ts';
import {
  blank,
  column,
  isNull,
  forbidden as mayNot,
  noChoice,
  noClass,
  noInstance,
  noJson,
  noMethod,
  missing as notFound,
  notObject,
  type Rejection,
  required,
  taken,
  tooLong,
} from '../support/responses.ts';

const it = worldTest({ wrap })
  .extend('run', { scope: 'file' }, ({ world }) => runIn(world))
  .extend('newClass', { scope: 'file' }, ({ world }) => classesIn(world))
  .extend('apiKey', { scope: 'file' }, ({ world }) => world.apiKey({ ignore_acl: true }));

it.afterEach(({ api }) => {
  expect(api.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

const base = '/v1.1/instances/blog-1/';
const title = { name: 'title', type: 'string', filter_index: true };
const text = { name: 'text', type: 'text' };
const missing = { code: 404, content: notFound };
const forbidden = { code: 403, content: mayNot };

describe('an item for a device', () => {
  const ids = ['abc', 'AbC', 'dk3:APA91bE', 'x|y', 'x_y-z'];
  const devices = 'push_notifications/gcm/devices/';

  it('is for the one whose id it has, in its case and with its characters', async ({
    world,
    run,
  }) => {
    const body = (registration_id: string) => ({ registration_id, label: registration_id });
    for (const id of ids) await world.own('POST', devices, body(id));

    const read = await run([
      ...ids.map((id) => item('GET', `${devices}${id}/`)),
      ...ids.map((id) => item('GET', `${devices}${encodeURIComponent(id)}/`)),
    ]);
    const deleted = await run([item('DELETE', `${devices.toUpperCase()}AbC/`)]);
    const left = await world.own('GET', devices);

    expect(read.map(({ content }: { content: { label: string } }) => content.label)).toEqual([
      ...ids,
      ...ids,
    ]);
    expect(codes(deleted)).toEqual([204]);
    expect(left.body.objects.map(({ label }: { label: string }) => label)).toEqual(
      ids.filter((id) => id !== 'AbC'),
    );
  });

  it.for(['a%2Fb', 'a%zz', 'a%E9', '..', 'a b'])('cannot name %s', async (id, { world }) => {
    const requests = [item('GET', `${devices}${id}/`)];

    const response = await world.own('POST', 'batch/', { requests });

    expect([response.status, response.body]).toEqual([
      400,
      { requests: [{ path: ['Invalid path specified.'] }] },
    ]);
  });
});

describe('a malformed batch is rejected as a whole', () => {
  const good = { method: 'POST', path: '/v1.1/instances/blog-1/groups/', body: { label: 'no' } };
  const other = (more: object) => ({ ...good, ...more });
  const elsewhere = {
    path: ['Path needs to point to an endpoint within current instance and API version.'],
  };
  const badPath = { path: ['Invalid path specified.'] };
  const badBody = { body: ['Body passed in invalid format.'] };
  const longValue = { body: ['Too long value defined for key k (exceeds 49152).'] };
  const list = (messages: object) => ({ requests: [{}, messages] });
  const keys = (count: number, value: unknown = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));

  const rows: readonly [name: string, second: unknown, messages: object][] = [
    ['text', 'GET', notObject('str')],
    ['a list', [], notObject()],
    ['null', null, notObject('NoneType')],
    ['nothing in it', {}, { method: required, path: required }],
    ['no method', other({ method: null }), { method: isNull }],
    ['OPTIONS', other({ method: 'OPTIONS' }), { method: noChoice('OPTIONS') }],
    ['HEAD', other({ method: 'HEAD' }), { method: noChoice('HEAD') }],
    ['lower case', other({ method: 'get' }), { method: noChoice('get') }],
    ['a number for a method', other({ method: 0 }), { method: noChoice('0') }],
    ['a path of no text', other({ path: {} }), { path: ['Not a valid string.'] }],
    ['an empty path', other({ path: ' ' }), { path: blank }],
    [
      'a path that is too long',
      other({ path: `${good.path}?a=${'x'.repeat(8192)}` }),
      { path: tooLong(8192) },
    ],
    ['another instance', other({ path: '/v1.1/instances/blog-2/groups/' }), elsewhere],
    ['a longer name', other({ path: '/v1.1/instances/blog-11/groups/' }), elsewhere],
    ['an account', other({ path: '/v1.1/account/' }), elsewhere],
    ['another version', other({ path: '/v2/instances/blog-1/groups/' }), elsewhere],
    ['no version', other({ path: '/instances/blog-1/groups/' }), elsewhere],
    ['a host', other({ path: `https://example.com${good.path}` }), elsewhere],
    ['two slashes', other({ path: `/${good.path}` }), elsewhere],
    ['no last slash', other({ path: good.path.slice(0, -1) }), badPath],
    ['an empty segment', other({ path: `${good.path}/` }), badPath],
    ['an escape', other({ path: `${good.path}%31/` }), badPath],
    ['a second ?', other({ path: `${good.path}?a=1?b` }), badPath],
    ['a body that is a list', other({ body: [] }), badBody],
    ['a body that is a number', other({ body: 7 }), badBody],
    ['a body that is null', other({ body: null }), { body: isNull }],
    ['text of no JSON', other({ body: '{"a"' }), { body: noJson }],
    ['text of a list', other({ body: '[1]' }), badBody],
    [
      'text of 300 levels',
      other({ body: `{"a":${'['.repeat(300)}${']'.repeat(300)}}` }),
      { body: noJson },
    ],
    ['33 keys', other({ body: keys(33) }), { body: ['Too many keys defined (exceeds 32).'] }],
    [
      'a long key',
      other({ body: { ['k'.repeat(65)]: 1 } }),
      { body: ['Too long key defined (exceeds 64).'] },
    ],
    ['a long text', other({ body: { a: 1, k: 'x'.repeat(49_151) } }), longValue],
    ['a long text, counted as JSON', other({ body: { k: '"'.repeat(24_576) } }), longValue],
    ['a long list', other({ body: { k: Array(24_576).fill(1) } }), longValue],
    [
      'a long list of numbers',
      other({ body: { k: Array(1967).fill(-1.2345678901234567e-100) } }),
      longValue,
    ],
    ['a long object', other({ body: { k: { ['\u0000'.repeat(8191)]: [null] } } }), longValue],
    [
      'everything wrong',
      { method: 'X', path: '/', body: [] },
      { method: noChoice('X'), ...elsewhere, ...badBody },
    ],
  ];

  it.for(rows)('an item that is %s', async ([_, second, messages], { world }) => {
    const before = await world.own('GET', 'groups/');

    const response = await world.own('POST', 'batch/', { requests: [good, second] });

    expect([response.status, response.body]).toEqual([400, list(messages)]);
    expect((await world.own('GET', 'groups/')).body).toEqual(before.body);
  });

  const limits: readonly [name: string, body: object][] = [
    ['32 keys', keys(32)],
    ['a key of 64', { ['k'.repeat(64)]: 1 }],
    ['a value of 49152', { k: 'x'.repeat(49_150) }],
    ['a list of 49152', { k: [...Array(1965).fill(-1.2345678901234567e-100), 'x'.repeat(23)] }],
    ['an object of 49152', { k: { ['\u0000'.repeat(8190)]: [11_111] } }],
  ];

  it.for(['GET', 'DELETE'])(
    'the body of a %s is ignored, whatever it is',
    async (method, { run }) => {
      const bodies = [null, 'text', '{"a"', [], 7, keys(33), { k: 'x'.repeat(50_000) }];

      const entries = await run(bodies.map((body) => ({ ...item(method, 'groups/999/'), body })));

      expect(entries).toEqual(bodies.map(() => missing));
    },
  );

  it.for(limits)('%s are accepted', async ([_, body], { run }) => {
    expect(await run([item('GET', 'groups/1/', body)])).toEqual([missing]);
  });

  const many = { detail: 'Max requests per batch exceeded (50).' };
  const noList = (type: string) => ({
    requests: { non_field_errors: [`Expected a list of items but got type "${type}".`] },
  });
  describe('a batch of', () => {
    it.for<Rejection>([
      ['no requests', {}, { requests: required }],
      ['null', { requests: null }, { requests: isNull }],
      ['an object', { requests: {} }, noList('dict')],
      ['text', { requests: '[]' }, noList('str')],
      ['a list at the top', [good], notObject()],
      ['51 items', { requests: Array(51).fill(good) }, many],
      ['too many to be validated', { requests: Array(1001).fill(1) }, many],
      [
        '51 items, one of them wrong',
        { requests: [...Array(50).fill(good), {}] },
        { requests: [...Array(50).fill({}), { method: required, path: required }] },
      ],
    ])('%s', async ([_, sent, errors], { world }) => {
      const { status, body } = await world.own('POST', 'batch/', sent);
      expect({ status, body }).toEqual({ status: 400, body: errors });
    });
  });
});

it('is accepted as text/plain, with a key in the body', async ({ api, world }) => {
  const requests = [item('GET', 'groups/7/')];

  const response = await api.send({
    path: `${world.base}batch/`,
    headers: { 'Content-Type': 'text/plain' },
    body: JSON.stringify({ _method: 'POST', _api_key: world.owner, requests }),
  });

  expect([response.status, response.body]).toEqual([200, [missing]]);
});

describe('permissions are checked per item', () => {
  it('a non-member is rejected item by item', async ({ world, run }) => {
    const stranger = await world.account('stranger@example.com');

    const entries = await run([item('GET', 'classes/'), item('POST', 'groups/', {})], stranger);

    expect(entries).toEqual([forbidden, forbidden]);
  });

  it('an API key has its permissions only', async ({ world, newClass, run }) => {
    const path = await newClass([title], { other_permissions: 'create_objects' });
    const bare = await world.apiKey();

    const entries = await run(
      [
        item('POST', `${path}objects/`, { title: 'a', other_permissions: 'write' }),
        item('GET', `${path}objects/`),
        item('GET', 'admins/'),
      ],
      bare,
    );

    expect(entries).toMatchObject([{ code: 201 }, forbidden, forbidden]);
  });

  // it lists what an item before it has created
  it.skipIf(isOn('late'))('a user key goes to every item', async ({ world, newClass, run }) => {
    const path = await newClass([title], { other_permissions: 'create_objects' });
    const user = await plantUser(world, 41);

    const entries = await run(
      [item('POST', `${path}objects/`, { title: 'mine' }), item('GET', `${path}objects/`)],
      { key: await world.apiKey(), user },
    );

    expect(entries[0].content.owner).toBe(41);
    expect(entries[1].content.objects).toEqual([entries[0].content]);
  });

  it('keys inside items are ignored', async ({ world, run }) => {
    const bare = await world.apiKey();

    const entries = await run(
      [
        item('GET', `admins/?api_key=${world.owner}`),
        item('POST', 'groups/', { _api_key: world.owner, _method: 'GET' }),
        item('GET', `classes/?page_size=1&user_key=x&api_key=bad`),
      ],
      bare,
    );

    expect(codes(entries)).toEqual([403, 403, 200]);
    expect(JSON.stringify(entries)).not.toContain('api_key=');
  });

  it('a member that leaves loses its permissions', async ({ api, world, run }) => {
    const member = await joinAs(world, 'write');
    const { id } = expected(await api.send({ as: member, path: '/v1.1/account/' }), 200);

    const entries = await run(
      [item('GET', 'classes/'), item('DELETE', `admins/${id}/`), item('GET', 'classes/')],
      member,
    );

    expect(codes(entries)).toEqual([200, 204, 403]);
    expect(entries[2]).toEqual(forbidden);
  });
});

describe('entries', () => {
  it('equal the responses to single requests', async ({ world, newClass, run }) => {
    const path = await newClass([title]);
    const object = { title: 'old' };
    const one = expected(await world.own('POST', `${path}objects/`, object), 201);
    const two = expected(await world.own('POST', `${path}objects/`, object), 201);

    const entries = await run([
      item('POST', 'api_keys/', { allow_user_create: true }),
      item('PATCH', `${path}objects/${one.id}/`, { title: 'new' }),
      item('DELETE', `${path}objects/${two.id}/`),
      item('DELETE', 'groups/2/'),
      item('GET', `${path}objects/?fields=id`),
      item('POST', 'groups/', { label: 'x'.repeat(200) }),
      item('PUT', 'classes/'),
    ]);

    const now = await world.own('GET', `${path}objects/${one.id}/`);
    const keys = await world.own('GET', 'api_keys/?direction=0&page_size=1');
    expect(now.body).toMatchObject({ title: 'new', revision: 2 });
    expect(entries).toEqual([
      { code: 201, content: keys.body.objects[0] },
      { code: 200, content: now.body },
      { code: 204 },
      missing,
      { code: 200, content: { next: null, prev: null, objects: [{ id: one.id }] } },
      { code: 400, content: { label: [expect.stringContaining('no more than')] } },
      { code: 405, content: noMethod('PUT') },
    ]);
  });

  it('contain unknown paths, and methods that a batch does not support', async ({ world, run }) => {
    const entries = await run([
      item('GET', 'nothing/'),
      item('GET', 'classes/../api_keys/'),
      item('POST', 'batch/', { requests: [] }),
      item('GET', 'batch/'),
      item('GET', 'classes/none/objects/'),
      item('GET', ''),
    ]);

    const noEndpoint = { code: 404, content: { detail: 'Invalid endpoint specified.' } };
    const unbatchable = { code: 405, content: { detail: 'Batching not allowed.' } };
    const instance = await world.own('GET', '');
    expect(entries).toEqual([
      noEndpoint,
      noEndpoint,
      unbatchable,
      unbatchable,
      { code: 404, content: noClass },
      { code: 200, content: instance.body },
    ]);
  });

  it.for([
    ['v1', 'v1.1'],
    ['v1.1', 'v1'],
  ])('a batch of %s returns items of %s in theirs', async ([outer, inner], { api, world }) => {
    const [entry] = expected(
      await api.send({
        as: world.owner,
        path: `/${outer}/instances/blog-1/batch/`,
        body: { requests: [item('GET', `/${inner}/instances/BLOG-1/Classes/User_Profile/`)] },
      }),
      200,
    );

    expect(entry.content.links.self).toBe(`/${inner}/instances/blog-1/classes/user_profile/`);
  });

  // it lists what an item before it has created
  it.skipIf(isOn('late'))(
    'a query keeps its letters, a body may be text, that of a GET is ignored',
    async ({ newClass, run }) => {
      const path = await newClass([title]);

      const entries = await run([
        item('POST', `${path}objects/`, '{"title": "Dunes"}'),
        item('POST', `${path}objects/`, ''),
        item('GET', `${path}objects/?query={"title":{"_eq":"Dunes"}}&fields=title`, { a: 'x' }),
        item('GET', `${path}objects/?fields=title&page_size=%31`, '"'.slice(1)),
      ]);

      const found = {
        code: 200,
        content: { next: null, prev: null, objects: [{ title: 'Dunes' }] },
      };
      expect(codes(entries)).toEqual([201, 201, 200, 200]);
      expect(entries[2]).toEqual(found);
      expect(entries[3].content.objects).toEqual([{ title: 'Dunes' }]);
    },
  );

  it('are JSON, whatever format an item requests', async ({ run }) => {
    const entries = await run([
      item('GET', 'classes/?format=html&fields=name'),
      item('GET', 'classes/?format=xml'),
    ]);

    expect(entries[0].content.objects).toEqual(expect.arrayContaining([{ name: 'user_profile' }]));
    expect(entries[1]).toEqual(missing);
  });

  it('are indented, and a page for a browser, like any response', async ({ api, world }) => {
    const body = { requests: [item('GET', 'groups/7/')] };
    const sent = { as: world.owner, path: `${world.base}batch/`, body };

    const indented = await api.send({ ...sent, headers: { Accept: 'application/json; indent=2' } });
    const page = await api.send({ ...sent, headers: { Accept: 'text/html' } });

    expect(indented.body).toEqual([missing]);
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page.body).toContain('Not found.');
  });
});

describe('later items see the writes of earlier ones', () => {
  it('objects, also unique values that become free', async ({ newClass, run }) => {
    const path = await newClass([{ name: 'slug', type: 'string', unique: true }]);
    const create = item('POST', `${path}objects/`, { slug: 'a' });
    const [first] = await run([create]);

    const entries = await run([
      create,
      item('DELETE', `${path}objects/${first.content.id}/`),
      create,
      item('GET', `${path}objects/?fields=slug`),
      create,
    ]);

    expect(codes(entries)).toEqual([400, 204, 201, 200, 400]);
    expect(entries[0].content).toEqual({ slug: taken });
    expect(entries[3].content.objects).toEqual([{ slug: 'a' }]);
  });

  it('a class that is created, changed and recreated', async ({ run }) => {
    const objects = 'classes/changing/objects/';
    const path = 'classes/changing/';
    const make = item('POST', 'classes/', { name: 'changing', schema: [title] });

    const entries = await run([
      item('POST', objects, { title: 'a' }),
      make,
      item('POST', objects, { title: 'b', size: 1 }),
      item('PATCH', path, { schema: [title, { name: 'size', type: 'integer' }] }),
      item('POST', objects, { title: 'c', size: 2 }),
      item('POST', objects, { size: 'x' }),
      item('GET', `${objects}?fields=title,size`),
      item('DELETE', path),
      make,
      item('GET', objects),
      item('POST', objects, {}),
      item('GET', `${objects}?fields=title`),
    ]);

    expect(codes(entries)).toEqual([404, 201, 201, 200, 201, 400, 200, 204, 201, 200, 201, 200]);
    expect(entries[6].content.objects).toEqual([
      { title: 'b', size: null },
      { title: 'c', size: 2 },
    ]);
    expect(entries[9].content.objects).toEqual([]);
    expect(entries[11].content.objects).toEqual([{ title: null }]);
  });

  it('a reference to an object that was created or deleted just before', async ({
    newClass,
    run,
  }) => {
    const path = await newClass([{ name: 'next', type: 'reference', target: 'self' }]);
    const [{ content }] = await run([item('POST', `${path}objects/`, {})]);
    const later = (steps: number) => content.id + steps;

    const entries = await run([
      item('POST', `${path}objects/`, {}),
      item('POST', `${path}objects/`, { next: later(1) }),
      item('POST', `${path}objects/`, { next: later(3) }),
      item('DELETE', `${path}objects/${later(1)}/`),
      item('PATCH', `${path}objects/${later(2)}/`, { next: later(1) }),
    ]);

    expect(codes(entries)).toEqual([201, 201, 400, 204, 400]);
  });

  it('writes of one object, in order', async ({ newClass, run }) => {
    const path = await newClass([{ name: 'count', type: 'integer' }]);
    const [{ content }] = await run([item('POST', `${path}objects/`, { count: 0 })]);
    const add = item('PATCH', `${path}objects/${content.id}/`, { count: { _increment: 1 } });

    const entries = await run([
      ...Array(20).fill(add),
      item('PATCH', `${path}objects/${content.id}/`, { count: 7, expected_revision: 21 }),
    ]);

    expect(entries.map((entry: { content: { count: number } }) => entry.content.count)).toEqual([
      ...Array.from({ length: 20 }, (_, at) => at + 1),
      7,
    ]);
  });

  it('the instance itself, renamed and deleted', async ({ api }) => {
    const brief = await openWorld(api, 'brief-1');
    const path = `${brief.base}classes/`;
    const requests = [
      item('GET', path),
      item('POST', `${brief.base}rename/`, { new_name: 'brief-2' }),
      item('GET', path),
    ];
    const renamed = await brief.call(brief.owner, 'POST', 'batch/', { requests });
    const removed = await api.send({
      as: brief.owner,
      path: '/v1.1/instances/brief-2/batch/',
      body: {
        requests: ['DELETE', 'GET'].map((method) => ({
          method,
          path: '/v1.1/instances/brief-2/',
        })),
      },
    });

    expect(codes(renamed.body)).toEqual([200, 200, 404]);
    expect(renamed.body[2].content).toEqual(noInstance);
    expect(removed.body).toEqual([{ code: 204 }, missing]);
  });
});

// it counts what reaches the store
describe.skipIf(isOn('roles'))('writes side by side', () => {
  function creates(
    path: string,
    count: number,
    body = (at: number): object => ({ title: `${at}` }),
  ) {
    return Array.from({ length: count }, (_, at) => item('POST', `${path}objects/`, body(at)));
  }

  function ids(entries: readonly { readonly content: { readonly id: number } }[]) {
    return entries.map(({ content }) => content.id);
  }

  it('ids are dense and in the order of the items', async ({ api }) => {
    const fresh = await openWorld(api, 'fresh-1');
    await fresh.dataClass('note', [title]);
    const requests = creates(`${fresh.base}classes/note/`, 10);

    const entries = expected(await fresh.call(fresh.owner, 'POST', 'batch/', { requests }), 200);
    const next = await fresh.call(fresh.owner, 'POST', 'classes/note/objects/', { title: 'last' });

    expect(ids(entries)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(next.body.id).toBe(11);
    expect(entries.map(({ content }: { content: { title: string } }) => content.title)).toEqual(
      requests.map((_, at) => `${at}`),
    );
  });

  const unique = { name: 'slug', type: 'string', unique: true };
  const own = { name: 'next', type: 'reference', target: 'self' };
  const rows: readonly [name: string, schema: readonly object[], body: (at: number) => object][] = [
    ['creates', [title], (at) => ({ title: `${at}` })],
    ['creates with unique values of their own', [unique], (at) => ({ slug: `s${at}` })],
    ['creates that could refer to each other', [own], () => ({ next: null })],
  ];

  it.for(rows)(
    'fifty %s take three round trips',
    async ([_, schema, body], { store, newClass, run, apiKey }) => {
      const path = await newClass(schema);
      await run(
        creates(path, 1, body).map((each) => ({ ...each, body: {} })),
        apiKey,
      );
      store.reset();

      const entries = await run(creates(path, 50, body), apiKey);

      expect(codes(entries)).toEqual(Array(50).fill(201));
      // the actor; the class and fifty ids; fifty writes
      expect([store.rounds, store.calls]).toEqual([3, 53]);
    },
  );

  it('updates and deletions of different objects as well', async ({
    store,
    newClass,
    run,
    apiKey,
  }) => {
    const path = await newClass([title]);
    const made = ids(await run(creates(path, 20)));
    store.reset();

    const entries = await run(
      made.map((id, at) =>
        at % 2 === 0
          ? item('PATCH', `${path}objects/${id}/`, { title: 'new' })
          : item('DELETE', `${path}objects/${id}/`),
      ),
      apiKey,
    );

    expect(codes(entries)).toEqual(made.map((_, at) => (at % 2 === 0 ? 200 : 204)));
    expect([store.rounds, store.calls]).toEqual([3, 22]);
  });

  it('adjacent reads share their first step', async ({ store, newClass, run, apiKey }) => {
    const path = await newClass([title]);
    const made = ids(await run(creates(path, 8)));
    store.reset();

    const entries = await run(
      made.map((id) => item('GET', `${path}objects/${id}/`)),
      apiKey,
    );

    expect(ids(entries)).toEqual(made);
    expect([store.rounds, store.calls]).toEqual([2, 2]);
  });

  it.for([
    ['a value in common', [unique], () => ({ slug: 'same' }), [201, 400, 400]],
    [
      'a number and its text',
      [{ ...unique, type: 'integer' }],
      (at: number) => ({ slug: at ? '7' : 7 }),
      [201, 400, 400],
    ],
    ['a channel that is missing', [title], () => ({ channel: 'none' }), [400, 400, 400]],
  ] as const)('%s: in their order', async ([_, schema, body, wanted], { newClass, run }) => {
    const path = await newClass(schema);

    for (let round = 0; round < 3; round += 1) {
      const entries = await run(creates(path, 3, body));
      expect(codes(entries)).toEqual(round === 0 ? wanted : [400, 400, 400]);
    }
  });

  it('a rejected item leaves the others alone', async ({ world, newClass, run }) => {
    const path = await newClass([{ name: 'size', type: 'integer' }]);
    const bad = [1, 4];

    const entries = await run(creates(path, 6, (at) => ({ size: bad.includes(at) ? 'x' : at })));

    expect(codes(entries)).toEqual([201, 400, 201, 201, 400, 201]);
    const left = await world.own('GET', `${path}objects/`);
    expect(column(left, 'size')).toEqual([0, 2, 3, 5]);
  });

  it('what creates refer to is read in one step, and concerns no other item', async ({
    store,
    newClass,
    run,
  }) => {
    const target = await newClass([]);
    const name = target.split('/').at(-2);
    const path = await newClass([
      { name: 'one', type: 'reference', target: name },
      { name: 'many', type: 'relation', target: name },
      { name: 'maker', type: 'reference', target: 'user' },
    ]);
    const [first, second] = ids(await run(creates(target, 2, () => ({}))));
    const bodies: readonly object[] = [
      { one: second, many: [first, 999_999] },
      {},
      { one: 999_999, many: [first] },
      { many: [second, first] },
      { owner: 999_999 },
      { one: 'x' },
      { maker: 999_999, one: first },
      { one: first },
    ];
    await run(creates(path, 2, (at) => bodies[at] ?? {}));
    store.reset();

    const entries = await run(creates(path, bodies.length, (at) => bodies[at] ?? {}));

    expect(codes(entries)).toEqual([201, 201, 400, 201, 400, 400, 400, 201]);
    const values = (of: string) =>
      entries
        .filter(({ code }: { code: number }) => code === 201)
        .map(({ content }: { content: Record<string, { value: unknown } | null> }) =>
          content[of] === null ? null : content[of]?.value,
        );
    expect(values('one')).toEqual([second, null, null, first]);
    expect(values('many')).toEqual([[first], null, [first, second], null]);
    // the actor; the class and ids; what they refer to; four writes
    expect([store.rounds, store.calls]).toEqual([4, 8]);
  });

  it.for(['not applied', 'answer lost'] as const)(
    'a write that is %s is one server error',
    async (fault, { api, world, store, newClass, run }) => {
      const path = await newClass([title]);
      store.faulty.failNext(fault);

      const entries = await run(creates(path, 4));

      const lost = { code: 500, content: { detail: 'Internal server error.' } };
      expect(codes(entries)).toEqual([500, 201, 201, 201]);
      expect(entries[0]).toEqual(lost);
      const { body } = await world.own('GET', `${path}objects/?fields=title`);
      expect(body.objects.length).toBe(fault === 'not applied' ? 3 : 4);
      const errors = api.logged.filter(({ level }) => level === 'error');
      expect(errors).toMatchObject([{ message: 'request failed' }]);
      for (const error of errors) Object.assign(error, { level: 'info' }); // as intended
    },
  );

  it('a write conflict is retried on the current state', async ({
    world,
    store,
    newClass,
    run,
  }) => {
    const path = await newClass([title]);
    const [{ content }] = await run(creates(path, 1));
    const self = `${path}objects/${content.id}/`;
    store.faulty.beforeNextWrite(async () => {
      await world.own('PATCH', self, { title: 'faster' });
    });

    const entries = await run([
      item('PATCH', self, { title: 'slower' }),
      item('PATCH', path, { description: 'x' }),
    ]);

    expect(codes(entries)).toEqual([200, 200]);
    expect(entries[0].content).toMatchObject({ title: 'slower', revision: 3 });
  });
});

it('content that is too large in total loses no other entry', async ({ world, newClass, run }) => {
  const path = await newClass([{ name: 'text', type: 'text' }]);
  const create = item('POST', `${path}objects/`, { text: '"'.repeat(15_500) });
  await run(Array(50).fill(create));
  await run(Array(50).fill(create));
  const all = item('GET', `${path}objects/`);

  const response = await world.own('POST', 'batch/', {
    requests: [all, all, item('GET', 'groups/7/'), all],
  });

  expect(response.status).toBe(200);
  expect(codes(response.body)).toEqual([200, 413, 404, 413]);
  expect(response.body[0].content.objects).toHaveLength(100);
  expect(response.body[1]).toEqual({
    code: 413,
    content: { detail: 'Response size limit exceeded.' },
  });
});

// it sets the clock of the test's own process
describe.skipIf(isOn('roles'))('when time runs out', () => {
  it.afterEach(() => {
    vi.useRealTimers();
  });

  it('finished items are reported, and the rest is not started', async ({
    api,
    world,
    newClass,
  }) => {
    const path = await newClass([title]);
    let writes = 0;
    let written = 0;
    const stuck: Store = {
      ...api.platform.store,
      write: async (transaction) => {
        writes += 1;
        if (writes === 2) return new Promise(() => undefined);
        await api.platform.store.write(transaction);
        written += 1;
      },
    };
    const create = item('POST', `${path}objects/`, { title: 'x' });
    const group = item('POST', 'groups/', { label: 'x' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

    const response = sendElsewhere(
      { ...api.platform, store: stuck },
      {
        path: `${world.base}batch/`,
        key: world.owner,
        value: { requests: [group, create, create, group, create] },
      },
    );
    await vi.waitUntil(() => written === 2, { timeout: 50_000 });
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate); // to the end of each item
    await vi.advanceTimersByTimeAsync(27_000);
    const { status, body } = await response;

    const over = { code: 503, content: { detail: 'Request timeout.' } };
    expect(status).toBe(200);
    expect(body).toMatchObject([{ code: 201 }, over, { code: 201 }, over, over]);
    expect(writes).toBe(3);
  });
});

// it sets the clock of the test's own process, which serves all requests
describe.skipIf(isOn('roles'))('eight batches of an owner write objects at a time', () => {
  const timed = it.extend('gate', ({ world: _, store }, { onCleanup }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const gate = openGate(store.faulty);
    onCleanup(() => {
      gate.release();
      vi.useRealTimers();
    });
    return gate;
  });

  timed('others wait for a turn, at most a second', async ({ gate, newClass, run }) => {
    const create = createOf(await newClass([title, text]));
    gate.hold(11);

    const responses = Array.from({ length: 11 }, () => run([create]));
    await gate.untilHeld(8);
    await vi.advanceTimersByTimeAsync(1000);
    await gate.untilHeld(11);
    gate.release();

    expect((await Promise.all(responses)).flatMap(codes)).toEqual(Array(11).fill(201));
  });

  timed('another owner does not wait for them', async ({ api, gate, newClass, run }) => {
    const create = createOf(await newClass([title, text]));
    const other = await openWorld(api, 'elsewhere-1');
    const elsewhere = [createOf(await other.dataClass('other', [title, text]))];
    gate.hold(8);

    const responses = Array.from({ length: 9 }, () => run([create]));
    await gate.untilHeld(8);
    const others = await other.call(other.owner, 'POST', 'batch/', { requests: elsewhere });
    expect(codes(expected(others, 200))).toEqual([201]);
    gate.release();

    expect((await Promise.all(responses)).flatMap(codes)).toEqual(Array(9).fill(201));
  });

  timed('a turn ends with the batch', async ({ world, gate, newClass, run }) => {
    const create = createOf(await newClass([title, text]));
    const more = 'x'.repeat(2048);

    for (let left = 8; left > 0; left -= 1) {
      await run([create]);
      expected(await world.own('POST', 'batch/', { requests: [{}], more }), 400);
    }
    gate.hold(8);
    const responses = Array.from({ length: 8 }, () => run([create]));
    await gate.untilHeld(8);
    gate.release();

    expect((await Promise.all(responses)).flatMap(codes)).toEqual(Array(8).fill(201));
  });

  timed('a batch of at most 2 kB needs none', async ({ gate, newClass, run }) => {
    const place = await newClass([title, text]);
    gate.hold(9);

    const long = Array.from({ length: 8 }, () => run([createOf(place)]));
    await gate.untilHeld(8);
    const short = run([createOf(place, 100)]);
    await gate.untilHeld(9);
    gate.release();

    expect((await Promise.all([...long, short])).flatMap(codes)).toEqual(Array(9).fill(201));
  });

  timed('items that may take long hold none', async ({ gate, newClass, run }) => {
    const create = createOf(await newClass([title, text]));
    const group = item('POST', 'groups/', { label: 'x' });
    gate.hold(8);

    const slow = Array.from({ length: 8 }, () => run([group, create]));
    await gate.untilHeld(8);
    expect(codes(await run([create]))).toEqual([201]);
    gate.release();

    expect((await Promise.all(slow)).flatMap(codes)).toEqual(Array(16).fill(201));
  });
});

function wrap(inner: Store) {
  const faulty = makeFaulty(inner);
  return Object.assign(countRoundTrips(faulty), { faulty });
}

/** Returns a function that returns the entries of a batch that was accepted. */
function runIn(world: World) {
  return async (requests: readonly Item[], as: Credentials = world.owner) =>
    expected(await world.call(as, 'POST', 'batch/', { requests }), 200);
}

/** Returns a function that creates a class with a new name; it returns the path below the instance. */
function classesIn(world: World) {
  let number = 0;
  return async (schema: readonly object[], more?: object): Promise<string> => {
    number += 1;
    await world.dataClass(`class_${number}`, schema, more);
    return `classes/class_${number}/`;
  };
}

interface Item {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** An item of a batch; its path is relative to the instance unless it begins with a slash. */
function item(method: string, path: string, body?: unknown): Item {
  const whole = path.startsWith('/') ? path : base + path;
  return { method, path: whole, ...(body === undefined ? {} : { body }) };
}

/** An item that creates an object, with a body that is long enough to take turns. */
function createOf(path: string, characters = 2048): Item {
  return item('POST', `${path}objects/`, { title: 'x', text: 'x'.repeat(characters) });
}

function codes(entries: readonly { readonly code: number }[]): readonly number[] {
  return entries.map(({ code }) => code);
}

/** Holds writes until they are released. */
function openGate(faulty: FaultyStore) {
  let held = 0;
  let release: () => void = () => undefined;

  /** Holds the next writes, and counts those that have come. */
  function hold(writes: number): void {
    held = 0;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (let left = writes; left > 0; left -= 1) {
      faulty.beforeNextWrite(() => {
        held += 1;
        return released;
      });
    }
  }

  async function untilHeld(count: number): Promise<void> {
    await vi.waitUntil(() => held >= count, { timeout: 50_000 });
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate); // to see more of them
    expect(held).toBe(count);
  }
  return { hold, untilHeld, release: () => release() };
}
