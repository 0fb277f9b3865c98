import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test as base, describe, expect, onTestFinished, vi } from 'vitest';
import { startLauncher } from '../../shared/platforms/local/launcher/launcher.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { jobCommand, startJobWorker } from '../../shared/runtimes/job-worker.ts';
import type { RunnerCommand } from '../../shared/runtimes/process.ts';
import { runLocally } from '../scripts/hosts.ts';
import { levels } from '../scripts/levels.ts';
import { anonymousBytes, descendantsOf } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary.ts';

const test = base
  .extend('folder', { scope: 'file' }, temporaryFolder('groundwork-total-memory-'))
  .extend('given', { scope: 'file' }, ({ folder }, { onCleanup }) => {
    const given = setUp(folder);
    onCleanup(() => given.launcher.close());
    return given;
  });

// the memory of all processes together is measured in /proc

const megabyte = 2 ** 20;
const maxBytes = 150 * megabyte;
const hasPython = levels.some((level) => level !== 'flags');
const lookMs = 1_500; // many looks of the launcher

describe.runIf(process.platform === 'linux')('the memory of all processes together', () => {
  test('is limited: the largest of them ends, and no other', async ({ given: { watchToEnd } }) => {
    const ends = await Promise.all([20e6, 40e6, 130e6].map(watchToEnd));

    expect(ends).toEqual([undefined, undefined, 'total memory']);
  });

  test('includes processes that are idle now', async ({
    given: { launcher, filling, watchToEnd },
  }) => {
    const idle = launcher.start(filling(60e6));
    const stop = idle.watch(() => {});
    await new Promise((resolve) => setTimeout(resolve, lookMs / 2));
    stop();

    expect(await watchToEnd(120e6)).toBe('total memory');

    idle.kill();
    await idle.ended;
  });

  test('includes renders and certificates, whose process ends then', async ({
    folder,
    given: { launcher },
  }) => {
    const program = join(folder, 'program.cjs');
    const script = `require('fs').writeSync(3, '{}\\n');
      const input = new (require('net').Socket)({ fd: 3 });
      input.on('data', () => { const kept = []; setInterval(() => kept.push(Buffer.alloc(1e7, 1)), 10); });`;
    writeFileSync(program, script);
    const worker = startJobWorker(jobCommand(program, 200), launcher.start);
    await worker.ready;

    expect(await worker.run({}, 20_000)).toBe('failed');
    expect(worker.isReusable()).toBe(false);
  });

  const usedUp = {
    status: 'failure',
    stderr: 'The memory for scripts on this machine is used up, and the run has used most of it.',
  };

  test('names the reason in the result of a run', async () => {
    const scripts = openScripts({ slots: 2, childBytes: maxBytes });
    const source = 'const held = []; setInterval(() => held.push(Buffer.alloc(1e7, 1)), 5);';

    const result = await runLocally(scripts, { source });

    await scripts.close();
    expect(result).toMatchObject(usedUp);
  });

  test('is watched as often on a machine that is busy with other work', async () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 10_000; // as when others have the core during each look
      return nowMs;
    });
    onTestFinished(() => clock.mockRestore());
    const groups = new Map([[1, { pid: process.pid }]]);
    const exceeded = new Promise((resolve) => {
      const watches = openWatches({ groups, tell: resolve, kill: () => {} });
      watches.add({ id: 1, pid: process.pid, maxThreads: 1000 });
      setTimeout(() => watches.limit(1), 100); // after the first look
    });

    expect(await exceeded).toEqual({ type: 'exceeded', id: 1, limit: 'total memory' });
  }, 20_000);

  test.runIf(hasPython)('is the most that a Python process can allocate', async () => {
    const scripts = openScripts({ slots: 2, childBytes: maxBytes });
    const source = 'held = bytes(200 * 2**20)'; // no page of it is used

    const result = await runLocally(scripts, { source, runtime: 'python' });

    await scripts.close();
    expect(result).toMatchObject({ status: 'failure' });
    expect(result).toHaveProperty('stderr', expect.stringContaining('MemoryError'));
  });

  test('is named in the result of a run that the system has killed', async () => {
    const scripts = openScripts({ slots: 2, childBytes: 2 * maxBytes });
    const source = 'const held = Buffer.alloc(100e6, 1); setTimeout(() => held, 20_000);';
    const others = new Set(descendantsOf(process.pid).map(({ pid }) => pid)); // such as the bundler
    const running = runLocally(scripts, { source });
    const isLarge = ({ pid }: { readonly pid: number }) =>
      !others.has(pid) && anonymousBytes(pid) > 100e6;
    const find = () => descendantsOf(process.pid).find(isLarge)?.pid;
    process.kill(await vi.waitUntil(find, { timeout: 10_000 }), 'SIGKILL');

    const result = await running;

    await scripts.close();
    const stderr =
      'The run was killed: by the system, as when the memory of this machine is used up, or by itself.';
    expect(result).toMatchObject({ status: 'failure', stderr });
  });

  test.runIf(levels.includes('bubblewrap'))('includes files in the memory of a box', async () => {
    const isolation = { network: true, level: 'bubblewrap' } as const;
    const scripts = openScripts({ isolation, slots: 2, childBytes: maxBytes / 2 });
    const source = `const piece = Buffer.alloc(1e6);
      for (let n = 0; n < 100; n++) require('fs').appendFileSync(require('os').tmpdir() + '/a', piece);
      setTimeout(() => {}, 20_000);`;

    const result = await runLocally(scripts, { source });

    await scripts.close();
    expect(result).toMatchObject(usedUp);
  });

  test('of little memory leaves four processes and no spares', async () => {
    const scripts = openScripts({ childBytes: 150 * megabyte });
    const sizes = new Set<number>();

    await Promise.all(
      Array.from({ length: 12 }, async (_, script) => {
        await runLocally(scripts, { source: '1', script, instance: script, owner: script });
        sizes.add(scripts.size());
      }),
    );

    await scripts.close();
    expect(Math.max(...sizes)).toBe(4);
  });
});

function setUp(folder: string) {
  const launcher = startLauncher();
  launcher.limitMemory(maxBytes);
  /** A process that fills memory, and lives on for a while. */
  function filling(bytes: number): RunnerCommand {
    const script = `const kept = [];
    for (let left = ${bytes}; left > 0; left -= 1e6) kept.push(Buffer.alloc(1e6, 1));
    setTimeout(() => kept, ${lookMs});`;
    return { program: process.execPath, args: ['-e', script], variables: {}, folder };
  }
  /** Starts and watches a process; returns the limit that it has exceeded at its end. */
  async function watchToEnd(bytes: number): Promise<string | undefined> {
    const child = launcher.start(filling(bytes));
    let exceeded: string | undefined;
    child.watch((limit) => {
      exceeded = limit;
    });
    await child.ended;
    return exceeded;
  }
  return { launcher, filling, watchToEnd };
}

interface Watches {
  add(watch: { readonly id: number; readonly pid: number; readonly maxThreads: number }): void;
  limit(bytes: number): void;
}
type OpenWatches = (launcher: {
  readonly groups: ReadonlyMap<number, { readonly pid: number }>;
  readonly tell: (message: unknown) => void;
  readonly kill: (id: number) => void;
}) => Watches;
const watchProgram = '../../shared/platforms/local/launcher/watch.cjs';
const { openWatches }: { openWatches: OpenWatches } = createRequire(import.meta.url)(watchProgram);
