import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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
  const server = await startProcess(join(home, 'data'));
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    GROUNDWORK_URL: server.url,
    ...withTypes(),
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

/** Makes a Node that does not run TypeScript by itself (before 22.18) do so, as `npx tsx` does. */
function withTypes(): Record<string, string> {
  const { typescript } = process.features as { readonly typescript?: unknown }; // Node 20 has none
  if (typescript) return {};
  const loader = pathToFileURL(join(project, 'node_modules/tsx/dist/esm/index.mjs')).href;
  return { NODE_OPTIONS: `--import=${loader}` };
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
