import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonFlags } from '../../shared/platforms/local/scripts/commands/find-python.ts';
import { runtimeFolder } from '../../shared/platforms/local/scripts/sandbox/system-files.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { openLocal, runLocally } from './hosts.ts';
import { landlocked } from './python-hosts.ts';

// Properties of Landlock only. The tables of scripts and escapes run at this level too.

const temporary = mkdtempSync(join(tmpdir(), 'groundwork-landlock-'));
afterAll(() => rmSync(temporary, { recursive: true }));
const isRoot = process.getuid?.() === 0;
if (isRoot) chownSync(temporary, 65534, 65534);

const description = {
  programs: ['/usr/bin', '/usr/lib', '/usr/lib64', '/usr/local', '/lib', '/lib64', '/bin'],
  readable: [runtimeFolder],
  writable: [temporary],
  hasNetwork: true,
  isAlone: true,
  isRoot,
};

/** Runs a program under the wrapper's restrictions. */
async function runHeld(given: object, args: readonly string[]) {
  const { program = '', folder = '' } = landlocked?.python ?? {};
  const programs = [...description.programs, folder];
  const rules = JSON.stringify({ ...description, programs, ...given });
  const wrapper = join(runtimeFolder, 'python/landlock.py');
  return promisify(execFile)(program, [...pythonFlags, wrapper, rules, ...args], { env: {} });
}

describe.runIf(landlocked !== undefined)('under Landlock', () => {
  const { program = '' } = landlocked?.python ?? {};
  const tries = [
    program,
    '-I',
    join(runtimeFolder, 'python/probe.py'),
    String(process.pid),
    temporary,
    ...(isRoot ? ['root'] : []),
  ];

  test.each([1, 2, 3, 4, 5, 6])(
    'version %i of its interface enforces all restrictions',
    async (maxVersion) => {
      const { stdout } = await runHeld({ maxVersion }, tries);

      expect(JSON.parse(stdout)).toEqual([]);
    },
  );

  test('without it all attempts succeed, which proves that they work', async () => {
    const args = tries.slice(1).filter((each) => each !== 'root');
    const { stdout } = await promisify(execFile)(program, args);

    expect(JSON.parse(stdout)).toEqual([
      'files',
      'environments',
      ...(isRoot ? ['root', 'kernel settings'] : []),
      'memory priority',
      'signals',
      'processes',
      'memory',
      'sockets of this machine',
    ]);
  });

  test('a program that cannot be started is reported on standard error', async () => {
    await expect(runHeld({}, ['/nowhere/node'])).rejects.toMatchObject({
      stderr: expect.stringMatching(/^\/nowhere\/node: /),
    });
  });

  describe('Python', () => {
    const attempts = [
      ['creates no process', 'os.fork()'],
      ['starts no program', "subprocess.run(['true'])"],
      ['signals no other process', 'os.kill(os.getppid(), 0)'],
      ['signals no group', 'os.kill(0, 0)'],
      ['leaves no group', 'os.setsid()'],
      ['does not outlive its parent', 'prctl(1, 0)'],
      ['has no signals sent to others', 'fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())'],
      ['has no pair of sockets, which hides descriptors in flight', '_socket.socketpair()'],
    ] as const;
    const source = `import _socket, ctypes, fcntl, os, subprocess
libc = ctypes.CDLL(None, use_errno=True)
def prctl(*values):
    if libc.prctl(*values) < 0: raise PermissionError()
for name, code in ARGS:
    try:
        exec(code)
        print(name, 'done', sep=': ')
    except PermissionError:
        print(name, 'refused', sep=': ')`;
    let outcomes: readonly string[];
    beforeAll(async () => {
      const host = openLocal('python', 'landlock');
      const { stdout } = await host.run({ source, args: attempts });
      await host.close();
      outcomes = stdout.split('\n');
    });

    test.each(attempts)('%s', (name) => {
      expect(outcomes).toContain(`${name}: refused`);
    });
  });

  test.each([
    ['with a network', true],
    ['without a network, where pairs cannot carry descriptors', false],
  ])('asyncio and pairs of sockets work %s', async (_name, network) => {
    const source = `import array, asyncio, os, socket
async def wait():
    await asyncio.sleep(0)
    return await asyncio.to_thread(lambda: 'thread')
print(asyncio.run(wait()))
a, b = socket.socketpair()
a.sendall(b'pair')
print(b.recv(9).decode(), socket.has_ipv6 is not None)
rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [os.open('file', os.O_CREAT)]))]
try:
    a.sendmsg([b'x'], rights)
    print('sent', socket.CMSG_LEN(4) if a.family == socket.AF_UNIX else 'without them')
except (PermissionError, OSError):
    print('refused')`;
    const scripts = openScripts({ isolation: { network, level: 'landlock' } });

    const result = await runLocally(scripts, { source, runtime: 'python' });
    await scripts.close();

    expect(result).toEqual({
      status: 'success',
      stdout: expect.stringMatching(/^thread\npair True\n(refused|sent without them)$/),
      stderr: '',
    });
  });

  test('Python signals itself, has threads, and copies files with their metadata', async () => {
    const source = `import os, shutil, signal, threading
signal.signal(signal.SIGUSR1, lambda *_: print('signal'))
os.kill(os.getpid(), signal.SIGUSR1)
thread = threading.Thread(target=print, args=('thread',))
thread.start()
thread.join()
open('a', 'w').write('copied')
os.mkdir('folder')
print(open(shutil.copy2('a', 'folder')).read())
os.abort()`;
    const scripts = openScripts({ isolation: { network: true, level: 'landlock' } });

    const result = await runLocally(scripts, { source, runtime: 'python' });
    await scripts.close();

    expect(result).toEqual({
      status: 'failure',
      stdout: 'signal\nthread\ncopied',
      stderr: 'The run was ended by signal 6: Aborted.',
    });
  });
});
