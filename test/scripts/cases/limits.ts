import { expect } from 'vitest';
import { type Rule, showing } from './case.ts';

const bombMs = 60_000;

/** The limits of memory, descriptors and processes. */
export const limits: readonly Rule[] = [
  {
    name: 'a memory bomb of objects ends',
    timeoutMs: bombMs,
    status: 'failure',
    node: {
      source: 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5))',
      stderr: expect.any(String),
    },
    python: {
      source: "all = []\nwhile True: all.append(b'x' * 10_000_000)",
      stderr: showing('line 2', 'MemoryError'),
    },
  },
  {
    name: 'a memory bomb of buffers ends',
    inPyodide: true,
    timeoutMs: bombMs,
    node: 'const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))',
    python: 'all = []\nwhile True: all.append(bytearray(10_000_000))',
    status: 'failure',
    stderr: expect.any(String),
  },
  {
    name: 'the memory of all processes is limited together',
    needsProcesses: true,
    python:
      "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n        held = b'x' * 100_000_000\n        break\ntime.sleep(60)",
    status: 'failure',
    stderr: expect.stringMatching(/^The run has used more memory than (320|384) MiB\.$/), // of either watch
  },
  {
    name: 'shared memory is limited',
    python:
      "import mmap\nheld = mmap.mmap(-1, 2_000_000_000)\nfor _ in range(100): held.write(b'x' * 20_000_000)",
    status: 'failure',
    stderr: expect.stringMatching(/^The run has used more memory than \d+ MiB/),
  },
  {
    name: 'memory outside of processes cannot be allocated',
    unfiltered: { stdout: expect.stringMatching(/(True|False)$/) },
    python: `import ctypes, errno, fcntl, os, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
numbers = {'x86_64': (447, 29, 68, 64, 240, 278), 'aarch64': (447, 194, 186, 190, 180, 75)}[platform.machine()]
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0: raise OSError(ctypes.get_errno(), '')
def held():
    memory = [os.memfd_create(str(i)) for i in range(25)]
    for each in memory: os.ftruncate(each, 120_000_000)
read, write = os.pipe()
names = ('memfd_secret', 'shmget', 'msgget', 'semget', 'mq_open', 'vmsplice')
given = ((0,), (0, 1 << 27, 0o1600), (0, 0o1600), (0, 1, 0o1600), (b'queue', 0o102, 0o600, None), (write, None, 0, 0))
tries = {'memfd_create': held, 'pipe size': lambda: fcntl.fcntl(write, 1031, 1 << 20)}
tries.update({name: lambda number=number, given=given: call(number, *given) for name, number, given in zip(names, numbers, given)})
for name, attempt in tries.items():
    try:
        attempt()
        print(name)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOSYS): print(name, error)
pair = socket.socketpair()
before = pair[0].getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
print(pair[0].getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == before)`,
    stdout: 'True',
  },
  {
    name: 'all processes together have at most 256 descriptors',
    needsProcesses: true,
    python:
      'import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        held = [os.dup(0) for _ in range(100)]\n        break\ntime.sleep(60)',
    status: 'failure',
    stderr: 'The run has opened more than 256 files and sockets.',
  },
  {
    name: 'a run has at most 64 processes',
    needsProcesses: true,
    python:
      "import subprocess, time\nfor _ in range(100): subprocess.Popen(['sleep', '60'])\ntime.sleep(60)",
    status: 'failure',
    stderr: 'The run has started more than 64 processes.',
  },
  {
    name: 'a fork bomb is killed completely',
    needsProcesses: true,
    times: 2,
    python:
      'import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass',
    status: 'failure',
    stderr: expect.any(String),
  },
];

/** Scripts that close or change their descriptors. */
export const descriptors: readonly Rule[] = [
  {
    name: 'a script may close its streams',
    node: "console.log('x'); process.stdout.destroy(); process.stderr.destroy()",
    python: 'import sys\nprint("x")\nsys.stdout.close()\nsys.stderr.close()',
    stdout: 'x',
  },
  {
    name: 'a script may close the descriptors',
    node: "const fs = require('fs'); console.log('x'); fs.closeSync(1); fs.closeSync(2)",
    python: "import os\nprint('x')\nos.closerange(0, 256)",
    stdout: 'x',
  },
  {
    name: 'a script may close the control descriptor',
    node: "console.log('x'); require('fs').closeSync(3)",
    status: expect.any(String) as unknown as 'success',
    stdout: 'x',
    stderr: expect.any(String),
  },
  {
    name: 'a script may shut down its streams',
    times: 2,
    python:
      "import os, socket\nprint('x')\nfor fd in (1, 2):\n    try:\n        socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_RDWR)\n    except OSError:\n        pass",
    stdout: 'x',
  },
  {
    name: 'a script may make the streams non-blocking',
    python: "import os\nos.set_blocking(1, False)\nos.set_blocking(2, False)\nprint('x' * 100)",
    times: 2,
    stdout: 'x'.repeat(100),
  },
];
