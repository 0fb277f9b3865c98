import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { maxOutputBytes, type RawResult } from '../domain/script-result.ts';
import { type Report, readMessages } from './control.ts';
import { watchMemory } from './memory.ts';
import { type Budget, collectOutput, type Output } from './output.ts';

/*
 * A runner seen from its supervisor. They speak over descriptor 3, a socket, one JSON value a line:
 *
 *   runner      {"ready": true}                                            once, when it can take runs
 *   supervisor  {"mark", "source", "args", "config", "meta", "timeoutMs"} a run; args, config and meta are JSON in
 *                                                                         strings, the source comes with the first
 *                                                                         run only
 *   runner      {"mark", "exitCode", "isReusable", "response"?, "isTooBig"?}
 *
 * `mark` is random and new for each run. The runner ends what it writes to descriptors 1 and 2 with it, then reports.
 * A script can write to these descriptors too, but does not know the mark. It is no secret from the system's owner:
 * all that a forged report could do is to tell lies about the script's own run.
 */

/** How to start a runner. */
export interface RunnerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Where it starts. */
  readonly folder: string;
  /** Memory beyond which a run is ended; absent where the system sees to it. Counts all processes below the runner. */
  readonly maxResidentBytes?: number;
  /** Bytes beyond which a run is ended, of all files in `folder` and of deleted ones that it has open; absent: no limit. */
  readonly maxFolderBytes?: number;
  /** How long a runner that ends runs at their limit itself has for that; absent when it does not. */
  readonly graceMs?: number;
}

/** A run as a runner gets it. */
export interface RunnerInput {
  readonly source: string;
  readonly args: unknown;
  readonly config: unknown;
  readonly meta: unknown;
  readonly timeoutMs: number;
}

/** What was seen of a run, and when. */
export interface RunnerResult extends RawResult {
  /** In milliseconds since 1970. */
  readonly executedAtMs: number;
  readonly durationMs: number;
}

/** A process that runs one script, one run at a time. */
export interface Runner {
  /** Resolves when it can take runs, or has ended. */
  readonly ready: Promise<unknown>;
  /** Resolves when it has ended, whatever the reason. */
  readonly ended: Promise<unknown>;
  /** Whether it may run its script again. False once it has ended. */
  isReusable(): boolean;
  /** Runs the script of its first run; `source` is called for the first run only. */
  run(input: RunnerInput): Promise<RunnerResult>;
  /** Ends it and all that it has started, at once. */
  kill(): void;
}

const startMs = 60_000; // a runner that is not ready by then never will be, even where many start at once
const drainMs = 500; // what still holds the pipes open after the end is no longer waited for

/** Starts a runner. It gets its script with the first run. */
export function startRunner(command: RunnerCommand): Runner {
  const { program, args, variables, folder } = command;
  const child = spawn(program, [...args], {
    cwd: folder,
    env: { ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const control = child.stdio[3] as Duplex; // asked for by the fourth 'pipe'
  let state: 'new' | 'used' | 'spent' = 'new';
  const kill = () => {
    state = 'spent'; // at once: it may still report, and must not be given another run
    child.kill('SIGKILL');
  };
  const budget: Budget = { bytes: 0, onExceeded: () => {} };
  const stdout = collectOutput(child.stdout as Readable, budget);
  const stderr = collectOutput(child.stderr as Readable, budget);
  const messages = readMessages(control, kill);
  const ended = endOf(child, control);
  const starting = setTimeout(kill, startMs);
  const ready = Promise.race([messages.ready, ended]).finally(() => clearTimeout(starting));
  let isRunning = false;
  void ended.then(() => {
    state = 'spent';
  });

  return {
    ready,
    ended,
    isReusable: () => state !== 'spent',
    kill,
    run: async (input) => {
      if (isRunning) throw new Error('a runner takes one run at a time');
      isRunning = true;
      const mark = randomBytes(16).toString('hex');
      const collected = collectAll(mark, { stdout, stderr, budget, kill });
      const watch = startWatch(input.timeoutMs + (command.graceMs ?? 0), kill);
      const memory = guardMemory(child, command.maxResidentBytes, kill);
      const reported = messages.reportOf(mark);
      control.write(toLine(mark, input, state === 'new'));
      if (state === 'new') state = 'used';
      const report = await Promise.race([reported, ended.then(() => undefined)]);
      const timing = watch.stop();
      const complaint = memory.stop();
      const isCollected = await isDoneSoon(Promise.race([collected, ended]));
      if (report?.isReusable !== true || !isCollected) kill();
      isRunning = false;
      const isCut = budget.bytes < 0 || report?.isTooBig === true;
      const output = { stdout: stdout.text(), stderr: stderr.text() + complaint, isCut };
      return {
        ...timing,
        ...(report ? endOfRun(report) : { exitCode: child.exitCode }),
        ...output,
      };
    },
  };
}

function toLine(mark: string, input: RunnerInput, isFirst: boolean) {
  const { source, args, config, meta, timeoutMs } = input;
  const [argsText, configText, metaText] = [args, config, meta].map((each) => JSON.stringify(each));
  const line = { mark, args: argsText, config: configText, meta: metaText, timeoutMs };
  return `${JSON.stringify(isFirst ? { ...line, source } : line)}\n`;
}

interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly budget: Budget;
  readonly kill: () => void;
}

/** Collects both streams from now on; too much ends the process. */
function collectAll(mark: string, { stdout, stderr, budget, kill }: Outputs): Promise<unknown> {
  budget.bytes = maxOutputBytes + 2 * mark.length;
  budget.onExceeded = kill;
  return Promise.all([stdout.collect(mark), stderr.collect(mark)]);
}

/** Ends a process that takes too much memory; `stop` tells what to say about it, nothing if all was well. */
function guardMemory(child: ChildProcess, maxBytes: number | undefined, kill: () => void) {
  let complaint = '';
  if (maxBytes === undefined) return { stop: () => complaint };
  const stop = watchMemory(child.pid, maxBytes, () => {
    complaint = `The run has used more memory than ${Math.round(maxBytes / 2 ** 20)} MiB.\n`;
    kill();
  });
  return {
    stop: () => {
      stop();
      return complaint;
    },
  };
}

/** Keeps the time of a run. */
function startWatch(timeoutMs: number, kill: () => void) {
  const executedAtMs = Date.now();
  const startedMs = performance.now();
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    kill();
  }, timeoutMs);
  return {
    stop: () => {
      clearTimeout(timer);
      return { executedAtMs, durationMs: Math.round(performance.now() - startedMs), isTimedOut };
    },
  };
}

/** How the run ended, as reported. */
function endOfRun({ exitCode, response }: Report) {
  return response === undefined ? { exitCode } : { exitCode, response };
}

/** Tells whether `done` comes soon: what a script has left behind may hold a pipe open, and write after the mark. */
async function isDoneSoon(done: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, false), drainMs); // what is there to read is read before
  });
  const isDone = await Promise.race([done.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}

/** Resolves when the process has ended and its pipes are read, or as good as. */
async function endOf(child: ChildProcess, control: Duplex): Promise<void> {
  control.on('error', () => {}); // it has ended while we wrote to it: `close` tells
  child.on('error', () => {}); // it could not be started: `close` tells
  const closed = once(child, 'close').catch(() => {});
  const drained = new Promise((resolve) => {
    child.once('exit', () => setTimeout(resolve, drainMs).unref());
  });
  await Promise.race([closed, drained]);
}
