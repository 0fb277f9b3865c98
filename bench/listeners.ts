import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startProcess } from '../test/support/server-process.ts';

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

const folder = mkdtempSync(join(tmpdir(), 'groundwork-listeners-'));
const server = await startProcess(folder);
const open: ClientRequest[] = [];
const agent = new Agent({ keepAlive: true });

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

/** Sends a request, and calls `receive` with each piece of its response. */
function listen(path: string, receive: (piece: string) => void): void {
  const sent = request(server.url + path, { agent }, (response) => {
    response.setEncoding('utf8').on('data', receive);
    response.on('error', () => undefined); // closed at the end
  });
  sent.on('error', () => undefined);
  sent.end();
  open.push(sent);
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
const poll = (lastId: number) =>
  listen(`${path}poll/?api_key=${key}&last_id=${lastId}`, (piece) => {
    received += 1;
    setTimeout(poll, networkMs, JSON.parse(piece).id);
  });
({ id: last } = await publish());
for (let n = 0; n < polls; n += 1) poll(last);
for (let n = 0; n < streams; n += 1) {
  listen(`${path}stream/?api_key=${key}&last_id=${last}`, (piece) => {
    received += piece.split('data: ').length - 1;
  });
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
times.sort((a, b) => a - b);
const cpu = cpuSeconds();
const perMessage = ((cpu - busy) / messages) * 1000;
await pause(idleSeconds * 1000);
const idle = (cpuSeconds() - cpu) / idleSeconds;

const each = (listening - before) / (polls + streams);
process.stdout.write(`${polls} polls, ${streams} streams
a message reaches all: median ${times[messages / 2]?.toFixed(0)} ms, slowest ${times.at(-1)?.toFixed(0)} ms, ${perMessage.toFixed(0)} ms of CPU
idle: ${(idle * 100).toFixed(2)} % of a core, ${(each / 1000).toFixed(1)} kB each\n`);
for (const sent of open) sent.destroy();
await server.end('SIGTERM');
rmSync(folder, { recursive: true });
