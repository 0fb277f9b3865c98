import { readJsonLines } from './json-lines.ts';
import type { ProcessEnd, RunnerCommand, StartProcess, Streams } from './process.ts';
import type { Worker } from './process-pool.ts';

/*
 * Processes that run a program of the project on data of a tenant, who determines how long that takes. They communicate
 * over descriptor 3, one JSON value per line: the process reports that it is ready, then sends a reply to each job.
 */

/** A process that runs jobs, one at a time. */
export interface JobWorker<Job, Reply> extends Worker {
  /**
   * Runs a job. A timeout ends the process; one that uses too much memory ends itself.
   *
   * @returns the reply; `late` when there was none in time, `failed` when the process has ended. Never rejects
   */
  ask(job: Job, timeoutMs: number): Promise<{ readonly reply: Reply } | 'late' | 'failed'>;
}

const maxReplyBytes = 64 * 2 ** 20; // no process has the memory for more
const startMs = 20_000; // a process that is not ready by then never will be

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
      if (opened !== undefined) listen(opened, { onMessage: (one) => receive(one), onFlood: kill });
    });
  });
  const ended = child.ended.then((how) => {
    end = how;
    isSpent = true;
  });
  return {
    ready: Promise.race([isReady, ended]).finally(() => clearTimeout(starting)),
    ended,
    isReusable: () => !isSpent,
    complaint: () => end.reason ?? `exit code ${end.exitCode}`,
    kill,
    ask: async (job, timeoutMs) => {
      const replied = new Promise<{ readonly reply: Reply }>((resolve) => {
        receive = (message) => resolve({ reply: message as Reply }); // the program is part of the project
      });
      streams?.control.write(`${JSON.stringify(job)}\n`);
      const [late, stop] = startTimer(timeoutMs);
      const failed = ended.then(() => 'failed' as const);
      const answer = await Promise.race([replied, failed, late]).finally(stop);
      if (answer === 'late') kill();
      return answer;
    },
  };
}

function listen(streams: Streams, handlers: Parameters<typeof readJsonLines>[2]): void {
  for (const stream of Object.values(streams)) stream.on('error', () => {}); // it has ended: `ended` resolves
  streams.stdout.resume();
  streams.stderr.resume();
  readJsonLines(streams.control, maxReplyBytes, handlers);
}

function startTimer(timeoutMs: number): readonly [Promise<'late'>, () => void] {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, 'late');
  });
  return [late, () => clearTimeout(timer)];
}
