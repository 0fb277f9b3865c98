import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcesses, startProcess } from '../test/support/server-process.ts';

/*
 * Measures polls and streams on one channel of a server process: how soon a message reaches all, and what they cost
 * while nothing happens. `npm run bench:listeners -- 200 200 20`: polls, streams, seconds of idleness. The server has
 * served requests before, so that compiled code and a heap for requests are not counted as the listeners' memory.
 */

const [polls = 200, streams = 200, idleSeconds = 20] = process.argv.slice(2).map(Number);
const messages = 20;
const requestsBefore = 1000;
const networkMs = 20; // delay before the next poll of a client
const ticksPerSecond = 100; // of /proc/<pid>/stat

process.on('exit', endProcesses); // also after an error
const folder = mkdtempSync(join(tmpdir(), 'groundwork-listeners-'));
const server = await startProcess(folder);
const open: Socket[] = [];

interface Sent {
  readonly path: string;
  readonly key?: string;
  readonly body?: object;
}

/** What the responses that are read here contain. */
interface Made {
  readonly account_key: string;
  readonly api_key: string;
  readonly id: number;
}

async function send({ path, key, body }: Sent): Promise<Made> {
  const response = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<Made>; // each has the member that is read
}

/** A connection, with little work of its own: client and server share the machine. */
interface Connection {
  ask(path: string): void;
}

/** Opens a connection, and calls `receive` with what arrives. */
function connectTo(receive: (text: string, connection: Connection) => void): Connection {
  const { port, hostname: host } = new URL(server.url);
  const socket = connect({ port: Number(port), host, noDelay: true });
  const connection: Connection = {
    ask: (path) => socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`),
  };
  socket.setEncoding('latin1').on('data', (text: string) => receive(text, connection));
  open.push(socket);
  return connection;
}

function cpuSeconds(): number {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
  const [, fields = ''] = /\) (.*)/.exec(stat) ?? [];
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / ticksPerSecond;
}

function memoryBytes(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

const register = { email: 'bench@example.com', password: 'a password' };
const { account_key: account } = await send({ path: '/v1.1/account/register/', body: register });
const base = '/v1.1/instances/bench-1/';
await send({ path: '/v1.1/instances/', key: account, body: { name: 'bench-1' } });
const made = { ignore_acl: true };
const { api_key: key } = await send({ path: `${base}api_keys/`, key: account, body: made });
const channel = { name: 'chat', custom_publish: true };
await send({ path: `${base}channels/`, key: account, body: channel });
const path = `${base}channels/chat/`;
const publish = () => send({ path: `${path}publish/`, key, body: { payload: { text: 'hello' } } });

let received = 0;
let last = 0;
for (let n = 0; n < requestsBefore / 2; n += 1) {
  await publish();
  await send({ path: `${path}history/`, key });
}
const before = memoryBytes();
const pollPath = (id: string | number) => `${path}poll/?api_key=${key}&last_id=${id}`;
({ id: last } = await publish());
for (let n = 0; n < polls; n += 1) {
  const poll = connectTo((text, connection) => {
    const id = /\r\nx-last-id: (\d+)/.exec(text)?.[1];
    if (id === undefined) throw new Error(text);
    received += 1;
    setTimeout(() => connection.ask(pollPath(id)), networkMs);
  });
  poll.ask(pollPath(last));
}
for (let n = 0; n < streams; n += 1) {
  const stream = connectTo((text) => {
    received += text.split('data: ').length - 1;
  });
  stream.ask(`${path}stream/?api_key=${key}&last_id=${last}`);
}
await pause(2000);
const listening = memoryBytes();

const times: number[] = [];
const busy = cpuSeconds();
for (let n = 0; n < messages; n += 1) {
  received = 0;
  const startedMs = performance.now();
  await publish();
  while (received < polls + streams) await pause(1);
  times.push(performance.now() - startedMs);
  await pause(200);
}
const first = times.slice(0, 5).map((ms) => ms.toFixed(0));
times.sort((a, b) => a - b);
const cpu = cpuSeconds();
const perMessage = ((cpu - busy) / messages) * 1000;
await pause(idleSeconds * 1000);
const idle = (cpuSeconds() - cpu) / idleSeconds;

const each = (listening - before) / (polls + streams);
process.stdout.write(`${polls} polls, ${streams} streams
a message reaches all: median ${times[messages / 2]?.toFixed(0)} ms, slowest ${times.at(-1)?.toFixed(0)} ms, ${perMessage.toFixed(0)} ms of CPU
the first messages, whose code is not compiled yet: ${first.join(', ')} ms
idle: ${(idle * 100).toFixed(2)} % of a core, ${(each / 1000).toFixed(1)} kB each\n`);
for (const socket of open) socket.destroy();
await server.end('SIGTERM');
rmSync(folder, { recursive: true });
