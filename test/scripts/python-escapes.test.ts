import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endProcesses, startProcess } from '../support/server-process.ts';
import { type Host, secret } from './hosts.ts';
import { type PythonTargets, pythonEscapes } from './python-escapes.ts';
import { machine, pythonHosts } from './python-hosts.ts';

// Each attempt fails on every host. It succeeds in a process without sandbox, which proves that the attempt works.

const folder = mkdtempSync(join(tmpdir(), 'groundwork-escapes-'));
const file = join(folder, 'secret.txt');
writeFileSync(file, secret);
const server = await startProcess(join(folder, 'data'));
const targets: PythonTargets = {
  file,
  dataFile: join(folder, 'data/store/data.mdb'),
  pid: process.pid,
  socket: join(folder, 'socket'),
  abstractSocket: `\0groundwork-python-${process.pid}`,
};
const servers = [targets.socket, targets.abstractSocket].map((path) => createServer().listen(path));

beforeAll(() =>
  Promise.all(servers.map((server) => server.listening || once(server, 'listening'))),
);
afterAll(async () => {
  await server.end('SIGTERM');
  endProcesses();
  for (const each of servers) each.close();
  rmSync(folder, { recursive: true });
});

const mayTrace = process.getuid?.() === 0 || !isTracingHeld();
const possible = pythonEscapes.filter(({ needsTracing }) => mayTrace || !needsTracing);
if (machine !== undefined && !mayTrace) {
  process.stdout.write(
    'skipped: tracing of bare processes, which this machine allows root alone\n',
  );
}

describe.runIf(machine !== undefined)('Python without sandbox', () => {
  test.each(possible)('$name', async ({ source }) => {
    const program = join(folder, 'main.py');
    const given = JSON.stringify(JSON.stringify(targets));
    writeFileSync(program, `import json\nARGS = json.loads(${given})\n${source}`);
    const start = 'import subprocess, sys; subprocess.run(sys.argv[1:], close_fds=False)';
    const shell = 'exec 9<"$1"; "$2" -c "$3" "$2" "$4"; true'; // an open file, and parents that the script may inspect
    const env = { PATH: process.env.PATH, GROUNDWORK_TEST_SECRET: secret };

    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', shell, 'sh', file, machine?.python.program ?? '', start, program],
      { env, cwd: folder },
    );

    expect(stdout).toContain('ESCAPED');
  });
});

const withProcesses = [...pythonHosts].filter(([name]) => name !== 'Pyodide');

// hosts work side by side, each in order
describe.concurrent.each(withProcesses)('Python in %s', (_name, open) => {
  let host: Host;
  beforeAll(() => {
    host = open();
  });
  afterAll(() => host.close());

  test.sequential.each(pythonEscapes)('never $name', async ({ source }) => {
    const { status, stdout, stderr } = await host.run({ source, args: targets });

    expect({ status, stdout, stderr }).toEqual({
      status: 'success',
      stdout: expect.stringMatching(/^held/),
      stderr: expect.any(String),
    });
  });
});

/** Checks whether the system lets processes of the same user inspect one another. */
function isTracingHeld(): boolean {
  try {
    return readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'utf8').trim() !== '0';
  } catch {
    return false;
  }
}
