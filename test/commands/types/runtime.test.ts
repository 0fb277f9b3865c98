import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connect } from '../../../shared/clients/typed/client.ts';
import { GroundworkError } from '../../../shared/clients/typed/requests.ts';
import { PathError } from '../../../shared/values/text/request-path.ts';
import { startHttpServer } from '../http-server.ts';

/* The runtime of typed clients with a server that fails, on which each request is seen. */

type Respond = (response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body));
const broken: Respond = (response) => response.destroy();

interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Connects to a server that has these responses, in their order. */
async function start(...responses: readonly Respond[]) {
  return startBelow('', ...responses);
}

/** Connects to such a server below a path of its host. */
async function startBelow(prefix: string, ...responses: readonly Respond[]) {
  const seen: Seen[] = [];
  const address = await startHttpServer(async (request, response) => {
    const { method, url, headers } = request;
    const respond = responses[seen.length] ?? json(418, {});
    seen.push({ method, path: url, headers, body: await text(request) });
    respond(response);
  });
  const url = address + prefix;
  const links = { open: 'endpoints/scripts/p/abc/' };
  return { ...connect({ url, instance: 'library', apiKey: 'key' }, links), seen };
}

const dots = ['..', '.', '%2e%2e', '.%2E', ''];

test.each(dots)('no call of the client has %j as a name in its path', async (name) => {
  const { client, collection, endpoint, seen } = await start();
  const book = collection('book');
  const id = name as unknown as number; // of a program without types

  const calls = [
    () => client.run(name as never),
    () => client.publish(name as never, {}),
    () => client.subscribe(name as never).next(),
    () => collection(name).list(),
    () => collection(name).create({}),
    () => book.get(id),
    () => book.update(id, {}),
    () => book.delete(id),
    () => endpoint(name, 'book').list(),
    () => client.request(`groups/${name}/`, { method: 'DELETE' }),
  ];

  for (const call of calls) await expect((async () => call())()).rejects.toThrow(PathError);
  expect(seen).toEqual([]);
});

test.each(['https://evil.example/', '//evil.example/', 'https:x', '/\\evil.example/'])(
  'a request to %s is not sent',
  async (path) => {
    const { client, seen } = await start();

    await expect(client.request(path)).rejects.toThrow(PathError);

    expect(seen).toEqual([]);
  },
);

/** Reads a list to its end. */
async function allOf(list: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const item of list) all.push(item);
  return all;
}

test('a request is repeated when the server says when', async () => {
  const busy = json(429, { detail: 'Too many requests.' }, { 'Retry-After': '0.01' });
  const { client, seen } = await start(busy, busy, json(200, { id: 1 }));

  const group = await client.request('groups/', { method: 'POST', body: { label: 'a' } });

  expect(group).toEqual({ id: 1 });
  expect(seen.map(({ method, body }) => [method, body])).toEqual(
    Array(3).fill(['POST', '{"label":"a"}']),
  );
});

test.each([
  ['after five times', Array(5).fill(json(503, {}, { 'Retry-After': '0.01' })), 503],
  ['when it says nothing', [json(429, {})], 429],
  ['when it is too long', [json(503, {}, { 'Retry-After': '60' })], 503],
])('a request is not repeated %s', async (_name, responses, status) => {
  const { client, seen } = await start(...responses);

  await expect(client.request('groups/')).rejects.toMatchObject({ status });
  expect(seen).toHaveLength(responses.length);
});

test('a subscription continues after errors of the connection and of the server', async () => {
  const message = { id: 8, payload: { n: 1 } };
  const { client, seen } = await start(
    json(200, { objects: [{ id: 5 }] }),
    (response) => response.writeHead(204, { 'X-Last-Id': '7' }).end(),
    broken,
    json(200, message),
  );

  const messages = client.subscribe('chat', { room: 'a b' });

  expect(await messages.next()).toEqual({ done: false, value: message });
  expect(seen.map(({ path }) => path?.replace('/v1.1/instances/library', ''))).toEqual([
    '/channels/chat/history/?page_size=1&room=a+b',
    '/channels/chat/poll/?last_id=5&room=a+b',
    '/channels/chat/poll/?last_id=7&room=a+b',
    '/channels/chat/poll/?last_id=7&room=a+b',
  ]);
});

test('a subscription ends with an error that another try would not change', async () => {
  const { client } = await start(json(200, { objects: [] }), json(403, { detail: 'No.' }));

  const next = client.subscribe('chat').next();

  await expect(next).rejects.toThrow('GET /v1.1/instances/library/channels/chat/poll/: 403 No.');
});

test('keys are sent, and not to public links', async () => {
  const user = json(200, { id: 1, user_key: 'mine' });
  const { client, seen } = await start(user, ...Array(4).fill(json(200, {})));

  await client.login({ username: 'ada', password: 'secret' });
  await client.run('open', { who: 'Ada' });
  await client.run('closed');
  client.logout();
  await client.request('groups/');

  const keys = seen.map(({ path, headers }) => [
    path?.replace('/v1.1/instances/library/', ''),
    headers['x-api-key'],
    headers['x-user-key'],
  ]);
  expect(keys).toEqual([
    ['user/auth/', 'key', undefined],
    ['endpoints/scripts/p/abc/', undefined, undefined],
    ['endpoints/scripts/closed/run/', 'key', 'mine'],
    ['groups/', 'key', undefined],
  ]);
});

test('the query of a long address is sent in the body', async () => {
  const { collection, seen } = await start(json(200, { objects: [], next: null }));
  const where = { title: { _in: ['x'.repeat(5000)] } };

  await collection('book').list({ where, pageSize: 5 });

  expect(seen).toMatchObject([
    {
      method: 'POST',
      path: '/v1.1/instances/library/classes/book/objects/',
      headers: { 'content-type': 'text/plain' },
    },
  ]);
  const sent = { query: JSON.stringify(where), page_size: '5', _method: 'GET' };
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual(sent);
});

test('an error shows every message of its response', async () => {
  const body = { title: ['Too long.', 'No.'], profile: { age: ['Bad.'] }, non_field_errors: ['x'] };
  const { client } = await start(json(400, body, { 'X-Error-Code': 'invalid_input' }));

  const error = await client.request('groups/').catch((caught: unknown) => caught);

  expect(error).toBeInstanceOf(GroundworkError);
  expect(error).toMatchObject({
    message: 'GET /v1.1/instances/library/groups/: 400 title: Too long. No.; profile: age: Bad.; x',
    status: 400,
    code: 'invalid_input',
    body,
  });
});

test('all pages of a list are below the path of the server', async () => {
  const next = '/v1.1/instances/library/classes/book/objects/?page=2';
  const first = json(200, { objects: [{ id: 1 }], next });
  const { collection, seen } = await startBelow(
    '/tools/gw/',
    first,
    json(200, { objects: [], next: null }),
  );

  await allOf(collection('book').all());

  expect(seen.map(({ path }) => path)).toEqual([
    '/tools/gw/v1.1/instances/library/classes/book/objects/',
    `/tools/gw${next}`,
  ]);
});

test.each(['https://example.com/x', '//example.com/x', '/\\\\example.com/x'])(
  'a link to %s is not followed',
  async (next) => {
    const first = json(200, { objects: [{ id: 1 }], next });
    const { collection, seen } = await start(first, json(200, { objects: [], next: null }));

    await expect(allOf(collection('book').all())).rejects.toThrow(PathError);

    expect(seen).toHaveLength(1);
  },
);
