import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type Launcher, openLauncher } from '../../shared/platforms/local/launcher/launcher.ts';
import type { Level } from '../../shared/platforms/local/scripts/sandbox/level.ts';
import { folderCalls } from '../../shared/platforms/local/scripts/sandbox/run-folders.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { sampleOf } from '../support/sample.ts';
import { runLocally } from './hosts.ts';
import { levels } from './levels.ts';

// Each call on a folder of runs fails once with each error: the server goes on, and the next run works.

const codes = ['EACCES', 'ENAMETOOLONG', 'ENOSPC', 'EBUSY', 'EMFILE'] as const;
const root = fileURLToPath(new URL('../..', import.meta.url));
const preload = fileURLToPath(new URL('folder-faults.cjs', import.meta.url));
const { calls: launcherCalls } = createRequire(import.meta.url)(
  '../../shared/platforms/local/launcher/folder-calls.cjs',
) as { readonly calls: Readonly<Record<string, unknown>> };

/** Calls that only follow an error of another one. */
const follows: Readonly<Record<string, readonly [string, string]>> = {
  open: ['readdir', 'EACCES'],
  fstat: ['readdir', 'EACCES'],
  close: ['readdir', 'EACCES'],
};

const own = mkdtempSync(join(tmpdir(), 'groundwork-faults-'));
chmodSync(own, 0o755); // runs of a server of root are another user's
const { TMPDIR } = process.env;
afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(own, { recursive: true });
});

/** Starts a launcher in which calls fail, as in the removals that it starts. */
function startFaulty(faults: readonly (readonly [string, string, string])[]): Launcher {
  const program = join(root, 'shared/platforms/local/launcher/launcher.cjs');
  const variables = { GROUNDWORK_TEST_FAULTS: JSON.stringify(faults) };
  const child = spawn(process.execPath, ['--require', preload, program], {
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    env: variables,
    detached: true,
  });
  const launcher = openLauncher(child);
  return {
    ...launcher,
    start: (command) => {
      const isRemoval = command.args[0]?.endsWith('remove-folder.cjs');
      if (!isRemoval) return launcher.start(command);
      return launcher.start({
        ...command,
        args: ['--require', preload, ...command.args],
        variables,
      });
    },
  };
}

/** Whether a fault meets a run or the process that is started ahead of the next one is a matter of time. */
const noSpare = 'a spare process could not be started';

const unlistable =
  "const fs = require('fs'); fs.mkdirSync('x', 0o300); fs.writeFileSync('x/f', 'a');";
const slow = `${unlistable} setTimeout(() => process.exit(3), 120);`;

/** Makes runs whose folders are watched, are left by a first deletion, and are deleted by a process. */
async function useFolders(
  level: Level,
  launcher: Launcher,
  inject: () => () => void,
): Promise<void> {
  let isLost = false;
  void launcher.lost.then(() => {
    isLost = true;
  });
  const logged: string[] = [];
  const scripts = openScripts({
    isolation: { network: true, level, pyodide: false },
    slots: 2,
    launcher,
    log: ({ message }) => logged.push(message),
  });
  await scripts.isolation(); // the machine is probed before any run
  const restore = inject();
  for (let run = 0; run < 2; run += 1) {
    const outcome = await runLocally(scripts, { source: slow }).catch((error: Error) => error);
    expect(outcome instanceof Error || outcome.status === 'failure').toBe(true);
  }
  const next = await runLocally(scripts, { source: 'console.log(1)', version: 2 });
  await expect
    .poll(() => readdirSync(own).filter(isFolderInTrouble), { timeout: 30_000 })
    .toEqual([]);
  restore(); // what `close` leaves after a failure is deleted at the next start
  await scripts.close();

  expect(next).toEqual({ status: 'success', stdout: '1', stderr: '' });
  expect(isLost).toBe(false);
  expect(logged.filter((message) => message !== noSpare)).toEqual([]);
  await expect.poll(() => readdirSync(own), { timeout: 30_000 }).toEqual([]);
}

/** Checks for a folder that a run has left: those in use are empty. */
function isFolderInTrouble(name: string): boolean {
  const folder = join(own, name);
  return existsSync(folder) && readdirSync(folder).length > 0;
}

/** Lets the server's call fail so many times; returns a function that ends that. */
function failInServer(name: keyof typeof folderCalls, code: string, times: number) {
  const calls: Record<string, unknown> = folderCalls;
  const call = folderCalls[name] as (...args: unknown[]) => Promise<unknown>;
  let left = times;
  calls[name] = async (...args: unknown[]) => {
    left -= 1;
    if (left >= 0) throw Object.assign(new Error(`${code}: a fault`), { code });
    return call(...args);
  };
  return () => {
    calls[name] = call;
    expect(left, `${name} was not called`).toBeLessThan(times);
  };
}

const level = levels.find((each) => each !== 'bubblewrap') ?? 'flags'; // a box has its own folder

/** Each call with one of the codes; in a soak run with all of them. */
const sampled = (names: readonly string[]) => sampleOf(names, codes.length);

describe.each(codes)('%s', (code) => {
  test.each(sampled(Object.keys(folderCalls)) as (keyof typeof folderCalls)[])(
    'of %s in the server',
    async (name) => {
      if (name === 'chown' && process.getuid?.() !== 0) return; // root alone gives folders away
      process.env.TMPDIR = own;
      await useFolders(level, startFaulty([]), () => {
        const restore = failInServer(name, code, 1);
        // without a left folder there is nothing to look at
        const isLater = name === 'lstat' || name === 'readdir';
        const restoreFirst = isLater ? failInServer('rm', 'EBUSY', 1) : () => {};
        return () => {
          restore();
          restoreFirst();
        };
      });
    },
  );

  test.each(sampled(Object.keys(launcherCalls)))(
    'of %s in the launcher or a removal',
    async (name) => {
      const isBox = name === 'statfs'; // of the memory of a box
      if (isBox && !levels.includes('bubblewrap')) return;
      const marks = mkdtempSync(join(TMPDIR ?? '/tmp', 'groundwork-marks-'));
      process.env.TMPDIR = own;
      const mark = join(marks, 'fault');
      const [before] = [follows[name]];
      const faults: (readonly [string, string, string])[] = [[name, code, mark]];
      if (before !== undefined) faults.push([...before, join(marks, 'before')]);
      await useFolders(
        isBox ? 'bubblewrap' : level,
        startFaulty(faults),
        () => (isBox ? () => {} : failInServer('rm', 'EBUSY', 6)), // so that a process deletes
      );

      expect(existsSync(mark), `${name} was not called`).toBe(true);
      rmSync(marks, { recursive: true });
    },
  );
});

/** Modules beside those of `folderCalls` and `folder-calls.cjs` that import the file system, for other files. */
const others: Readonly<Record<string, string>> = {
  'launcher/launcher.cjs': '/proc, and descriptors of its own',
  'launcher/watch.cjs': '/proc',
  'scripts/commands/node-command.ts': 'the path of Node',
  'scripts/commands/pyodide-command.ts': 'the package and its snapshot',
  'scripts/commands/python.ts': 'the cache of the snapshot',
  'scripts/commands/python-set.ts': 'sets of packages, and a copy of root',
  'scripts/machine.ts': 'the path of the data folder',
  'scripts/sandbox/left-runners.ts': '/proc',
  'scripts/sandbox/other-user.ts': '/proc',
};

test('no other module of scripts and launcher calls the file system', () => {
  const local = join(root, 'shared/platforms/local');
  const found = ['launcher', 'scripts'].flatMap((folder) =>
    readdirSync(join(local, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((name) => /\.(ts|cjs)$/.test(name))
      .filter((name) =>
        /['"](node:)?fs(\/promises)?['"]/.test(readFileSync(join(local, name), 'utf8')),
      ),
  );

  const known = ['launcher/folder-calls.cjs', 'scripts/sandbox/run-folders.ts'];
  expect(found.sort()).toEqual([...known, ...Object.keys(others)].sort());
});
