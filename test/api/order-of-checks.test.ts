import { describe, expect } from 'vitest';
import type { Call, Credentials, World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { noMethod } from '../support/responses.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const base = '/v1.1/instances/blog-1/';
const nowhere = '/v1.1/instances/nowhere/';
const told = (status: number, detail: unknown): Outcome => [status, { detail }];
const notFound = told(404, 'Not found.');
const noInstance = told(404, 'Instance was not found.');
const noClass = told(404, 'Class was not found.');
const noSuchKey = told(403, 'No such API Key.');
const forbidden = told(403, 'You do not have permission to perform this action.');
const notAcceptable = told(406, 'Could not satisfy the request Accept header.');
const unsupported = told(415, 'Unsupported media type "application/xml" in request.');
const parseError = told(400, expect.stringMatching(/^JSON parse error - /));
const notAllowed: Outcome = [405, noMethod('PUT')];
const json = { 'Content-Type': 'application/json' };
const xml = { Accept: 'application/xml' };
const page: Partial<Call> = { headers: xml };
const malformed: Partial<Call> = { body: '{', headers: json };
const malformedPage: Partial<Call> = { body: '{', headers: { ...xml, ...json } };
const xmlBody: Partial<Call> = { body: '<a/>', headers: { 'Content-Type': 'application/xml' } };

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Paths of the map without their last slash or in another version are in laws.test.ts. */
describe('a path', () => {
  it.for<readonly [what: string, who: string, path: string]>([
    ['that is unknown is 404 before a bad key', 'bad', '/v1.1/x/'],
    ['with two slashes', 'owner', '/v1.1//instances/'],
    ['with an empty name', 'owner', '/v1.1/instances//classes/'],
    ['without a version', 'owner', '/instances/'],
    ['of money', 'owner', '/v1.1/billing/'],
    ['of newer scripts', 'owner', '/v1.1/instances/blog-1/codeboxes/'],
    ...['constructor', '__proto__', 'hasownproperty', 'tostring'].flatMap((name) => [
      ['that every object of the language has', 'nobody', `/v1.1/${name}/`] as const,
      ['of such a version', 'nobody', `/${name}/instances/`] as const,
    ]),
  ])('%s: %s, %s', async ([_, who, path], { given: { outcomeOf } }) => {
    expect(await outcomeOf(who, `GET ${path}`)).toEqual(notFound);
  });
});

describe('of two faults the first in the order of checks is told', () => {
  type Row = [first: string, who: string, request: string, outcome: Outcome, more?: Partial<Call>];
  const [classes, keys] = [`${base}classes/`, `${base}api_keys/99/`];

  it.for<Row>([
    ['a path before anything', 'nobody', 'POST /v1.1/nowhere/', notFound, malformedPage],
    ['an instance before credentials', 'nobody', `GET ${nowhere}classes/`, noInstance],
    ['one of no name', 'nobody', 'GET /v1.1/instances/no.name/classes/', noInstance],
    ['an instance before what is accepted', 'nobody', `GET ${nowhere}classes/`, noInstance, page],
    ['an instance before the body', 'nobody', `POST ${nowhere}classes/`, noInstance, malformed],
    ['a forged key before an instance', 'forged', `GET ${nowhere}classes/`, noSuchKey],
    ['credentials before a class', 'nobody', `GET ${classes}none/objects/`, forbidden],
    [
      'what is accepted before a class',
      'owner',
      `GET ${classes}none/objects/`,
      notAcceptable,
      page,
    ],
    ['a class before the method', 'owner', `PUT ${classes}none/objects/`, noClass, { body: {} }],
    ['a class before an object', 'owner', `GET ${classes}none/objects/1/`, noClass],
    ['what is accepted before credentials', 'nobody', `GET ${classes}`, notAcceptable, page],
    ['and before a body', 'nobody', `POST ${classes}`, notAcceptable, malformedPage],
    ['a body, read for a key, before rights', 'nobody', `POST ${classes}`, parseError, malformed],
    ['rights of a key before a body', 'reader', `POST ${classes}`, forbidden, malformed],
    ['rights before the method', 'reader', `PUT ${classes}`, forbidden, { body: {} }],
    ['rights of an API key before the method', 'key', `DELETE ${classes}`, forbidden],
    ['rights before an object', 'reader', `DELETE ${classes}none/`, forbidden],
    ['the method before a malformed body', 'owner', `PUT ${classes}`, notAllowed, malformed],
    ['a malformed body before the object', 'owner', `PUT ${keys}`, parseError, malformed],
    ['a body of another type before the object', 'owner', `PUT ${keys}`, unsupported, xmlBody],
    ['the object before values', 'owner', `PUT ${keys}`, notFound, { body: { ignore_acl: 'x' } }],
    ['what is accepted before an object', 'owner', `GET ${keys}`, notAcceptable, page],
    ['no body of a DELETE, but the object', 'owner', `DELETE ${keys}`, notFound, malformed],
  ])('%s', async ([_, who, request, outcome, more], { given: { outcomeOf } }) => {
    expect(await outcomeOf(who, request, more)).toEqual(outcome);
  });
});

/** Those of every path are in laws.test.ts, without their order. */
describe('methods', () => {
  const allowed: readonly [path: string, allow: string][] = [
    ['/', 'GET, HEAD, OPTIONS'],
    [`${base}rename/`, 'POST, OPTIONS'],
    [`${base}classes/x/objects/1/`, 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'],
  ];

  it.for(allowed)('of %s are listed in every response', async ([path, allow], { api, world }) => {
    const responses = await Promise.all([
      api.send({ as: world.owner, path }),
      api.send({ path }),
      api.send({ as: 'bad', path }),
      api.send({ as: world.owner, path, method: 'OPTIONS' }),
      api.send({ as: world.owner, path, headers: xml }),
    ]);

    expect(responses.map(({ headers }) => headers.get('Allow'))).toEqual(Array(5).fill(allow));
  });

  it.for([
    ['PATCH', '/v1.1/'],
    ['POST', '/'],
    ['DELETE', `${base}api_keys/`],
    ['PUT', '/v1.1/account/auth/'],
    ['HEAD', '/v1.1/account/auth/'],
    ['GET', `${base}api_keys/1/reset_key/`],
  ] as const)('%s is not a method of %s', async ([method, path], { api, world }) => {
    const { status, body } = await api.send({ as: world.owner, method, path });

    expect([status, body]).toEqual([405, method === 'HEAD' ? '' : noMethod(method)]);
  });

  it('a body over the limit of the platform is 413', async ({ given: { outcomeOf } }) => {
    const large = { body: ' '.repeat(7_000_000), headers: json };

    expect(await outcomeOf('owner', `POST ${base}api_keys/`, large)).toEqual(
      told(413, expect.stringMatching(/^Request size limit exceeded \(\d+\)\.$/)),
    );
  });
});

describe('the form of the response', () => {
  it.for([
    ['of an instance that is not there', `${nowhere}classes/`],
    ['of a path that is not there', '/v1.1/nowhere/'],
  ] as const)('a browser gets a page %s', async ([_, path], { world }) => {
    const response = await get(world, path);

    expect(response.status).toBe(404);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(response.body).toMatch(/^<!doctype html>/);
  });

  it('a browser with an invalid key gets a page too', async ({ api }) => {
    const response = await api.send({ as: 'bad', path: base, headers: { Accept: browser } });

    expect(response.status).toBe(403);
    expect(response.body).toContain('No such API Key.');
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it('a page escapes values of clients, and its address', async ({ api, world }) => {
    await api.send({
      as: world.owner,
      method: 'PATCH',
      path: base,
      body: { description: '<script>alert("1")</script>/v1.1/x' },
    });

    const page = await get(world, base);
    const missing = await get(world, '/v1.1/%22%3E%3Cscript%3E/');

    for (const { body } of [page, missing]) {
      expect(body.match(/<script/g)).toHaveLength(1); // our own
      expect(body).toContain('&lt;script&gt;');
    }
    expect(page.body).toContain(`<a href="${base}classes/">${base}classes/</a>`);
  });

  it.for([
    ['json', 200],
    ['xml', 404],
  ] as const)('?format=%s', async ([format, status], { world }) => {
    const response = await get(world, `${base}?format=${format}`);

    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });
});

it('names of prototypes in a body are ignored', async ({ given: { outcomeOf } }) => {
  const request = `POST ${base}api_keys/`;
  const body = '{"__proto__": {"ignore_acl": true}, "constructor": 1, "description": null}';

  const made = await outcomeOf('owner', request, {
    body: '{"__proto__": {"ignore_acl": true}}',
    headers: json,
  });

  expect(made).toEqual([201, expect.objectContaining({ ignore_acl: false })]);
  expect(await outcomeOf('owner', request, { body, headers: json })).toEqual([
    400,
    { description: ['This field may not be null.'] },
  ]);
});

async function setUp(world: World) {
  const { api } = world;
  /** Sends `METHOD path`; returns status and body. */
  async function outcomeOf(
    who: string,
    request: string,
    more: Partial<Call> = {},
  ): Promise<Outcome> {
    const [method = '', path = ''] = request.split(' ');
    const { status, body } = await api.send({ as: callers[who], method, path, ...more });
    return [status, body];
  }
  const callers: Readonly<Record<string, Credentials>> = {
    nobody: undefined,
    owner: world.owner,
    reader: await joinAs(world, 'read'),
    key: await world.apiKey(),
    forged: '00'.repeat(28),
    bad: 'bad',
  };
  return { outcomeOf };
}

/** A status and a body. */
type Outcome = readonly [status: number, body: unknown];

const get = (world: World, path: string) =>
  world.api.send({ as: world.owner, path, headers: { Accept: browser } });
