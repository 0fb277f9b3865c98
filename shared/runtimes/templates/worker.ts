import { type Rendering, renderingFailed } from '../../domain/templates/rendering.ts';
import { readJsonLines } from '../json-lines.ts';
import type { ProcessEnd, RunnerCommand, StartProcess, Streams } from '../process.ts';
import type { Worker } from '../process-pool.ts';

/** A template to render with variables, as JSON text; without them only its syntax is checked. */
export interface Job {
  readonly source: string;
  readonly variables?: string;
}

/** The result of a job; the text of a syntax check is the error, absent when there is none. */
export type Reply = Rendering | { readonly ok: true; readonly text?: string | undefined };

/** A process that renders templates, one at a time. */
export interface TemplateWorker extends Worker {
  /**
   * Does a job. A template that takes longer than `timeoutMs` ends the process; one that takes too much memory ends it
   * itself. Never rejects.
   */
  ask(job: Job, timeoutMs: number): Promise<Reply>;
}

const maxMegabytes = 200; // docs/templates.md, limits
const maxReplyBytes = 64 * 2 ** 20; // what fits into that memory is sent in less
const startMs = 20_000; // a process that is not ready by then never will be

const flags = process.allowedNodeEnvironmentFlags;

/**
 * The command of a process that may read its program, and nothing else.
 *
 * @param program path of the bundled program
 */
export function templateCommand(program: string): RunnerCommand {
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

/** Starts a process that renders templates. */
export function startTemplateWorker(
  command: RunnerCommand,
  startProcess: StartProcess,
): TemplateWorker {
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
      if (opened === undefined) return;
      for (const stream of Object.values(opened)) stream.on('error', () => {}); // `ended` resolves
      opened.stdout.resume();
      opened.stderr.resume();
      readJsonLines(opened.control, maxReplyBytes, {
        onMessage: (message) => receive(message),
        onFlood: kill,
      });
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
      const reply = new Promise<Reply>((resolve) => {
        receive = (message) => resolve(message as Reply); // it runs no foreign code: this is our program's
      });
      streams?.control.write(`${JSON.stringify(job)}\n`);
      const failed = ended.then((): Reply => ({ ok: false, problem: renderingFailed }));
      const [late, stop] = lateReply(timeoutMs, kill);
      return Promise.race([reply, failed, late]).finally(stop);
    },
  };
}

function lateReply(timeoutMs: number, kill: () => void): readonly [Promise<Reply>, () => void] {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Reply>((resolve) => {
    timer = setTimeout(() => {
      resolve({ ok: false, problem: 'Template rendering timeout' });
      kill();
    }, timeoutMs);
  });
  return [late, () => clearTimeout(timer)];
}
