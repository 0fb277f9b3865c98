import { Hono } from 'hono';
import { handle, type LambdaContext } from 'hono/aws-lambda';
import { test as base, expect } from 'vitest';
import type { Handler } from '../../shared/platforms/aws/gateway.ts';
import { startServer } from '../../shared/platforms/local/server/server.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import { behindGateway } from '../aws-emulator/gateway-event.ts';

/*
 * Requests of the local server as events of the tests' gateway, read by a library for such events: the result must
 * equal the request.
 */

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = base.extend('url', { scope: 'file' }, async ({}, { onCleanup }) => {
  const server = await startEcho();
  onCleanup(() => server.stop());
  return server.url;
});

const binary = Buffer.from([0, 255, 254, 10, 13]);

it.for<[string, string, object]>([
  ['a plain read', '/v1.1/instances/', { query: {} }],
  [
    'repeated and encoded parameters',
    '/a/?x=1&x=2&y=%26%3D+z',
    { query: { x: ['1', '2'], y: ['&= z'] } },
  ],
  [
    'a path with non-ASCII letters and spaces',
    '/caf%C3%A9/a%20b/',
    { path: '/café/a b/', query: {} },
  ],
  ['a path without a trailing slash', '/a/b', { query: {} }],
])('%s', async ([, path, understood], { url }) => {
  const response = await fetch(url + path);

  expect(await response.json()).toEqual({
    method: 'GET',
    path: path.split('?')[0],
    body: '',
    ...understood,
  });
});

it.for<[string, string, Buffer]>([
  ['JSON', 'application/json', Buffer.from('{"é": 1}')],
  ['text', 'text/plain', Buffer.from('a=1')],
  ['a form', 'application/x-www-form-urlencoded', Buffer.from('a=1&b=%20')],
  ['bytes', 'application/octet-stream', binary],
  ['bytes with the type JSON', 'application/json', binary],
])('a body of %s', async ([, type, body], { url }) => {
  const response = await fetch(`${url}/a/`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
  });

  expect(await response.json()).toEqual({
    method: 'POST',
    path: '/a/',
    query: {},
    type,
    body: body.toString('base64'),
  });
});

it('repeated headers, and cookies', async ({ url }) => {
  const headers = new Headers({ Cookie: 'a=1; b=2' });
  headers.append('X-List', 'one');
  headers.append('X-List', 'two');

  const response = await fetch(`${url}/a/`, { headers });

  expect(await response.json()).toMatchObject({ cookie: 'a=1; b=2', list: 'one, two' });
});

function startEcho() {
  const context = {} as LambdaContext; // the library does not read it
  // both have their own types for the same event and result
  const handler: Handler = async (event) =>
    (await library(event as never, context)) as Awaited<ReturnType<Handler>>;
  return startServer({
    serve: behindGateway(handler),
    log: () => undefined,
    clock: openClock(),
    ids: openIds(),
    host: '127.0.0.1',
    port: 0,
  });
}

const echo = new Hono().all('*', async (context) => {
  const { req } = context;
  const bytes = Buffer.from(await req.arrayBuffer());
  return context.json({
    method: req.method,
    path: decodeURIComponent(new URL(req.url).pathname),
    query: req.queries(),
    cookie: req.header('cookie'),
    list: req.header('x-list'),
    type: req.header('content-type'),
    body: bytes.toString('base64'),
  });
});

const library = handle(echo);
