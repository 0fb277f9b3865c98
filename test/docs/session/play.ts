import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../support/server-process.ts';
import type { Step } from './cast.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const address = 'http://127.0.0.1:3000'; // of `npm start`; here the port is any free one

/** Where a session was played. */
export interface Played {
  readonly steps: readonly Step[];
  /** The folder of the project, empty at first. */
  readonly folder: string;
  /** Deletes everything. */
  readonly close: () => void;
}

/** Runs commands one after the other in an empty folder, with a server of their own; the command line is in the path. */
export async function play(commands: readonly string[]): Promise<Played> {
  const home = mkdtempSync(join(tmpdir(), 'groundwork-session-'));
  const folder = join(home, 'app');
  for (const path of [folder, join(home, 'bin')]) mkdirSync(path);
  symlinkSync(join(project, 'bin/groundwork.mjs'), join(home, 'bin/groundwork'));
  symlinkSync(process.execPath, join(home, 'bin/node'));
  // npx runs an installed tsx, and would otherwise fetch it
  mkdirSync(join(home, 'node_modules/.bin'), { recursive: true });
  symlinkSync(join(project, 'node_modules/tsx/dist/cli.mjs'), join(home, 'node_modules/.bin/tsx'));
  const server = await startProcess(join(home, 'data'));
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    GROUNDWORK_URL: server.url,
    npm_config_update_notifier: 'false',
  };
  const steps: Step[] = [];
  try {
    for (const command of commands) {
      const { output, seconds } = await runIn(folder, env, command);
      steps.push({ command, output: output.replaceAll(server.url, address), seconds });
    }
  } finally {
    await server.end('SIGTERM');
  }
  return { steps, folder, close: () => rmSync(home, { recursive: true }) };
}

function runIn(cwd: string, env: Record<string, string>, command: string) {
  const began = performance.now();
  const child = spawn('sh', ['-c', `exec 2>&1; ${command}`], { cwd, env });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    output += part;
  });
  return new Promise<Pick<Step, 'output' | 'seconds'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve({ output, seconds: (performance.now() - began) / 1000 }));
  });
}
