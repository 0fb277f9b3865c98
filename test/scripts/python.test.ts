import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  findIsolatedPython,
  preparePython,
} from '../../shared/platforms/local/scripts/commands/python-command.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { startDirectly } from '../../shared/runtimes/process.ts';
import { startRunner } from '../../shared/runtimes/runner-process.ts';
import { runLocally } from './hosts.ts';
import { machine } from './python-hosts.ts';

// Python scripts on this machine: availability, isolation and the runner.

test('if Python cannot be isolated, a run fails and names the package to install', async () => {
  const scripts = openScripts({ isolation: { network: true, level: 'flags', pyodide: false } });

  const line = await scripts.describe();
  const result = await runLocally(scripts, { source: 'print(1)', runtime: 'python' });
  await scripts.close();

  const how =
    'To have it: apt-get install bubblewrap python3, or npm install with optional packages';
  expect(line).toContain(`; Python scripts do not run. ${how}`);
  expect(result).toEqual({
    status: 'failure',
    stdout: '',
    stderr: `There is no Python for scripts on this machine. ${how}`,
  });
});

test('without bubblewrap and Landlock no python3 is used', async () => {
  const scripts = openScripts({ isolation: { network: true, level: 'flags' } });

  const line = await scripts.describe();
  await scripts.close();

  expect(line).toMatch(/Python scripts (run by Pyodide|do not run)/);
});

describe.runIf(machine !== undefined)('with bubblewrap and python3', () => {
  test('it is reported to the operator', async () => {
    const scripts = openScripts();

    const line = await scripts.describe();
    await scripts.close();

    expect(line).toMatch(/; Python scripts run by \/.*python3.* \(3\.\d+\.\d+\)$/);
  });

  test('so is whether the folder of the settings has a set of packages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'packages-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const describeIt = async () => {
      const scripts = openScripts({ isolation: { network: true, packages: folder } });
      onTestFinished(() => scripts.close());
      return scripts.describe();
    };

    const without = await describeIt();
    mkdirSync(join(folder, 'set-1'));
    symlinkSync('set-1', join(folder, 'current'));

    expect(without).toContain(`without the operator's packages, as ${folder} has none`);
    expect(await describeIt()).toContain(" with the operator's packages");
  });

  test('a script that runs again has the same runner and another process', async () => {
    const scripts = openScripts();
    const source = 'import os\nprint(os.getppid(), os.getpid())';
    const run = { source, runtime: 'python' } as const;

    const [first = [], second = []] = [
      (await runLocally(scripts, run)).stdout.split(' '),
      (await runLocally(scripts, run)).stdout.split(' '),
    ];
    await scripts.close();

    expect(second[0]).toBe(first[0]);
    expect(second[1]).not.toBe(first[1]);
  });

  test('a run has at most 1000 threads', async () => {
    const scripts = openScripts();
    const source = `import threading, time
threading.stack_size(32768)
for _ in range(1001):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)`;

    const result = await runLocally(scripts, { source, runtime: 'python' });
    await scripts.close();

    const stderr = 'The run has started more than 1000 threads.';
    expect(result).toEqual({ status: 'failure', stdout: '', stderr });
  });

  test('private keys and folders of other programs are not visible', async () => {
    const scripts = openScripts();
    const source =
      "import os\nprint(*sorted({*os.listdir('/etc/ssl'), *os.listdir('/usr')} - set(ARGS)), sep=',')";
    const usual = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'share', 'local'];
    const args = [...usual, 'certs', 'openssl.cnf'];

    const { stdout } = await runLocally(scripts, { source, runtime: 'python', args });
    await scripts.close();

    expect(stdout).toBe('');
  });

  test('the data folder is not visible, even below a visible folder', async () => {
    const parent = '/usr/share/doc'; // visible in every box
    const [folder = ''] = readdirSync(parent).map((name) => join(parent, name));
    const source = 'import os\nprint(os.path.isdir(ARGS[0]), os.listdir(ARGS[0]))';
    const run = { source, runtime: 'python', args: [folder] } as const;

    const results = [];
    for (const options of [{}, { folder }]) {
      const scripts = openScripts(options);
      results.push((await runLocally(scripts, run)).stdout);
      await scripts.close();
    }

    expect(results[0]).toMatch(/^True \['/);
    expect(results[1]).toBe('True []');
  });

  test('a python3 in another folder works too', async ({ skip }) => {
    if (machine === undefined) return;
    const python = await findIsolatedPython(machine.isolation, ['python3']);
    if (python === undefined || python.folder === '/usr') skip('there is no other python3 in PATH');
    else {
      const { command } = await preparePython(machine.isolation, python, {
        childBytes: 2 ** 30,
      });
      const runner = startRunner(command, startDirectly);
      await runner.ready;

      const source = 'import sqlite3, ssl, sys\nprint(sys.base_prefix)';
      const given = { args: '{}', config: '{}', meta: '{}', timeoutMs: 60_000 };
      const { exitCode, stdout } = await runner.run({ source, ...given });
      runner.kill();

      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${python.folder}\n` });
    }
  });
});
