import { beforeAll, describe, expect, it } from 'vitest';
import { api } from '../support/api-fixture.ts';
import { joinAs } from '../support/join-as.ts';
import { noMethod } from '../support/responses.ts';
import { scenarios } from '../support/scenarios.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

let reader: string;
let key: string;

beforeAll(async () => {
  reader = await joinAs(world, 'read');
  key = await world.apiKey();
});

const owner = () => ({ as: world.owner });
const asReader = () => ({ as: reader });
const asKey = () => ({ as: key });
const base = '/v1.1/instances/blog-1/';
const xml = { Accept: 'application/xml' };
const notFound = { detail: 'Not found.' };
const noInstance = { detail: 'Instance was not found.' };
const noClass = { detail: 'Class was not found.' };
const noSuchKey = { detail: 'No such API Key.' };
const forbidden = { detail: 'You do not have permission to perform this action.' };
const notAcceptable = { detail: 'Could not satisfy the request Accept header.' };
const unsupported = { detail: 'Unsupported media type "application/xml" in request.' };
const parseError = { detail: expect.stringMatching(/^JSON parse error - /) };
const malformed = { body: '{', headers: { 'Content-Type': 'application/json' } };

scenarios('a path', () => api, [
  { name: 'that is unknown is 404 before a bad key', path: '/v1.1/x/', as: 'bad', status: 404 },
  { name: 'without its last slash', path: '/v1.1/instances', given: owner, status: 404 },
  { name: 'of the item without it', path: base.slice(0, -1), given: owner, status: 404 },
  { name: 'with two slashes', path: '/v1.1//instances/', given: owner, status: 404 },
  { name: 'with an empty name', path: '/v1.1/instances//classes/', given: owner, status: 404 },
  { name: 'of another version', path: '/v2/instances/', given: owner, status: 404 },
  { name: 'of version 3', path: '/v3/instances/', given: owner, status: 404 },
  { name: 'without a version', path: '/instances/', given: owner, status: 404 },
  { name: 'of a version in capitals', path: '/V1.1/instances/', given: owner, status: 404 },
  { name: 'of money', path: '/v1.1/billing/', given: owner, status: 404, response: notFound },
  { name: 'of older scripts', path: '/v1/instances/blog-1/snippets/', given: owner, status: 404 },
]);

scenarios('of two faults the first in the order of checks is told', () => api, [
  {
    name: 'a path before anything',
    path: '/v1.1/nowhere/',
    method: 'POST',
    ...malformed,
    headers: { ...xml, 'Content-Type': 'application/xml' },
    status: 404,
    response: notFound,
  },
  {
    name: 'an instance before credentials',
    path: '/v1.1/instances/nowhere/classes/',
    status: 404,
    response: noInstance,
  },
  {
    name: 'an instance that no name can have before credentials',
    path: '/v1.1/instances/no.name/classes/',
    status: 404,
    response: noInstance,
  },
  {
    name: 'an instance before what is accepted',
    path: '/v1.1/instances/nowhere/classes/',
    headers: xml,
    status: 404,
    response: noInstance,
  },
  {
    name: 'an instance before a malformed body',
    path: '/v1.1/instances/nowhere/classes/',
    method: 'POST',
    ...malformed,
    status: 404,
    response: noInstance,
  },
  {
    name: 'a forged key before an instance',
    path: '/v1.1/instances/nowhere/classes/',
    as: '00'.repeat(28),
    status: 403,
    response: noSuchKey,
  },
  {
    name: 'credentials before a class',
    path: `${base}classes/none/objects/`,
    status: 403,
    response: forbidden,
  },
  {
    name: 'what is accepted before a class',
    path: `${base}classes/none/objects/`,
    headers: xml,
    given: owner,
    status: 406,
    response: notAcceptable,
  },
  {
    name: 'a class before the method',
    path: `${base}classes/none/objects/`,
    method: 'PUT',
    body: {},
    given: owner,
    status: 404,
    response: noClass,
  },
  {
    name: 'a class before an object',
    path: `${base}classes/none/objects/1/`,
    given: owner,
    status: 404,
    response: noClass,
  },
  {
    name: 'what is accepted before missing credentials',
    path: `${base}classes/`,
    headers: xml,
    status: 406,
    response: notAcceptable,
  },
  {
    name: 'what is accepted before a body without a key',
    path: `${base}classes/`,
    method: 'POST',
    body: '{',
    headers: { ...xml, 'Content-Type': 'application/json' },
    status: 406,
    response: notAcceptable,
  },
  {
    name: 'a malformed body, read for a key, before missing credentials',
    path: `${base}classes/`,
    method: 'POST',
    ...malformed,
    status: 400,
    response: parseError,
  },
  {
    name: 'missing rights before a malformed body, where a key came outside of it',
    path: `${base}classes/`,
    method: 'POST',
    ...malformed,
    given: asReader,
    status: 403,
    response: forbidden,
  },
  {
    name: 'missing rights before the method',
    path: `${base}classes/`,
    method: 'PUT',
    body: {},
    given: asReader,
    status: 403,
    response: forbidden,
  },
  {
    name: 'missing rights before the method, with an API key',
    path: `${base}classes/`,
    method: 'DELETE',
    given: asKey,
    status: 403,
    response: forbidden,
  },
  {
    name: 'missing rights before an object',
    path: `${base}classes/none/`,
    method: 'DELETE',
    given: asReader,
    status: 403,
    response: forbidden,
  },
  {
    name: 'the method before a malformed body',
    path: `${base}classes/`,
    method: 'PUT',
    ...malformed,
    given: owner,
    status: 405,
    response: noMethod('PUT'),
  },
  {
    name: 'a malformed body before the object',
    path: `${base}api_keys/99/`,
    method: 'PUT',
    ...malformed,
    given: owner,
    status: 400,
    response: parseError,
  },
  {
    name: 'a body of another type before the object',
    path: `${base}api_keys/99/`,
    method: 'PUT',
    body: '<a/>',
    given: owner,
    headers: { 'Content-Type': 'application/xml' },
    status: 415,
    response: unsupported,
  },
  {
    name: 'the object before validation',
    path: `${base}api_keys/99/`,
    method: 'PUT',
    body: { ignore_acl: 'x' },
    given: owner,
    status: 404,
    response: notFound,
  },
  {
    name: 'what is accepted before the path of an object',
    path: `${base}api_keys/99/`,
    headers: xml,
    given: owner,
    status: 406,
    response: notAcceptable,
  },
]);

describe('methods', () => {
  const allowed: readonly [path: string, allow: string][] = [
    ['/', 'GET, HEAD, OPTIONS'],
    ['/v1.1/', 'GET, HEAD, OPTIONS'],
    ['/v1.1/account/', 'GET, PUT, PATCH, HEAD, OPTIONS'],
    ['/v1.1/account/auth/', 'POST, OPTIONS'],
    ['/v1.1/instances/', 'GET, POST, HEAD, OPTIONS'],
    [base, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    [`${base}rename/`, 'POST, OPTIONS'],
    [`${base}api_keys/`, 'GET, POST, HEAD, OPTIONS'],
    [`${base}api_keys/1/`, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    [`${base}api_keys/1/reset_key/`, 'POST, OPTIONS'],
    [`${base}classes/x/objects/`, 'GET, POST, HEAD, OPTIONS'],
    [`${base}classes/x/objects/1/`, 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'],
  ];

  it.each(allowed)('of %s are listed in every response', async (path, allow) => {
    const answers = await Promise.all([
      api.send({ as: world.owner, path }),
      api.send({ path }),
      api.send({ as: 'bad', path }),
      api.send({ as: world.owner, path, method: 'OPTIONS' }),
      api.send({ as: world.owner, path, headers: xml }),
    ]);

    expect(answers.map(({ headers }) => headers.get('Allow'))).toEqual(Array(5).fill(allow));
  });

  it.each([
    ['PATCH', '/v1.1/'],
    ['POST', '/'],
    ['DELETE', `${base}api_keys/`],
    ['PUT', '/v1.1/account/auth/'],
    ['HEAD', '/v1.1/account/auth/'],
    ['GET', `${base}api_keys/1/reset_key/`],
  ])('%s is not a method of %s', async (method, path) => {
    const { status, body } = await api.send({ as: world.owner, method, path });

    expect([status, body]).toEqual([405, method === 'HEAD' ? '' : noMethod(method)]);
  });

  it('HEAD has the headers of GET', async () => {
    const path = `${base}api_keys/`;

    const head = await api.send({ as: world.owner, method: 'HEAD', path });
    const get = await api.send({ as: world.owner, path });

    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'));
  });

  it('a body of GET and DELETE is ignored', async () => {
    const headers = { 'Content-Type': 'application/json' };

    const answer = await api.send({
      as: world.owner,
      method: 'DELETE',
      path: `${base}api_keys/99/`,
      body: '{',
      headers,
    });

    expect([answer.status, answer.body]).toEqual([404, notFound]);
  });
});

describe('bodies', () => {
  it.each(['text/html', 'application/xml', 'image/png', 'application/json2'])(
    'of %s are not supported',
    async (type) => {
      const { status, body } = await api.send({
        as: world.owner,
        path: `${base}api_keys/`,
        body: 'x',
        headers: { 'Content-Type': type },
      });

      expect([status, body]).toEqual([
        415,
        { detail: `Unsupported media type "${type}" in request.` },
      ]);
    },
  );

  it('over the limit of the platform are 413', async () => {
    const { status, body } = await api.send({
      as: world.owner,
      path: `${base}api_keys/`,
      body: ' '.repeat(7_000_000),
      headers: { 'Content-Type': 'application/json' },
    });

    expect([status, body]).toEqual([
      413,
      { detail: expect.stringMatching(/^Request size limit exceeded \(\d+\)\.$/) },
    ]);
  });
});

describe('the form of the response', () => {
  const get = (path: string, accept?: string) =>
    api.send({ as: world.owner, path, ...(accept && { headers: { Accept: accept } }) });
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it.each([undefined, '*/*', 'application/*', 'application/json', 'text/*;q=0.1, */*'])(
    '%s is JSON',
    async (accept) => {
      const { headers } = await get(base, accept);

      expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    },
  );

  it.each([
    ['of what is there', base, 200],
    ['of what is not there', `${base}api_keys/99/`, 404],
    ['of an instance that is not there', '/v1.1/instances/nowhere/classes/', 404],
    ['of a path that is not there', '/v1.1/nowhere/', 404],
  ])('a browser gets a page %s', async (_, path, status) => {
    const answer = await get(path, browser);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(answer.body).toMatch(/^<!doctype html>/);
  });

  it('a browser with an invalid key gets a page too', async () => {
    const answer = await api.send({ as: 'bad', path: base, headers: { Accept: browser } });

    expect(answer.status).toBe(403);
    expect(answer.body).toContain('No such API Key.');
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it('a page escapes values of clients, and its address', async () => {
    await api.send({
      as: world.owner,
      method: 'PATCH',
      path: base,
      body: { description: '<script>alert("1")</script>/v1.1/x' },
    });

    const page = await get(base, browser);
    const missing = await get('/v1.1/%22%3E%3Cscript%3E/', browser);

    for (const { body } of [page, missing]) {
      expect(body.match(/<script/g)).toHaveLength(1); // our own
      expect(body).toContain('&lt;script&gt;');
    }
    expect(page.body).toContain(`<a href="${base}classes/">${base}classes/</a>`);
  });

  it.each([
    ['json', 200],
    ['xml', 404],
  ])('?format=%s', async (format, status) => {
    const answer = await get(`${base}?format=${format}`, browser);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });
});

scenarios('names that every object of the language has name nothing', () => api, [
  ...['constructor', '__proto__', 'hasownproperty', 'tostring'].flatMap((name) => [
    { name: `path ${name}`, path: `/v1.1/${name}/`, status: 404, response: notFound },
    { name: `version ${name}`, path: `/${name}/instances/`, status: 404, response: notFound },
    {
      name: `instance ${name}`,
      path: `/v1.1/instances/${name}/`,
      given: owner,
      status: 404,
      response: notFound,
    },
    {
      name: `below instance ${name}`,
      path: `/v1.1/instances/${name}/classes/`,
      status: 404,
      response: noInstance,
    },
    {
      name: `class ${name}`,
      path: `${base}classes/${name}/`,
      given: owner,
      status: 404,
      response: notFound,
    },
    {
      name: `objects of ${name}`,
      path: `${base}classes/${name}/objects/`,
      given: owner,
      status: 404,
      response: noClass,
    },
  ]),
  {
    name: 'in a body that creates',
    method: 'POST',
    path: `${base}api_keys/`,
    given: owner,
    status: 400,
    headers: { 'Content-Type': 'application/json' },
    body: '{"__proto__": {"ignore_acl": true}, "constructor": 1, "description": null}',
    response: { description: ['This field may not be null.'] },
  },
  {
    name: 'in a query',
    path: `${base}api_keys/?__proto__=1&constructor=2&page_size=0`,
    given: owner,
    status: 200,
    response: { next: null, prev: null, objects: [] },
  },
]);

it('a flag in a prototype is ignored', async () => {
  const { status, body } = await api.send({
    as: world.owner,
    method: 'POST',
    path: `${base}api_keys/`,
    headers: { 'Content-Type': 'application/json' },
    body: '{"__proto__": {"ignore_acl": true}}',
  });

  expect([status, body.ignore_acl]).toEqual([201, false]);
});
