import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuOf, familyOf } from './processes.ts';
import type { Profile, UsageReading } from './profile.ts';
import { undoAtExit } from './undo.ts';

/** A server in its own process that reports its cost. */
export interface MeasuredServer {
  readonly port: number;
  readonly pid: number;
  /** When its process was started, by `performance.now()`. */
  readonly startedAt: number;
  /** Reads the CPU time of the process with all its threads, that of its child processes, and its memory. */
  read(): Promise<UsageReading>;
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
const probe = new URL('probe.mjs', import.meta.url).href;

/** The folder of this version. */
export const ownProject = fileURLToPath(new URL('..', import.meta.url));

/**
 * Starts the platform as a user does, with durable data in a new temporary folder.
 *
 * @param project   folder of the version to start
 * @param variables environment variables that set its limits
 */
export function startPlatform(
  project = ownProject,
  variables: NodeJS.ProcessEnv = {},
): Promise<MeasuredServer> {
  const command = (folder: string) => [
    ...startCommand(project),
    '--port',
    '0',
    '--data',
    join(folder, 'data'),
  ];
  return startServer(project, command, variables);
}

/** Starts Node's own server with prepared responses. */
export function startBare(): Promise<MeasuredServer> {
  return startServer(ownProject, () => ['--import', 'tsx', 'bench/bare-server.ts']);
}

/** Returns the arguments that `npm start` passes to Node. */
function startCommand(project: string): string[] {
  const text = readFileSync(join(project, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: { start: string } }; // package.json of Groundwork
  const [program, ...args] = scripts.start.replace(/^exec /, '').split(' ');
  if (program !== 'node') throw new Error(`npm start runs ${program}`);
  return args;
}

function startServer(
  project: string,
  command: (folder: string) => readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<MeasuredServer> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-bench-'));
  const remove = undoAtExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return startIn({ project, folder, remove, args: command(folder), variables });
}

/** A server to start; `folder` has its log and its data, and `remove` deletes it. */
interface Start {
  readonly project: string;
  readonly folder: string;
  readonly remove: () => void;
  readonly args: readonly string[];
  readonly variables: NodeJS.ProcessEnv;
}

async function startIn(start: Start): Promise<MeasuredServer> {
  const startedAt = performance.now();
  const logFile = join(start.folder, 'log'); // a file as for a service, because reading a pipe takes time
  const child = spawn(process.execPath, ['--import', probe, ...start.args], {
    cwd: start.project,
    env: { ...process.env, ...start.variables },
    stdio: ['ignore', 'pipe', openSync(logFile, 'w'), 'ipc'],
    detached: true, // Ctrl-C signals only this process, which stops the server
  });
  const kill = undoAtExit(() => child.kill('SIGKILL'));
  const port = await readPort(child, logFile);
  const { pid } = child;
  if (pid === undefined) throw new Error('the server has not started');
  const ask = async (message: unknown) => {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(startMs) });
    child.send(message as string); // any JSON
    const [answer] = await answered;
    return answer as unknown;
  };
  return {
    port,
    pid,
    startedAt,
    ask,
    read: async () => ({
      ...((await ask('read')) as Omit<UsageReading, 'childMicros'>), // bench/probe.mjs
      childMicros: cpuOf(familyOf(pid)),
    }),
    startProfile: async () => void (await ask('profile')),
    stopProfile: async () => (await ask('profiled')) as Profile, // bench/probe.mjs
    restart: async () => {
      await end(child);
      kill();
      return startIn(start);
    },
    stop: async () => {
      await end(child);
      kill();
      start.remove();
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
