import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPyodide } from '../../shared/platform/local/scripts/commands/pyodide-command.ts';
import { openScripts } from '../../shared/platform/local/scripts/scripts.ts';
import { type Host, runLocally, secret } from './hosts.ts';
import { pythonHosts } from './python-hosts.ts';

// Python in Pyodide has no access to Node, except in a Node without restrictions.

const folder = mkdtempSync(join(tmpdir(), 'groundwork-pyodide-'));
const file = join(folder, 'secret.txt');
writeFileSync(file, secret);
afterAll(() => rmSync(folder, { recursive: true }));

const attempts: readonly (readonly [string, string])[] = [
  [
    "reads a file of the host's through Node",
    "return js.process.mainModule.require('fs').readFileSync(ARGS['file'], 'utf8')",
  ],
  [
    "mounts a folder of the host's",
    "import pyodide_js\npyodide_js.mountNodeFS('/tmp/mounted', ARGS['folder'])\nreturn open('/tmp/mounted/secret.txt').read()",
  ],
  [
    'starts a program',
    "return js.process.mainModule.require('child_process').spawnSync('true').pid > 0",
  ],
  [
    'starts a worker',
    "from pyodide.ffi import to_js\noptions = to_js({'eval': True}, dict_converter=js.Object.fromEntries)\njs.process.mainModule.require('worker_threads').Worker.new('0', options)\nreturn True",
  ],
  ['signals its parent', 'return js.process.kill(js.process.ppid, 0)'],
  [
    "finds the host's secret",
    "return 'a secret of the host' in str(js.JSON.stringify(js.process.env))",
  ],
];
const sourceOf = (code: string) => `import js
def attempt():
${code.replace(/^/gm, '    ')}
try:
    print('ESCAPED' if attempt() else 'held')
except BaseException as error:
    print('held', repr(error))
`;

const bare = `
const { loadPyodide } = require(process.argv[2] + '/pyodide.js');
const [, , folder, attempts, targets] = process.argv;
loadPyodide({ indexURL: folder, stdout: (line) => console.log(line) }).then((pyodide) => {
  pyodide.globals.set('ARGS', pyodide.toPy(JSON.parse(targets)));
  for (const source of JSON.parse(attempts)) pyodide.runPython(source);
  process.exit(0);
});`;

const pyodide = findPyodide();
const openPyodide = pythonHosts.get('Pyodide');
const targets = { file, folder };

describe.runIf(pyodide !== undefined)('Python in Pyodide', () => {
  test('escapes from an unrestricted Node, in every attempt', async () => {
    const program = join(folder, 'bare.cjs');
    writeFileSync(program, bare);
    const sources = JSON.stringify(attempts.map(([, code]) => sourceOf(code)));
    const args = [program, pyodide?.folder ?? '', sources, JSON.stringify(targets)];
    const env = { GROUNDWORK_TEST_SECRET: secret };

    const { stdout } = await promisify(execFile)(process.execPath, args, { env });

    expect(stdout.trim().split('\n')).toEqual(attempts.map(() => 'ESCAPED'));
  }, 120_000);

  describe('with restrictions', () => {
    let host: Host | undefined;
    beforeAll(async () => {
      host = openPyodide?.();
      await host?.run({ source: '' }); // the snapshot may have to be created
    }, 300_000);
    afterAll(() => host?.close());

    test.each(attempts)(
      'it never %s',
      async (_name, code) => {
        const result = await host?.run({ source: sourceOf(code), args: targets });

        expect(result).toMatchObject({
          status: 'success',
          stdout: expect.stringMatching(/^held/),
        });
      },
      120_000,
    );
  });

  test('its snapshot is created once', async () => {
    const cache = join(folder, 'cache');
    const options = { isolation: { network: true, level: 'flags' }, folder } as const;
    const seen = [];
    for (const _ of [1, 2]) {
      const scripts = openScripts(options);
      const run = { source: 'print(1)', runtime: 'python', waitMs: 60_000 } as const;
      const { stdout } = await runLocally(scripts, run);
      await scripts.close();
      seen.push([stdout, ...readdirSync(cache).map((name) => statSync(join(cache, name)).mtimeMs)]);
    }

    expect(seen[0]).toEqual(['1', expect.any(Number)]);
    expect(seen[1]).toEqual(seen[0]);
  }, 300_000);
});
