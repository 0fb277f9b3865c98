import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endProcesses, startProcess } from '../support/server-process.ts';
import { escapes, type Targets } from './escapes.ts';
import { type Host, hosts, secret } from './hosts.ts';

// Each attempt fails on every host. It succeeds in a process without sandbox, which proves that the attempt works.

const folder = mkdtempSync(join(tmpdir(), 'groundwork-escapes-'));
const file = join(folder, 'secret.txt');
writeFileSync(file, secret);
const lmdb = `../../node_modules/@lmdb/lmdb-${process.platform}-${process.arch}/node.napi.glibc.node`;
const server = await startProcess(join(folder, 'data'));
const targets: Targets = {
  file,
  dataFile: join(folder, 'data/store/data.mdb'),
  pid: process.pid,
  absentFile: join(folder, 'absent'),
  socket: join(folder, 'socket'),
  abstractSocket: `\0groundwork-escapes-${process.pid}`,
  addon: fileURLToPath(new URL(lmdb, import.meta.url)),
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

test.each(escapes)('$name, without sandbox', async ({ source }) => {
  const program = join(folder, 'main.cjs');
  writeFileSync(program, `globalThis.ARGS = ${JSON.stringify(targets)};\n${source}`);
  const start = `require('child_process').spawnSync(process.execPath, [process.argv[1]], { stdio: ['ignore', 'inherit', 'inherit', 9] })`;
  const env = { PATH: process.env.PATH, GROUNDWORK_TEST_SECRET: secret };
  const shell = 'exec 9<"$1"; exec "$2" -e "$3" "$4"'; // the shell opens a file for Node

  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', shell, 'sh', file, process.execPath, start, program],
    { env },
  );

  expect(stdout).toContain('ESCAPED');
});

// hosts work side by side, each in order
describe.concurrent.each([...(await hosts())])('in %s', (_name, open) => {
  let host: Host;
  beforeAll(async () => {
    host = await open();
  });
  afterAll(() => host.close());

  test.sequential.each(escapes)('it never $name', async ({ source }) => {
    const { status, stdout } = await host.run({ source, args: targets });

    expect({ status, stdout }).toEqual({
      status: 'success',
      stdout: expect.stringMatching(/^held/),
    });
  });
});
