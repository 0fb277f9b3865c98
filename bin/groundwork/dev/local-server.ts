import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processVariables } from '../../../shared/ports/setting-variables.ts';
import { isThisMachine } from '../../server-address.ts';
import type { Terminal } from '../terminal.ts';

const program = fileURLToPath(new URL('../../start.mjs', import.meta.url));
const timeoutMs = 5000;

/**
 * Starts the local server, unless a server responds at the address. It does not outlive this process.
 *
 * @returns ends the server that was started, and waits for it
 * @throws Error when the address is of another machine, or the server does not start
 */
export async function startLocalServer(
  url: string,
  data: string,
  out: Terminal,
): Promise<() => Promise<void>> {
  if (await responds(url)) return () => Promise.resolve();
  if (!isThisMachine(url)) throw new Error(`no server responds at ${url}`);
  const { port } = new URL(url);
  const child = spawn(process.execPath, [program, '--data', data, '--port', port || '80'], {
    env: { GROUNDWORK_LOG: 'error', ...processVariables() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill());
  const ended = once(child, 'exit');
  const listening = new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes(' listens on ')) resolve(line);
      if (line.startsWith('{')) out.warn(line); // an error in its log
    });
  });
  createInterface(child.stderr).on('line', (line) => out.warn(line));
  const line = await Promise.race([listening, ended.then(() => undefined)]);
  if (line === undefined) throw new Error('the server has ended before it was ready');
  out.say(line);
  return async () => {
    child.kill();
    await ended;
  };
}

async function responds(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(`${url}/v1.1/`, { redirect: 'manual', signal }).catch(
    () => undefined,
  );
  return response?.ok === true;
}
