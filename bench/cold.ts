import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { api } from '../functions/api.ts';
import { bundleFile, bundleHandler } from '../lib/handler-bundle.ts';
import { startFakeAws } from '../test/aws-emulator/fake-aws.ts';
import { clientEvent } from '../test/aws-emulator/gateway-event.ts';
import { loadedBytes } from '../test/support/loaded-bytes.ts';

/*
 * Start-up of each function of the stack compared with an empty handler: CPU and time from the start of a Node process
 * to the end of the first request, with the table and the secret in another process. Only the ratios are comparable
 * between machines.
 *
 * npm run bench:cold [-- rounds]     GROUNDWORK_TEST_NODE: the Node to run, instead of the one that runs this
 */

const rounds = Number(process.argv[2] ?? 10);
const node = process.env.GROUNDWORK_TEST_NODE ?? process.execPath;
const folder = mkdtempSync(join(tmpdir(), 'groundwork-cold-'));
const functions = [...api.map(({ name }) => name), 'background', 'script-runs'];
const empty = 'empty';

for (const name of functions) bundleHandler(name, join(folder, name));
const emptyFile = join(folder, `${empty}.mjs`);
writeFileSync(emptyFile, 'export const handler = async () => ({ statusCode: 204 });');

const aws = await startFakeAws({ secret: '5e'.repeat(32), allows: () => true });
const requestAt = (path: string) => clientEvent({ method: 'GET', path, key: '0'.repeat(56) });
const request = requestAt('/v1.1/instances/');
const ofNoRun = { instance: 1, kind: 'script', parent: 1, trace: 1 };

/**
 * First events of functions without requests: the tick, and a run that was deleted; and of the one that passes the
 * requests of other paths on.
 */
const events = new Map<string, object>([
  ['root', requestAt('/v1.1/')],
  ['background', {}],
  ['script-runs', { start: ofNoRun }],
]);

const host = `
import { writeSync } from 'node:fs';
const { handler } = await import(process.argv[1]);
await handler(JSON.parse(process.argv[2]), { getRemainingTimeInMillis: () => 290000 });
const { user, system } = process.cpuUsage();
writeSync(3, String(user + system));
process.exit(0);
`;

/** Cost of one start, in milliseconds. */
interface Start {
  readonly cpu: number;
  readonly time: number;
}

/** Starts a process, and returns its cost up to the end of one request. */
function start(name: string, file: string): Promise<Start> {
  const began = performance.now();
  const event = JSON.stringify(events.get(name) ?? request);
  const args = ['--input-type=module', '--eval', host, pathToFileURL(file).href, event];
  const child = spawn(node, args, {
    env: {
      GROUNDWORK_TABLE: 'table',
      GROUNDWORK_SECRET: 'secret',
      GROUNDWORK_FILES: 'files',
      GROUNDWORK_FILES_URL: 'https://files.example.com',
      GROUNDWORK_PUSH: 'groundwork_bench_',
      GROUNDWORK_VAULT: 'key',
      GROUNDWORK_API_URL: 'https://api.example.com',
      GROUNDWORK_SCRIPTS: 'groundwork-prod',
      GROUNDWORK_SCRIPT_ROLE: 'a-role',
      GROUNDWORK_METRICS: 'Groundwork/prod',
      GROUNDWORK_FAMILY: 'batch',
      GROUNDWORK_WAKE_UPS: 'https://sqs.eu-west-1.amazonaws.com/1/queue',
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: aws.url,
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let micros = '';
  child.stdio[3]?.on('data', (part: Buffer) => {
    micros += part.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const time = performance.now() - began;
      if (code === 0) resolve({ cpu: Number(micros) / 1000, time });
      else reject(new Error(`${file} ended with ${code}`));
    });
  });
}

const files = new Map([
  [empty, emptyFile],
  ...functions.map((name): [string, string] => [name, join(folder, name, bundleFile)]),
]);
const starts = new Map([...files.keys()].map((name): [string, Start[]] => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, file] of files) starts.get(name)?.push(await start(name, file)); // alternating, so that noise affects all
}
await aws.close();

/** Returns the minimum and the median of one figure. */
function figuresOf(name: string, figure: keyof Start): readonly [number, number] {
  const sorted = (starts.get(name) ?? []).map((one) => one[figure]).toSorted((a, b) => a - b);
  return [sorted[0] ?? 0, sorted[rounds >> 1] ?? 0];
}

/** Returns the minimum and the median above those of the empty handler. */
function above(name: string, figure: keyof Start): string {
  const own = figuresOf(name, figure);
  const others = figuresOf(empty, figure);
  return own.map((value, at) => (value - (others[at] ?? 0)).toFixed(0).padStart(8)).join('');
}

console.log(`${rounds} starts each, on ${node}; milliseconds above an empty handler, which takes`);
console.log(
  `${figuresOf(empty, 'cpu')[0].toFixed(0)} of CPU, ${figuresOf(empty, 'time')[0].toFixed(0)} of time`,
);
console.log('function          loaded bytes     CPU  median    time  median   ratio');
for (const [name, file] of files) {
  const bytes = String(loadedBytes(file)).padStart(13);
  const ratio = figuresOf(name, 'time')[0] / figuresOf(empty, 'time')[0];
  const figures = `${above(name, 'cpu')}${above(name, 'time')}${ratio.toFixed(2).padStart(8)}`;
  console.log(`${name.padEnd(17)}${bytes}${figures}`);
}
rmSync(folder, { recursive: true });
