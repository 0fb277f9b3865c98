import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { descendantsOf, isMarked, listProcesses } from '../support/processes.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import { levels } from './levels.ts';

// A server that is killed, or loses its launcher, while a script spins: no process is left, at any sandbox level.

let root: string;
let server: ServerProcess;
afterEach(async () => {
  endProcesses();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});
afterAll(endProcesses);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'groundwork-end-'));
});

const spinning = [
  ['JavaScript', 'nodejs', 'for (;;);'],
  ['Python', 'python3', 'while True: pass'],
] as const;

async function post(path: string, body: object, key = ''): Promise<Answer['body']> {
  const response = await fetch(`${server.url}/v1.1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': key },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** Starts a server on whose level a script spins; returns the pending response. */
async function startSpinning(level: string, runtime_name: string, source: string) {
  server = await startProcess(join(root, 'data'), {
    args: ['--sandbox', level],
    variables: { TMPDIR: root },
  });
  await expect.poll(server.output, { timeout: 60_000 }).toMatch(/JavaScript ok.*Python ok/);
  const person = { email: 'owner@example.com', password: 'a password' };
  const { account_key: key } = await post('/account/register/', person);
  await post('/instances/', { name: 'shop-1' }, key);
  const at = '/instances/shop-1';
  const script = { label: 'spins', runtime_name, source, config: { timeout: 300 } };
  const { id } = await post(`${at}/snippets/scripts/`, script, key);
  await post(`${at}/endpoints/scripts/`, { name: 'spins', script: id }, key);
  const response = post(`${at}/endpoints/scripts/spins/run/`, {}, key).catch(() => 'no response');
  await waitForRun(`${at}/endpoints/scripts/spins/traces/`, key);
  return { response };
}

/** Waits until the run has started, and its process has spun for a while. */
async function waitForRun(path: string, key: string): Promise<void> {
  const statuses = async () => {
    const response = await fetch(`${server.url}/v1.1${path}`, { headers: { 'X-API-KEY': key } });
    const { objects }: Answer['body'] = await response.json();
    return objects.map(({ status }: { readonly status: string }) => status);
  };
  await expect.poll(statuses, { timeout: 60_000 }).toEqual(['processing']);
  await expect.poll(mostTicks, { timeout: 60_000 }).toBeGreaterThan(150);
}

/** Processor time of the busiest process below the server, in hundredths of a second. */
function mostTicks(): number {
  const ticks = descendantsOf(server.pid).map(({ pid }) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return Math.max(0, ...ticks);
}

/** Processes of this server, wherever they are by now. */
const left = () =>
  listProcesses()
    .filter((each) => isMarked(each, root))
    .map(({ name }) => name);

describe.runIf(process.platform === 'linux').each(levels)('at the level %s', (level) => {
  test.each(spinning)('a killed server leaves no %s', async (_name, runtime, source) => {
    await startSpinning(level, runtime, source);
    const family = descendantsOf(server.pid);

    await server.end('SIGKILL');

    await expect.poll(() => aliveOf(family), { timeout: 20_000 }).toEqual([]);
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  });

  test.each(spinning)(
    'a killed launcher leaves no %s, and ends the server',
    async (_name, runtime, source) => {
      const { response } = await startSpinning(level, runtime, source);
      const family = descendantsOf(server.pid);
      const launcher = family.find(
        ({ parent, pid }) => parent === server.pid && isLauncher(pid, family),
      );
      const ended = server.end('SIGCONT'); // no signal that has an effect: waits for the end

      process.kill(launcher?.pid ?? 0, 'SIGKILL');

      expect(await ended).toBe(1);
      expect(await response).toMatchObject({ status: 'failure' });
      await expect.poll(() => aliveOf(family), { timeout: 20_000 }).toEqual([]);
      expect(server.complaints()).toContain('the launcher of child processes has ended');
    },
  );
});

test('folders of runs whose server was killed are deleted at the next start', async () => {
  await startSpinning('flags', 'nodejs', 'for (;;);');
  const launcher = descendantsOf(server.pid).find(({ parent }) => parent === server.pid);
  process.kill(launcher?.pid ?? 0, 'SIGSTOP'); // it would delete them itself
  process.kill(server.pid, 'SIGKILL');
  process.kill(launcher?.pid ?? 0, 'SIGKILL');
  const before = await folders();

  server = await startProcess(join(root, 'data'), { variables: { TMPDIR: root } });
  await expect.poll(folders, { timeout: 60_000 }).toEqual([]);

  expect(before.length).toBeGreaterThanOrEqual(1);
  expect(await server.end('SIGTERM')).toBe(0);
});

async function folders(): Promise<readonly string[]> {
  return (await readdir(root)).filter((name) => name.startsWith('groundwork-script-'));
}

function aliveOf(family: ReturnType<typeof listProcesses>): readonly string[] {
  const all = new Set(listProcesses().map(({ pid, startedAt }) => `${pid} ${startedAt}`));
  return family
    .filter(({ pid, startedAt }) => all.has(`${pid} ${startedAt}`))
    .map(({ name }) => name);
}

/** The launcher is the one child of the server that has children. */
function isLauncher(pid: number, family: ReturnType<typeof listProcesses>): boolean {
  return family.some(({ parent }) => parent === pid);
}
