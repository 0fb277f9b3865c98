import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, expected } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { type MadeEndpoint, makeEndpoint } from '../support/script-endpoint.ts';
import { useWorld, world } from '../support/world-fixture.ts';

/** Bytes that are no text in their charset (docs/reference/requests.md#text). */

useWorld();

const formType = 'application/x-www-form-urlencoded';
const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('arguments of a script', () => {
  let echo: MadeEndpoint;

  beforeAll(async () => {
    echo = await makeEndpoint(world, 'echo', 'console.log(JSON.stringify({ ARGS, META }))', {
      public: true,
    });
  });

  function seen(response: ApiResponse) {
    const { ARGS, META } = JSON.parse(expected(response, 200).result.stdout);
    return { GET: ARGS.GET, POST: ARGS.POST, replaced: META.request.REPLACED_TEXT };
  }

  const paths = () => [
    `${world.base}endpoints/scripts/echo/run/`,
    `${world.base}endpoints/scripts/p/${echo.public_link}/`,
  ];

  it.each([
    ['a form', formType, bytes('who=Andr%E9'), { who: 'Andr\ufffd' }, true],
    ['a form in Latin-1', `${formType}; charset=latin1`, bytes('who=Andr%E9'), { who: 'André' }],
    ['JSON', 'application/json', bytes('{"who":"Andr\xe9"}'), { who: 'Andr\ufffd' }, true],
    ['JSON of a webhook', 'application/cloudevents+json', bytes('{"who":"A"}'), { who: 'A' }],
    ['text', 'application/json', Buffer.from('{"who":"André"}'), { who: 'André' }],
  ])('as %s', async (_, contentType, body, args, replaced?: boolean) => {
    const headers = { 'Content-Type': contentType };
    const responses = await Promise.all(
      paths().map((path) => api.send({ as: world.owner, path, body, headers })),
    );

    expect(responses.map(seen)).toEqual([
      { GET: {}, POST: args, replaced },
      { GET: {}, POST: args, replaced },
    ]);
  });

  it('in a query', async () => {
    const [path] = paths();

    const response = await api.send({ as: world.owner, path: `${path}?who=Andr%E9&a=%C3%A9` });

    expect(seen(response)).toEqual({
      GET: { who: 'Andr\ufffd', a: 'é' },
      POST: {},
      replaced: true,
    });
  });

  it('has headers as they were sent', async () => {
    const [path = ''] = paths();
    const headers = { 'X-Name': Buffer.from('Jürgen').toString('latin1'), 'X-Old': 'J\xfcrgen' };

    const response = await api.send({ as: world.owner, path, body: {}, headers });

    const { META } = JSON.parse(expected(response, 200).result.stdout);
    expect([META.request.HTTP_X_NAME, META.request.HTTP_X_OLD]).toEqual(['Jürgen', 'Jürgen']);
  });
});

describe('a password', () => {
  it('is never one that another one becomes', async () => {
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
  it.each([
    'snippets/',
    'snippets/config/',
    'snippets/scripts/',
    'snippets/scripts/runtimes/',
    'endpoints/',
    'endpoints/scripts/',
    'endpoints/data/',
  ])('%s', async (path) => {
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

  it.each([
    ['POST', 'snippets/scripts/', 'source', members],
    ['POST', 'snippets/scripts/', 'label', members],
    ['PATCH', 'push_notifications/apns/config/', 'production_token_key'],
    ['PATCH', 'push_notifications/gcm/config/', 'production_api_key'],
    ['POST', 'groups/', 'label'],
  ])('is 400: %s %s, field %s', async (method, path, field, others?: typeof members) => {
    const body = withFile(field, others);

    const response = await api.send({ as: world.owner, method, path: world.base + path, body });

    expect(expected(response, 400)).toEqual({ [field]: ['Not a valid string.'] });
  });
});
