import { describe, expect } from 'vitest';
import { type ApiResponse, expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { type MadeEndpoint, makeEndpoint } from '../support/script-endpoint.ts';

/** Bytes that are no text in their charset (docs/reference/requests.md#text). */

const it = worldTest().extend('echo', { scope: 'file' }, ({ world }) =>
  makeEndpoint(world, 'echo', 'console.log(JSON.stringify({ ARGS, META }))', { public: true }),
);

const formType = 'application/x-www-form-urlencoded';
const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('arguments of a script', () => {
  function seen(response: ApiResponse) {
    const { ARGS, META } = JSON.parse(expected(response, 200).result.stdout);
    return { GET: ARGS.GET, POST: ARGS.POST, replaced: META.request.REPLACED_TEXT };
  }

  const run = '/v1.1/instances/blog-1/endpoints/scripts/echo/run/';
  const pathsOf = ({ public_link }: MadeEndpoint) => [
    run,
    `/v1.1/instances/blog-1/endpoints/scripts/p/${public_link}/`,
  ];

  it.for<[string, string, Buffer, object, boolean?]>([
    ['a form', formType, bytes('who=Andr%E9'), { who: 'Andr\ufffd' }, true],
    ['a form in Latin-1', `${formType}; charset=latin1`, bytes('who=Andr%E9'), { who: 'André' }],
    ['JSON', 'application/json', bytes('{"who":"Andr\xe9"}'), { who: 'Andr\ufffd' }, true],
    [
      'half of a character in JSON',
      'application/json',
      bytes('{"a":["x\\ud83d"]}'),
      { a: ['x\ufffd'] },
      true,
    ],
    ['JSON of a webhook', 'application/cloudevents+json', bytes('{"who":"A"}'), { who: 'A' }],
    ['text', 'application/json', Buffer.from('{"who":"André"}'), { who: 'André' }],
  ])('as %s', async ([_, contentType, body, args, replaced], { api, world, echo }) => {
    const headers = { 'Content-Type': contentType };
    const responses = await Promise.all(
      pathsOf(echo).map((path) => api.send({ as: world.owner, path, body, headers })),
    );

    expect(responses.map(seen)).toEqual([
      { GET: {}, POST: args, replaced },
      { GET: {}, POST: args, replaced },
    ]);
  });

  it('in a query', async ({ api, world }) => {
    const response = await api.send({ as: world.owner, path: `${run}?who=Andr%E9&a=%C3%A9` });

    expect(seen(response)).toEqual({
      GET: { who: 'Andr\ufffd', a: 'é' },
      POST: {},
      replaced: true,
    });
  });

  it('has headers as they were sent', async ({ api, world }) => {
    const headers = { 'X-Name': Buffer.from('Jürgen').toString('latin1'), 'X-Old': 'J\xfcrgen' };

    const response = await api.send({ as: world.owner, path: run, body: {}, headers });

    const { META } = JSON.parse(expected(response, 200).result.stdout);
    expect([META.request.HTTP_X_NAME, META.request.HTTP_X_OLD]).toEqual(['Jürgen', 'Jürgen']);
  });
});

describe('a password', () => {
  it('is never one that another one becomes', async ({ api }) => {
    const register = (password: string) =>
      api.send({
        path: '/v1.1/account/register/',
        headers: { 'Content-Type': formType },
        body: bytes(`email=ann%40example.com&password=${password}`),
      });

    const responses = [await register('caf%E9'), await register('caf%E8')];

    const detail = 'Form parse error - the value of "password" is not valid utf-8';
    expect(responses.map(({ status, body }) => [status, body])).toEqual([
      [400, { detail }],
      [400, { detail }],
    ]);
  });
});

describe('names of version 1.1 in version 1', () => {
  it.for([
    'snippets/',
    'snippets/config/',
    'snippets/scripts/',
    'snippets/scripts/runtimes/',
    'endpoints/',
    'endpoints/scripts/',
    'endpoints/data/',
  ])('%s', async (path, { api, world }) => {
    const at = (version: string) => `/${version}/instances/${world.instance}/${path}`;
    const [older, newer] = await Promise.all(
      ['v1', 'v1.1'].map((version) => api.send({ as: world.owner, path: at(version) })),
    );

    expect([older?.status, newer?.status]).toEqual([200, 200]);
    expect(JSON.stringify(older?.body)).not.toContain('/v1.1/');
  });
});

describe('a file in the place of a text', () => {
  const withFile = (field: string, members: Readonly<Record<string, string>> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(members)) body.append(name, value);
    body.append(field, new Blob(['content']), 'a.txt');
    return body;
  };
  const members = { label: 'x', runtime_name: 'nodejs_v8' };

  it.for<[string, string, string, typeof members?]>([
    ['POST', 'snippets/scripts/', 'source', members],
    ['POST', 'snippets/scripts/', 'label', members],
    ['PATCH', 'push_notifications/apns/config/', 'production_token_key'],
    ['PATCH', 'push_notifications/gcm/config/', 'production_api_key'],
    ['POST', 'groups/', 'label'],
  ])('is 400: %s %s, field %s', async ([method, path, field, others], { api, world }) => {
    const body = withFile(field, others);

    const response = await api.send({ as: world.owner, method, path: world.base + path, body });

    expect(expected(response, 400)).toEqual({ [field]: ['Not a valid string.'] });
  });
});

describe('half of a character in JSON', () => {
  const half = '"a\\ud83d"';
  const refused = ['Not valid text: \\ud83d is half of a character.'];
  const inJson = `{"a":[{"b":${half}}]}`;
  const send = ({ api, owner }: World, path: string, body: string, method = 'POST') =>
    api.send({
      as: owner,
      method,
      path,
      body,
      headers: { 'Content-Type': 'application/json' },
    });

  it.beforeAll(async ({ world }) => {
    await world.dataClass('letter', [
      { name: 'title', type: 'string' },
      { name: 'body', type: 'text' },
      { name: 'tags', type: 'array' },
      { name: 'extra', type: 'object' },
    ]);
    await world.own('POST', 'endpoints/data/', { name: 'letters', class: 'letter' });
    await world.own('POST', 'channels/', { name: 'talk', custom_publish: true });
    const script = { label: 'nop', source: '', runtime_name: 'nodejs_v8.0' };
    await world.own('POST', 'snippets/scripts/', script);
  });

  const letters = 'classes/letter/objects/';
  it.for<[string, string, string, string, string]>([
    ['a text', 'POST', letters, 'title', half],
    ['a long text', 'POST', letters, 'body', half],
    ['an array', 'POST', letters, 'tags', `["b",${half}]`],
    ['an object', 'POST', letters, 'extra', inJson],
    ['a name in an object', 'POST', letters, 'extra', `{${half}:1}`],
    ['JSON as text', 'POST', letters, 'extra', JSON.stringify(inJson)],
    ['an object next to a large number', 'POST', letters, 'extra', `[${half},9007199254740993.5]`],
    ['a data endpoint', 'POST', 'endpoints/data/letters/post/', 'extra', inJson],
    [
      'a query of a data endpoint',
      'PATCH',
      'endpoints/data/letters/',
      'query',
      `{"a":{"_eq":${half}}}`,
    ],
    ['the metadata of a class', 'PATCH', 'classes/letter/', 'metadata', inJson],
    ['a description', 'PATCH', 'classes/letter/', 'description', half],
    ['a message', 'POST', 'channels/talk/publish/', 'payload', inJson],
    ['the config of scripts', 'PUT', 'snippets/config/', 'config', inJson],
    ['the payload of a run', 'POST', 'snippets/scripts/1/run/', 'payload', inJson],
    ['a source', 'PATCH', 'snippets/scripts/1/', 'source', half],
    ['a name of a user', 'POST', 'users/', 'username', half],
    ['a label', 'POST', 'groups/', 'label', half],
    ['a name of an upload', 'POST', 'classes/letter/uploads/', 'filename', half],
  ])('is refused in %s', async ([_, method, path, field, value], { world }) => {
    const rest = path === 'users/' ? '"password":"p",' : '';

    const response = await send(
      world,
      `${world.base}${path}`,
      `{${rest}"${field}":${value}}`,
      method,
    );

    const isList = value.startsWith('[') && field === 'extra';
    expect([response.status, response.body[field]]).toEqual([
      400,
      isList ? ['Not a valid object.'] : refused,
    ]);
  });

  it('is refused in a batch, in an import and in a query', async ({ api, world }) => {
    const body = `{"title":${half}}`;
    const at = `${world.base}${letters}`;
    const requests = `[{"method":"POST","path":"${at}","body":${body}}]`;
    const records = `[{"id":9,"title":${half}}]`;

    const batch = await send(world, `${world.base}batch/`, `{"requests":${requests}}`);
    const imported = await send(
      world,
      `${world.base}import/`,
      `{"kind":"objects","class":"letter","records":${records}}`,
    );
    const query = await api.send({
      as: world.owner,
      path: at,
      body: `{"_method":"GET","query":"{\\"title\\":{\\"_eq\\":\\"\\\\ud83d\\"}}"}`,
      headers: { 'Content-Type': 'text/plain' },
    });
    const text = await api.send({
      as: world.owner,
      path: at,
      body: `{"_method":"GET","fields":${half}}`,
      headers: { 'Content-Type': 'text/plain' },
    });

    expect(batch.body).toEqual([{ code: 400, content: { title: refused } }]);
    expect([imported.status, JSON.stringify(imported.body)]).toEqual([
      400,
      expect.stringContaining('is half of a character'),
    ]);
    expect([query.status, JSON.stringify(query.body)]).toEqual([
      400,
      expect.stringContaining('is half of a character'),
    ]);
    expect([text.status, text.body]).toEqual([
      400,
      { detail: expect.stringContaining('the value of "fields" is not valid') },
    ]);
  });

  it('is ignored with the name that has it', async ({ world }) => {
    const response = await send(world, `${world.base}${letters}`, `{"title":"x",${half}:${half}}`);

    expect(expected(response, 201).title).toBe('x');
    expect(JSON.stringify(response.body)).not.toContain('\ufffd');
    expect(response.headers.get('x-ignored')).toBe('a%EF%BF%BD');
  });
});
