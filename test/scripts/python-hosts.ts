import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonRuntimeFiles } from '../../lib/script-runtime.ts';
import { findPyodide } from '../../shared/platform/local/scripts/commands/pyodide-command.ts';
import { findIsolatedPython } from '../../shared/platform/local/scripts/commands/python-command.ts';
import type { Level } from '../../shared/platform/local/scripts/sandbox/level.ts';
import { openScripts } from '../../shared/platform/local/scripts/scripts.ts';
import { packScript } from '../../shared/platform/runtimes/package.ts';
import { judgeRun, type ScriptResult } from '../../shared/scripts/rules/script-result.ts';
import { type PythonLambda, startPythonLambda } from '../aws-emulator/python-lambda.ts';
import { type Host, hostNames, runLocally, type Sample, secret, unpack } from './hosts.ts';
import { isolations } from './levels.ts';

/** The box and the Python of this machine; undefined, with a message, if they are missing. */
export const machine = await findAt('bubblewrap');
/** Landlock and the Python of this machine. */
export const landlocked = await findAt('landlock');
/** Keeps Pyodide's snapshot between runs of the tests: it takes some seconds to build. */
export const folder = fileURLToPath(new URL('../../.build', import.meta.url));
mkdirSync(folder, { recursive: true });
const hasPyodide = findPyodide() !== undefined;

if (machine === undefined) {
  process.stdout.write(
    'skipped: Python scripts in bubblewrap (apt-get install bubblewrap python3)\n',
  );
}

if (!hasPyodide) {
  process.stdout.write('skipped: Python scripts in Pyodide (npm install with optional packages)\n');
}

/** Functions that open the hosts of this machine for Python scripts, by name. */
export const pythonHosts: ReadonlyMap<string, () => Host> = new Map([
  ...(machine === undefined
    ? []
    : [
        ['a box', () => openLocal('bubblewrap')] as const,
        ['the zip', () => openZips(machine)] as const,
      ]),
  ...(landlocked === undefined ? [] : [['Landlock', () => openLocal('landlock')] as const]),
  ...(hasPyodide ? [['Pyodide', () => openLocal('flags')] as const] : []),
]);

async function findAt(level: Level) {
  const isolation = isolations.get(level);
  const python = isolation && (await findIsolatedPython(isolation));
  return isolation && python && { isolation, python };
}

/** Copies Pyodide's snapshot to a data folder, so that its server does not build it; builds it if no test has. */
export async function bringSnapshot(dataFolder: string): Promise<void> {
  const cache = join(folder, 'cache');
  if (!existsSync(cache)) {
    const scripts = openScripts({ isolation: { network: true, level: 'flags' }, folder });
    await scripts.selfTest();
    await scripts.close();
  }
  const isWhole = (path: string) => !basename(path).startsWith('draft-'); // another test may build one
  await cp(cache, join(dataFolder, 'cache'), { recursive: true, filter: isWhole });
}

/** Scripts in this machine's sandbox; with flags only, that means Pyodide. */
function openLocal(level: Level): Host {
  process.env.GROUNDWORK_TEST_SECRET = secret;
  const scripts = openScripts({ isolation: { network: true, level }, slots: 3, folder });
  let script = 0;
  return {
    name: level === 'flags' ? 'Pyodide' : hostNames[level],
    close: () => scripts.close(),
    run: async (sample, times = 1) => {
      script += 1;
      const run = {
        waitMs: 60_000,
        timeoutMs: 60_000,
        ...sample,
        script,
        runtime: 'python',
      } as const;
      for (let left = times; left > 1; left -= 1) await runLocally(scripts, run);
      return runLocally(scripts, run);
    },
  };
}

type Machine = NonNullable<typeof machine>;

/** Opens a host that runs scripts in the zips of their functions. */
function openZips(where: Machine): Host {
  const root = mkdtempSync(join(tmpdir(), 'groundwork-python-'));
  let count = 0;
  return {
    name: 'the zip',
    close: async () => rmSync(root, { recursive: true }),
    run: async (sample, times = 1) => {
      count += 1;
      const folder = join(root, String(count));
      unpack(packPython(sample.source), folder);
      const lambda = openFunction(where, folder);
      try {
        for (let left = times; left > 1; left -= 1) await lambda.run(sample);
        return await lambda.run(sample);
      } finally {
        await lambda.close();
      }
    },
  };
}

/** Returns the zip of a Python script with version 7. */
export function packPython(source: string): Uint8Array {
  return packScript(pythonRuntimeFiles(), { source, version: 7, sourceName: 'main.py' });
}

/** Opens a function that is restarted after its end, as on Lambda. */
function openFunction(where: Machine, folder: string) {
  let running: PythonLambda | undefined;
  const close = async () => {
    await running?.close();
    running = undefined;
  };
  return {
    close,
    run: async (sample: Sample): Promise<ScriptResult> => {
      running ??= await startPythonLambda(where, folder, variables);
      const { args = {}, config = {}, meta = {}, timeoutMs = 60_000 } = sample;
      const event = { version: 7, args, config, meta, timeoutMs };
      const answer = await running.invoke(event).catch(() => undefined);
      if (answer !== undefined && 'stale' in answer) throw new Error('stale');
      if (answer !== undefined) return judgeRun(answer);
      await close();
      return { status: 'failure', stdout: '', stderr: '' };
    },
  };
}

/** The relevant environment of a function. */
export const variables = {
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  AWS_LAMBDA_FUNCTION_NAME: 'script',
  AWS_SECRET_ACCESS_KEY: secret,
  PATH: '/usr/bin:/bin',
};
