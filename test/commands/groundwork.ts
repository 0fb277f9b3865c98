import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../bin/groundwork.mjs', import.meta.url));

/** The end of a command. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of a project, in which commands run with a home of their own. */
export interface Project {
  readonly folder: string;
  run(...args: readonly string[]): Promise<Ended>;
  /** Runs a command in a folder below. */
  runIn(below: string, ...args: readonly string[]): Promise<Ended>;
  /** Runs a command with variables of the environment. */
  runWith(env: Variables, ...args: readonly string[]): Promise<Ended>;
  /** Starts a command that does not end by itself; it is killed after the test. */
  follow(...args: readonly string[]): Followed;
  /** Starts a command that will be killed. */
  spawn(...args: readonly string[]): ChildProcess;
  /** Starts a command that will be killed, with variables of the environment. */
  spawnWith(env: Variables, ...args: readonly string[]): ChildProcess;
}

/** Variables of the environment. */
export type Variables = Readonly<Record<string, string>>;

/** A command that runs. */
export interface Followed {
  /** Waits for a text on standard output. Returns all of it so far. */
  until(pattern: RegExp): Promise<string>;
  /** Waits for a text on standard error. */
  complains(pattern: RegExp): Promise<string>;
  /** Ends the command as a terminal does. */
  end(): Promise<void>;
}

/** Creates an empty folder, which is removed after the test. */
export function openProject(): Project {
  const home = mkdtempSync(join(tmpdir(), 'groundwork-project-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const folder = mkdtempSync(join(home, 'app-'));
  return {
    folder,
    run: (...args) => ended(spawnIn(folder, home, args)),
    runIn: (below, ...args) => ended(spawnIn(join(folder, below), home, args)),
    runWith: (env, ...args) => ended(spawnIn(folder, home, args, env)),
    follow: (...args) => followIn(folder, home, args),
    spawn: (...args) => spawnIn(folder, home, args),
    spawnWith: (env, ...args) => spawnIn(folder, home, args, env),
  };
}

function spawnIn(cwd: string, home: string, args: readonly string[], own: Variables = {}) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    ...own,
  };
  return spawn(process.execPath, [program, ...args], { cwd, env });
}

function ended(child: ReturnType<typeof spawnIn>): Promise<Ended> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (part) => stdout.push(part));
  child.stderr.on('data', (part) => stderr.push(part));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) =>
      resolve({
        status,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      }),
    );
  });
}

function followIn(cwd: string, home: string, args: readonly string[]): Followed {
  const child = spawnIn(cwd, home, args);
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  const [printed, complaints] = [collect(child.stdout), collect(child.stderr)];
  return {
    until: printed,
    complains: complaints,
    end: async () => {
      child.kill('SIGINT');
      await ended;
    },
  };
}

/** Collects a text. Returns a function that waits until it matches a pattern. */
function collect(stream: Readable): (pattern: RegExp) => Promise<string> {
  let text = '';
  stream.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  return async (pattern) => {
    while (!pattern.test(text)) await once(stream, 'data');
    return text;
  };
}
