import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Level } from '../../shared/platforms/local/scripts/sandbox/level.ts';
import { levels } from '../scripts/levels.ts';
import { landlocked, machine } from '../scripts/python-hosts.ts';
import { openServer, type ServerHost } from '../scripts/server-host.ts';

// A script has only its own descriptors and none of the server, which has the data of all tenants open.

const kinds = 'isFile isDirectory isSocket isFIFO isCharacterDevice isBlockDevice'.split(' ');
const node = `const fs = require('fs');
const kindOf = (stats) => ARGS.kinds.find((kind) => stats[kind]()) ?? 'other';
for (let fd = 0; fd < 256; fd += 1) {
  try { console.log(fd, kindOf(fs.fstatSync(fd))); } catch (error) { if (error.code !== 'EBADF') throw error; }
}`;
const python = `import os, stat
for fd in range(256):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    tests = {'isFile': stat.S_ISREG, 'isDirectory': stat.S_ISDIR, 'isSocket': stat.S_ISSOCK, 'isFIFO': stat.S_ISFIFO, 'isCharacterDevice': stat.S_ISCHR, 'isBlockDevice': stat.S_ISBLK}
    print(fd, next((kind for kind, is_it in tests.items() if is_it(mode)), 'other'))`;

/** Descriptors of libuv's event loop and of the random source; 'other' has no name in the file system. */
const ofNode = /^\d+ (other|isFIFO|isCharacterDevice)$/;
const withPython: readonly Level[] = [
  ...(machine === undefined ? [] : (['bubblewrap'] as const)),
  ...(landlocked === undefined ? [] : (['landlock'] as const)),
];
const given = ['0 isCharacterDevice', '1 isSocket', '2 isSocket', '3 isSocket'];

describe.each(levels)('at the level %s', (level) => {
  let host: ServerHost;
  beforeAll(async () => {
    host = await openServer(level);
  });
  afterAll(() => host.close());

  test('JavaScript has its standard streams, the control socket, and descriptors of Node itself', async () => {
    const { stdout } = await host.run('node', node, { kinds });

    const lines = stdout.split('\n');
    expect(lines.slice(0, 4)).toEqual(given);
    expect(lines.slice(4).filter((line) => !ofNode.test(line))).toEqual([]);
  });

  test('JavaScript cannot detect the data file by its number', async () => {
    const source =
      "const fs = require('fs'); const found = []; for (let fd = 0; fd < 256; fd++) try { const s = fs.fstatSync(fd); if (s.size > 0 || s.isFile()) found.push(fd) } catch {} console.log(found.join())";

    const { status, stdout } = await host.run('node', source);

    expect(readdirSync(dirname(host.dataFile))).toContain('data.mdb');
    expect({ status, stdout }).toEqual({ status: 'success', stdout: '' });
  });

  if (withPython.includes(level)) {
    test('Python has its standard streams only', async () => {
      const { stdout } = await host.run('python', python);

      expect(stdout.split('\n')).toEqual(given.slice(0, 3));
    });
  }
});
