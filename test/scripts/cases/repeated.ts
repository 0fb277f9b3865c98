import { expect } from 'vitest';
import { type Rule, showing } from './case.ts';

/** Successive runs of the same script: its processes, its folder and its limits. */
export const repeated: readonly Rule[] = [
  {
    name: 'environment, folder and limits are reset for the next run', // Node shares its environment between runs
    times: 2,
    python:
      "import os, sys\nprint('X' in os.environ, os.listdir('.'), sys.getrecursionlimit() > 900)\nos.environ['X'] = 'y'\nos.mkdir('d')\nos.chdir('d')\nsys.setrecursionlimit(100)",
    stdout: 'False [] True',
  },
  {
    name: 'files are deleted after the run, whatever their permissions',
    inPyodide: true,
    times: 3,
    node: "const fs = require('fs'); console.log(fs.readdirSync('.')); fs.mkdirSync('d/e', { recursive: true }); fs.writeFileSync('d/e/x', ''); fs.writeFileSync('.hidden', ''); try { fs.symlinkSync('/', 'd/link') } catch {} fs.chmodSync('d/e', 0); fs.chmodSync('d', 0)",
    python:
      "import os\nprint(os.listdir('.'))\nos.makedirs('d/e')\nopen('d/e/x', 'w').close()\nopen('.hidden', 'w').close()\nos.symlink('/', 'd/link')\nos.chmod('d/e', 0)\nos.chmod('d', 0)",
    stdout: '[]',
  },
  {
    name: 'input and response of the last run are in no memory that a run can read',
    times: 3,
    node: {
      source:
        "const { buffer } = Buffer.allocUnsafe(1); setResponse(new HttpResponse(200, buffer.byteLength)); const own = (each) => Object.getOwnPropertySymbols(each).map((key) => each[key]?.buffer); const all = [buffer, ...process._getActiveHandles().flatMap(own)].filter(Boolean); console.log(all.map((each) => ['config', 'exitCode'].filter((name) => Buffer.from(each).includes(JSON.stringify(name) + ':'))).flat())",
      stdout: '[]',
      response: expect.any(Object),
    },
  },
  {
    name: 'a run after a timeout is complete',
    times: 2,
    timeoutMs: 1000,
    status: 'timeout',
    node: {
      source:
        'console.log(typeof left); left = 1; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
      stdout: 'undefined',
    },
    python: {
      source: "import time\nprint('left' in globals())\nleft = 1\ntime.sleep(60)",
      stdout: 'False',
      stderr: expect.any(String),
    },
  },
  {
    name: 'no process of the last run exists',
    needsProcesses: true,
    times: 3,
    python:
      "import glob, subprocess\ndef name(path):\n    try: return open(path).read()\n    except OSError: return ''  # it has just ended\nprint([each for each in map(name, glob.glob('/proc/[0-9]*/comm')) if 'sleep' in each])\nsubprocess.Popen(['sleep', '60'], start_new_session=True)",
    stdout: '[]',
  },
];

/** State of the language that a run must not leave to the next. */
export const resets: readonly Rule[] = [
  {
    name: 'globals are new for each run',
    times: 3,
    node: {
      source: 'console.log(typeof left); left = 1; Object.prototype.polluted = 1',
      stdout: 'undefined',
    },
    python: { source: "print('left' in globals())\nleft = 1", stdout: 'False' },
  },
  {
    name: 'modified builtins are restored in the next run',
    times: 3,
    node: {
      source:
        "console.log(JSON.stringify([ARGS, [1].map((x) => x), {}.polluted ?? 0, Promise.resolve() instanceof Promise])); JSON.stringify = JSON.parse = () => 'evil'; Object.prototype.polluted = 1; Array.prototype.map = Array.prototype.push = () => { throw 1 }; Promise.prototype.then = undefined; console.log = () => {}; globalThis.setTimeout = 5; Function.prototype.call = null",
      stdout: '[{},[1],0,true]',
    },
    python: {
      source:
        "import builtins\nprint(len([1]), sorted([2, 1]), ARGS, hasattr(builtins, 'polluted'))\nbuiltins.polluted = 1\nbuiltins.len = builtins.print = builtins.open = builtins.exec = builtins.compile = None\nbuiltins.__import__ = lambda *a: None\ndel builtins.sorted",
      stdout: '1 [1, 2] {} False',
    },
  },
  {
    name: 'a modified main realm does not prevent a result',
    times: 2,
    node: "const main = process.constructor.constructor('return globalThis')(); console.log('whole'); main.JSON.stringify = () => '{}'; main.Array.prototype.push = () => { throw 1 }; main.Buffer.from = () => 'x'; require('fs').writeSync = () => 0",
    stdout: expect.any(String),
  },
  {
    name: 'exit functions are removed after the run',
    times: 3,
    node: "process.on('exit', () => console.log('bye'))",
    python: "import atexit\natexit.register(print, 'bye')",
    stdout: 'bye',
  },
  {
    name: 'exit codes are reset after the run',
    times: 2,
    node: "const fs = require('fs'); console.log(process.exitCode)",
    stdout: 'undefined',
  },
  {
    name: 'an unreferenced timer does not fire in the next run',
    times: 2,
    node: "setTimeout(() => console.log('leftover'), 3000).unref(); setTimeout(() => {}, 1); console.log('run')",
    stdout: 'run',
  },
  {
    name: 'compiler warnings are printed in each run',
    times: 3,
    python: "print(1 is 1, '\\d')",
    stdout: 'True \\d',
    stderr: showing('main.py:1: SyntaxWarning'),
  },
  {
    name: 'a failed run has no effect on the next, which shows its lines again',
    times: 3,
    status: 'failure',
    node: {
      source: "console.log(typeof left); left = 1; throw new Error('x')",
      stdout: 'undefined',
      stderr: showing('main.js:1', "throw new Error('x')", 'Error: x'),
    },
    python: {
      source: "print('left' in globals())\nleft = 1\nraise ValueError('x')",
      stdout: 'False',
      stderr: showing('line 3', "    raise ValueError('x')\n", 'ValueError: x'),
    },
  },
  {
    name: 'changes to modules and classes are absent in the next run', // Node shares its modules between runs
    times: 3,
    python:
      "import json, sys, threading\nprint(json.dumps({}), hasattr(json, 'x'), 'own' in sys.modules, threading.active_count())\njson.x = 1\njson.dumps = None\nsys.modules['own'] = json\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
    stdout: '{} False False 1',
  },
];
