import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { test as base, describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { examplesOf } from '../openapi/examples.ts';
import { type Exchange, startRecorder } from '../openapi/judge.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { maskAnswer, readSteps, type Step, sectionOf } from './tour.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(project, path), 'utf8');
const tour = [
  ...readSteps(sectionOf(read('README.md'), 'Five-minute tour')),
  ...readSteps(read('docs/guides/tour.md')),
];
// each guide makes what it needs
const home: Step = { commands: 'cd "$HOME/clone"\n', answer: undefined };
const names = [
  'clients',
  'data-model',
  'queries',
  'data-endpoints',
  'templates',
  'batch',
  'files',
  'usage',
  'push',
  'script-runs',
  'script-endpoints',
  'triggers',
];
const guides = names.flatMap((name) => [home, ...readSteps(read(`docs/guides/${name}.md`))]);
const steps = [...tour, ...guides];
const address = 'http://127.0.0.1:3000'; // the address of the server in the README
const mark = '=== answer above ===';

const test = base
  .extend('folder', { scope: 'file' }, temporaryFolder('groundwork-tour-'))
  .extend('server', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const server = startServer(folder);
    onCleanup(() => stopServer(server));
    return addressOf(server);
  })
  .extend('recorded', { scope: 'file' }, async ({ folder, server }, { onCleanup }) => {
    const exchanges: Exchange[] = [];
    const { url, close } = await startRecorder((exchange) => {
      const isShown = exchange.headers['user-agent']?.startsWith('curl'); // the tool sends more
      if (isShown) exchanges.push(exchange);
    }, server);
    onCleanup(close);
    writeClone(folder, url);
    const commands = steps.map((step) => step.commands.replaceAll(address, url));
    const printed = await paste(folder, url, commands);
    const responses = printed.map((response) =>
      response.replaceAll(url, address).replaceAll(server, address),
    );
    return { exchanges, responses };
  });

test.beforeAll(({ recorded: _ }) => undefined, 300_000);

test('the README names the default address of the server', () => {
  expect(tour[0]?.answer).toContain(address);
  expect(tour.length).toBeGreaterThan(7);
  expect(guides.length).toBeGreaterThan(10);
});

test('the OpenAPI document has the examples of the guides; -u writes them', async ({
  recorded,
}) => {
  await expect(examplesOf(routes, recorded.exchanges)).toMatchFileSnapshot(
    '../../functions/schema/examples.json',
  );
});

describe('the tour and the guides', () => {
  test.for(steps.map((step, i) => [i, nameOf(step.commands), step] as const))(
    '%i: %s',
    ([i, _name, { answer: response }], { recorded }) => {
      const given = recorded.responses[i] ?? 'nothing';

      if (response === undefined) expect(given).toBe('');
      else expect(readAnswer(given, response)).toEqual(JSON.parse(response));
    },
  );
});

/** Returns the line of the request, without the parts that are always the same. */
function nameOf(commands: string): string {
  const line = commands.split('\n').find((each) => each.includes('curl')) ?? commands;
  return line.replace(/ -H .*/, '');
}

function readAnswer(given: string, response: string): unknown {
  try {
    return maskAnswer(JSON.parse(given), JSON.parse(response));
  } catch (error) {
    if (error instanceof SyntaxError) return maskAnswer(given.trimEnd(), JSON.parse(response));
    throw error;
  }
}

/** Starts the server as in the README, but on any free port and with its own folder. */
function startServer(folder: string): ChildProcess {
  if (spawnSync('curl', ['--version']).error !== undefined) {
    throw new Error('the tour needs curl, and there is none on this machine: install it');
  }
  const args = ['start', '--silent', '--', '--port', '0', '--data', join(folder, 'data')];
  // a group of its own: npm is between the test and the server
  return spawn('npm', args, { cwd: project, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
}

function addressOf({ stdout }: ChildProcess): Promise<string> {
  let printed = '';
  return new Promise((resolve, reject) => {
    stdout?.on('data', (part: Buffer) => {
      printed += part;
      const url = /listens on (\S+)\n/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
    stdout?.once('end', () => reject(new Error('the server ended before it listened')));
  });
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
  await once(server, 'close');
}

/** Makes a folder that has from the clone what the examples use, and the command in the path. */
function writeClone(folder: string, url: string): void {
  mkdirSync(join(folder, 'clone/docs/guides'), { recursive: true });
  writeFileSync(
    join(folder, 'clone/docs/guides/library.sh'),
    read('docs/guides/library.sh').replace(address, url),
  );
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(project, 'bin/groundwork.mjs'), join(folder, 'bin/groundwork'));
}

/** Feeds all commands to one shell, line by line, as if they were pasted. */
async function paste(folder: string, url: string, commands: readonly string[]) {
  const input = commands.map((lines) => `${lines}printf '\\n%s\\n' '${mark}'\n`).join('');
  // nothing of its environment is that of the person who runs the test
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    GROUNDWORK_URL: url,
  };
  const shell = spawn('sh', { cwd: join(folder, 'clone'), env });
  shell.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  expect(stderr).toBe('Pushed 3 changes to reading.\n'); // where a terminal has a progress bar
  return stdout.split(`\n${mark}\n`);
}
