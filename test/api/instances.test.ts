import { describe, expect, onTestFinished } from 'vitest';
import type { Api } from '../support/api.ts';
import { type ApiResponse, expected, startApi } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import {
  column,
  isNull,
  missing,
  noInstance,
  noSuchKey,
  notObject,
  type Rejection,
  required,
  taken,
  time,
  tooLong,
} from '../support/responses.ts';

const it = apiTest({ settings: { maxInstances: 60 } }).extend(
  'given',
  { scope: 'file', auto: true },
  ({ api }) => setUp(api),
);

const list = '/v1.1/instances/';
const end = 'Value has to end with a letter or a number.';
const start = 'Value has to start with a letter.';
const characters = 'Enter a valid value consisting of letters, numbers, hyphens.';
const reserved = 'Unable to use that value. Please choose a different one.';
/** Names, and all messages of each; more in test/instances/instance-name.test.ts. */
const badNames: readonly [unknown, readonly string[]][] = [
  ['_', ['Ensure this field has at least 5 characters.', start, end, characters]],
  ['a'.repeat(65), ['Ensure this value has at most 64 characters (it has 65).']],
  ['my_instance', [characters, reserved]],
  ['  ', ['This field may not be blank.']],
  [null, isNull],
  [['abcde'], ['Not a valid string.']],
];

describe('a new instance', () => {
  it('is returned whole, its name trimmed and in lower case', async ({
    given: { create, account },
  }) => {
    const response = await create({
      name: ' Shop-1 ',
      description: ' demo ',
      metadata: { a: 1 },
      role: 'read',
      location: 'mars',
      owner: 7,
      links: {},
    });

    expect([response.status, response.body]).toEqual([
      201,
      {
        name: 'shop-1',
        description: 'demo',
        owner: account,
        created_at: time,
        updated_at: time,
        role: 'full',
        location: 'local',
        metadata: { a: 1 },
        links: linksOf('shop-1'),
      },
    ]);
    expect(response.headers.get('Location')).toBeNull();
  });

  it('is read as it was returned, by a path in any case', async ({
    api,
    given: { fresh, owner },
  }) => {
    const { name, path, made } = await fresh();

    const read = await api.send({ as: owner, path });
    const upper = await api.send({ as: owner, path: `${list + name.toUpperCase()}/` });
    const listed = await api.send({ as: owner, path: `${list}?name__startswith=${name}` });

    expect([read.body, upper.body, listed.body.objects]).toEqual([made, made, [made]]);
  });

  it('has the links of the older version there', async ({ api, given: { fresh, owner } }) => {
    const { name } = await fresh();

    const { body } = await api.send({ as: owner, path: `/v1/instances/${name}/` });

    const base = `/v1/instances/${name}/`;
    const { snippets, endpoints, scripts, script_runtimes, ...both } = linksOf(name);
    const moved = Object.entries(both).map(([word, path]) => [word, path.replace('v1.1', 'v1')]);
    expect(body.links).toEqual({
      ...Object.fromEntries(moved),
      codeboxes: `${base}codeboxes/`,
      runtimes: `${base}codeboxes/runtimes/`,
      webhooks: `${base}webhooks/`,
      hla_objects: `${base}api/objects/`,
      templates: `${base}snippets/templates/`,
    });
  });

  it('contains the class of profiles', async ({ api, given: { fresh, owner } }) => {
    const { path } = await fresh();

    const page = await api.send({ as: owner, path: `${path}classes/` });

    expect(column(page, 'name')).toEqual(['user_profile']);
  });

  it('is created for one of several concurrent requests with the name', async ({
    api,
    given: { create },
  }) => {
    const rival = await register(api, 'rival@example.com');

    const responses = await Promise.all([
      ...[1, 2, 3].map(() => create({ name: 'wanted-1' })),
      create({ name: 'wanted-1' }, rival),
    ]);

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    for (const { status, body } of responses) {
      if (status === 400) expect(body).toEqual({ name: taken });
    }
  });

  it('does not prevent a concurrent creation by the same account', async ({
    api,
    given: { create },
  }) => {
    const key = await register(api, 'quick@example.com');

    const responses = await Promise.all(
      ['quick-1', 'quick-2', 'quick-3'].map((name) => create({ name }, key)),
    );

    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('is listed in the order of creation', async ({ api, given: { create } }) => {
    const key = await register(api, 'ordered@example.com');
    for (const name of ['zebra', 'yak-1', 'ant-1']) expected(await create({ name }, key), 201);

    const page = await api.send({ as: key, path: list });

    expect(column(page, 'name')).toEqual(['zebra', 'yak-1', 'ant-1']);
  });
});

describe('a name is rejected with every message that applies', () => {
  it.beforeAll(async ({ given: { create } }) => {
    await create({ name: 'named-1' });
  });

  it.for(badNames)('%j at creation', async ([name, messages], { given: { create } }) => {
    const response = await create({ name });

    expect([response.status, sorted(response.body.name)]).toEqual([400, sorted(messages)]);
  });

  it.for(badNames)('%j at renaming', async ([new_name, messages], { given: { rename } }) => {
    const response = await rename('named-1', { new_name });

    expect([response.status, sorted(response.body.new_name)]).toEqual([400, sorted(messages)]);
  });

  it.for([['a'.repeat(64)], ['abcde'], ['constructor']] as const)(
    '%s is valid',
    async ([name], { given: { create } }) => {
      expect(await create({ name })).toMatchObject({ status: 201, body: { name } });
    },
  );
});

describe('a creation is rejected', () => {
  describe('with', () => {
    it.for<Rejection>([
      ['nothing', undefined, { name: required }],
      ['a list', [1], notObject()],
      ['a number', 5, notObject('int')],
      ['null', null, { non_field_errors: ['No data provided'] }],
      [
        'several wrong fields',
        { name: 'x1234-', description: 'x'.repeat(257), metadata: 1 },
        {
          name: [end],
          description: tooLong(256),
          metadata: ['Metadata passed in invalid format.'],
        },
      ],
      [
        'null in fields',
        { name: 'nulls-1', description: null, metadata: null },
        { description: isNull, metadata: isNull },
      ],
      ['a name of another, in any case', { name: 'NAMED-1' }, { name: taken }],
    ])('%s', async ([_, sent, errors], { api, given: { owner } }) => {
      const { status, body } = await api.send({
        as: owner,
        method: 'POST',
        path: list,
        body: sent,
      });
      expect({ status, body }).toEqual({ status: 400, body: errors });
    });
  });

  it('beyond the limit of owned instances; others and deleted ones are not counted', async () => {
    const small = await startApi({ settings: { maxInstances: 2 } });
    onTestFinished(() => small.close());
    const send = (body: object) => small.send({ as: key, path: list, body });
    const response = await small.send({
      path: '/v1.1/account/register/',
      body: { email: 'a@example.com', password: 'p' },
    });
    const key = expected(response, 201).account_key;
    expected(await send({ name: 'first' }), 201);
    const both = await Promise.all([send({ name: 'second' }), send({ name: 'third' })]);

    const over = await send({ name: 'fourth' });
    const overAndTaken = await send({ name: 'first' });
    await small.send({ as: key, method: 'DELETE', path: `${list}first/` });
    const again = await send({ name: 'fourth' });

    const exceeded = { detail: 'Instance count exceeded (2).' };
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect([over.status, over.body]).toEqual([400, exceeded]);
    expect([overAndTaken.status, overAndTaken.body]).toEqual([400, { name: taken }]);
    expect(again.status).toBe(201);
  });
});

describe('a change', () => {
  it('PATCH changes the fields that are sent and ignores the name', async ({
    api,
    given: { fresh, send, owner },
  }) => {
    const { path, made } = await fresh({ description: 'old', metadata: { a: 1 } });

    const body = { description: 'new', name: 'other-name', role: 'read', owner: {} };
    const response = await send('PATCH', path, body);
    const read = await api.send({ as: owner, path });

    const changed = { ...made, description: 'new', updated_at: time };
    expect([response.status, response.body]).toEqual([200, changed]);
    expect(read.body).toEqual(response.body);
    expect(response.body.updated_at > response.body.created_at).toBe(true);
  });

  it('PUT needs no name, keeps the description and empties metadata', async ({
    api,
    given: { fresh, send, owner },
  }) => {
    const { path, made } = await fresh({ description: 'old', metadata: { a: 1 } });

    const response = await send('PUT', path, {});
    const read = await api.send({ as: owner, path });

    expect([response.status, response.body]).toEqual([
      200,
      { ...made, metadata: {}, updated_at: time },
    ]);
    expect(read.body).toEqual(response.body);
  });

  it('PUT accepts the whole response body', async ({ given: { fresh, send } }) => {
    const { path, made } = await fresh({ description: 'old', metadata: { a: 1 } });

    const response = await send('PUT', path, made);

    expect([response.status, response.body]).toEqual([200, { ...made, updated_at: time }]);
  });

  it('is rejected as a whole', async ({ api, given: { fresh, send, owner } }) => {
    const { path, made } = await fresh();

    const response = await send('PATCH', path, {
      description: 'x'.repeat(257),
      metadata: { a: 1 },
    });
    const read = await api.send({ as: owner, path });

    expect([response.status, response.body]).toEqual([400, { description: tooLong(256) }]);
    expect(read.body).toEqual(made);
  });

  it('keeps both of two concurrent changes', async ({ api, given: { fresh, send, owner } }) => {
    const { path } = await fresh();

    await Promise.all([
      send('PATCH', path, { description: 'new' }),
      send('PATCH', path, { metadata: { a: 1 } }),
    ]);
    const read = await api.send({ as: owner, path });

    expect(read.body).toMatchObject({ description: 'new', metadata: { a: 1 } });
  });
});

describe('a rename', () => {
  it('keeps everything in the instance', async ({
    api,
    given: { fresh, owner, newApiKey, rename },
  }) => {
    const { name, path, made } = await fresh({ metadata: { a: 1 } });
    await api.send({ as: owner, path: `${path}classes/`, body: { name: 'note', schema: [] } });
    const key = await newApiKey(path);

    const response = await rename(name, { new_name: ` Moved-${name} ` });
    const moved = `${list}moved-${name}/`;
    const read = await api.send({ as: owner, path: moved });
    const old = await api.send({ as: owner, path });
    const below = await api.send({ as: owner, path: `${path}classes/` });
    const classes = await api.send({ as: owner, path: `${moved}classes/note/` });
    const byKey = await api.send({ as: key, path: `${moved}api_keys/` });

    const renamed = {
      ...made,
      name: `moved-${name}`,
      updated_at: time,
      links: linksOf(`moved-${name}`),
    };
    expect([response.status, response.body]).toEqual([200, renamed]);
    expect(read.body).toEqual(response.body);
    expect([old.status, old.body]).toEqual([404, missing]);
    expect([below.status, below.body]).toEqual([404, noInstance]);
    expect([classes.status, byKey.status]).toEqual([200, 200]);
  });

  it('to its own name, in any case, changes nothing', async ({ given: { fresh, rename } }) => {
    const { name, made } = await fresh();

    const response = await rename(name, { new_name: name.toUpperCase() });

    expect([response.status, response.body]).toEqual([200, made]);
  });

  it('frees the old name', async ({ given: { fresh, rename, create } }) => {
    const { name, path } = await fresh();
    await rename(name, { new_name: `${name}-b` });

    const again = await create({ name });
    const back = await rename(`${name}-b`, { new_name: name });

    expect(again.status).toBe(201);
    expect(again.body.links.self).toBe(path);
    expect([back.status, back.body]).toEqual([400, { new_name: taken }]);
  });

  it('succeeds for one of two concurrent requests with the same name', async ({
    api,
    given: { fresh, rename, owner },
  }) => {
    const [a, b] = [await fresh(), await fresh()];

    const responses = await Promise.all(
      [a, b].map(({ name }) => rename(name, { new_name: 'contested' })),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(responses.find(({ status }) => status === 400)?.body).toEqual({ new_name: taken });
    const left = await Promise.all([a, b].map(({ path }) => api.send({ as: owner, path })));
    expect(left.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  it('twice at the same time leaves one name', async ({ api, given: { fresh, rename, owner } }) => {
    const { name } = await fresh();
    const wanted = [`${name}-x`, `${name}-y`];

    const responses = await Promise.all(wanted.map((new_name) => rename(name, { new_name })));
    const page = await api.send({ as: owner, path: `${list}?name__startswith=${name}-` });

    const left = column(page, 'name');
    expect(left).toHaveLength(1);
    expect(wanted).toContain(left[0]);
    for (const { status } of responses) expect([200, 404]).toContain(status);
  });

  it.for([
    ['nothing', {}],
    ['null', { new_name: null }],
    ['another field', { name: 'other-1' }],
  ] as const)('is rejected with %s', async ([_, body], { given: { fresh, rename } }) => {
    const { name } = await fresh();

    const response = await rename(name, body);

    expect([response.status, response.body]).toEqual([400, { new_name: isNull }]);
  });
});

describe('a removal', () => {
  it('applies at once, and frees the name for an empty one', async ({
    api,
    given: { fresh, owner, create },
  }) => {
    const { name, path } = await fresh({ metadata: { a: 1 } });
    await api.send({ as: owner, path: `${path}classes/`, body: { name: 'note', schema: [] } });

    const removed = await api.send({ as: owner, method: 'DELETE', path });
    const gone = await api.send({ as: owner, path });
    const below = await api.send({ as: owner, path: `${path}classes/` });
    const twice = await api.send({ as: owner, method: 'DELETE', path });
    const again = await create({ name });
    const classes = await api.send({ as: owner, path: `${path}classes/note/` });

    expect([removed.status, removed.body]).toEqual([204, '']);
    expect(removed.headers.get('Content-Type')).toBeNull();
    expect([gone.status, gone.body]).toEqual([404, missing]);
    expect([below.status, below.body]).toEqual([404, noInstance]);
    expect([twice.status, twice.body]).toEqual([404, missing]);
    expect(again).toMatchObject({ status: 201, body: { metadata: {} } });
    expect(classes.status).toBe(404);
  });

  it('twice at the same time deletes once', async ({ api, given: { fresh, owner } }) => {
    const { path } = await fresh();

    const responses = await Promise.all(
      [1, 2].map(() => api.send({ as: owner, method: 'DELETE', path })),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404]);
  });
});

it('an account that is not a member does not see an instance listed', async ({
  api,
  given: { fresh },
}) => {
  await fresh();

  const { body } = await api.send({ as: await register(api, 'stranger@example.com'), path: list });

  expect(body).toEqual({ next: null, prev: null, objects: [] });
});

describe('an API key', () => {
  it('sees its own instance, with its own role', async ({
    api,
    given: { fresh, newApiKey, account },
  }) => {
    const { name, path, made } = await fresh({ metadata: { a: 1 } });
    await fresh();
    const key = await newApiKey(path);

    const read = await api.send({ as: key, path });
    const listed = await api.send({ as: key, path: list });
    const other = await api.send({ as: key, path: `${list}?name__startswith=x` });
    const page = await api.send({ as: key, path: `${list}?page_size=1` });

    const { id, email, first_name, last_name } = account;
    const seen = { ...made, role: 'api_key', owner: { id, email, first_name, last_name } };
    expect(read.body).toEqual(seen);
    expect(listed.body).toEqual({ next: null, prev: null, objects: [seen] });
    expect(other.body.objects).toEqual([]);
    expect(page.body.objects).toEqual([seen]);
    expect(page.body.next).toBe(null);
    expect(read.body.name).toBe(name);
  });

  it('is invalid after its instance is deleted', async ({
    api,
    given: { fresh, newApiKey, owner },
  }) => {
    const { path } = await fresh();
    const key = await newApiKey(path);
    await api.send({ as: owner, method: 'DELETE', path });
    const responses = async () => {
      const calls = [list, '/v1.1/', path].map((at) => api.send({ as: key, path: at }));
      return (await Promise.all(calls)).map(({ status, body }) => [status, body]);
    };

    const atOnce = await responses();
    await api.platform.idle(); // the key is deleted now
    const later = await responses();

    const expected = [
      [403, noSuchKey],
      [403, noSuchKey],
      [404, missing],
    ];
    expect([atOnce, later]).toEqual([expected, expected]);
  });
});

async function setUp(api: Api) {
  let count = 0;
  const create = (body: unknown, as = owner): Promise<ApiResponse> =>
    api.send({ as, path: list, body });
  async function fresh(more: object = {}): Promise<{ name: string; path: string; made: object }> {
    count += 1;
    const name = `fresh-${count}`;
    const made = expected(await create({ name, ...more }), 201);
    return { name, path: `${list}${name}/`, made };
  }
  async function newApiKey(path: string): Promise<string> {
    const response = await api.send({ as: owner, method: 'POST', path: `${path}api_keys/` });
    return expected(response, 201).api_key;
  }
  const rename = (name: string, body: unknown, as = owner): Promise<ApiResponse> =>
    api.send({ as, method: 'POST', path: `${list}${name}/rename/`, body });
  const send = (method: string, path: string, body: unknown) =>
    api.send({ as: owner, method, path, body });

  const response = await api.send({
    path: '/v1.1/account/register/',
    body: { email: 'ann@example.com', password: 'p', first_name: 'Ann' },
  });

  const { account_key, ...shown } = expected(response, 201);

  const owner = account_key;

  const account: Record<string, unknown> = shown;
  return { create, account, fresh, owner, rename, send, newApiKey };
}

function linksOf(name: string): Record<string, string> {
  const base = `${list}${name}/`;
  const below = [
    'admins',
    'snippets',
    'endpoints',
    'classes',
    'invitations',
    'api_keys',
    'triggers',
    'schedules',
    'users',
    'groups',
    'channels',
    'batch',
    'rename',
    'backups',
    'restores',
  ];
  return {
    self: base,
    ...Object.fromEntries(below.map((word) => [word, `${base}${word}/`])),
    push_notification: `${base}push_notifications/`,
    scripts: `${base}snippets/scripts/`,
    script_runtimes: `${base}snippets/scripts/runtimes/`,
  };
}

async function register(api: Api, email: string): Promise<string> {
  const response = await api.send({
    path: '/v1.1/account/register/',
    body: { email, password: 'p' },
  });
  return expected(response, 201).account_key;
}

const sorted = (messages: readonly string[]) => [...messages].sort();
