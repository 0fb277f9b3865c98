import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profile, Reading } from './profile.ts';

/** A server in its own process that reports its cost. */
export interface MeasuredServer {
  readonly port: number;
  /** Reads the CPU time of the process with all its threads, and its memory. */
  read(): Promise<Reading>;
  startProfile(): Promise<void>;
  stopProfile(): Promise<Profile>;
  /** Sends a message to the server process and returns its reply. */
  ask(message: unknown): Promise<unknown>;
  /** Stops the server and starts another one with the same data. */
  restart(): Promise<MeasuredServer>;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

const startMs = 20_000;
const stopMs = 5_000;
const project = fileURLToPath(new URL('..', import.meta.url));

const children = new Set<ChildProcess>();
const folders = new Set<string>();

// Every exit of this process stops the servers and deletes their data.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

/** Starts the platform as a user does, with durable data in a new temporary folder. */
export function startPlatform(): Promise<MeasuredServer> {
  return startServer((folder) => [
    ...startCommand(),
    '--port',
    '0',
    '--data',
    join(folder, 'data'),
  ]);
}

/** Starts Node's own server with prepared responses. */
export function startBare(): Promise<MeasuredServer> {
  return startServer(() => ['--import', 'tsx', 'bench/bare-server.ts']);
}

/** Returns the arguments that `npm start` passes to Node. */
function startCommand(): string[] {
  const text = readFileSync(join(project, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: { start: string } }; // package.json of this project
  const [program, ...args] = scripts.start.replace(/^exec /, '').split(' ');
  if (program !== 'node') throw new Error(`npm start runs ${program}`);
  return args;
}

function startServer(command: (folder: string) => readonly string[]): Promise<MeasuredServer> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-bench-'));
  folders.add(folder);
  return startIn(folder, command);
}

async function startIn(
  folder: string,
  command: (folder: string) => readonly string[],
): Promise<MeasuredServer> {
  const logFile = join(folder, 'log'); // a file as for a service, because reading a pipe takes time
  const child = spawn(process.execPath, ['--import', './bench/probe.mjs', ...command(folder)], {
    cwd: project,
    stdio: ['ignore', 'pipe', openSync(logFile, 'w'), 'ipc'],
    detached: true, // Ctrl-C signals only this process, which stops the server
  });
  children.add(child);
  const port = await readPort(child, logFile);
  const ask = async (message: unknown) => {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(startMs) });
    child.send(message as string); // any JSON
    const [answer] = await answered;
    return answer as unknown;
  };
  return {
    port,
    ask,
    read: async () => (await ask('read')) as Reading, // bench/probe.mjs
    startProfile: async () => void (await ask('profile')),
    stopProfile: async () => (await ask('profiled')) as Profile, // bench/probe.mjs
    restart: async () => {
      await end(child);
      children.delete(child);
      return startIn(folder, command);
    },
    stop: async () => {
      await end(child);
      children.delete(child);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      folders.delete(folder);
    },
  };
}

/** Waits for the line with the address. */
function readPort(child: ChildProcess, logFile: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (why: string) =>
      reject(new Error(`${why}\n${printed}${readFileSync(logFile, 'utf8').slice(-5000)}`));
    const timer = setTimeout(() => fail('the server did not start in time'), startMs);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (printed.length < 10_000) printed += chunk.toString();
      const port = /listens on http:\/\/[^\s/]*:(\d+)/.exec(printed)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`the server ended with ${code}`);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}
