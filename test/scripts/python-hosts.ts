import { existsSync, mkdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonRuntimeFiles } from '../../lib/script-runtime.ts';
import { findPyodide } from '../../shared/platforms/local/scripts/commands/pyodide-command.ts';
import { findIsolatedPython } from '../../shared/platforms/local/scripts/commands/python-command.ts';
import type { Level } from '../../shared/platforms/local/scripts/sandbox/level.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { packScript } from '../../shared/runtimes/package.ts';
import { startPythonLambda } from '../aws-emulator/python-lambda.ts';
import { type Host, openLocal, openZips, secret, startedAgain } from './hosts.ts';
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

type Hosts = ReadonlyMap<string, () => Host>;

/** Functions that open the hosts of this machine for Python scripts that run its own Python, by name. */
export const machineHosts: Hosts = new Map([
  ...(machine === undefined
    ? []
    : [
        ['a box', () => openLocal('python', 'bubblewrap', folder)] as const,
        ['the zip', () => openPythonZips(machine)] as const,
      ]),
  ...(landlocked === undefined
    ? []
    : [['Landlock', () => openLocal('python', 'landlock', folder)] as const]),
]);

/** The same for those that run in Pyodide: one, or none. */
export const pyodideHosts: Hosts = new Map(
  hasPyodide ? [['Pyodide', () => openLocal('python', 'flags', folder)]] : [],
);

/** All of them. */
export const pythonHosts: Hosts = new Map([...machineHosts, ...pyodideHosts]);

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

/** Returns the zip of a Python script with version 7. */
export function packPython(source: string): Uint8Array {
  return packScript(pythonRuntimeFiles(), { source, version: 7, sourceName: 'main.py' });
}

type Machine = NonNullable<typeof machine>;

/** Opens a host whose functions are restarted after their end, as on Lambda. */
function openPythonZips(where: Machine): Host {
  return openZips(packPython, async (folder) =>
    startedAgain(() => startPythonLambda(where, folder, variables)),
  );
}

/** The relevant environment of a function. */
export const variables = {
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  AWS_LAMBDA_FUNCTION_NAME: 'script',
  AWS_SECRET_ACCESS_KEY: secret,
  PATH: '/usr/bin:/bin',
};
