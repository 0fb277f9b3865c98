import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordingProxy, recordBefore } from '../judges/recording-proxy.ts';
import { freePort } from './dynamodb-local.ts';

/* moto, a simulator of AWS that this project has not written, for `npm run test:moto`. It is a program of Python. */

/** Path or name of the program. */
export const motoServer = process.env.MOTO_SERVER ?? 'moto_server';
const startTimeoutMs = 60_000;

/** Checks whether moto can be started; prints one line with instructions otherwise. */
export function hasMoto(): boolean {
  if (spawnSync(motoServer, ['--help']).status === 0) return true;
  process.stderr.write(
    'Skipped: tests on moto. They need moto_server (pip install "moto[server]==5.2.1"), or its path in MOTO_SERVER.\n',
  );
  return false;
}

/** A running moto. */
export interface Moto {
  readonly url: string;
  stop(): void;
}

/** Starts moto on a free port of this machine. Each has accounts of its own, in memory. */
export async function startMoto(): Promise<Moto> {
  const port = await freePort();
  const server = spawn(motoServer, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const stop = () => void server.kill('SIGKILL'); // it would wait for connections
  process.once('exit', stop);
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + startTimeoutMs;
  while ((await fetch(`${url}/moto-api/`).catch(() => undefined)) === undefined) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error('moto did not start');
    await sleep(100);
  }
  return { url, stop };
}

let shared: Moto | undefined;
let proxy: RecordingProxy | undefined;

/** Before all test files: starts the one that they share. */
export async function setup(): Promise<void> {
  shared = await startMoto();
  proxy = await recordBefore(shared.url);
  process.env.DYNAMODB_ENDPOINT = proxy.url; // read by dynamodb.ts
}

/** After all test files. */
export function teardown(): void {
  proxy?.close();
  proxy = undefined;
  shared?.stop();
}
