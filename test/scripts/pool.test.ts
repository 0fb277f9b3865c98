import { afterEach, describe, expect, test } from 'vitest';
import type { IsolationOptions } from '../../shared/platforms/local/scripts/sandbox/isolation.ts';
import {
  type LocalScripts,
  type LocalScriptsOptions,
  openScripts,
} from '../../shared/platforms/local/scripts/scripts.ts';
import { runLocally } from './hosts.ts';

const isolation: IsolationOptions = { network: true, level: 'flags' };
const opened = new Set<LocalScripts>();

function open(options: LocalScriptsOptions = {}): LocalScripts {
  const scripts = openScripts({ isolation, ...options });
  opened.add(scripts);
  return scripts;
}

afterEach(async () => {
  for (const scripts of opened) await scripts.close();
  opened.clear();
});

const pid = 'console.log(process.pid)';

describe('processes', () => {
  test('do not exist before the first run', async () => {
    const scripts = open();

    await scripts.describe();

    expect(scripts.size()).toBe(0);
  });

  test('a script that runs again is in the same process', async () => {
    const scripts = open();

    const first = await runLocally(scripts, { source: pid });
    const second = await runLocally(scripts, { source: pid });

    expect(second).toEqual(first);
  });

  test('a script that leaks memory gets a new process before memory runs out', async () => {
    const scripts = open();
    const source = `
      process.leaked = [...(process.leaked ?? []), 'x'.repeat(999_999) + Math.random()];
      process.leaked.at(-1).at(0); // flat
      console.log(process.pid);`;

    const results = [];
    for (let n = 0; n < 400; n += 1) results.push(await runLocally(scripts, { source }));

    expect(results.filter(({ status }) => status !== 'success')).toEqual([]);
    const pids = new Set(results.map(({ stdout }) => stdout));
    expect(pids.size).toBeGreaterThan(1);
    expect(pids.size).toBeLessThan(20);
  });

  test.each([
    ['another script', { script: 2 }],
    ['the script of another instance', { instance: 2 }],
    ['another version', { version: 2 }],
  ])('%s is in another', async (_name, other) => {
    const scripts = open();

    const first = await runLocally(scripts, { source: pid });
    const second = await runLocally(scripts, { source: pid, ...other });

    expect(second.stdout).not.toBe(first.stdout);
  });

  test('a version runs its own source, whatever ran before', async () => {
    const scripts = open();

    const results = [];
    for (const version of [1, 2, 1, 2]) {
      const source = `console.log(${version})`;
      results.push((await runLocally(scripts, { source, version })).stdout);
    }

    expect(results).toEqual(['1', '2', '1', '2']);
  });

  test('a run with too much output leaves none for the next, even if it completed', async () => {
    const scripts = open();
    const source = 'process.stdout.write(ARGS.text)';
    const outcomes: string[] = [];

    for (let round = 0; round < 4; round += 1) {
      const text = 'x'.repeat(524_289 + round * 24_000);
      const cut = await runLocally(scripts, { source, args: { text } });
      const next = await runLocally(scripts, { source, args: { text: 'whole' } });
      outcomes.push(`${cut.status} ${next.stdout}`);
    }

    expect(new Set(outcomes)).toEqual(new Set(['failure whole']));
  });

  test('many scripts, each run once, leave at most the slots and a spare', async () => {
    const scripts = open({ slots: 4 });
    const sizes = new Set<number>();
    const count = Number(process.env.SCRIPTS ?? 16);
    const all = Array.from({ length: count }, (_, script) => script);

    const outputs = await Promise.all(
      all.map(async (script) => {
        const run = { source: `console.log(${script})`, script, instance: script % 4 };
        const { stdout } = await runLocally(scripts, { ...run, waitMs: 1_000_000 });
        sizes.add(scripts.size());
        return stdout;
      }),
    );

    expect(outputs).toEqual(all.map(String));
    expect(Math.max(...sizes, scripts.size())).toBeLessThanOrEqual(5);
  }, 1_000_000);

  test('concurrent runs of one script have separate processes', async () => {
    const scripts = open({ slots: 6 });
    const source = `setTimeout(() => console.log(process.pid), 1500)`; // too long to wait for

    const results = await Promise.all([1, 2, 3].map(() => runLocally(scripts, { source })));

    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(3);
  });

  test('all idle ones end', async () => {
    const scripts = open({ idleMs: 30 });

    await runLocally(scripts, { source: pid });

    await expect.poll(() => scripts.size(), { timeout: 30_000 }).toBe(0);
  });

  test('a process with leftovers is not used again', async () => {
    const scripts = open();
    const source = `setTimeout(() => {}, 1e6).unref(); ${pid}`;

    const first = await runLocally(scripts, { source });
    const second = await runLocally(scripts, { source });

    expect(second.stdout).not.toBe(first.stdout);
  });
});

describe('waiting', () => {
  const spin = 'for (;;);';

  test('instances take turns', async () => {
    const scripts = open({ slots: 4 });
    const ended: number[] = [];
    const run = async (instance: number, script: number) => {
      const source = 'setTimeout(() => {}, 500);'; // longer than it takes to start a process
      await runLocally(scripts, { source, instance, script });
      ended.push(instance);
    };

    const busy = [1, 2].map((script) =>
      runLocally(scripts, { source: spin, timeoutMs: 500, script }),
    );
    await Promise.all([...busy, ...[3, 4, 5, 6, 7, 8].map((n) => run(1, n)), run(2, 9)]);

    expect(ended.indexOf(2)).toBeLessThan(6); // without turns it would be the last one; they end in any order
  });

  test('a run that waits too long is rejected', async () => {
    const scripts = open({ slots: 4 });
    const busy = [1, 2].map((script) =>
      runLocally(scripts, { source: spin, timeoutMs: 500, script }),
    );

    const late = runLocally(scripts, { source: '', script: 3, waitMs: 20 });

    await expect(late).rejects.toThrow('queue_timeout');
    expect(await Promise.all(busy)).toMatchObject([{ status: 'timeout' }, { status: 'timeout' }]);
  });

  test('no run starts after the end', async () => {
    const scripts = open();
    await scripts.close();

    await expect(runLocally(scripts, { source: '' })).rejects.toThrow('blocked');
  });
});

describe('the end of the server', () => {
  test('ends active runs', async () => {
    const scripts = open();
    const source = 'for (; ARGS.spins;);';
    await runLocally(scripts, { source, args: { spins: false } });
    const run = runLocally(scripts, { source, args: { spins: true } });
    await new Promise(setImmediate); // the run has started and its process exists

    await scripts.close();

    expect(await run).toMatchObject({ status: 'failure' });
    expect(scripts.size()).toBe(0);
  });
});
