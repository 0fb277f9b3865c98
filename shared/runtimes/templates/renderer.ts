import { type ChildProcess, spawn } from 'node:child_process';
import {
  type Rendering,
  renderingFailed,
  type TemplateEngine,
} from '../../domain/templates/rendering.ts';

/** What the program is asked: to render with variables, as JSON text, or without them to look at the syntax alone. */
export interface Job {
  readonly source: string;
  readonly variables?: string;
}

/** What it answers; the text of a look at the syntax is what is wrong. */
export type Reply = Rendering | { readonly ok: true; readonly text?: string | undefined };

/** How the program is run. */
export interface RendererOptions {
  /** Gives the path of the bundled program; asked for at each start of a process. */
  readonly program: () => Promise<string>;
  /** How long a template may take; 5 seconds when absent. */
  readonly timeoutMs?: number;
}

/** An engine whose processes can be ended. */
export interface Renderer extends TemplateEngine {
  close(): void;
}

const defaultTimeoutMs = 5000; // reference: templates, engine
const maxMegabytes = 200; // the same
const maxProcesses = 3; // so that one that takes long does not hold up all others
const startMs = 20_000; // a process that is not ready by then never will be

/**
 * Renders templates in processes, of which the first starts with the first template. They are no threads: a thread
 * that runs out of memory may take the whole process with it. One that takes too long is ended; others wait their
 * turn, and the time before does not count, nor does the start of a process.
 */
export function openRenderer({ program, timeoutMs = defaultTimeoutMs }: RendererOptions): Renderer {
  const pool = openPool(program);
  const ask = async (job: Job): Promise<Reply> => {
    const child = await pool.take();
    const reply = await answerOf(child, job, timeoutMs);
    pool.giveBack(child);
    return reply;
  };
  return {
    check: async (source) => {
      const reply = await ask({ source });
      return reply.ok ? reply.text : reply.problem;
    },
    render: async (source, variables) => {
      const reply = await ask({ source, variables: JSON.stringify(variables) });
      return reply.ok ? { ok: true, text: reply.text ?? '' } : reply;
    },
    close: pool.close,
  };
}

function answerOf(child: ChildProcess, job: Job, timeoutMs: number): Promise<Reply> {
  return new Promise((resolve) => {
    const end = (reply: Reply) => {
      clearTimeout(timer);
      child.off('message', end);
      child.off('exit', fail);
      resolve(reply);
    };
    const fail = () => end({ ok: false, problem: renderingFailed });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      end({ ok: false, problem: 'Template rendering timeout' });
    }, timeoutMs);
    child.once('message', end);
    child.once('exit', fail);
    child.send(job, (error) => error && fail()); // it has ended meanwhile
  });
}

interface Pool {
  /** Gives a process that nobody else has, when there is one. */
  take(): Promise<ChildProcess>;
  giveBack(child: ChildProcess): void;
  close(): void;
}

type Waiting = (child: ChildProcess | Promise<ChildProcess>) => void;

function openPool(program: RendererOptions['program']): Pool {
  const alive = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];
  const waiting: Waiting[] = [];
  let count = 0; // of those that live or are about to
  const start = async () => {
    const child = startProcess(await program());
    alive.add(child);
    child.once('exit', () => {
      alive.delete(child);
    });
    await readyOf(child);
    return child;
  };
  const startOne = () => {
    count += 1;
    return start().catch((error: unknown) => {
      count -= 1;
      throw error;
    });
  };
  return {
    take: async () => {
      const child = idle.pop();
      if (child !== undefined && isAlive(child)) return child;
      if (child !== undefined) count -= 1;
      if (count < maxProcesses) return startOne();
      return new Promise((resolve) => waiting.push(resolve));
    },
    giveBack: (child) => {
      const next = waiting.shift();
      if (isAlive(child)) {
        if (next === undefined) idle.push(child);
        else next(child);
        return;
      }
      count -= 1;
      next?.(startOne());
    },
    close: () => {
      for (const child of alive) child.kill('SIGKILL');
    },
  };
}

/** Resolves when a process has said that it takes jobs, or has ended: what asks it is told. */
function readyOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), startMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    for (const event of ['message', 'exit', 'error']) child.once(event, end);
  });
}

function isAlive({ exitCode, signalCode, killed }: ChildProcess): boolean {
  return exitCode === null && signalCode === null && !killed;
}

const flags = process.allowedNodeEnvironmentFlags;

/** Starts a process that may read its program, and nothing else. */
function startProcess(program: string): ChildProcess {
  const args = [
    flags.has('--permission') ? '--permission' : '--experimental-permission',
    `--allow-fs-read=${program}`,
    '--disable-warning=ExperimentalWarning',
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${maxMegabytes}`,
    program,
  ];
  const child = spawn(process.execPath, args, {
    env: {},
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('error', () => {}); // it cannot be started, or not reached: told by who asks it
  child.unref(); // this process may end: what is asked of that one has a timer
  child.channel?.unref();
  return child;
}
