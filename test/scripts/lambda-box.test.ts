import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { pythonFlags } from '../../shared/platforms/local/scripts/commands/find-python.ts';
import { runtimeFolder } from '../../shared/platforms/local/scripts/sandbox/system-files.ts';
import { type BoxedOptions, filterOf, startInBox } from '../aws-emulator/lambda-box.ts';
import { boxed } from './box-hosts.ts';
import { packNode, unpack } from './hosts.ts';
import { machine, packPython } from './python-hosts.ts';

// The functions of scripts in a box like Lambda's: what they need to start, and how they report that they cannot.

const root = mkdtempSync(join(tmpdir(), 'groundwork-boxed-'));
afterAll(() => rmSync(root, { recursive: true }));

const event = { version: 7, args: {}, config: {}, meta: {}, timeoutMs: 60_000 };
const sources = {
  node: "console.log(1); setResponse(new HttpResponse(200, 'x'))",
  python: "print(1)\nset_response(HttpResponse(200, 'x'))",
};
const expected = { exitCode: 0, isTimedOut: false, stdout: '1\n', stderr: '' };

/** Starts a function in the box; `broken` replaces a file of it. */
async function start(
  runtime: 'node' | 'python',
  options?: BoxedOptions,
  broken?: readonly [string, string],
) {
  const language = boxed[runtime];
  if (language === undefined) throw new Error('skipped'); // by the conditions below
  const folder = mkdtempSync(join(root, 'function-'));
  unpack(runtime === 'node' ? packNode(sources.node) : packPython(sources.python), folder);
  if (broken !== undefined) writeFileSync(join(folder, broken[0]), broken[1]);
  chmodSync(root, 0o755);
  chmodSync(folder, 0o755);
  return startInBox(language, folder, options);
}

describe.runIf(boxed.python !== undefined)('a Python function', () => {
  test.runIf(boxed.python?.needsPath)(
    'starts where LD_LIBRARY_PATH alone leads to its library',
    async () => {
      const lambda = await start('python', { refuses: [] });

      const result = await lambda.invoke(event);
      await lambda.close();

      expect(result).toMatchObject({ ...expected, response: expect.stringContaining('"x"') });
    },
  );

  test.each(['memfd_create', 'fallocate'] as const)('runs where %s is refused', async (refused) => {
    const lambda = await start('python', { refuses: [refused] });

    const result = await lambda.invoke(event);
    await lambda.close();

    expect(result).toMatchObject({ ...expected, response: expect.stringContaining('"x"') });
    expect(lambda.log()).toBe('');
  });

  test('reports once, by its log and its first result, that the kernel refuses filters', async () => {
    const lambda = await start('python');

    const first = await lambda.invoke(event);
    const second = await lambda.invoke(event);
    await lambda.close();

    expect(first).toMatchObject({ ...expected, refused: ['filters'] });
    expect(second).toMatchObject(expected);
    expect(second).not.toHaveProperty('refused');
    expect(lambda.log()).toMatch(/^[^\n]*system call filters[^\n]*\n$/);
  });

  test("whose runner cannot start fails at once, with the runner's standard error", async () => {
    const program = "raise SystemExit('no\\x1b[1m library' + 'y' * 5000 + ' at all')";

    const starting = start('python', {}, ['runner.py', program]);

    const error = await starting.then(String, String);
    expect(error).toMatch(
      /RunnerNotStarted: The runner of scripts does not start \(exit code 1\): y{1900,} at all\n/,
    );
  });
});

/** Installs the filter of the box without a box, which would itself deny new privileges. This needs root. */
const refusing = `
import ctypes, sys
sys.path.insert(0, sys.argv[1])
code = bytes.fromhex(sys.argv[2])
buffer = ctypes.create_string_buffer(code, len(code))
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]
program = Program(len(code) // 8, ctypes.addressof(buffer))
assert ctypes.CDLL(None).prctl(22, 2, ctypes.byref(program), 0, 0) == 0
import seccomp
print(seccomp.install_base())`;

test.runIf(process.getuid?.() === 0 && machine !== undefined)(
  'a kernel that refuses to deny new privileges as well is reported so',
  () => {
    const args = [join(runtimeFolder, 'python'), filterOf(['seccomp']).toString('hex')];
    const program = machine?.python.program ?? '';

    const output = execFileSync(program, [...pythonFlags, '-c', refusing, ...args]);

    expect(output.toString()).toBe("['filters', 'privileges']\n");
  },
);

describe.runIf(boxed.node !== undefined)('a Node function', () => {
  test('runs where these calls are refused', async () => {
    const lambda = await start('node');

    const result = await lambda.invoke(event);
    await lambda.close();

    expect(result).toMatchObject({ ...expected, response: expect.stringContaining('"x"') });
  });

  test("whose runner cannot start fails at once, with the runner's standard error", async () => {
    const starting = start('node', {}, ['runner.cjs', "throw new Error('no\\x1b[1m library')"]);

    const error = await starting.then(String, String);
    expect(error).toMatch(
      /RunnerNotStarted: The runner of scripts does not start: [\s\S]*Error: no\ufffd\[1m library/,
    );
  });
});
