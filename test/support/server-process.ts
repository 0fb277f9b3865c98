import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/start.mjs', import.meta.url));
const running = new Set<ChildProcess>();

/** The server of one machine in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** What it has said to standard error so far. */
  readonly complaints: () => string;
  /** Sends a signal and waits for the end; gives the exit code, null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts the server on a folder; rejects with what it said when it ends before it listens.
 *
 * @param variables settings in its environment
 */
export async function startProcess(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program, '--data', folder, '--port', '0'], {
    env: {
      ...process.env,
      GROUNDWORK_LOG: 'error',
      GROUNDWORK_PASSWORD_COST: '10',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let errors = '';
  child.stderr.on('data', (part) => {
    errors += part;
  });
  const ended = once(child, 'close').then(([code]): number | null => {
    running.delete(child);
    return code;
  });
  const url = await Promise.race([listening(child.stdout), ended]);
  if (typeof url !== 'string') throw new Error(`the server ended with ${url}: ${errors}`);
  return {
    url,
    complaints: () => errors,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Ends what a failed test has left. */
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
