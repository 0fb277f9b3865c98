import { describe, expect, vi } from 'vitest';
import type { World } from '../support/api.ts';
import { openFilledWorld, places } from '../support/filled-world.ts';
import { worldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

const it = worldTest()
  .extend('objects', { scope: 'file', auto: true }, ({ world }) => makeBooks(world))
  .extend('given', { scope: 'file' }, ({ world }) => setUp(world))
  .extend('filled', { scope: 'file' }, ({ api }) => openFilledWorld(api, 'filled-1', 'x'));

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('JSON that is declared as a form', () => {
  it.for(['{"title":"a"}', '[1]', '{}'])(
    '%s stores nothing',
    async (body, { api, world, objects }) => {
      const before = await count(world, objects);

      const response = await api.send({ as: world.owner, path: objects, body, headers: formType });

      const detail = 'the body looks like JSON: send Content-Type: application/json';
      expect([response.status, response.body]).toEqual([400, { detail }]);
      expect(response.headers.get('X-Error-Code')).toBe('json_sent_as_form');
      expect(await count(world, objects)).toBe(before);
    },
  );

  it('a form is stored as before', async ({ api, world, objects }) => {
    const body = 'title={"a":1}';

    const response = await api.send({ as: world.owner, path: objects, body, headers: formType });

    expect([response.status, response.body.title]).toEqual([201, '{"a":1}']);
  });
});

type IgnoringRow = [
  named: string,
  call: string,
  status: number,
  ignored: string | null,
  body?: unknown,
  more?: { readonly as?: 'app'; readonly headers?: typeof formType },
];

const form = (entries: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(entries)) data.append(name, value);
  data.append('scan', new Blob(['a']), 'a.txt');
  data.append('picture', new Blob(['b']), 'b.txt');
  return data;
};

const books = 'classes/book/objects/';
const typo = { title: 'a', tittle: 'b' };
const item = (method: string, path: string, body?: object) => ({
  method,
  path: `/v1.1/instances/blog-1/${path}`,
  body,
});
const batch = {
  request: [],
  requests: [item('GET', 'groups/?lable=x'), item('POST', 'groups/', { lable: 'x', y: 1 })],
};
const known = { title: 'a', _api_key: 'x', _user_key: 'y', _method: 'POST' };
const group = { id: 1, label: 'a', description: '', name: null, links: { self: '/' } };
const profileForm = 'username=bob&password=x&profile.other_permissions=read&profile.age=1';
const twoNames = { label: 'a', lable: 'b', x: 1 };
const profile = { other_permissions: 'read', age: 1 };
const ann = { username: 'ann', password: 'x', profile };

const ignoring: readonly IgnoringRow[] = [
  ['a field that the class lacks', `POST ${books}`, 201, 'tittle', typo],
  ['a field on an update', `PATCH ${books}{id}/`, 200, 'tittle', { tittle: 'b' }],
  ['an update by POST', `POST ${books}{id}/`, 200, 'tittle', typo],
  ['a form field and a file', `POST ${books}`, 201, 'tittle, picture', form(typo)],
  [
    'a query parameter',
    `GET ${books}?page_sise=1&page_size=1&ordering=desc`,
    200,
    'page_sise, ordering',
  ],
  ['a parameter of lists on a write', `POST ${books}?fields=id`, 201, 'fields', { title: 'a' }],
  ['both, each name once', 'POST groups/?lable=1', 201, 'lable, x', twoNames],
  ['names in other letters', 'POST groups/', 201, '%C5%BC%C3%B3%C5%82w%2C%20b', { 'żółw, b': 1 }],
  ['a request that is refused', 'POST classes/', 400, 'nmae', { nmae: 'shelf' }],
  ['a field of a user profile', 'POST users/', 201, 'profile.age', ann],
  ['a data endpoint', 'GET endpoints/data/books/get/?page=2&query={}', 200, 'page'],
  ['a write by a data endpoint', 'POST endpoints/data/books/post/', 201, 'tittle', typo],
  ['a batch and its items', 'POST batch/', 200, 'request, lable, y', batch],
  [
    'nothing that all requests may have',
    `POST ${books}?format=json&api_key=&user_key=`,
    201,
    null,
    known,
  ],
  ['nothing of an object that is sent back', 'PUT groups/1/', 200, null, group],
  [
    'nothing of the input of a script',
    'POST endpoints/scripts/greet/run/?anything=1',
    200,
    null,
    { more: 2 },
  ],
  ['nothing of a body that is not read', 'POST api_keys/1/reset_key/', 200, null, { x: 1 }],
  ['nothing of a body that a GET carries', 'DELETE groups/99/', 404, null, { x: 1 }],
  ['nothing to who may not write', `POST ${books}`, 403, null, { tittle: 'b' }, { as: 'app' }],
  ['a profile in a form', 'POST users/', 201, 'profile.age', profileForm, { headers: formType }],
];

describe('X-Ignored', () => {
  it.for<IgnoringRow>(ignoring)(
    'names %s: %s',
    async ([_, call, status, ignored, body, more = {}], { api, world, given: { app, id } }) => {
      const { as, ...others } = more;
      const [method = '', path = ''] = call.split(' ');

      const response = await api.send({
        as: as === 'app' ? app : world.owner,
        method,
        path: world.base + path.replace('{id}', String(id)),
        ...(body !== undefined && { body }),
        ...others,
      });

      expect([response.status, response.headers.get('X-Ignored')]).toEqual([status, ignored]);
    },
  );

  it('has at most 20 names and 512 bytes', async ({ world }) => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, 1]));
    const long = { ['x'.repeat(600)]: 1, ['ü'.repeat(80)]: 1, ['ä'.repeat(80)]: 1, short: 1 };

    const responses = [
      await world.own('POST', 'groups/', many),
      await world.own('POST', 'groups/', long),
    ];

    const [first = '', second = ''] = responses.map(
      ({ headers }) => headers.get('X-Ignored') ?? '',
    );
    expect(first.split(', ')).toEqual(Object.keys(many).slice(0, 20));
    expect(second).toBe(`${encodeURIComponent('ü'.repeat(80))}, short`);
  });
});

describe('a page that is cached for all callers', () => {
  it('has the names of one request in that response only', async ({ api }) => {
    const headers = { Accept: 'text/html' };
    const ignored: (string | null)[] = [];
    for (const query of ['?colour=red', '', '?size=1']) {
      const response = await api.send({ path: `/v1.1/schema/${query}`, headers });
      expect(response.status).toBe(200);
      ignored.push(response.headers.get('X-Ignored'));
    }

    expect(ignored).toEqual(['colour', null, 'size']);
  });
});

describe('X-Strict', () => {
  const strict = { 'X-Strict': '1' };

  it.for<[string, string, object | undefined, string]>([
    ['POST', 'groups/', { label: 'strict', lable: 'b' }, 'Unknown names: lable.'],
    ['PATCH', 'groups/1/', { label: 'strict', x: 1, y: 1 }, 'Unknown names: x, y.'],
    ['DELETE', 'groups/1/?hard=1', undefined, 'Unknown names: hard.'],
    ['GET', 'groups/?lable__startswith=a', undefined, 'Unknown names: lable__startswith.'],
  ])(
    '%s %s is rejected, and changes nothing',
    async ([method, path, body, detail], { api, world }) => {
      const groups = () => world.own('GET', 'groups/');
      const before = await groups();

      const call = { as: world.owner, method, path: world.base + path, headers: strict };
      const response = await api.send({ ...call, ...(body && { body }) });

      expect([response.status, response.body]).toEqual([400, { detail }]);
      expect(response.headers.get('X-Error-Code')).toBe('names_unknown');
      expect((await groups()).body).toEqual(before.body);
    },
  );

  it('accepts known names', async ({ api, world }) => {
    const body = { label: 'fine', id: 7, links: {} };

    const response = await api.send({
      as: world.owner,
      path: `${world.base}groups/`,
      body,
      headers: strict,
    });

    expect(response.status).toBe(201);
  });

  it('applies when it is 1, and not otherwise', async ({ api, world }) => {
    const call = { as: world.owner, path: `${world.base}groups/?x=1` };

    const response = await api.send({ ...call, headers: { 'X-Strict': '0' } });

    expect([response.status, response.headers.get('X-Ignored')]).toEqual([200, 'x']);
  });

  it('is checked after permissions', async ({ api, world }) => {
    const path = `${world.base}groups/?x=1`;

    const response = await api.send({ method: 'POST', path, body: {}, headers: strict });

    expect([response.status, response.headers.get('X-Error-Code')]).toEqual([403, 'key_missing']);
  });

  it('applies to each item of a batch separately', async ({ api, world }) => {
    const requests = [
      item('POST', 'groups/', { label: 'a' }),
      item('POST', 'groups/', { label: 'a', x: 1 }),
    ];

    const response = await api.send({
      as: world.owner,
      path: `${world.base}batch/`,
      body: { requests },
      headers: strict,
    });

    expect(response.body).toEqual([
      { code: 201, content: expect.anything() },
      { code: 400, content: { detail: 'Unknown names: x.' } },
    ]);
  });

  it('may be sent by pages of other origins', async ({ api }) => {
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' };

    const response = await api.send({ method: 'OPTIONS', path: '/v1.1/', headers });

    expect(response.headers.get('Access-Control-Allow-Headers')).toMatch(
      /\bx-strict, last-event-id$/,
    );
  });
});

describe('the parameters that a path reads are known', () => {
  /** Names that are known to every request. */
  const everywhere = ['api_key', 'apikey', 'user_key', 'userkey', 'format', 'template'];

  const readable = places.filter(({ route }) => route.operations.GET !== undefined);
  // in a deployment another process reads the parameters
  const itReads = it.skipIf(isOn('roles'));
  itReads.for(readable.map((place) => [place.name, place] as const))(
    'GET %s',
    async ([_, place], { api, filled }) => {
      const read = new Set<string>();
      const spy = vi.spyOn(URLSearchParams.prototype, 'getAll').mockImplementation(function (
        this: URLSearchParams,
        name,
      ) {
        read.add(name);
        return [...this].flatMap(([each, value]) => (each === name ? [value] : []));
      });
      const as = filled.caller(place);
      await api.send({ as, path: `${filled.path(place)}?zz=1` });
      spy.mockRestore();
      const own = [...read].filter((name) => !everywhere.some((each) => name.startsWith(each)));

      const query = own.map((name) => `${name}=1`).join('&');
      const { headers } = await api.send({ as, path: `${filled.path(place)}?${query}` });

      expect(headers.get('X-Ignored')).toBe(null);
    },
  );

  const fillable = places.filter(
    ({ route }) => route.kind === 'list' && 'POST' in route.operations,
  );
  it.for(fillable.map((place) => [place.name, place] as const))(
    'POST %s',
    async ([_, place], { api, filled }) => {
      const body = filled.sample(place, 'other');

      const call = { as: filled.caller(place), method: 'POST', path: filled.path(place) };
      const response = await api.send({ ...call, body });

      expect(response.status).toBeLessThan(401);
      expect(response.headers.get('X-Ignored')).toBe(null);
    },
  );
});

async function makeBooks(world: World): Promise<string> {
  const book = await world.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true },
    { name: 'scan', type: 'file' },
  ]);
  return `${book}objects/`;
}

/** Makes one of each thing that requests of the table name. */
async function setUp(world: World) {
  const app = await world.apiKey();
  const { id } = await world.create('classes/book/objects/', { title: 'first' });
  await world.own('PATCH', 'classes/book/', { other_permissions: 'read' });
  await world.own('POST', 'groups/', { label: 'first' });
  await world.own('POST', 'endpoints/data/', { name: 'books', class: 'book' });
  await makeEndpoint(world, 'greet', 'console.log(1);');
  return { app, id };
}

async function count({ api, owner }: World, objects: string): Promise<number> {
  const path = `${objects}?include_count=true&page_size=0`;
  return (await api.send({ as: owner, path })).body.objects_count;
}
