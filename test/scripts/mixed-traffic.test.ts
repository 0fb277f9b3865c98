import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test as base, describe, expect } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { descendantsOf, isMarked, listProcesses } from '../support/processes.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary.ts';

/*
 * Scripts of both runtimes at once against a server process: alternating requests, updates and deletions of the
 * scripts. Takes about MIXED_SECONDS.
 */

const seconds = Number(process.env.MIXED_SECONDS ?? 60);
/** Time limits, five times those of an idle machine, because tests share the machine. */
const slowestMs = { p99: 5_000, firstRun: 5_000 };

const sources = {
  nodejs: 'console.log(1)',
  python3: 'print(1)',
};
type RuntimeName = keyof typeof sources;
const runtimes: readonly RuntimeName[] = ['nodejs', 'python3'];

const test = base
  .extend('folder', { scope: 'file' }, temporaryFolder('groundwork-mixed-'))
  .extend('server', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    onCleanup(endProcesses);
    const temporary = join(folder, 'tmp');
    await mkdir(temporary);
    const variables = { TMPDIR: temporary };
    return { folder, ...(await startProcess(join(folder, 'data'), { variables })) };
  })
  .extend('owner', { scope: 'file' }, ({ server }) => signUp(server, 'mixed-shop'));

describe.skipIf(process.platform !== 'linux')('scripts of both runtimes at once', () => {
  test('four clients that alternate between a Node and a Python script get only successes', async ({
    server,
    owner,
  }) => {
    const paths: string[] = [];
    for (const runtime of runtimes)
      paths.push(await makeEndpoint(owner, runtime, await makeScript(owner, runtime)));
    const call = (turn: number) => owner.send(paths[turn % paths.length] ?? '', { method: 'POST' });
    const clients = [call, call, call, call];

    const early = drive(clients, seconds * 125);
    const mostEarly = await watchProcesses(server, early);
    expect(Object.keys((await early).outcomes)).toEqual(['1']);
    const late = drive(clients, seconds * 375);
    const mostLate = await watchProcesses(server, late);

    expect(Object.keys((await late).outcomes)).toEqual(['1']);
    expect(mostLate).toBeLessThanOrEqual(mostEarly * 2 + 8);
    expect((await late).p99Ms).toBeLessThan(slowestMs.p99);
  });

  test('a script whose runtime and source change continuously runs as one of its versions', async ({
    owner,
  }) => {
    const id = await makeScript(owner, 'nodejs');
    const path = await makeEndpoint(owner, 'edited', id);
    const script = `${owner.base}snippets/scripts/${id}/`;
    const call = () => owner.send(path, { method: 'POST' });
    let version = 0;
    const statuses = new Set<number>();
    const edit = async () => {
      version += 1;
      const runtime: RuntimeName = version % 2 === 0 ? 'nodejs' : 'python3';
      const print = runtime === 'nodejs' ? 'console.log' : 'print';
      const body = { runtime_name: runtime, source: `${print}("version " + "${runtime}")` };
      statuses.add((await owner.send(script, { method: 'PATCH', body })).status);
      await setTimeout(50);
    };

    const endMs = performance.now() + seconds * 250;
    const edits = (async () => {
      while (performance.now() < endMs) await edit();
    })();
    const versions = ['1', 'version nodejs', 'version python3'];
    const { outcomes } = await drive([call, call], seconds * 250, versions);
    await edits;

    expect(Object.keys(outcomes).filter((each) => !versions.includes(each))).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThan(0);
    expect([...statuses]).toEqual([200]);
  });

  test('scripts that are deleted while they run leave nothing behind', async ({ owner }) => {
    const lives = async (turn: number) => {
      const runtime = runtimes[turn % runtimes.length] ?? 'nodejs';
      const id = await makeScript(owner, runtime);
      const path = await makeEndpoint(owner, `short-${process.hrtime.bigint()}`, id);
      const first = await owner.send(path, { method: 'POST' });
      const last = owner.send(path, { method: 'POST' });
      const script = `${owner.base}snippets/scripts/${id}/`;
      const gone = await owner.send(script, { method: 'DELETE' });
      expect(gone.status).toBe(204);
      expect(['1', 'HTTP 404']).toContain(outcome(await last));
      return first;
    };

    const { outcomes } = await drive([lives, lives], seconds * 250);

    expect(Object.keys(outcomes)).toEqual(['1']);
  });

  test.for(runtimes)(
    'after the load the first %s run of a new account is fast',
    async (name, { server }) => {
      const newcomer = await signUp(server, `newcomer-${name}`);
      const path = await makeEndpoint(newcomer, 'first', await makeScript(newcomer, name));

      const startedMs = performance.now();
      const response = await newcomer.send(path, { method: 'POST' });

      expect(outcome(response)).toBe('1');
      expect(performance.now() - startedMs).toBeLessThan(slowestMs.firstRun);
    },
  );

  test('no process is orphaned, and none outlives the server', async ({ server }) => {
    const few = { timeout: 10_000, interval: 50 };
    await expect.poll(() => countProcesses(server).orphans, few).toBe(0);

    expect(await server.end('SIGTERM')).toBe(0);

    await expect.poll(() => countProcesses(server), few).toEqual({ below: 0, orphans: 0 });
    expect(server.complaints()).toBe('');
  });
});

interface Tenant {
  /** Path of the instance. */
  readonly base: string;
  /** Sends a request of the account. */
  send(path: string, sent?: Sent): Promise<ApiResponse>;
}

interface Sent {
  readonly method?: string;
  readonly body?: object;
}

async function send(url: string, key: string | undefined, sent: Sent = {}): Promise<ApiResponse> {
  const { body, method = body === undefined ? 'GET' : 'POST' } = sent;
  const response = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', ...(key && { 'X-API-KEY': key }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

async function signUp({ url }: ServerProcess, name: string): Promise<Tenant> {
  const person = { email: `${name}@example.com`, password: 'a password' };
  const account = await send(`${url}/v1.1/account/register/`, undefined, { body: person });
  const key = String(account.body.account_key);
  const own: Tenant['send'] = (path, sent) => send(url + path, key, sent);
  expect((await own('/v1.1/instances/', { body: { name } })).status).toBe(201);
  return { base: `/v1.1/instances/${name}/`, send: own };
}

async function makeScript(owner: Tenant, runtime: RuntimeName): Promise<number> {
  const body = { runtime_name: runtime, source: sources[runtime] };
  const made = await owner.send(`${owner.base}snippets/scripts/`, { body });
  expect(made.status).toBe(201);
  return made.body.id;
}

/** Creates an endpoint that runs a script and returns the path of its run. */
async function makeEndpoint(owner: Tenant, name: string, script: number): Promise<string> {
  const made = await owner.send(`${owner.base}endpoints/scripts/`, { body: { name, script } });
  expect(made.status).toBe(201);
  return made.body.links.run;
}

/** Returns the output of a successful run, otherwise its status and error. */
function outcome({ status, body }: ApiResponse): string {
  if (status !== 200) return `HTTP ${status}`;
  return body.status === 'success'
    ? String(body.result.stdout)
    : `${body.status}: ${JSON.stringify(body.result)}`;
}

/** Results of the clients: each outcome with its count, and the milliseconds of the requests. */
interface Traffic {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly p99Ms: number;
}

/** Sends requests from several clients until the time is over or an outcome is unexpected. */
async function drive(
  clients: readonly ((turn: number) => Promise<ApiResponse>)[],
  ms: number,
  allowed: readonly string[] = ['1'],
): Promise<Traffic> {
  let endMs = performance.now() + ms;
  const outcomes: Record<string, number> = {};
  const took: number[] = [];
  const live = async (call: (turn: number) => Promise<ApiResponse>, first: number) => {
    for (let turn = first; performance.now() < endMs; turn += 1) {
      const startedMs = performance.now();
      const name = outcome(await call(turn));
      outcomes[name] = (outcomes[name] ?? 0) + 1;
      took.push(performance.now() - startedMs);
      if (!allowed.includes(name)) endMs = 0;
    }
  };
  await Promise.all(clients.map(live));
  took.sort((a, b) => a - b);
  return { outcomes, p99Ms: took[Math.floor(took.length * 0.99)] ?? 0 };
}

/** A server, whose folder is in the environment of all its processes. */
type Marked = ServerProcess & { readonly folder: string };

/** Counts the processes of the server: its descendants, and orphaned ones. */
function countProcesses(server: Marked): { readonly below: number; readonly orphans: number } {
  const all = listProcesses();
  const below = new Set(descendantsOf(server.pid, all).map(({ pid }) => pid));
  const others = all.filter(({ pid }) => !below.has(pid) && pid !== server.pid);
  return {
    below: below.size,
    orphans: others.filter((each) => isMarked(each, server.folder)).length,
  };
}

/** Returns the maximum of processes from now until `until` settles. */
async function watchProcesses(server: Marked, until: Promise<unknown>): Promise<number> {
  let most = 0;
  let isOver = false;
  const end = until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { below, orphans } = countProcesses(server);
    most = Math.max(most, below + orphans);
    await Promise.race([end.catch(() => undefined), setTimeout(100)]);
  }
  return most;
}
