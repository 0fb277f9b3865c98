import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { routes } from '../../functions/api.ts';
import { makeDocument } from '../../functions/schema/make-document.ts';
import { type Version, versions } from '../../shared/core/routing/versions.ts';
import { startProcess } from '../support/server-process.ts';
import { type Exchange, type Judge, openJudge, startRecorder, type Verdict } from './judge.ts';
import { openVerdicts } from './verdicts.ts';

/*
 * Runs the API suite, and has each exchange judged by the OpenAPI document: with Prism, a validating proxy that this
 * project has not written.
 */

const usage = `Usage: npm run prism [-- FILE ...]              files of the API suite; by default all of them
       npm run prism -- --command 'COMMAND'     a command of the shell, with the address of a server in PROXY_URL

Needs Prism (npm ci --ignore-scripts --prefix .ci/prism), and Node 24.18 or later, here or in GROUNDWORK_TEST_NODE.
`;

const project = fileURLToPath(new URL('../..', import.meta.url));
const program = join(project, '.ci/prism/node_modules/@stoplight/prism-cli/dist/index.js');
const node = process.env.GROUNDWORK_TEST_NODE ?? process.execPath;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { command: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) process.stdout.write(usage);
else if (!existsSync(program)) process.stdout.write(`skipped: Prism is missing\n${usage}`);
else if (!isLateEnough()) process.stdout.write(`skipped: Prism needs a later Node\n${usage}`);
else process.exitCode = await run();

function isLateEnough(): boolean {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  const [major = 0, minor = 0] = stdout.replace('v', '').split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 18);
}

async function run(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-prism-'));
  const verdicts = openVerdicts(routes);
  const judges = new Map<string, Judge>();
  for (const version of versions) judges.set(version, await judgeOf(folder, version));
  const judge = (exchange: Exchange): Promise<Verdict> => {
    const judge = judges.get(exchange.path.startsWith('/v1/') ? 'v1' : 'v1.1');
    if (judge === undefined) throw new Error(`No judge of ${exchange.path}`);
    return judge.judge(exchange);
  };
  const pending = new Set<Promise<void>>();
  const see = (exchange: Exchange): void => {
    const judged = verdicts.add(exchange, judge).finally(() => pending.delete(judged));
    pending.add(judged);
  };
  const server = values.command && (await startProcess(join(folder, 'data')));
  const recorder = await startRecorder(see, server ? server.url : undefined);
  try {
    const isSuccess = await succeeds(server ? command(recorder.url) : suite(recorder.url));
    await Promise.all(pending);
    process.stdout.write(verdicts.report());
    // npm test judges the tests; here they must have each operation succeed
    const isDefault = !server && positionals.length === 0;
    const isComplete = isDefault ? verdicts.missing().length === 0 : isSuccess;
    return isComplete && verdicts.violations() === 0 ? 0 : 1;
  } finally {
    recorder.close();
    for (const each of judges.values()) each.close();
    if (server) await server.end('SIGTERM');
    rmSync(folder, { recursive: true });
  }
}

function judgeOf(folder: string, version: Version): Promise<Judge> {
  const document = join(folder, `${version}.json`);
  writeFileSync(document, JSON.stringify(makeDocument(routes, version, 'openapi')));
  return openJudge((upstream, port) => {
    const args = ['proxy', document, upstream, '--port', String(port), '--cors=false', '-v=silent'];
    const child = spawn(node, [program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    return () => child.kill();
  });
}

function suite(url: string): ChildProcess {
  const files = positionals.length > 0 ? positionals : ['test/api/'];
  return spawn('npx', ['--no-install', 'vitest', 'run', ...files], {
    cwd: project,
    env: { ...process.env, TEST_PROXY: url }, // read by test/support/http-client.ts
    stdio: 'inherit',
  });
}

function command(url: string): ChildProcess {
  return spawn('sh', ['-c', values.command ?? ''], {
    env: { ...process.env, PROXY_URL: url },
    stdio: 'inherit',
  });
}

async function succeeds(child: ChildProcess): Promise<boolean> {
  const [code] = await once(child, 'close');
  return code === 0;
}
