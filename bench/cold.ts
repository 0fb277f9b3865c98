import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { api } from '../functions/api.ts';
import { wholeMap } from '../lib/grants.ts';
import { bundleFile, bundleHandler } from '../lib/handler-bundle.ts';
import { startFakeAws } from '../test/aws-emulator/fake-aws.ts';
import { clientEvent } from '../test/aws-emulator/gateway-event.ts';

/*
 * Start-up time of each bundled handler compared with an empty one: from the start of a Node process to the first
 * response, with the table and the secret in another process. Only the ratios are comparable between machines.
 *
 * npm run bench:cold [-- rounds]     GROUNDWORK_TEST_NODE: the Node to run, instead of the one that runs this
 */

const rounds = Number(process.argv[2] ?? 10);
const node = process.env.GROUNDWORK_TEST_NODE ?? process.execPath;
const folder = mkdtempSync(join(tmpdir(), 'groundwork-cold-'));
const families = [...api.map(({ name }) => name), wholeMap];
const empty = 'empty';

for (const family of families) bundleHandler(family, join(folder, family));
const emptyFile = join(folder, `${empty}.mjs`);
writeFileSync(emptyFile, 'export const handler = async () => ({ statusCode: 204 });');

const aws = await startFakeAws({ secret: '5e'.repeat(32), allows: () => true });
const event = clientEvent({ method: 'GET', path: '/v1.1/instances/', key: '0'.repeat(56) });
const host = `
const { handler } = await import(process.argv[1]);
await handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 29000 });
process.exit(0);
`;

/** Returns the milliseconds from the start of a process to its end after one response. */
function start(file: string): Promise<number> {
  const began = performance.now();
  const args = ['--input-type=module', '--eval', host, pathToFileURL(file).href];
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
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: aws.url,
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(performance.now() - began);
      else reject(new Error(`${file} ended with ${code}`));
    });
  });
}

const files = new Map([
  [empty, emptyFile],
  ...families.map((family): [string, string] => [family, join(folder, family, bundleFile)]),
]);
const times = new Map([...files.keys()].map((name): [string, number[]] => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, file] of files) times.get(name)?.push(await start(file)); // alternating, so that noise affects all
}
await aws.close();

const best = (name: string) => Math.min(...(times.get(name) ?? []));
const median = (name: string) => times.get(name)?.toSorted((a, b) => a - b)[rounds >> 1] ?? 0;
console.log(
  `${rounds} starts each, on ${node}; ratio to an empty handler, of the best and of the median`,
);
for (const [name, file] of files) {
  const ratios = [best(name) / best(empty), median(name) / median(empty)];
  const figures = ratios.map((ratio) => ratio.toFixed(2).padStart(6));
  console.log(
    `${name.padEnd(12)} ${String(statSync(file).size).padStart(7)} bytes ${figures.join('')}   ${best(name).toFixed(0)} ms`,
  );
}
rmSync(folder, { recursive: true });
