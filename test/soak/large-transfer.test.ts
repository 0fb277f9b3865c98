import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../shared/clients/client.ts';
import { hasEndpoint, setup, teardown } from '../aws-emulator/dynamodb-local.ts';
import { openProject, type Project } from '../commands/groundwork.ts';
import { anonymousBytes } from '../support/processes.ts';
import { startProcess } from '../support/server-process.ts';

/*
 * Export and import of many objects: memory does not grow with their number, a killed import continues, and the two
 * instances are equal. `TRANSFER_OBJECTS=1000000` for as many; a tenth of them on DynamoDB Local, which is slow.
 */

const count = Number(process.env.TRANSFER_OBJECTS ?? 3_000);
const testMs = 120_000 + count * 20;
/** Bytes of private memory, whatever the number of objects. */
const bounds = { command: 160e6, server: 360e6 };

/** A server process. */
interface Server {
  readonly url: string;
  readonly pid: number;
}

afterAll(teardown);

async function startLocal(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-large-'));
  const server = await startProcess(folder, { node: ['--max-semi-space-size=32'] }); // as npm start
  onTestFinished(async () => {
    await server.end('SIGTERM');
    rmSync(folder, { recursive: true });
  });
  return server;
}

async function startOnDynamoDB(): Promise<Server> {
  await setup();
  const program = fileURLToPath(new URL('dynamodb-server.ts', import.meta.url));
  const node = ['--max-semi-space-size=32', '--import', 'tsx'];
  const child = spawn(process.execPath, [...node, program], {
    env: { ...process.env, TEST_MEDIUM: 'dynamodb' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.stdin.end();
    await once(child, 'close');
  });
  const [url] = await once(createInterface(child.stdout), 'line');
  return { url, pid: child.pid ?? 0 };
}

/** An instance, with a function that sends requests as its owner. */
interface Instance {
  readonly name: string;
  readonly key: string;
  readonly post: (path: string, body: object) => Promise<{ readonly id: number }>;
}

async function openInstance({ url }: Server, name: string): Promise<Instance> {
  const person = { email: `${name}@example.com`, password: 'a password' };
  const path = '/v1.1/account/register/';
  const { account_key: key } = (await openClient(url)({ path, body: person })).body;
  const send = openClient(url, key);
  const base = '/v1.1/instances/';
  await send({ path: base, body: { name } });
  const post: Instance['post'] = async (below, body) =>
    (await send({ path: `${base}${name}/${below}`, body })).body;
  return { name, key, post };
}

const pageSize = 100;
const writersAtOnce = 4;

/** Creates objects that refer to others and belong to a user and a group. */
async function fill({ post }: Instance, size: number): Promise<void> {
  const group = await post('groups/', { label: 'staff' });
  const user = await post('users/', { username: 'ann', password: 'a secret' });
  const schema = [
    { name: 'title', type: 'string', filter_index: true, order_index: true },
    { name: 'text', type: 'text' },
    { name: 'pages', type: 'integer' },
    { name: 'next', type: 'reference', target: 'self' },
    { name: 'extra', type: 'object' },
  ];
  await post('classes/', { name: 'book', schema });
  const first = 10; // above the ids of profiles
  const record = (at: number) => ({
    id: first + at,
    created_at: '2020-01-02T03:04:05.000006Z',
    updated_at: '2021-01-02T03:04:05.000006Z',
    revision: 1 + (at % 3),
    owner: user.id,
    group: at % 2 === 0 ? group.id : null,
    title: `Book ${at}`,
    text: 'All of it. '.repeat(20 + (at % 10)),
    pages: at,
    next: first + ((at * 7) % size),
    extra: { tags: [at, `${at}`] },
  });
  let at = 0;
  const write = async () => {
    while (at < size) {
      const from = at;
      at += pageSize;
      const length = Math.min(pageSize, size - from);
      const records = Array.from({ length }, (_, n) => record(from + n));
      await post('import/', { kind: 'objects', class: 'book', records });
    }
  };
  await Promise.all(Array.from({ length: writersAtOnce }, write));
}

interface Watched {
  readonly server: Server;
  /** Highest bytes so far. */
  readonly peaks: { command: number; server: number };
  /** Tells when the command is to be killed. */
  readonly isEnough?: (() => boolean) | undefined;
}

/** Waits for the end of a command, and watches its memory. Returns its exit code or the signal. */
async function watch(child: ChildProcess, { server, peaks, isEnough }: Watched): Promise<unknown> {
  const ended = once(child, 'close');
  child.stderr?.pipe(process.stderr);
  while (child.exitCode === null && child.signalCode === null) {
    peaks.command = Math.max(peaks.command, anonymousBytes(child.pid ?? 0));
    peaks.server = Math.max(peaks.server, anonymousBytes(server.pid));
    if (isEnough?.()) child.kill('SIGKILL');
    await Promise.race([ended, setTimeout(20)]);
  }
  const [code, signal] = await ended;
  return code ?? signal;
}

/** Returns how many bytes of books a running import has sent. */
function importedBytes(folder: string): number {
  const [name] = readdirSync(folder).filter((each) => /^import-.*\.json$/.test(each));
  if (name === undefined) return 0;
  const { position } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return position?.part === 'objects/book' ? position.start : 0;
}

/** Returns a digest of each file with records. */
async function digestsOf({ folder }: Project, name: string): Promise<Record<string, string>> {
  const parts = ['groups', 'users', 'objects/book', 'objects/user_profile'];
  const digests = parts.map(async (part) => {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name, `${part}.jsonl`)), hash);
    return [part, hash.digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}

type Medium = readonly [name: string, start: () => Promise<Server>, size: number];

const media: readonly Medium[] = [
  ['LMDB', startLocal, count],
  ...(hasEndpoint() ? [['DynamoDB', startOnDynamoDB, Math.ceil(count / 10)] as const] : []),
];

test.each(media)('many objects on %s', { timeout: testMs }, async (medium, start, size) => {
  const server = await start();
  const library = await openInstance(server, 'library');
  const copies = await openInstance(server, 'copies');
  const times: string[] = [];
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const result = await work();
    times.push(`${what} ${Math.round(performance.now() - startedMs) / 1000} s`);
    return result;
  };
  await timed('fill', () => fill(library, size));
  const project = openProject();
  const peaks = { command: 0, server: 0 };
  const run = (what: string, to: Instance, isEnough?: () => boolean) => {
    const [command = '', folder = ''] = what.split(' ');
    const place = ['--url', server.url, '--key', to.key, '--instance', to.name];
    const child = project.spawn(command, folder, ...place);
    return timed(what, () => watch(child, { server, peaks, isEnough }));
  };

  const exported = await run('export data', library);
  const folder = join(project.folder, 'data');
  const { size: bytes } = statSync(join(folder, 'objects', 'book.jsonl'));
  const killed = await run('import data', copies, () => importedBytes(folder) > bytes / 3);
  const continued = await run('import data', copies);
  const again = await run('export again', copies);

  const megabytes = Object.entries(peaks).map(
    ([who, peak]) => `${who} ${Math.round(peak / 1e6)} MB`,
  );
  process.stdout.write(`${medium}, ${size} objects: ${[...times, ...megabytes].join(', ')}\n`);
  expect([exported, killed, continued, again]).toEqual([0, 'SIGKILL', 0, 0]);
  expect(await digestsOf(project, 'again')).toEqual(await digestsOf(project, 'data'));
  expect(peaks.command).toBeLessThan(bounds.command);
  expect(peaks.server).toBeLessThan(bounds.server);
});
