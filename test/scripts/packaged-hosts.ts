import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonRuntimeFiles } from '../../lib/script-runtime.ts';
import type { Level } from '../../shared/platforms/local/scripts/sandbox/level.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { packScript } from '../../shared/runtimes/package.ts';
import { startPythonLambda } from '../aws-emulator/python-lambda.ts';
import { type Host, openZips, runLocally, startedAgain } from './hosts.ts';
import { bringSnapshot, landlocked, machine, pyodideHosts, variables } from './python-hosts.ts';

/** Writes a set of packages to a data folder that only its owner may enter. Returns the folder of the set. */
export function writePackages(data: string, files: Readonly<Record<string, string>>): string {
  const sets = join(data, 'python-packages');
  mkdirSync(join(sets, 'set-1'), { recursive: true });
  chmodSync(data, 0o700);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(sets, 'set-1', name), text);
  symlinkSync('set-1', join(sets, 'current'));
  return sets;
}

/** Functions that open the hosts of this machine for Python scripts with a set of packages, by name. */
export function packagedHosts(
  files: Readonly<Record<string, string>>,
): ReadonlyMap<string, () => Host> {
  const data = mkdtempSync(join(tmpdir(), 'groundwork-packages-'));
  writePackages(data, files);
  return hostsWithSet(data);
}

/** The same with the set of a data folder, which is read at the first run. */
export function hostsWithSet(data: string): ReadonlyMap<string, () => Host> {
  const sets = join(data, 'python-packages');
  const pack = (source: string) =>
    packScript(pythonRuntimeFiles(sets), { source, version: 7, sourceName: 'main.py' });
  const where = machine;
  return new Map([
    ...(where === undefined
      ? []
      : [
          ['a box', () => openWith('bubblewrap', data)] as const,
          [
            'the zip',
            () =>
              openZips(pack, async (folder) =>
                startedAgain(() => startPythonLambda(where, folder, variables)),
              ),
          ] as const,
        ]),
    ...(landlocked === undefined ? [] : [['Landlock', () => openWith('landlock', data)] as const]),
    ...(pyodideHosts.size === 0 ? [] : [['Pyodide', () => openWith('flags', data)] as const]),
  ]);
}

function openWith(level: Level, folder: string): Host {
  const ready = level === 'flags' ? bringSnapshot(folder) : Promise.resolve();
  const scripts = openScripts({ isolation: { network: true, level }, slots: 3, folder });
  let script = 0;
  return {
    close: () => scripts.close(),
    run: async (sample, times = 1) => {
      await ready;
      script += 1;
      const run = { ...sample, runtime: 'python', script } as const;
      for (let left = times; left > 1; left -= 1) await runLocally(scripts, run);
      return runLocally(scripts, run);
    },
  };
}
