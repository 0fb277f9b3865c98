import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/start.mjs', import.meta.url));
/** Variables of each server; without a push mode, that of a new folder would send to Google and Apple. */
const defaults = {
  GROUNDWORK_LOG: 'error',
  GROUNDWORK_PASSWORD_COST: '10',
  GROUNDWORK_PUSH_MODE: 'outbox',
};
const running = new Set<ChildProcess>();

/** The server of one machine in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Its standard output so far. */
  readonly output: () => string;
  /** Its standard error so far. */
  readonly complaints: () => string;
  /** Sends a signal and waits for the end; returns the exit code, null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Options of the server in addition to its folder. */
export interface ProcessOptions {
  /** Of the command line. */
  readonly args?: readonly string[];
  /** Of Node's. */
  readonly node?: readonly string[];
  /** Added to the environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Limit of its descriptors. */
  readonly descriptors?: number;
  /** File of a control group that the process joins before it starts. */
  readonly group?: string | undefined;
  /** Id of the user of the process; the test's own by default. Only root can start one of another user. */
  readonly user?: number | undefined;
}

/**
 * Starts the server on a folder.
 *
 * @throws Error with the standard error of a server that ends before it listens
 */
export async function startProcess(
  folder: string,
  { args = [], node = [], variables = {}, descriptors, group, user }: ProcessOptions = {},
): Promise<ServerProcess> {
  const command = [process.execPath, ...node, program, '--data', folder, '--port', '0', ...args];
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
  const join = group === undefined ? '' : `echo $$ > '${group}' && `;
  const become =
    user === undefined ? '' : `setpriv --reuid ${user} --regid ${user} --clear-groups `;
  const start = `${limit}${join}exec ${become}"$0" "$@"`;
  const child = spawn('/bin/sh', ['-c', start, ...command], {
    env: { ...process.env, ...defaults, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (part) => {
    output += part;
  });
  child.stderr.on('data', (part) => {
    errors += part;
  });
  const ended = once(child, 'close').then(([code]): number | null => {
    running.delete(child);
    return code;
  });
  const url = await Promise.race([listening(child.stdout), ended]);
  if (typeof url !== 'string' || child.pid === undefined)
    throw new Error(`the server ended with ${url}: ${errors}`);
  return {
    url,
    pid: child.pid,
    output: () => output,
    complaints: () => errors,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Ends processes that a failed test has left. */
export function endProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}

function listening(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    output.on('data', (part) => {
      text += part;
      const url = /listens on (\S+)\n/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}
