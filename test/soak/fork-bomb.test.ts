import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { machineHosts } from '../scripts/python-hosts.ts';

/** A script that forks without end on a busy machine, where the processes that watch it rarely get a processor. */

const loops = Array.from({ length: 4 * availableParallelism() });
let stop: () => void;

beforeEach(() => {
  const busy = loops.map(() => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
  stop = () => {
    for (const loop of busy) loop.kill('SIGKILL');
  };
});
afterEach(() => stop());

/** Landlock permits no processes. */
const hosts = [...machineHosts].filter(([name]) => name !== 'Landlock');

test.each(hosts)('a fork bomb in %s is killed before its time limit', async (_, open) => {
  const host = open();
  const source =
    'import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass';

  const { status } = await host.run({ source, timeoutMs: 30_000 });
  await host.close();

  expect(status).toBe('failure');
});
