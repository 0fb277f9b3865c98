import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { startLauncher } from '../../shared/platforms/local/launcher/launcher.ts';
import { boxCommand } from '../../shared/platforms/local/scripts/sandbox/box.ts';
import { probeIsolation } from '../../shared/platforms/local/scripts/sandbox/isolation.ts';
import type { RunnerCommand, RunnerProcess } from '../../shared/runtimes/process.ts';
import { temporaryFolder } from '../support/temporary.ts';

const test = base
  .extend('root', { scope: 'file' }, temporaryFolder('groundwork-launcher-'))
  .extend('given', { scope: 'file' }, ({ root }, { onCleanup }) => {
    const given = setUp(root);
    onCleanup(() => given.launcher.close());
    return given;
  })
  .extend('mark', () => `mark-${randomUUID()}`); // in the command lines of a test's processes

// the tests read data about processes from /proc
const onLinux = describe.runIf(process.platform === 'linux');

describe('a process', () => {
  test('passes all its output to the server, and its exit status', async ({
    given: { launcher, shell },
  }) => {
    const child = launcher.start(
      shell('echo out; echo err >&2; read line <&3; echo "$line"; exit 7'),
    );
    const streams = await child.streams;
    streams?.control.end('hello\n');

    const [out, end] = await Promise.all([textOf(child), child.ended]);

    expect(out).toBe('out\nhello\n');
    expect(end).toMatchObject({ exitCode: 7 });
  });

  test('that cannot be started reports the reason', async ({ given: { launcher, shell } }) => {
    const child = launcher.start(shell('', { program: '/nowhere/at-all' }));

    expect(await child.streams).toBeUndefined();
    expect(await child.ended).toMatchObject({
      exitCode: null,
      reason: expect.stringContaining('ENOENT'),
    });
  });

  onLinux('on Linux', () => {
    test('has only its own three descriptors, none of the server', async ({
      given: { launcher, shell },
    }) => {
      const list =
        'i=0; while [ $i -lt 256 ]; do [ -e /proc/$$/fd/$i ] && echo $i; i=$((i+1)); done';

      const child = launcher.start(shell(list));

      const found = (await textOf(child)).trim().split('\n');
      expect(found).toEqual(['0', '1', '2', '3']);
    });

    test('is killed before others when memory runs out', async ({ given: { launcher, shell } }) => {
      const child = launcher.start(shell('cat /proc/self/oom_score_adj'));

      expect(await textOf(child)).toBe('1000\n');
    });
  });
});

onLinux('the end of a process', () => {
  test('kills all processes in its group', async ({ given: { launcher, shell }, mark }) => {
    const child = launcher.start(
      shell(`sleep 1000 & sh -c "sleep 1000; : ${mark}" & wait; : ${mark}`),
    );
    await expect.poll(() => marked(mark).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);

    child.kill();
    await child.ended;

    await expect.poll(() => marked(mark), { timeout: 20_000 }).toEqual([]);
  });

  test('by itself also kills the rest of its group', async ({
    given: { launcher, shell },
    mark,
  }) => {
    const child = launcher.start(shell(`sh -c "sleep 1000; : ${mark}" & exit 0; : ${mark}`));

    await child.ended;

    await expect.poll(() => marked(mark), { timeout: 20_000 }).toEqual([]);
  });

  test('works at any time, also while a box starts', async ({
    given: { launcher, shell },
    mark,
    skip,
  }) => {
    const isolation = await probeIsolation({ network: true });
    if (isolation.level !== 'bubblewrap') skip('there is no bubblewrap');
    const [program = '', ...args] = [
      ...isolation.prefix,
      ...boxCommand({ hasNetwork: true, binds: [] }),
      'sh',
      '-c',
      `sleep 1000; : ${mark}`,
    ];
    const children = [];
    for (let delayMs = 0; delayMs < 40; delayMs += 1) {
      const child = launcher.start(shell('', { program, args }));
      children.push(child);
      setTimeout(child.kill, delayMs);
    }

    await Promise.all(children.map(({ ended }) => ended));

    await expect.poll(() => marked(mark), { timeout: 20_000 }).toEqual([]);
  });

  test('finds all processes of a box in one group', async ({
    given: { launcher, shell },
    mark,
    skip,
  }) => {
    const isolation = await probeIsolation({ network: true });
    if (isolation.level !== 'bubblewrap') skip('there is no bubblewrap');
    const box = [...isolation.prefix, ...boxCommand({ hasNetwork: true, binds: [] })];
    const [program = '', ...args] = [...box, 'sh', '-c', `sleep 1000; : ${mark}`];
    const child = launcher.start(shell('', { program, args }));
    await expect.poll(() => marked(mark).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);

    const groups = marked(mark).map(groupOf);
    child.kill();
    await child.ended;

    expect(new Set(groups).size).toBe(1);
  });

  test('happens when the launcher is lost', async ({ given: { shell }, mark }) => {
    const lost = startLauncher();
    const child = lost.start(shell(`sh -c "sleep 1000; : ${mark}"; : ${mark}`));
    const pid = Number((await textOf(lost.start(shell('echo $PPID')))).trim());
    await expect.poll(() => marked(mark).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(1);

    process.kill(pid, 'SIGKILL');

    await lost.lost;
    expect(await child.ended).toMatchObject({ reason: 'the launcher of processes has ended' });
    await expect.poll(() => marked(mark), { timeout: 20_000 }).toEqual([]);
    expect(await lost.start(shell('true')).ended).toMatchObject({ exitCode: null });
  });
});

test.runIf(process.platform === 'linux')(
  'the end of a server that is starting processes ends all of them',
  async ({ mark }) => {
    const address = new URL('../../shared/platforms/local/launcher/launcher.ts', import.meta.url)
      .href;
    const program = `
      import { startLauncher } from ${JSON.stringify(address)};
      const { start } = startLauncher();
      const command = { program: 'sh', args: ['-c', 'sleep 1000; : ${mark}'], variables: {}, folder: '/' };
      const children = Array.from({ length: 60 }, () => start(command));
      await children[3].streams; // by now others are on their way
      process.kill(process.pid, 'SIGKILL');`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });

    await once(server, 'exit');

    await expect.poll(() => marked(mark), { timeout: 20_000 }).toEqual([]);
  },
);

onLinux('limits', () => {
  const megabyte = 2 ** 20;
  const fill = (bytes: number) => `const kept = [];
    for (let left = ${bytes}; left > 0; left -= 1e6) kept.push(Buffer.alloc(1e6, 1));
    setTimeout(() => {}, 2000);`;

  test('memory is the total of all its processes', async ({ given: { node, exceed } }) => {
    const script = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(fill(150e6))}]);
      setTimeout(() => {}, 60_000)`;

    expect(await exceed(node(script, { maxResidentBytes: 200 * megabyte }))).toBe('memory');
  });

  test('a process below the limit is left alone', async ({ given: { node, exceed } }) => {
    const command = node(fill(50e6), { maxResidentBytes: 200 * megabyte });

    expect(await exceed(command)).toBeUndefined();
  });

  test.for<[string, string]>([
    ['one file', 'fs.writeFileSync("a", Buffer.alloc(8e6, 1))'],
    ['many files', 'for (let n = 0; n < 80; n++) fs.writeFileSync("b" + n, Buffer.alloc(1e5, 1))'],
    [
      'folders',
      'fs.mkdirSync("c/d", { recursive: true }); fs.writeFileSync("c/d/e", Buffer.alloc(8e6, 1))',
    ],
    [
      'deleted files that are still open',
      'const fd = fs.openSync("f", "w"); fs.unlinkSync("f"); fs.writeSync(fd, Buffer.alloc(8e6, 1))',
    ],
    ['very many files', 'for (let n = 0; n < 10_001; n++) fs.closeSync(fs.openSync("g" + n, "w"))'],
  ])('the size of its folder: %s', async ([name, write], { given: { node, exceed }, root }) => {
    const folder = join(root, name.replaceAll(' ', '-'));
    mkdirSync(folder);
    const script = `const fs = require('fs'); ${write}; setTimeout(() => {}, 60_000)`;

    expect(await exceed(node(script, { folder, maxFolderBytes: 4 * megabyte }))).toBe('disk');
  });

  test('of processes that compete for the CPU, the latest get a lower priority', async ({
    given: { launcher, node },
  }) => {
    const spin = 'const end = Date.now() + 6000; while (Date.now() < end);';
    const count = 2 * cpus().length + 2;
    const lowered: number[] = [];
    const children = Array.from({ length: count }, (_, at) => {
      const child = launcher.start(node(spin));
      child.watch((limit) => {
        if (limit === 'priority') lowered.push(at);
      });
      return child;
    });

    await expect.poll(() => lowered.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(1);
    for (const { kill } of children) kill();
    await Promise.all(children.map(({ ended }) => ended));

    expect(lowered.length).toBeLessThanOrEqual(2); // the number above the limit
  });
});

/** Returns processes that have the mark in their command lines. */
function marked(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => commandLine(pid).includes(mark));
}

/** Returns the process group of an existing process. */
function groupOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(/\) (?=\S )/);
  return Number(fields.split(' ')[2]);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // the process has ended
  }
}

function setUp(root: string) {
  const launcher = startLauncher();
  const shell = (script: string, given: Partial<RunnerCommand> = {}): RunnerCommand => {
    const variables = { PATH: process.env.PATH ?? '' };
    return { program: 'sh', args: ['-c', script], variables, folder: root, ...given };
  };
  const node = (script: string, given: Partial<RunnerCommand> = {}) =>
    shell('', { program: process.execPath, args: ['-e', script], ...given });
  /** Starts a process and enforces its limits. */
  async function exceed(command: RunnerCommand): Promise<string | undefined> {
    const child = launcher.start(command);
    let exceeded: string | undefined;
    const stop = child.watch((limit) => {
      exceeded = limit;
    });
    await child.ended;
    stop();
    return exceeded;
  }
  return { launcher, shell, node, exceed };
}

async function textOf(child: RunnerProcess, stream: 'stdout' | 'stderr' = 'stdout') {
  const streams = await child.streams;
  let text = '';
  for await (const part of streams?.[stream] ?? []) text += part;
  return text;
}
