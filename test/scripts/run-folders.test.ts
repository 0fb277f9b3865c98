import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { oneOf } from '../support/sample.ts';
import { endProcesses } from '../support/server-process.ts';
import { levels } from './levels.ts';
import { allocations, hiddenFiles, manyMappings, stubbornFolders } from './run-folder-attacks.ts';
import { openServer, type ServerHost } from './server-host.ts';
import { users } from './users.ts';

// A server at each level, as root and as an ordinary user, survives what scripts leave in their folders.

/** A run with folders beyond the longest path counts as too large, if it lasts until the watch looks. */
const unmeasured = /^(The run has written more than 128 MiB into files\.)?$/;

const hosts = levels.flatMap((level, turn) =>
  oneOf(users, turn).map((user) => ({ level, ...user })),
);

afterAll(endProcesses);

describe.each(hosts)('at the level $level, as $name', ({ level, user }) => {
  const temporary = mkdtempSync(join(tmpdir(), 'groundwork-folders-'));
  let server: ServerHost;
  beforeAll(async () => {
    if (user !== undefined) chownSync(temporary, user, user);
    else chmodSync(temporary, 0o755); // scripts of root are another user's
    server = await openServer(level, { user, variables: { TMPDIR: temporary } });
  });
  afterAll(async () => {
    await server.close();
    rmSync(temporary, { recursive: true });
  });

  test('the server survives what scripts leave, and deletes it', async ({ expect }) => {
    for (const { name, runtime, source } of stubbornFolders) {
      if (level === 'flags' && runtime === 'python') continue; // files of Pyodide are in its memory
      // a failing script ends its process, whose folder is deleted then
      const end = runtime === 'node' ? '; process.exit(3)' : '\nimport sys; sys.exit(3)';
      const attack = await server.run(runtime, `${source}${end}`);
      const next = await server.run(runtime, runtime === 'node' ? 'console.log(1)' : 'print(1)');

      expect({ name, attack }).toEqual({
        name,
        attack: { status: 'failure', stdout: '', stderr: expect.stringMatching(unmeasured) },
      });
      expect({ name, next }).toEqual({
        name,
        next: { status: 'success', stdout: '1', stderr: '' },
      });
    }
  });

  // a box has its folder in memory, with a limit of the file system
  test.skipIf(level === 'bubblewrap')(
    'the size of a folder is limited wherever its files are',
    async ({ expect }) => {
      for (const { name, runtime, source } of hiddenFiles) {
        if (level === 'flags' && runtime === 'python') continue;
        const { status, stderr, stdout } = await server.run(runtime, source);

        expect({ name, status, stderr, written: stdout.length }).toEqual({
          name,
          status: 'failure',
          stderr: 'The run has written more than 128 MiB into files.',
          // the watch ends it at its next look, which a busy machine delays
          written: expect.toSatisfy((megabytes: number) => megabytes < 800, 'less than all 800'),
        });
      }
    },
  );

  test.runIf(level === 'landlock')(
    'many mappings end their run before they delay the watch of others',
    async ({ expect }) => {
      const { status, stderr } = await server.run('python', manyMappings);

      const message = 'The run has written more than 128 MiB into files.';
      expect({ status, stderr }).toEqual({ status: 'failure', stderr: message });
    },
  );

  test.skipIf(level === 'flags')('no file gets space beyond its size', async ({ expect }) => {
    for (const source of allocations) {
      const { stdout } = await server.run('python', source);

      expect(stdout).toBe('0 Operation not supported');
    }
  });

  test('a folder that cannot be listed is not too large', async ({ expect }) => {
    const source = `const fs = require('fs'); fs.mkdirSync('x', 0o300); fs.writeFileSync('x/f', 'a');
      setTimeout(() => console.log(fs.readFileSync('x/f', 'utf8')), 500)`;

    const result = await server.run('node', source);

    expect(result).toEqual({ status: 'success', stdout: 'a', stderr: '' });
  });

  test('at its end the server has no errors, and no folder is left', async ({ expect }) => {
    expect(await server.close()).toBe(0);
    expect(server.complaints()).toBe('');
    await expect.poll(() => readdirSync(temporary), { timeout: 60_000 }).toEqual([]); // by the launcher
  });
});
