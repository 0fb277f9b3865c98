import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptResult } from '../../shared/scripts/rules/script-result.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import type { Escape } from './escapes.ts';
import { type Host, secret } from './hosts.ts';

/** The escapes of a language. */
export interface Escapes {
  readonly escapes: readonly Escape[];
  /** Returns a script that makes the attempts in order, and prints the name and outcome of each on a line. */
  readonly toScript: (attempts: readonly Escape[]) => string;
  /** Absent when the language is missing on this machine. */
  readonly bare?: Bare | undefined;
}

/** A way to run programs without sandbox. */
export interface Bare {
  readonly program: string;
  /** Option of the program for the code that follows. */
  readonly option: string;
  /** Code that starts the command in its arguments as a child process that inherits all descriptors. */
  readonly start: string;
  /** File name of the source. */
  readonly fileName: string;
  /** Returns code that defines ARGS. */
  readonly define: (json: string) => string;
}

/**
 * Tests that each attempt fails on every host, and that it succeeds in a process without sandbox, which proves that
 * the attempt works. One run makes all attempts.
 */
export function describeEscapes(
  { escapes, toScript, bare }: Escapes,
  hosts: Iterable<readonly [string, () => Host]>,
): void {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-escapes-'));
  const targets = targetsIn(folder);
  const servers = [targets.socket, targets.abstractSocket].map((path) =>
    createServer().listen(path),
  );
  let server: ServerProcess;
  beforeAll(async () => {
    writeFileSync(targets.file, secret);
    server = await startProcess(join(folder, 'data'));
    await Promise.all(servers.map((each) => each.listening || once(each, 'listening')));
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    endProcesses();
    for (const each of servers) each.close();
    rmSync(folder, { recursive: true });
  });

  const possible = escapes.filter(
    ({ needsTracing, needsRoot }) => (mayTrace || !needsTracing) && (isRoot || !needsRoot),
  );
  if (bare !== undefined && possible.length < escapes.length) {
    process.stdout.write(
      'skipped: attempts of bare processes that this machine allows root alone\n',
    );
  }

  describe.runIf(bare)('without sandbox', () => {
    let outcomes: string;
    beforeAll(async () => {
      if (bare !== undefined) outcomes = await runBare(bare, toScript(possible));
    });

    test.each(possible)('$name', ({ name }) => {
      expect(outcomes.split('\n')).toContain(`${name}: ESCAPED`);
    });
  });

  async function runBare(
    { program, option, start, fileName, define }: Bare,
    source: string,
  ): Promise<string> {
    const file = join(folder, fileName);
    writeFileSync(file, `${define(JSON.stringify(targets))}\n${source}`);
    const shell = 'exec 9<"$1"; "$2" "$3" "$4" "$2" "$5"; true'; // an open file, and parents that the script may inspect
    const env = { PATH: process.env.PATH, GROUNDWORK_TEST_SECRET: secret };
    const args = ['-c', shell, 'sh', targets.file, program, option, start, file];
    const { stdout } = await promisify(execFile)('sh', args, { env, cwd: folder });
    return stdout;
  }

  // hosts work side by side
  describe.concurrent.each([...hosts])('in %s', (_name, open) => {
    let result: ScriptResult;
    beforeAll(async () => {
      const host = open();
      result = await host.run({ source: toScript(escapes), args: targets });
      await host.close();
    });

    test.each(escapes)('it never $name', ({ name }) => {
      const { status, stdout } = result;
      const outcome = stdout.split('\n').find((line) => line.startsWith(`${name}: `));

      expect({ status, outcome }).toEqual({
        status: 'success',
        outcome: expect.stringContaining(`${name}: held`),
      });
    });
  });
}

/** Returns values of the host that an escape receives as ARGS. */
function targetsIn(folder: string) {
  const lmdb = `../../node_modules/@lmdb/lmdb-${process.platform}-${process.arch}/node.napi.glibc.node`;
  return {
    /** A file of the host, in a writable folder. */
    file: join(folder, 'secret.txt'),
    /** The data file of a server. */
    dataFile: join(folder, 'data/store/data.mdb'),
    /** A process of the host. */
    pid: process.pid,
    /** A file that does not exist. */
    absentFile: join(folder, 'absent'),
    /** A listening socket in the file system, and one with an abstract name (Linux). */
    socket: join(folder, 'socket'),
    abstractSocket: `\0groundwork-escapes-${process.pid}`,
    /** An addon that loads into Node. */
    addon: fileURLToPath(new URL(lmdb, import.meta.url)),
  };
}

const isRoot = process.getuid?.() === 0;
const mayTrace = isRoot || !isTracingHeld();

/** Checks whether the system lets only root inspect other processes of the same user. */
function isTracingHeld(): boolean {
  try {
    return readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'utf8').trim() !== '0';
  } catch {
    return false;
  }
}
