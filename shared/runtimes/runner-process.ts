import { randomBytes } from 'node:crypto';
import type { Duplex, Readable } from 'node:stream';
import { maxOutputBytes, type RawResult } from '../domain/script-result.ts';
import { type Messages, type Report, readMessages } from './control.ts';
import { type Budget, collectOutput, type Output } from './output.ts';
import type { Exceeded, ProcessEnd, RunnerCommand, RunnerProcess, StartProcess, Streams } from './process.ts';

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
  /** Why it has ended before it could take runs: the last line of its standard error, or the system's reason. */
  complaint(): string;
  /** Runs the script of its first run; `source` is called for the first run only. */
  run(input: RunnerInput): Promise<RunnerResult>;
  /** Ends it and everything that it has started, at once. */
  kill(): void;
}

const startMs = 60_000; // a runner that is not ready by then never will be, even where many start at once
const drainMs = 500; // what still holds the pipes open after the end is no longer waited for
const watchAfterMs = 20; // most runs are over by then, and cost nothing to watch

/** Starts a runner. It gets its script with the first run. */
export function startRunner(command: RunnerCommand, startProcess: StartProcess): Runner {
  const child = startProcess(command);
  let state: 'new' | 'used' | 'spent' = 'new';
  const kill = () => {
    state = 'spent'; // at once: it may still report, and must not be given another run
    child.kill();
  };
  let connection: Connection | undefined;
  let end: ProcessEnd = { exitCode: null };
  const connected = child.streams.then((streams) => {
    connection = streams && connect(streams, kill);
    return connection;
  });
  const ended = endOf(child, connected).then((how) => {
    end = how;
    state = 'spent';
  });
  const starting = setTimeout(kill, startMs);
  const isReady = connected.then((made) => (made ? made.messages.ready : ended));
  const ready = Promise.race([isReady, ended]).finally(() => clearTimeout(starting));
  let isRunning = false;

  return {
    ready,
    ended,
    isReusable: () => state !== 'spent',
    complaint: () => end.reason ?? lastLine(connection?.stderr.text() ?? ''),
    kill,
    run: async (input) => {
      if (connection === undefined) throw new Error('a runner takes runs when it is ready');
      if (isRunning) throw new Error('a runner takes one run at a time');
      isRunning = true;
      const { stdout, stderr, budget, messages, control } = connection;
      const mark = randomBytes(16).toString('hex');
      const collected = collectAll(mark, connection, kill);
      const time = startTimer(input.timeoutMs + (command.graceMs ?? 0), kill);
      const limits = holdToLimits(child, command);
      const reported = messages.reportOf(mark);
      control.write(toLine(mark, input, state === 'new'));
      if (state === 'new') state = 'used';
      const report = await Promise.race([reported, ended.then(() => undefined)]);
      const timing = time.stop();
      const exceeded = limits.stop();
      const isCollected = await isDoneSoon(Promise.race([collected, ended]));
      if (report?.isReusable !== true || !isCollected || exceeded.isLowered) kill();
      isRunning = false;
      const isCut = budget.bytes < 0 || budget.isFlooded || report?.isTooBig === true;
      const output = { stdout: stdout.text(), stderr: stderr.text() + exceeded.complaint, isCut };
      return {
        ...timing,
        ...(report ? endOfRun(report) : { exitCode: end.exitCode }),
        ...output,
      };
    },
  };
}

interface Connection {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly messages: Messages;
  readonly control: Duplex;
  readonly budget: Budget & { isFlooded: boolean };
  /** Resolves when all streams are closed. */
  readonly closed: Promise<unknown>;
}

function connect({ stdout, stderr, control }: Streams, kill: () => void): Connection {
  control.on('error', () => {}); // the process has ended while it was written to: `ended` resolves
  const budget = { bytes: maxOutputBytes, isFlooded: false, onExceeded: () => {} };
  const onFlood = () => {
    budget.isFlooded = true;
    kill();
  };
  return {
    stdout: collectOutput(stdout, budget),
    stderr: collectOutput(stderr, budget),
    messages: readMessages(control, onFlood),
    control,
    budget,
    closed: Promise.all([stdout, stderr, control].map(closeOf)),
  };
}

function closeOf(stream: Readable | Duplex): Promise<unknown> {
  return new Promise((resolve) => stream.once('close', resolve));
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

function toLine(mark: string, input: RunnerInput, isFirst: boolean) {
  const { source, args, config, meta, timeoutMs } = input;
  const [argsText, configText, metaText] = [args, config, meta].map((each) => JSON.stringify(each));
  const line = { mark, args: argsText, config: configText, meta: metaText, timeoutMs };
  return `${JSON.stringify(isFirst ? { ...line, source } : line)}\n`;
}

/** Collects both streams from now on; too much output ends the process. */
function collectAll(mark: string, connection: Connection, kill: () => void): Promise<unknown> {
  const { stdout, stderr, budget } = connection;
  budget.bytes = maxOutputBytes + 2 * mark.length;
  budget.onExceeded = kill;
  return Promise.all([stdout.collect(mark), stderr.collect(mark)]);
}

/** Holds a run that lasts to its limits; `stop` says what it has exceeded. */
function holdToLimits(child: RunnerProcess, command: RunnerCommand) {
  const seen = { complaint: '', isLowered: false };
  const onExceeded = (limit: Exceeded) => {
    if (limit === 'priority') seen.isLowered = true;
    else seen.complaint = complaintOf(limit, command);
  };
  let stopWatch = () => {};
  const timer = setTimeout(() => {
    stopWatch = child.watch(onExceeded);
  }, watchAfterMs);
  return {
    stop: () => {
      clearTimeout(timer);
      stopWatch();
      return seen;
    },
  };
}

function complaintOf(
  limit: 'memory' | 'disk',
  { maxResidentBytes = 0, maxFolderBytes = 0 }: RunnerCommand,
): string {
  return limit === 'memory'
    ? `The run has used more memory than ${Math.round(maxResidentBytes / 2 ** 20)} MiB.\n`
    : `The run has written more than ${Math.round(maxFolderBytes / 2 ** 20)} MiB into files.\n`;
}

/** Keeps the time of a run. */
function startTimer(timeoutMs: number, kill: () => void) {
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

/** Resolves when the process has ended and its streams are read, or as good as. */
async function endOf(
  child: RunnerProcess,
  connected: Promise<Connection | undefined>,
): Promise<ProcessEnd> {
  const end = await child.ended;
  const connection = await Promise.race([connected, undefinedSoon()]);
  if (connection !== undefined) await Promise.race([connection.closed, undefinedSoon()]);
  return end;
}

function undefinedSoon(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, drainMs, undefined).unref();
  });
}
