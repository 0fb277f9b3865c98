import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
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

let server: ChildProcess | undefined;
let proxy: RecordingProxy | undefined;

/** Before all test files: starts moto on a free port of this machine. */
export async function setup(): Promise<void> {
  const port = await freePort();
  server = spawn(motoServer, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  process.once('exit', teardown);
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + startTimeoutMs;
  while ((await fetch(`${url}/moto-api/`).catch(() => undefined)) === undefined) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error('moto did not start');
    await sleep(100);
  }
  proxy = await recordBefore(url);
  process.env.DYNAMODB_ENDPOINT = proxy.url; // read by dynamodb.ts
}

/** After all test files. */
export function teardown(): void {
  proxy?.close();
  proxy = undefined;
  server?.kill('SIGKILL'); // it would wait for connections; its data are in memory
}
