import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Citizen, Life } from '../citizen.ts';
import { type Answer, type Call, Interrupted, toAnswer } from '../client.ts';
import { makeShelf, type Shelf } from '../shelf.ts';

/** Behaviour of a client on its connection. */
interface Manner {
  readonly call: Call;
  /** Parts of the request, with a pause between them. */
  readonly parts: readonly (string | Uint8Array)[];
  readonly pauseMs?: number;
  /** Milliseconds after sending in which the client reads nothing. */
  readonly deafMs?: number;
  /** True when the client disconnects after sending. */
  readonly leaves?: boolean;
}

const hangMs = 90_000;

/** Slow clients, clients that disconnect early, and clients that send garbage. */
export const stranger: Citizen = {
  name: 'stranger',
  homes: ['medium', 'own'],
  settle: async (life) => {
    const schema = [{ name: 'text', type: 'text' }];
    const shelf = await makeShelf(life, 'notes', schema);
    for (let n = 0; n < 20; n += 1)
      await shelf.create({ text: `${life.home.mark} ${life.random.word(2_000)}` });
    const acts = [
      () => trickle(life, shelf),
      () => readSlowly(life, shelf),
      () => leaveInTheMiddle(life, shelf),
      () => leaveBeforeTheEnd(life, shelf),
      () => sendGarbage(life, shelf),
      () => sendNonsense(life, shelf),
    ];
    return { act: () => life.random.pick(acts)(), verify: shelf.verify };
  },
};

function head(method: string, path: string, lines: readonly string[]): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: city', 'Connection: close', ...lines, '', ''].join(
    '\r\n',
  );
}

function post({ home }: Life, { path }: Shelf, length: number): string {
  const lines = [`X-API-KEY: ${home.apiKey}`, 'Content-Type: application/json'];
  return head('POST', path, [...lines, `Content-Length: ${length}`]);
}

/** Checks that a body in pieces is stored like any other. */
async function trickle(life: Life, shelf: Shelf): Promise<void> {
  const values = { text: `${life.home.mark} ${life.random.word(100)}` };
  const body = JSON.stringify(values);
  const pieces = body.match(/.{1,12}/g) ?? [];
  const call: Call = { method: 'POST', path: shelf.path, kind: 'odd' };
  const done = shelf.ledger.begin({ kind: 'create', values });
  const parts = [post(life, shelf, body.length), ...pieces];
  const response = await exchange(life, { call, parts, pauseMs: 30 });
  if (response.status !== 201) life.client.fail(call, response, 'expected 201');
  done(response.body.id);
  if (shelf.ledger.ids().length > 60) await shelf.remove(life.random.pick(shelf.ledger.ids()));
}

async function readSlowly(life: Life, { path }: Shelf): Promise<void> {
  const call: Call = { path, kind: 'odd' };
  const parts = [head('GET', path, [`X-API-KEY: ${life.home.apiKey}`])];
  const response = await exchange(life, { call, parts, deafMs: life.random.integer(100, 2_000) });
  if (response.status !== 200 || response.body.objects.length < 20)
    life.client.fail(call, response, 'expected the whole list');
}

/** Checks that an incomplete request has no effect. */
async function leaveInTheMiddle(life: Life, shelf: Shelf): Promise<void> {
  const call: Call = { method: 'POST', path: shelf.path, kind: 'odd' };
  const parts = [post(life, shelf, 1_000), `{"text": "${life.random.word(20)}`];
  await exchange(life, { call, parts, leaves: true });
}

/** Disconnects before the response, so the write may be applied or not. */
async function leaveBeforeTheEnd(life: Life, shelf: Shelf): Promise<void> {
  const values = { text: `${life.home.mark} ${life.random.word(30)}` };
  const body = JSON.stringify(values);
  shelf.ledger.begin({ kind: 'create', values });
  const call: Call = { method: 'POST', path: shelf.path, kind: 'odd' };
  await exchange(life, { call, parts: [post(life, shelf, body.length), body], leaves: true });
}

async function sendGarbage(life: Life, { path }: Shelf): Promise<void> {
  const { random } = life;
  const garbage = random.pick([
    [random.bytes(random.integer(1, 4_000)), '\r\n\r\n'],
    [head('GET', path, [`X-Large: ${'x'.repeat(20_000)}`])],
    [head('BREW', path, [])],
    ['GET / HTTP/9.9\r\n\r\n'],
    [head('POST', path, ['Transfer-Encoding: chunked']), 'zz\r\nnot a chunk\r\n'],
    [head('GET', '/v1.1/%zz/', [])],
  ]);
  const call: Call = { method: 'GET', path: '/garbage', kind: 'odd' };
  const response = await exchange(life, { call, parts: garbage });
  if (response.status < 400 && response.status !== 0)
    life.client.fail(call, response, 'it was accepted');
}

async function sendNonsense({ client, home, random }: Life, { path }: Shelf): Promise<void> {
  const json = (text: string | Buffer) => ({ type: 'application/json', bytes: Buffer.from(text) });
  const as = { key: home.apiKey, path };
  const nonsense: readonly [Call, number][] = [
    [{ ...as, raw: json('{"text": ') }, 400],
    [{ ...as, raw: json(random.bytes(500)) }, 400],
    [{ ...as, raw: json('['.repeat(10_000)) }, 400],
    [{ ...as, raw: { type: 'application/xml', bytes: Buffer.from('<a/>') } }, 415],
    [{ ...as, method: 'DELETE' }, 405],
    [{ ...as, key: random.word(56) }, 403],
    [{ ...as, path: `/v1.1/${random.word(20)}/` }, 404],
    [{ ...as, path: `${path}?query=${random.word(20)}` }, 400],
    [{ ...as, path: `${path}999999999/` }, 404],
  ];
  const [call, status] = random.pick(nonsense);
  await client.expect(call, status);
}

/** Sends bytes over a new connection and reads until the server closes it. */
async function exchange({ client }: Life, manner: Manner): Promise<Answer> {
  const startedMs = performance.now();
  const socket = connect(Number(new URL(client.requestQueue.url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined); // the server may respond and close before it has read everything
  const closed = new Promise<'closed'>((resolve) => socket.on('close', () => resolve('closed')));
  await behave(socket, manner);
  const timer = new AbortController();
  const late = setTimeout(hangMs, 'late' as const, timer).catch(() => 'closed' as const);
  const end = await Promise.race([closed, late]);
  timer.abort();
  socket.destroy();
  const response = parse(Buffer.concat(chunks));
  if (response.status === 0 && !client.requestQueue.isOpen)
    throw new Interrupted('the server was killed');
  if (end === 'late') client.fail(manner.call, response, 'no end after 90 s');
  client.note(manner.call, response, performance.now() - startedMs);
  return response;
}

async function behave(socket: Socket, { parts, pauseMs = 0, ...manner }: Manner): Promise<void> {
  if (manner.deafMs !== undefined) socket.pause();
  for (const [at, part] of parts.entries()) {
    if (at > 0) await setTimeout(pauseMs);
    if (!socket.destroyed) socket.write(part);
  }
  if (manner.leaves) {
    await setTimeout(5);
    socket.destroy();
  }
  if (manner.deafMs !== undefined) {
    await setTimeout(manner.deafMs);
    socket.resume();
  }
}

/** Reads the first response of a connection; status 0 when there is none. */
function parse(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return toAnswer(0, {}, Buffer.alloc(0));
  const [first = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name.toLowerCase(), value.join(': ')];
    }),
  );
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  return toAnswer(status, headers, bytes.subarray(end + 4));
}
