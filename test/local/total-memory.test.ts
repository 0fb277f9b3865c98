import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Launcher, startLauncher } from '../../shared/platform/local/launcher/launcher.ts';
import { openScripts } from '../../shared/platform/local/scripts/scripts.ts';
import { jobCommand, startJobWorker } from '../../shared/platform/runtimes/job-worker.ts';
import type { RunnerCommand } from '../../shared/platform/runtimes/process.ts';
import { runLocally } from '../scripts/hosts.ts';
import { levels } from '../scripts/levels.ts';

// the memory of all processes together is measured in /proc

const megabyte = 2 ** 20;
const maxBytes = 150 * megabyte;
const lookMs = 1_500; // many looks of the launcher
let folder = '';
let launcher: Launcher;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'groundwork-total-memory-'));
  launcher = startLauncher();
  launcher.limitMemory(maxBytes);
});
afterAll(async () => {
  launcher.close();
  await rm(folder, { recursive: true });
});

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

describe.runIf(process.platform === 'linux')('the memory of all processes together', () => {
  test('is limited: the largest of them ends, and no other', async () => {
    const ends = await Promise.all([20e6, 40e6, 130e6].map(watchToEnd));

    expect(ends).toEqual([undefined, undefined, 'total memory']);
  });

  test('includes processes that are idle now', async () => {
    const idle = launcher.start(filling(60e6));
    const stop = idle.watch(() => {});
    await new Promise((resolve) => setTimeout(resolve, lookMs / 2));
    stop();

    expect(await watchToEnd(120e6)).toBe('total memory');

    idle.kill();
    await idle.ended;
  });

  test('includes renders and certificates, whose process ends then', async () => {
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
