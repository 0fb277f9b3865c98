import { expect } from 'vitest';
import type { Rule } from './case.ts';

/** Scripts that use signals, threads and child processes. */
export const processes: readonly Rule[] = [
  {
    name: 'a script that a signal kills is a reported failure',
    python: 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)',
    status: 'failure',
    stderr: 'The run was ended by signal 9: Killed.',
  },
  {
    name: 'a script that crashes the process is a reported failure',
    python: "import ctypes\nprint('x')\nctypes.string_at(0)",
    status: 'failure',
    stdout: 'x',
    stderr: 'The run was ended by signal 11: Segmentation fault.',
  },
  {
    name: 'daemon threads are not awaited',
    python:
      "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('end')",
    stdout: 'end',
  },
  {
    name: 'sys.exit in a thread ends only the thread',
    python:
      "import sys, threading\nthreading.Thread(target=sys.exit, args=(3,)).start()\nprint('x')",
    stdout: 'x',
  },
  {
    name: 'pools and event loops work',
    python:
      "import asyncio, concurrent.futures\nwith concurrent.futures.ThreadPoolExecutor(8) as pool:\n    print(sum(pool.map(abs, range(-9, 0))))\nasync def f():\n    await asyncio.sleep(0.01)\n    return 'async'\nprint(asyncio.run(f()))",
    stdout: '45\nasync',
  },
  {
    name: 'child processes work, and their output counts',
    needsProcesses: true,
    python:
      "import subprocess\nsubprocess.run(['echo', 'out'])\nsubprocess.run('echo err >&2', shell=True)\nprint(subprocess.check_output(['cat'], input=b'piped').decode())",
    stdout: 'out\npiped',
    stderr: 'err',
  },
  {
    name: 'a child process may be Python',
    needsProcesses: true,
    python:
      "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-I', '-S', '-c', 'print(2)']).decode())",
    stdout: '2',
  },
  {
    name: 'remaining child processes are killed at the end of the run',
    needsProcesses: true,
    python:
      "import os, subprocess, time\nsubprocess.Popen('sleep 61 & setsid sleep 62 & sleep 63', shell=True, start_new_session=True)\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(64)\nprint('end')",
    stdout: 'end',
  },
  {
    name: 'a script that kills its runner is a failure',
    needsProcesses: true,
    times: 2,
    python: 'import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass',
    status: 'failure',
    stderr: expect.stringMatching(/^$|^The run was killed/),
  },
  {
    name: 'a script that kills all processes is a failure',
    needsProcesses: true,
    python: 'import os\nos.kill(-1, 9)\nwhile True: pass',
    status: 'failure',
    stderr: expect.stringMatching(/^$|^The run was killed/),
  },
];
