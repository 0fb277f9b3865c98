import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPyodide } from '../../shared/platforms/local/scripts/commands/pyodide-command.ts';
import type { ScriptResult } from '../../shared/scripts/rules/script-result.ts';
import { openLocal, secret } from '../scripts/hosts.ts';

// Python in Pyodide has no access to Node, except in a Node without restrictions.

const folder = mkdtempSync(join(tmpdir(), 'groundwork-pyodide-'));
const file = join(folder, 'secret.txt');
const cache = join(folder, 'cache');
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
/** Makes all attempts, and prints the outcome of each. */
const source = `import js
def attempt(name):
    def make(code):
        try:
            outcome = 'ESCAPED' if code() else 'held'
        except BaseException as error:
            outcome = f'held {error!r}'
        print(f'{name}: {outcome}')
    return make
${attempts
  .map(
    ([name, code]) =>
      `@attempt(${JSON.stringify(name)})\ndef _():\n${code.replace(/^/gm, '    ')}\n`,
  )
  .join('')}`;

const bare = `
const { loadPyodide } = require(process.argv[2] + '/pyodide.js');
const [, , folder, source, targets] = process.argv;
loadPyodide({ indexURL: folder, stdout: (line) => console.log(line) }).then((pyodide) => {
  pyodide.globals.set('ARGS', pyodide.toPy(JSON.parse(targets)));
  pyodide.runPython(source);
  process.exit(0);
});`;

const pyodide = findPyodide();
const targets = { file, folder };

describe.runIf(pyodide !== undefined)('Python in Pyodide', () => {
  test('escapes from an unrestricted Node, in every attempt', async () => {
    const program = join(folder, 'bare.cjs');
    writeFileSync(program, bare);
    const args = [program, pyodide?.folder ?? '', source, JSON.stringify(targets)];
    const env = { GROUNDWORK_TEST_SECRET: secret };

    const { stdout } = await promisify(execFile)(process.execPath, args, { env });

    expect(stdout.trim().split('\n')).toEqual(attempts.map(([name]) => `${name}: ESCAPED`));
  });

  describe('with restrictions', () => {
    let result: ScriptResult;
    let createdMs: readonly number[];
    beforeAll(async () => {
      const host = openLocal('python', 'flags', folder);
      result = await host.run({ source, args: targets });
      await host.close();
      createdMs = changedAt(cache);
    }, 300_000);

    test.each(attempts)('it never %s', (name) => {
      const { status, stdout } = result;
      const outcome = stdout.split('\n').find((line) => line.startsWith(`${name}: `));

      expect({ status, outcome }).toEqual({
        status: 'success',
        outcome: expect.stringContaining(`${name}: held`),
      });
    });

    test('its snapshot is created once', async () => {
      const host = openLocal('python', 'flags', folder);

      const { stdout } = await host.run({ source: 'print(1)' });
      await host.close();

      expect(stdout).toBe('1');
      expect(createdMs).toEqual([expect.any(Number)]);
      expect(changedAt(cache)).toEqual(createdMs);
    });
  });
});

/** Returns when each file of a folder was changed last, in milliseconds. */
function changedAt(at: string): readonly number[] {
  return readdirSync(at).map((name) => statSync(join(at, name)).mtimeMs);
}
