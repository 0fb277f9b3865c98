import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { openCertificates } from '../../shared/platforms/local/certificates.ts';
import { startLauncher } from '../../shared/platforms/local/launcher/launcher.ts';
import type { WorkerTypes } from '../../shared/platforms/local/scripts/processes.ts';
import { limitsFor, openScheduler } from '../../shared/platforms/local/scripts/scheduler.ts';
import { startCertificateWorker } from '../../shared/runtimes/certificates/reader.ts';
import { openPool } from '../../shared/runtimes/process-pool.ts';

/*
 * Limits of opening a file. No file that passes the checks is that expensive, so a program of the test replaces the
 * reader: it never ends, or allocates the given number of megabytes.
 */

const folder = mkdtempSync(join(tmpdir(), 'groundwork-certificates-'));
const program = join(folder, 'program.cjs');
writeFileSync(
  program,
  `const channel = new (require('node:net').Socket)({ fd: 3, readable: true, writable: true });
  channel.write('{"ready":true}\\n');
  const held = [];
  channel.on('data', (line) => {
    const order = Buffer.from(JSON.parse(line).bytes, 'base64').toString();
    while (order === 'forever');
    for (let n = 0; n < Number(order); n += 1) held.push(new Array(131072).fill(n));
    channel.write('{}\\n');
  });`,
);
const launcher = startLauncher();
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => {
  launcher.close();
  rmSync(folder, { recursive: true });
});

const start = () => startCertificateWorker(program, launcher.start);
const settled = async () => {
  for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
};

describe('the process that opens a certificate', () => {
  it('is killed after five seconds for one file, and its slot is released', async () => {
    const worker = start();
    await worker.ready;
    const none = () => Promise.reject(new Error('not in this test'));
    const pool = openPool<WorkerTypes>({
      start: { node: none, python: none, template: none, certificate: async () => worker },
      cap: 1,
      idleMs: 60_000,
    });
    const scheduler = openScheduler({ ...limitsFor(2), capacity: 1 });
    const open = openCertificates({ open: async () => ({ scheduler, pool }) });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let outcome: unknown = 'none yet';

    void open(Buffer.from('forever'), { instance: 1, owner: 1 }).then((opened) => {
      outcome = opened;
    });
    await settled();
    await vi.advanceTimersByTimeAsync(4_999);
    const before = outcome;
    await vi.advanceTimersByTimeAsync(1);
    await settled();

    expect([before, outcome]).toEqual(['none yet', undefined]);
    await worker.ended;
    const entry = await scheduler.enter({
      kind: 'certificate',
      owner: 2,
      instance: 2,
      isAwaited: true,
      bytes: 0,
      waitMs: 0,
      timeoutMs: 5_000,
    });
    expect(entry).toBeTypeOf('function');
  });

  it.each([
    ['40 MB are allowed', '40', { reply: {} }],
    ['100 MB end it', '100', 'failed'],
  ])('has a heap of 64 MB: %s', async (_name, megabytes, response) => {
    const worker = start();
    await worker.ready;

    const bytes = Buffer.from(megabytes).toString('base64');
    expect(await worker.run({ bytes }, 30_000)).toEqual(response);

    worker.kill();
  });
});
