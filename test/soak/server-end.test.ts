import { readFileSync } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, test as base, describe, expect } from 'vitest';
import { levels } from '../scripts/levels.ts';
import { bringSnapshot } from '../scripts/python-hosts.ts';
import type { ApiResponse } from '../support/api.ts';
import { descendantsOf, isMarked, listProcesses } from '../support/processes.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary.ts';

// A server is killed, or loses its launcher, while a script spins: no process is left, at any sandbox level.

const test = base.extend('root', temporaryFolder('groundwork-end-'));
// the runners of a server of root are another user's
test.beforeEach(({ root }) => chmod(root, 0o711));
afterEach(endProcesses);

const spinning = [
  ['nodejs', 'for (;;);'],
  ['python3', 'while True: pass'],
] as const;

describe.runIf(process.platform === 'linux').each(levels)('at the level %s', (level) => {
  test('a killed server leaves no JavaScript and no Python', async ({ root }) => {
    const { server } = await startSpinning(root, level, spinning);
    const family = descendantsOf(server.pid);

    await server.end('SIGKILL');

    await expect.poll(() => aliveOf(family), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => left(root), { timeout: 20_000 }).toEqual([]);
  });

  test('a killed launcher leaves no JavaScript and no Python, and ends the server', async ({
    root,
  }) => {
    const { server, responses } = await startSpinning(root, level, spinning);
    const family = descendantsOf(server.pid);
    const launcher = family.find(
      ({ parent, pid }) => parent === server.pid && isLauncher(pid, family),
    );
    const ended = server.end('SIGCONT'); // no signal that has an effect: waits for the end

    process.kill(launcher?.pid ?? 0, 'SIGKILL');

    expect(await ended).toBe(1);
    expect(await Promise.all(responses)).toMatchObject(spinning.map(() => ({ status: 'failure' })));
    await expect.poll(() => aliveOf(family), { timeout: 20_000 }).toEqual([]);
    expect(server.complaints()).toContain('the launcher of child processes has ended');
  });
});

test('what runs of a killed server have left is ended and deleted at the next start', async ({
  root,
}) => {
  const level = levels.find((each) => each !== 'bubblewrap') ?? 'flags'; // a box has its own folder
  const { server } = await startSpinning(root, level, spinning.slice(0, 1));
  const launcher = descendantsOf(server.pid).find(({ parent }) => parent === server.pid);
  process.kill(launcher?.pid ?? 0, 'SIGSTOP'); // otherwise the launcher deletes them
  process.kill(server.pid, 'SIGKILL');
  process.kill(launcher?.pid ?? 0, 'SIGKILL');
  const before = await folders(root);

  const next = await startProcess(join(root, 'data'), { variables: { TMPDIR: root } });
  const abandoned = async () => (await folders(root)).filter((name) => before.includes(name));
  await expect.poll(abandoned, { timeout: 60_000 }).toEqual([]);
  const working = () =>
    before.filter((name) => listProcesses().some((each) => isMarked(each, name)));
  await expect.poll(working, { timeout: 20_000 }).toEqual([]); // the script that was in an endless loop

  expect(before.length).toBeGreaterThanOrEqual(1);
  expect(await next.end('SIGTERM')).toBe(0);
});

async function folders(root: string): Promise<readonly string[]> {
  return (await readdir(root)).filter((name) => name.startsWith('groundwork-script-'));
}

function aliveOf(family: ReturnType<typeof listProcesses>): readonly string[] {
  const all = new Set(listProcesses().map(({ pid, startedAt }) => `${pid} ${startedAt}`));
  return family
    .filter(({ pid, startedAt }) => all.has(`${pid} ${startedAt}`))
    .map(({ name }) => name);
}

/** Checks for the launcher, the only child of the server that has children. */
function isLauncher(pid: number, family: ReturnType<typeof listProcesses>): boolean {
  return family.some(({ parent }) => parent === pid);
}

async function post(
  { url }: ServerProcess,
  path: string,
  body: object,
  key = '',
): Promise<ApiResponse['body']> {
  const response = await fetch(`${url}/v1.1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': key },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** Starts a server on whose level these scripts spin, all at once; returns the pending responses. */
async function startSpinning(
  root: string,
  level: string,
  scripts: readonly (readonly [string, string])[],
) {
  const folder = join(root, 'data');
  if (level === 'flags') await bringSnapshot(folder);
  const server = await startProcess(folder, {
    args: ['--sandbox', level],
    variables: { TMPDIR: root },
  });
  await expect.poll(server.output, { timeout: 60_000 }).toMatch(/JavaScript ok.*Python ok/);
  const person = { email: 'owner@example.com', password: 'a password' };
  const { account_key: key } = await post(server, '/account/register/', person);
  await post(server, '/instances/', { name: 'shop-1' }, key);
  const at = '/instances/shop-1';
  const responses: Promise<ApiResponse['body']>[] = [];
  for (const [runtime_name, source] of scripts) {
    const script = { label: 'spins', runtime_name, source, config: { timeout: 300 } };
    const { id } = await post(server, `${at}/snippets/scripts/`, script, key);
    const path = `${at}/endpoints/scripts/${runtime_name}`;
    await post(server, `${at}/endpoints/scripts/`, { name: runtime_name, script: id }, key);
    responses.push(post(server, `${path}/run/`, {}, key).catch(() => 'no response'));
    await waitForRun(server, `${path}/traces/`, key);
  }
  const ticks = level === 'flags' ? 120 : 20; // Pyodide takes 100 to start, and the others less than 10
  const count = () => descendantsOf(server.pid).filter(({ pid }) => ticksOf(pid) > ticks).length;
  await expect.poll(count, { timeout: 60_000 }).toBeGreaterThanOrEqual(scripts.length); // they have spun for a while
  return { server, responses };
}

/** Waits until the run has started. */
async function waitForRun(server: ServerProcess, path: string, key: string): Promise<void> {
  const statuses = async () => {
    const response = await fetch(`${server.url}/v1.1${path}`, { headers: { 'X-API-KEY': key } });
    const { objects }: ApiResponse['body'] = await response.json();
    return objects.map(({ status }: { readonly status: string }) => status);
  };
  await expect.poll(statuses, { timeout: 60_000 }).toEqual(['processing']);
}

/** Returns the processor time of a process, in hundredths of a second. */
function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Returns all processes of this server, including orphans. */
const left = (root: string) =>
  listProcesses()
    .filter((each) => isMarked(each, root))
    .map(({ name }) => name);
