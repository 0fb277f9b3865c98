import { describe, expect, test } from 'vitest';
import { type Machine, selfTest } from '../../shared/platforms/local/scripts/machine.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { runLocally } from './hosts.ts';
import { levels } from './levels.ts';
import { folder } from './python-hosts.ts';

const names = {
  bubblewrap: 'bubblewrap, CPython 3\\.\\d+\\.\\d+',
  landlock: 'Landlock, CPython 3\\.\\d+\\.\\d+',
  flags: "Node's permission flags, Pyodide \\d+\\.\\d+\\.\\d+",
};

describe('the self-test', () => {
  test.each(levels)('reports that both runtimes work, level %s', async (level) => {
    const scripts = openScripts({ isolation: { network: true, level }, folder });

    const line = await scripts.selfTest();
    await scripts.close();

    const expected = `^Scripts: JavaScript ok \\(\\d+ ms\\), Python ok \\(${names[level]}\\)$`;
    expect(line).toMatch(new RegExp(expected));
  });

  const machine: Machine = {
    isolation: { level: 'flags', prefix: [], hasNetwork: true },
    python: {
      isAvailable: true,
      isPyodide: false,
      name: 'CPython 3.11.2',
      description: '',
      prepare: () => Promise.reject(new Error('not here')),
      close: () => Promise.resolve(),
    },
    isTooWeak: false,
  };
  const ended = { status: 'failure', executedAtMs: 0, durationMs: 1, stdout: '' } as const;

  test('reports the last line of an error, and the remedy', async () => {
    const line = await selfTest(async ({ runtime }) => {
      if (runtime === 'python') throw new Error('no process\nbwrap: No permissions');
      return { ...ended, stderr: 'at 0x1\nFatal: out of memory' };
    }, machine);

    expect(line).toBe(
      'Scripts: JavaScript fails (Fatal: out of memory). Run Node 20, 22, 24 or 26, and look for the reason in the log, Python fails (bwrap: No permissions). To have it: apt-get install bubblewrap python3, or npm install with optional packages',
    );
  });
});

describe('a weak sandbox on a server that other machines can access', () => {
  const isolation = { network: true, level: 'flags', weakSandbox: 'refused' } as const;

  test.each(['node', 'python'] as const)('fails a run of %s, with the remedy', async (runtime) => {
    const scripts = openScripts({ isolation });

    const result = await runLocally(scripts, { source: '1', runtime });
    await scripts.close();

    expect(result).toEqual({
      status: 'failure',
      stdout: '',
      stderr:
        "Scripts do not run here: other machines reach this server, and only Node's permission flags would isolate them. Install better isolation (apt-get install bubblewrap python3), or start the server with --weak-sandbox.",
    });
  });

  test('is reported to the operator', async () => {
    const scripts = openScripts({ isolation });

    const line = await scripts.describe();
    await scripts.close();

    expect(line).toContain('; Scripts do not run here: ');
  });

  test('does not apply at a better level, which runs scripts', async ({ skip }) => {
    const [level] = levels;
    if (level === undefined || level === 'flags') return skip('there is no better level here');
    const scripts = openScripts({ isolation: { ...isolation, level } });

    const result = await runLocally(scripts, { source: 'console.log(1)' });
    await scripts.close();

    expect(result.stdout).toBe('1');
  });
});
