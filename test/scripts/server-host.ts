import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Level } from '../../shared/platforms/local/scripts/sandbox/level.ts';
import type { ScriptRuntime } from '../../shared/ports/script-runner.ts';
import type { ScriptResult } from '../../shared/scripts/rules/script-result.ts';
import type { ApiResponse } from '../support/api.ts';
import { type ProcessOptions, startProcess } from '../support/server-process.ts';
import { secret } from './hosts.ts';
import { bringSnapshot } from './python-hosts.ts';

/** A server process with its own data folder that runs scripts. */
export interface ServerHost {
  readonly pid: number;
  /** The data file of the server. */
  readonly dataFile: string;
  /** Standard error of the server so far. */
  readonly complaints: () => string;
  /** Runs a script once. */
  run(runtime: ScriptRuntime, source: string, args?: object): Promise<ScriptResult>;
  /** Ends the server; returns its exit code. */
  close(): Promise<number | null>;
}

type Send = (path: string, body?: object) => Promise<ApiResponse['body']>;

/** Starts a server that runs scripts at the given level. */
export async function openServer(
  level: Level,
  options: Pick<ProcessOptions, 'user' | 'variables'> = {},
): Promise<ServerHost> {
  process.env.GROUNDWORK_TEST_SECRET = secret;
  const folder = await mkdtemp(join(tmpdir(), 'groundwork-server-'));
  if (level === 'flags') await bringSnapshot(folder); // the server tries Python when it starts
  const { user } = options;
  if (user !== undefined) {
    await bundle();
    await promisify(execFile)('chown', ['-R', `${user}:${user}`, folder]);
  }
  const server = await startProcess(folder, { args: ['--sandbox', level], ...options });
  const person = { email: 'owner@example.com', password: 'a password' };
  const register = senderTo(`${server.url}/v1.1`);
  const { account_key: key } = await register('/account/register/', person);
  const send = senderTo(`${server.url}/v1.1`, key);
  await send('/instances/', { name: 'shop-1' });
  return {
    pid: server.pid,
    dataFile: join(folder, 'store/data.mdb'),
    complaints: server.complaints,
    run: async (runtime, source, args = {}) => {
      const runtime_name = runtime === 'node' ? 'nodejs' : 'python3';
      const scripts = '/instances/shop-1/snippets/scripts/';
      const { id } = await send(scripts, { label: 'x', runtime_name, source });
      const run = await send(`${scripts}${id}/run/`, { payload: args });
      return resultOf(send, `${scripts}${id}/traces/${run.id}/`);
    },
    close: async () => {
      const exitCode = await server.end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
      return exitCode;
    },
  };
}

/** Bundles the server, which another user may not do. */
async function bundle(): Promise<void> {
  const address = JSON.stringify(new URL('../../bin/bundle.mjs', import.meta.url).href);
  const build = `const { importBundle, openConsole } = await import(${address});
    await importBundle('serve'); await openConsole(); process.exit()`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', build]);
}

/** Waits for the end of a run and returns its result. */
async function resultOf(send: Send, trace: string): Promise<ScriptResult> {
  for (;;) {
    const { status, result } = await send(trace);
    if (status !== 'pending' && status !== 'processing') {
      return { status, stdout: result.stdout, stderr: result.stderr };
    }
    await setTimeout(20);
  }
}

function senderTo(base: string, key?: string): Send {
  return async (path, body) => {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', ...(key && { 'X-API-KEY': key }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
}
