import { expect } from 'vitest';
import { type Rule, showing } from './case.ts';

const timeoutMs = 1000; // a busy machine needs some time until the first output

/** Scripts that exceed their time limit. */
export const timeouts: readonly Rule[] = [
  {
    name: 'an endless loop times out, and keeps its output',
    timeoutMs,
    status: 'timeout',
    stdout: 'so far',
    node: {
      source:
        "console.log('so far'); console.error('err'); setResponse(new HttpResponse(200, 'x')); for (;;);",
      stderr: 'err',
    },
    python: {
      source:
        "import sys\nset_response(HttpResponse(201))\nprint('so far', end='')\nprint('err', file=sys.stderr)\ndef spin():\n    while True: pass\nspin()",
      stderr: showing('err\nTime is over', 'line 7, in <module>\n', 'line 6, in spin\n'),
    },
  },
  {
    name: 'a waiting script times out',
    timeoutMs,
    status: 'timeout',
    stdout: 'so far',
    node: "console.log('so far'); setInterval(() => {}, 1000)",
    python: {
      source: "import time\nprint('so far')\ntime.sleep(60)",
      stderr: showing('line 3', 'time.sleep(60)'),
    },
  },
  {
    name: 'a script that stops its runner times out, and forks no more',
    needsProcesses: true,
    times: 2,
    timeoutMs: 500,
    status: 'timeout',
    stderr: expect.any(String),
    unfiltered: { stdout: expect.stringMatching(/^(forked)?$/) },
    python:
      "import os, signal, time\nos.kill(os.getppid(), signal.SIGSTOP)\nif os.fork() == 0: print('forked')\ntime.sleep(60)",
  },
];

/** Scripts that exceed their time limit in unusual ways. */
export const unusualTimeouts: readonly Rule[] = [
  {
    name: 'a script that catches everything times out',
    inPyodide: true,
    timeoutMs,
    status: 'timeout',
    stdout: 'so far',
    stderr: expect.any(String),
    python:
      "print('so far')\nwhile True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
  },
  {
    name: 'an endless chain of promises times out',
    timeoutMs,
    status: 'timeout',
    node: 'const f = () => { Promise.resolve().then(f); }; f()', // with a result, it would use ever more memory
  },
  {
    name: 'a loop outside of Python code times out',
    timeoutMs,
    status: 'timeout',
    stdout: 'so far',
    python:
      "import collections, itertools\nprint('so far')\ncollections.deque(itertools.repeat(0), maxlen=0)",
  },
  {
    name: 'a script that ignores the alarm times out',
    timeoutMs,
    status: 'timeout',
    stdout: 'so far',
    python:
      "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nprint('so far')\nwhile True: pass",
  },
  {
    name: 'a thread that waits forever times out',
    timeoutMs,
    status: 'timeout',
    stdout: 'so far',
    stderr: expect.stringContaining('Time is over'),
    python:
      "import threading\nprint('so far')\nthreading.Thread(target=threading.Event().wait).start()",
  },
];
