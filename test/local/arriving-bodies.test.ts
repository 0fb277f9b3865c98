import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { expected, openWorld, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/* Requests before their body has arrived, and bodies that do not arrive. Most of it is waiting, so they run together. */

const test = worldTest().extend('given', { scope: 'file' }, async ({ world }, { onCleanup }) => {
  const given = await setUp(world);
  onCleanup(() => {
    for (const socket of given.sockets) socket.destroy();
  });
  return given;
});

const withKey = (text: string) => [`X-API-KEY: ${text}`];
const forged = '00'.repeat(28);

describe.concurrent('before its body a request is rejected', () => {
  test.for<[string, (given: Given) => Sent, number]>([
    ['at an unknown path', () => ({ to: '/v1.1/nowhere/' }), 404],
    ['at a path without a trailing slash', ({ path }) => ({ to: path.slice(0, -1) }), 404],
    ['with a forged key', () => ({ headers: withKey(forged) }), 403],
    [
      'with a forged link',
      ({ base }) => ({ to: `${base}endpoints/scripts/p/${forged}/`, bytes: 500_000 }),
      404,
    ],
    ['with an unknown method', ({ key }) => ({ method: 'PUT', headers: withKey(key) }), 405],
    ['without a key, with a method without a body', () => ({ method: 'DELETE' }), 403],
    ['without a key, over 64 KB', () => ({ bytes: 65_537 }), 413],
    ['with a key, over 6 MB', ({ key }) => ({ bytes: 6_291_457, headers: withKey(key) }), 413],
    [
      'over the limit of a payload',
      ({ base, owner }) => ({
        to: `${base}endpoints/scripts/x/run/`,
        bytes: 524_289,
        headers: withKey(owner),
      }),
      413,
    ],
  ])('%s', async ([, sent, status], { given }) => {
    const response = await answerOf(given.sendHead(sent(given), '{'));

    expect(response.status).toBe(status);
    expect(response.head).toMatch(/connection: close/i);
    expect(response.answeredMs).toBeLessThan(4000);
    expect(response.closedMs - response.answeredMs).toBeLessThan(4000);
  });

  test('without 100 Continue', async ({ given: { sendHead } }) => {
    const headers = ['Expect: 100-continue'];

    const response = await answerOf(sendHead({ headers }));

    expect(response.head).toMatch(/^HTTP\/1.1 413 /);
  });

  test('during the upload, and the client gets the response', async ({ given: { sendHead } }) => {
    const socket = sendHead({ bytes: 50_000_000 });
    const sending = setInterval(() => socket.write(Buffer.alloc(100_000)), 10);

    const response = await answerOf(socket);
    clearInterval(sending);

    expect([response.status, JSON.parse(response.body)]).toEqual([
      413,
      { detail: 'Request size limit exceeded (65536).' },
    ]);
  });
});

describe.concurrent('a body that does not arrive', () => {
  const tooSlow = '{"detail":"Request took too long to arrive."}';

  test.for<[string, (given: Given) => Socket]>([
    [
      'a large one that stops',
      ({ sendHead, key }) => sendHead({ headers: withKey(key) }, 'x'.repeat(500_000)),
    ],
    ['a small one that stops', ({ sendHead }) => sendHead({ bytes: 3000 }, '{')],
    ['one that never starts', ({ sendHead }) => sendHead({ bytes: 60_000 })],
  ])('is dropped: %s', { timeout: 30_000 }, async ([, begin], { given }) => {
    const response = await answerOf(begin(given));

    expect([response.status, response.body]).toEqual([408, tooSlow]);
    expect(response.answeredMs).toBeGreaterThan(4000);
    expect(response.answeredMs).toBeLessThan(14_000);
  });

  test('is dropped when it is large and trickles', { timeout: 30_000 }, async ({
    given: { sendHead, key },
  }) => {
    const socket = sendHead({ headers: withKey(key) }, 'x');
    const trickling = setInterval(() => socket.write('x'), 200);

    const response = await answerOf(socket);
    clearInterval(trickling);

    expect([response.status, response.body]).toEqual([408, tooSlow]);
    expect(response.answeredMs).toBeLessThan(14_000);
  });

  test('may trickle for a while when it is small', { timeout: 30_000 }, async ({
    given: { sendHead, key },
  }) => {
    const body = JSON.stringify({ text: 'slow' });
    const socket = sendHead({
      bytes: body.length,
      headers: [...withKey(key), 'Connection: close'],
    });
    const response = answerOf(socket);
    for (const letter of body) {
      socket.write(letter);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }

    expect((await response).status).toBe(201);
  });
});

test('a body that does not arrive uses no more than the share of its instance', {
  timeout: 30_000,
}, async ({ given, api }) => {
  const { sendHead, key, other } = given;
  const begin = () => sendHead({ bytes: 6_000_000, headers: withKey(key) }, 'x'.repeat(70_000));
  const held = [begin(), begin()];
  await new Promise((resolve) => setTimeout(resolve, 300));
  const body = { text: 'a', ignored: 'x'.repeat(5_900_000) };

  const refused = await answerOf(begin());
  const others = await api.send({ ...other, body });
  for (const socket of held) socket.destroy();

  expect(refused.status).toBe(503);
  expect(refused.head).toMatch(/retry-after: 1/i);
  expect(others.status).toBe(201);
});

test('a download that its client aborts is no error', async ({ api, given: { key, path } }) => {
  const form = new FormData();
  form.append('scan', new Blob(['x'.repeat(4_000_000)]), 'scan.txt');
  const made = expected(await api.send({ as: key, path, body: form }), 201);
  const before = api.logged.length;

  for (let round = 0; round < 5; round += 1) {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(`GET ${new URL(made.scan.value).pathname} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
  }
  const logged = () => api.logged.slice(before);
  while (logged().length < 5) await new Promise((resolve) => setTimeout(resolve, 10));

  expect(logged().filter(({ level }) => level === 'error')).toEqual([]);
});

type Given = Awaited<ReturnType<typeof setUp>>;

interface Sent {
  readonly to?: string;
  readonly method?: string;
  readonly bytes?: number;
  readonly headers?: readonly string[];
}

async function setUp(world: World) {
  const { api, base, owner } = world;
  const other = await openWorld(api, 'blog-2');
  const schema = [
    { name: 'text', type: 'string' },
    { name: 'scan', type: 'file' },
  ];
  const open = async (of: World) => ({
    path: `${await of.dataClass('note', schema)}objects/`,
    as: await of.apiKey({ ignore_acl: true }),
  });
  const { path, as: key } = await open(world);
  const sockets: Socket[] = [];
  /** Sends the head of a request, and the start of its body. */
  function sendHead(
    { to = path, method = 'POST', bytes = 1_000_000, headers = [] }: Sent,
    begin = '',
  ) {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    sockets.push(socket);
    const lines = [
      `${method} ${to} HTTP/1.1`,
      'Host: x',
      'Content-Type: application/json',
      ...headers,
    ];
    socket.write(`${[...lines, `Content-Length: ${bytes}`].join('\r\n')}\r\n\r\n${begin}`);
    return socket.on('error', () => undefined);
  }
  return { base, owner, path, key, other: await open(other), sendHead, sockets };
}

/** Returns the bytes of a response until the connection closes, and the duration. */
async function answerOf(socket: Socket) {
  let text = '';
  const started = performance.now();
  let answeredMs = 0;
  socket.setEncoding('utf8').on('data', (part) => {
    answeredMs ||= performance.now() - started;
    text += part;
  });
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 0);
  return { status, head, body, answeredMs, closedMs: performance.now() - started };
}
