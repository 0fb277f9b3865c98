import { readJsonLines } from './json-lines.ts';
import type { ProcessEnd, RunnerCommand, RunnerProcess, StartProcess, Streams } from './process.ts';
import type { Worker } from './process-pool.ts';

/*
 * Processes that run a program of the project on a tenant's data, which determines how long a job takes. They
 * communicate over descriptor 3, one JSON value per line: the process reports that it is ready, then sends a reply to
 * each job.
 */

/** A process that runs jobs, one at a time. */
export interface JobWorker<Job, Reply> extends Worker {
  /**
   * Runs a job. A timeout kills the process; a process that exceeds its memory limit exits.
   *
   * @returns the reply; `late` after the timeout, `failed` when the process has ended. Never rejects
   */
  run(job: Job, timeoutMs: number): Promise<{ readonly reply: Reply } | 'late' | 'failed'>;
}

// The longest reply is a template's: 10 million characters, up to 6 bytes each in JSON. A longer one ends the process.
const maxReplyBytes = 64 * 2 ** 20;
const watchAfterMs = 20; // most jobs are shorter and need no watching
const startMs = 20_000; // a process that takes longer to start is killed

const flags = process.allowedNodeEnvironmentFlags;

/**
 * Returns the command of a process that may only read its program.
 *
 * @param program path of the bundled program
 */
export function jobCommand(program: string, maxMegabytes: number): RunnerCommand {
  const args = [
    flags.has('--permission') ? '--permission' : '--experimental-permission',
    `--allow-fs-read=${program}`,
    '--disable-warning=ExperimentalWarning',
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${maxMegabytes}`,
    program,
  ];
  return { program: process.execPath, args, variables: {}, folder: '/' };
}

/** Starts a process that runs jobs. */
export function startJobWorker<Job, Reply>(
  command: RunnerCommand,
  startProcess: StartProcess,
): JobWorker<Job, Reply> {
  const child = startProcess(command);
  let isSpent = false;
  let end: ProcessEnd = { exitCode: null };
  let streams: Streams | undefined;
  let receive: (message: unknown) => void = () => {};
  const kill = () => {
    isSpent = true;
    child.kill();
  };
  const starting = setTimeout(kill, startMs);
  const isReady = child.streams.then((opened) => {
    streams = opened;
    return new Promise<void>((resolve) => {
      receive = () => resolve(); // its first message
      if (opened !== undefined)
        listen(opened, { onMessage: (message) => receive(message), onFlood: kill });
    });
  });
  const ended = child.ended.then((exit) => {
    end = exit;
    isSpent = true;
  });
  return {
    ready: Promise.race([isReady, ended]).finally(() => clearTimeout(starting)),
    ended,
    isReusable: () => !isSpent,
    failureReason: () => end.reason ?? `exit code ${end.exitCode}`,
    kill,
    run: async (job, timeoutMs) => {
      const replied = new Promise<{ readonly reply: Reply }>((resolve) => {
        receive = (message) => resolve({ reply: message as Reply }); // the program is part of the project
      });
      streams?.control.write(`${JSON.stringify(job)}\n`);
      const stopWatch = watchSoon(child, () => {
        isSpent = true; // killed, or with a lower priority from now on
      });
      const [late, stop] = startTimer(timeoutMs);
      const failed = ended.then(() => 'failed' as const);
      const result = await Promise.race([replied, failed, late]).finally(stop);
      stopWatch();
      if (result === 'late') kill();
      return result;
    },
  };
}

function listen(streams: Streams, handlers: Parameters<typeof readJsonLines>[2]): void {
  for (const stream of Object.values(streams)) stream.on('error', () => {}); // the process has ended: `ended` resolves
  streams.stdout.resume();
  streams.stderr.resume();
  readJsonLines(streams.control, maxReplyBytes, handlers);
}

/** Watches the limits of a longer job. */
function watchSoon(child: RunnerProcess, onExceeded: () => void): () => void {
  let stopWatch = () => {};
  const timer = setTimeout(() => {
    stopWatch = child.watch(onExceeded);
  }, watchAfterMs);
  return () => {
    clearTimeout(timer);
    stopWatch();
  };
}

function startTimer(timeoutMs: number): readonly [Promise<'late'>, () => void] {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, 'late');
  });
  return [late, () => clearTimeout(timer)];
}
