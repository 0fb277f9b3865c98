import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Zippable, zipSync } from 'fflate';
import { expected } from '../support/api.ts';
import { sendRaw } from '../support/http-client.ts';
import type { Release } from './releases.ts';

/*
 * Writes what a released version stores, by its own programs: test/released/README.md.
 *
 * node --import tsx test/released/write-release.ts FOLDER     a clone at the commit of the release, after npm ci
 */

const [clone = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
const root = mkdtempSync(join(tmpdir(), 'groundwork-release-'));
const data = join(root, 'data');
const writtenAt = new Date().toISOString();
const account = { email: 'owner@example.com', password: 'a password' };
const user = { username: 'eve', password: 'another password' };

const args = [join(clone, 'bin/start.mjs'), '--data', data, '--port', '0'];
const server = spawn(process.execPath, args, {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    GROUNDWORK_PASSWORD_COST: '10',
    GROUNDWORK_LOG: 'error',
    GROUNDWORK_PUSH_MODE: 'outbox',
  },
});
process.once('exit', () => server.kill());
const url = await addressOf(server.stdout);
const owner = expected(await call(undefined, 'POST', '/account/register/', account), 201)
  .account_key as string;
await post('', { name: 'library' });
const apiKey = await fill();
// a list of kinds, or before 0.2.0 entities by name
const kindsFile = ['shared/table/kinds.ts', 'shared/store/entities.ts']
  .map((file) => join(clone, file))
  .find((file) => existsSync(file));
if (kindsFile === undefined) throw new Error(`${clone} has no kinds of items`);
const declared: Readonly<Record<string, { readonly kind?: string }>> = await import(kindsFile);
const list = declared.kinds as readonly { readonly kind?: string }[] | undefined; // in the first of these files
const kinds = (list ?? Object.values(declared)).flatMap(({ kind }) => kind ?? []);
const release: Release = {
  writtenAt,
  kinds,
  owner,
  apiKey,
  account,
  user,
  responses: await lists(),
};
groundwork('export', join(root, 'export'), '--url', url, '--key', owner, '--instance', 'library');
groundwork('backup', join(root, 'backup'), '--data', data);
server.kill();
await once(server, 'close');
writeFileSync(join(root, 'release.json'), JSON.stringify(release, undefined, 1));
writeFileSync(new URL(`${version}.zip`, import.meta.url), zipSync(filesOf(root), { level: 9 }));
rmSync(root, { recursive: true });

function call(as: string | undefined, method: string, path: string, body?: unknown) {
  return sendRaw(url, { method, path: `/v1.1${path}`, ...(as && { as }), body });
}

async function post(path: string, body: unknown) {
  const place = path === '' ? '/instances/' : `/instances/library/${path}`;
  return expected(await call(owner, 'POST', place, body), 201);
}

/** Creates a record of each kind that does not run by itself. Returns the key of an API key. */
async function fill(): Promise<string> {
  const schema = [
    { name: 'title', type: 'string', filter_index: true, order_index: true },
    { name: 'pages', type: 'integer' },
    { name: 'next', type: 'reference', target: 'self' },
    { name: 'scan', type: 'file' },
  ];
  await post('classes/', { name: 'book', schema });
  const { id } = await post('classes/book/objects/', {
    title: 'Nana',
    pages: 1880,
  });
  const form = new FormData();
  form.set('title', 'Zürich 😀');
  form.set('next', String(id));
  form.set('scan', new Blob(['a scan'], { type: 'text/plain' }), 'scan.txt');
  await post('classes/book/objects/', form);
  const { api_key: key } = await post('api_keys/', { allow_user_create: true, ignore_acl: true });
  const { id: group } = await post('groups/', { label: 'Readers' });
  const { id: reader } = await post('users/', user);
  await post(`groups/${group}/users/`, { user: reader });
  const script = { label: 'hello', runtime_name: 'nodejs_v6', source: 'console.log(ARGS.a)' };
  const { id: hello } = await post('snippets/scripts/', script);
  await post('endpoints/scripts/', { name: 'hello', script: hello });
  await post('schedules/', { label: 'yearly', script: hello, crontab: '0 0 1 1 *' });
  await post('triggers/', { label: 'new', script: hello, class: 'book', signal: 'post_delete' });
  await post('endpoints/data/', { name: 'long', class: 'book', query: { pages: { _gt: 100 } } });
  const page = { name: 'page', content: '{{ response }}', content_type: 'text/plain' };
  await post('snippets/templates/', page);
  await post('channels/', { name: 'chat', type: 'separate_rooms', custom_publish: true });
  const backup = await post('backups/full/', { label: 'all' });
  const status = async () => expected(await get(`backups/full/${backup.id}/`), 200).status;
  while (!['success', 'error'].includes(await status())) await sleep(100);
  return key;
}

function get(path: string) {
  return call(owner, 'GET', `/instances/library/${path}`);
}

/** Returns lists of what is stored, without addresses. */
async function lists(): Promise<Release['responses']> {
  const parts = ['classes', 'classes/book/objects', 'api_keys', 'groups', 'users', 'channels'];
  parts.push('snippets/scripts', 'snippets/templates', 'endpoints/scripts', 'endpoints/data');
  parts.push('schedules', 'triggers', 'backups/full', 'admins');
  const responses = parts.map(async (part) => {
    const text = JSON.stringify(expected(await get(`${part}/`), 200).objects);
    return {
      path: `/v1.1/instances/library/${part}/`,
      objects: JSON.parse(text.replaceAll(url, '<url>')),
    };
  });
  return Promise.all(responses);
}

function groundwork(...command: readonly string[]): void {
  execFileSync(process.execPath, [join(clone, 'bin/groundwork.mjs'), ...command]);
}

async function addressOf(stdout: Readable): Promise<string> {
  let printed = '';
  while (true) {
    printed += (await once(stdout, 'data'))[0];
    const [, address] = /listens on (http\S+)/.exec(printed) ?? [];
    if (address !== undefined) return address;
  }
}

/** Returns the files of a folder, without sockets and caches. */
function filesOf(folder: string): Zippable {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const left = /cache|lock\.mdb$/;
  const files = entries.filter(
    (each) => each.isFile() && !left.test(join(each.parentPath, each.name)),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(folder, path), readFileSync(path)];
    }),
  );
}
