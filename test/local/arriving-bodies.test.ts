import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, expected, openWorld, startApi, type World } from '../support/api.ts';

/* Requests before their body has arrived, and bodies that do not arrive. Most of it is waiting, so they run together. */

let api: Api;
let world: World;
let other: World;
let path: string;
let key: string;
let otherKey: string;
let otherPath: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  api = await startApi();
  world = await openWorld(api);
  other = await openWorld(api, 'blog-2');
  const schema = [
    { name: 'text', type: 'string' },
    { name: 'scan', type: 'file' },
  ];
  path = `${await world.dataClass('note', schema)}objects/`;
  otherPath = `${await other.dataClass('note', schema)}objects/`;
  key = await world.apiKey({ ignore_acl: true });
  otherKey = await other.apiKey({ ignore_acl: true });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await api.close();
});

interface Sent {
  readonly to?: string;
  readonly method?: string;
  readonly bytes?: number;
  readonly headers?: readonly string[];
}

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

const withKey = (text: string) => [`X-API-KEY: ${text}`];
const forged = '00'.repeat(28);

describe.concurrent('before its body a request is rejected', () => {
  test.each<[string, () => Sent, number]>([
    ['at an unknown path', () => ({ to: '/v1.1/nowhere/' }), 404],
    ['at a path without a trailing slash', () => ({ to: path.slice(0, -1) }), 404],
    ['with a forged key', () => ({ headers: withKey(forged) }), 403],
    [
      'with a forged link',
      () => ({ to: `${world.base}endpoints/scripts/p/${forged}/`, bytes: 500_000 }),
      404,
    ],
    ['with an unknown method', () => ({ method: 'PUT', headers: withKey(key) }), 405],
    ['without a key, with a method without a body', () => ({ method: 'DELETE' }), 403],
    ['without a key, over 64 KB', () => ({ bytes: 65_537 }), 413],
    ['with a key, over 6 MB', () => ({ bytes: 6_291_457, headers: withKey(key) }), 413],
    [
      'over the limit of a payload',
      () => ({
        to: `${world.base}endpoints/scripts/x/run/`,
        bytes: 524_289,
        headers: withKey(world.owner),
      }),
      413,
    ],
  ])('%s', async (_, sent, status) => {
    const answer = await answerOf(sendHead(sent(), '{'));

    expect(answer.status).toBe(status);
    expect(answer.head).toMatch(/connection: close/i);
    expect(answer.answeredMs).toBeLessThan(4000);
    expect(answer.closedMs - answer.answeredMs).toBeLessThan(4000);
  });

  test('without 100 Continue', async () => {
    const headers = ['Expect: 100-continue'];

    const answer = await answerOf(sendHead({ headers }));

    expect(answer.head).toMatch(/^HTTP\/1.1 413 /);
  });

  test('during the upload, and the client gets the response', async () => {
    const socket = sendHead({ bytes: 50_000_000 });
    const sending = setInterval(() => socket.write(Buffer.alloc(100_000)), 10);

    const answer = await answerOf(socket);
    clearInterval(sending);

    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      413,
      { detail: 'Request size limit exceeded (65536).' },
    ]);
  });
});

describe.concurrent('a body that does not arrive', () => {
  const tooSlow = '{"detail":"Request took too long to arrive."}';

  test.each<[string, () => Socket]>([
    ['a large one that stops', () => sendHead({ headers: withKey(key) }, 'x'.repeat(500_000))],
    ['a small one that stops', () => sendHead({ bytes: 3000 }, '{')],
    ['one that never starts', () => sendHead({ bytes: 60_000 })],
  ])(
    'is dropped: %s',
    async (_, begin) => {
      const answer = await answerOf(begin());

      expect([answer.status, answer.body]).toEqual([408, tooSlow]);
      expect(answer.answeredMs).toBeGreaterThan(4000);
      expect(answer.answeredMs).toBeLessThan(14_000);
    },
    30_000,
  );

  test('is dropped when it is large and trickles', async () => {
    const socket = sendHead({ headers: withKey(key) }, 'x');
    const trickling = setInterval(() => socket.write('x'), 200);

    const answer = await answerOf(socket);
    clearInterval(trickling);

    expect([answer.status, answer.body]).toEqual([408, tooSlow]);
    expect(answer.answeredMs).toBeLessThan(14_000);
  }, 30_000);

  test('may trickle for a while when it is small', async () => {
    const body = JSON.stringify({ text: 'slow' });
    const socket = sendHead({
      bytes: body.length,
      headers: [...withKey(key), 'Connection: close'],
    });
    const answer = answerOf(socket);
    for (const letter of body) {
      socket.write(letter);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }

    expect((await answer).status).toBe(201);
  }, 30_000);
});

test('a body that does not arrive uses no more than the share of its instance', async () => {
  const begin = () => sendHead({ bytes: 6_000_000, headers: withKey(key) }, 'x'.repeat(70_000));
  const held = [begin(), begin()];
  await new Promise((resolve) => setTimeout(resolve, 300));
  const body = { text: 'a', ignored: 'x'.repeat(5_900_000) };

  const refused = await answerOf(begin());
  const others = await api.send({ as: otherKey, path: otherPath, body });
  for (const socket of held) socket.destroy();

  expect(refused.status).toBe(503);
  expect(refused.head).toMatch(/retry-after: 1/i);
  expect(others.status).toBe(201);
}, 30_000);

test('a download that its client aborts is no error', async () => {
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
