import { randomUUID } from 'node:crypto';
import type { Duplex, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { maxOutputBytes, type RawResult } from '../scripts/rules/script-result.ts';
import { neverRejects } from '../values/promises/in-background.ts';
import { type Report, type RunnerMessages, readMessages } from './control.ts';
import { maxThreads } from './limits.ts';
import { type Budget, collectOutput, type ProcessOutput } from './output.ts';
import type {
  Exceeded,
  ProcessEnd,
  RunLimit,
  RunnerCommand,
  RunnerProcess,
  StartProcess,
  Streams,
} from './process.ts';

/*
 * The supervisor's side of a runner. They communicate over descriptor 3, a socket, one JSON value per line:
 *
 *   runner      {"ready": true, "refused"?}                                once, when it can run scripts; `refused` names
                                                                         what the kernel refuses to a Python runner
 *   supervisor  {"mark", "source", "args", "config", "meta", "timeoutMs"} a run; args, config and meta are JSON in
 *                                                                         strings, the source comes with the first
 *                                                                         run only
 *   runner      {"mark", "exitCode", "isReusable", "response"?, "isTooBig"?}
 *
 * `mark` is random and new for each run, so a script, which can write to the descriptor too, cannot forge a report. It
 * has no further protection: a forged report could only contain false results of the script's own run. All output of
 * the run to descriptors 1 and 2 can be read when the report arrives.
 */

/** Input of a run. */
export interface RunnerInput {
  readonly source: string;
  /** JSON. */
  readonly args: string;
  /** JSON. */
  readonly config: string;
  /** JSON. */
  readonly meta: string;
  readonly timeoutMs: number;
}

/** Result of a run, and its timing. */
export interface RunnerResult extends RawResult {
  /** In milliseconds since 1970. */
  readonly executedAtMs: number;
  readonly durationMs: number;
}

/** A process that runs one script, one run at a time. */
export interface Runner {
  /** Resolves when the process can run the script, or has ended. */
  readonly ready: Promise<unknown>;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<unknown>;
  /** Checks whether the process may run its script again. False once it has ended. */
  isReusable(): boolean;
  /** Returns why the process ended before it was ready: the last line of standard error, or the system's reason. */
  failureReason(): string;
  /** Returns the end of standard error before the first run: at most 2,000 printable characters and line breaks. */
  startErrors(): string;
  /** Runs the script. `source` is used for the first run only; later runs repeat the same script. */
  run(input: RunnerInput): Promise<RunnerResult>;
  /** Kills the process and all its child processes. */
  kill(): void;
}

const startMs = 60_000; // enough even when many start at once; a runner that takes longer is killed
const drainMs = 500; // maximum wait for descendants that keep the pipes open after the end
const killedInBox = 137; // exit code of bwrap when SIGKILL has ended its child
const maxStartErrors = 2000; // characters
const watchAfterMs = 20; // most runs are shorter and need no watching

interface State {
  readonly command: RunnerCommand;
  readonly child: RunnerProcess;
  phase: 'new' | 'used' | 'spent';
  isRunning: boolean;
  /** True once the supervisor has killed it. */
  isKilled: boolean;
  /** Undefined until the process has started. */
  connection: Connection | undefined;
  end: ProcessEnd;
}

/** Starts a runner. It receives its script with the first run. */
export function startRunner(command: RunnerCommand, startProcess: StartProcess): Runner {
  const child = startProcess(command);
  const unknownEnd = { exitCode: null };
  const state: State = {
    command,
    child,
    phase: 'new',
    isRunning: false,
    isKilled: false,
    connection: undefined,
    end: unknownEnd,
  };
  const connected = child.streams.then((streams) => {
    state.connection = streams && connect(streams, () => kill(state));
    return state.connection;
  });
  const spend = (exit: ProcessEnd) => {
    state.end = exit;
    state.phase = 'spent';
  };
  neverRejects(child.ended.then(spend));
  const ended = endOf(child, connected);
  const starting = setTimeout(kill, startMs, state);
  const isReady = connected.then((connection) => connection?.messages.ready ?? ended);
  return {
    ready: Promise.race([isReady, ended]).finally(() => clearTimeout(starting)),
    ended,
    isReusable: () => state.phase !== 'spent',
    failureReason: () => failureReasonOf(state),
    startErrors: () => printableEnd(state.connection?.stderr.text() ?? ''),
    kill: () => kill(state),
    run: (input) => run(state, input, ended),
  };
}

function kill(state: State): void {
  state.phase = 'spent'; // before it ends: it may still report, and must not get another run
  state.isKilled = true;
  state.child.kill();
}

function failureReasonOf({ end, connection }: State): string {
  const line = connection?.stderr.text().trimEnd().split('\n').at(-1);
  return end.reason ?? (line || `exit code ${end.exitCode}`);
}

function printableEnd(text: string): string {
  return text
    .trim()
    .replace(/[^\P{C}\n]/gu, '\ufffd')
    .slice(-maxStartErrors);
}

async function run(state: State, input: RunnerInput, ended: Promise<void>): Promise<RunnerResult> {
  const { connection, child, command, isRunning } = state;
  if (connection === undefined) throw new Error('a runner takes runs when it is ready');
  if (isRunning) throw new Error('a runner takes one run at a time');
  state.isRunning = true;
  const { messages, control } = connection;
  const mark = randomUUID();
  const end = () => kill(state);
  resetOutput(connection, end);
  const time = startTimer(input.timeoutMs + (command.graceMs ?? 0), end);
  const limits = watchLimits(child, command);
  const reported = messages.reportOf(mark);
  control.write(toLine(mark, input, state.phase === 'new'));
  if (state.phase === 'new') state.phase = 'used';
  const report = await Promise.race([reported, ended.then(() => undefined)]);
  const timing = time.stop();
  const exceeded = limits.stop();
  const message = exceeded.message || (report === undefined ? describeEnd(state) : '');
  if (report !== undefined) await readRest();
  const isOpen = !connection.stdout.hasEnded() && !connection.stderr.hasEnded(); // needed by later runs
  if (report?.isReusable !== true || !isOpen || exceeded.isLowered) end();
  state.isRunning = false;
  const exit = report ? endOfRun(report) : { exitCode: state.end.exitCode };
  return Object.assign({}, timing, exit, outputOf(connection, message, report));
}

function outputOf({ stdout, stderr, budget }: Connection, message: string, report?: Report) {
  const isCut = budget.bytes < 0 || budget.isFlooded || report?.isTooBig === true;
  return { stdout: stdout.text(), stderr: stderr.text() + message, isCut };
}

interface Connection {
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
  readonly messages: RunnerMessages;
  readonly control: Duplex;
  readonly budget: Budget & { isFlooded: boolean };
  /** Resolves when all streams are closed. */
  readonly closed: Promise<unknown>;
}

function connect({ stdout, stderr, control }: Streams, kill: () => void): Connection {
  for (const stream of [stdout, stderr, control]) stream.on('error', () => {}); // it has ended: `ended` resolves
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

function toLine(mark: string, input: RunnerInput, isFirst: boolean) {
  const { source, ...line } = input;
  return `${JSON.stringify({ mark, ...(isFirst ? input : line) })}\n`;
}

/** Starts to collect both streams of a run; too much output kills the process. */
function resetOutput({ stdout, stderr, budget }: Connection, kill: () => void): void {
  budget.bytes = maxOutputBytes;
  budget.onExceeded = kill;
  stdout.reset();
  stderr.reset();
}

/** Reads the remaining data of the streams, which takes one round of the event loop. */
async function readRest(): Promise<void> {
  await setImmediate(); // the end of the round in which the report arrived
  await setImmediate();
}

/** Watches the limits of a longer run; `stop` returns the exceeded limits. */
function watchLimits(child: RunnerProcess, command: RunnerCommand) {
  const exceeded = { message: '', isLowered: false };
  const onExceeded = (limit: Exceeded) => {
    if (limit === 'priority') exceeded.isLowered = true;
    else exceeded.message = describeLimit(limit, command);
  };
  let stopWatch = () => {};
  const timer = setTimeout(() => {
    stopWatch = child.watch(onExceeded);
  }, watchAfterMs);
  return {
    stop: () => {
      clearTimeout(timer);
      stopWatch();
      return exceeded;
    },
  };
}

function describeLimit(
  limit: RunLimit,
  { maxResidentBytes = 0, maxFolderBytes = 0 }: RunnerCommand,
): string {
  switch (limit) {
    case 'memory':
      return `The run has used more memory than ${Math.round(maxResidentBytes / 2 ** 20)} MiB.\n`;
    case 'total memory':
      return 'The memory for scripts on this machine is used up, and the run has used most of it.\n';
    case 'disk':
      return `The run has written more than ${Math.round(maxFolderBytes / 2 ** 20)} MiB into files.\n`;
    case 'threads':
      return `The run has started more than ${maxThreads} threads.\n`;
  }
}

/** Describes the end of a process that neither the supervisor nor the launcher has killed. */
function describeEnd({ end, isKilled }: State): string {
  const isForeign = !isKilled && (end.signal === 'SIGKILL' || end.exitCode === killedInBox);
  return isForeign
    ? 'The run was killed: by the system, as when the memory of this machine is used up, or by itself.\n'
    : '';
}

/** Measures the time of a run and kills it at its time limit. */
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

function endOfRun({ exitCode, response }: Report) {
  return response === undefined ? { exitCode } : { exitCode, response };
}

/** Resolves when the process has ended and its streams are closed, or shortly after its end. */
async function endOf(
  child: RunnerProcess,
  connected: Promise<Connection | undefined>,
): Promise<void> {
  await child.ended;
  const connection = await Promise.race([connected, undefinedAfterDrain()]);
  if (connection !== undefined) await Promise.race([connection.closed, undefinedAfterDrain()]);
}

function undefinedAfterDrain(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, drainMs, undefined).unref();
  });
}
