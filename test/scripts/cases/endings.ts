import { expect } from 'vitest';
import { plain, type Rule, showing } from './case.ts';

/** Scripts that end by themselves or with an error, each kind once. */
export const endings: readonly Rule[] = [
  { name: 'an empty script succeeds', node: '', python: '' },
  {
    name: 'late work is awaited, and may set the response',
    node: "setTimeout(() => { console.log('late'); setResponse(new HttpResponse(201, 'late')) }, 5); console.log('soon')",
    python:
      "import threading, time\ndef late():\n    time.sleep(0.05)\n    print('late')\n    set_response(HttpResponse(201, 'late'))\nthreading.Thread(target=late).start()\nprint('soon')",
    stdout: 'soon\nlate',
    response: { ...plain, status: 201, content: 'late' },
  },
  {
    name: 'exit functions run at the end',
    node: "process.on('exit', (code) => console.log('bye', code)); console.log('hi')",
    python: "import atexit\natexit.register(print, 'bye', 0)\nprint('hi')",
    stdout: 'hi\nbye 0',
  },
  {
    name: 'a syntax error is a failure',
    status: 'failure',
    node: {
      source: 'var a = ;',
      stderr: showing('main.js:1', 'var a = ;', 'SyntaxError: Unexpected token'),
    },
    python: {
      source: 'x = 1\ny = = 2',
      stderr: showing('File "main.py", line 2\n    y = = 2', 'SyntaxError: invalid syntax'),
    },
  },
  {
    name: 'a source with a null byte is a failure',
    status: 'failure',
    node: { source: 'x = 1\u0000', stderr: showing('SyntaxError: Invalid or unexpected token') },
    python: { source: 'x = 1\u0000', stderr: showing('null bytes') },
  },
  {
    name: 'a byte order mark is not part of the source',
    node: '\ufeffconsole.log(1)',
    python: '\ufeffprint(1)',
    stdout: '1',
  },
  {
    name: 'an error is a failure with its traceback',
    inPyodide: true,
    status: 'failure',
    stdout: '1',
    node: {
      source: "console.log(1);\nfunction f() { throw new RangeError('bad') }\nf()",
      stderr:
        "main.js:2\nfunction f() { throw new RangeError('bad') }\n               ^\n\nRangeError: bad\n    at f (main.js:2:22)\n    at main.js:3:1",
    },
    python: {
      source: "print(1)\ndef f():\n    raise ValueError('bad')\nf()",
      stderr: expect.stringMatching(
        /^Traceback \(most recent call last\):\n {2}File "main.py", line 4, in <module>\n {4}f\(\)\n([ ~^]+\n)? {2}File "main.py", line 3, in f\n {4}raise ValueError\('bad'\)\nValueError: bad$/,
      ),
    },
  },
];

/** Errors of scripts, and the events and hooks at their end. */
export const errors: readonly Rule[] = [
  {
    name: 'promises and timers are awaited',
    node: "setTimeout(() => console.log('late'), 20); Promise.resolve().then(() => console.log('soon')); console.log('now'); process.nextTick(() => console.log('tick'))",
    stdout: 'now\ntick\nsoon\nlate',
  },
  {
    name: 'a promise that is never settled ends the run',
    node: "new Promise(() => {}).then(() => console.log('never')); console.log('end')",
    stdout: 'end',
  },
  {
    name: 'a cleared interval ends',
    node: 'let n = 0; const i = setInterval(() => { console.log(++n); if (n === 3) clearInterval(i) }, 2)',
    stdout: '1\n2\n3',
  },
  {
    name: 'a beforeExit listener may start more work',
    node: "process.once('beforeExit', () => setTimeout(() => console.log('more'), 5))",
    stdout: 'more',
  },
  {
    name: 'code of a module, and of Python 2, is a syntax error',
    status: 'failure',
    node: { source: 'return 1', stderr: showing('SyntaxError: Illegal return statement') },
    python: {
      source: 'print "hello"',
      stderr: showing('File "main.py", line 1\n    print "hello"', 'SyntaxError: Missing paren'),
    },
  },
  {
    name: 'an error shows its cause',
    status: 'failure',
    node: {
      source: "try { null.x } catch (cause) { throw new Error('no', { cause }) }",
      stderr: showing('Error: no', '[cause]: TypeError'),
    },
    python: {
      source:
        "try:\n    {}['x']\nexcept KeyError as error:\n    raise RuntimeError('no') from error",
      stderr: showing('line 2', "KeyError: 'x'", 'direct cause', 'line 4', 'RuntimeError: no'),
    },
  },
  {
    name: 'anything may be thrown',
    node: 'throw { code: 5 }',
    status: 'failure',
    stderr: showing('Uncaught { code: 5 }'),
  },
  {
    name: 'an error in late work is a failure',
    status: 'failure',
    node: {
      source:
        "setTimeout(() => { throw new TypeError('x') }, 2); setTimeout(() => console.log('never'), 500)",
      stderr: 'TypeError: x\n    at Timeout._onTimeout (main.js:1:26)',
    },
    python: {
      source:
        "import threading\ndef f(): raise ValueError('in a thread')\nthreading.Thread(target=f).start()",
      stderr: showing('Exception in thread', 'File "main.py", line 2, in f', 'in a thread'),
    },
  },
  {
    name: 'an unhandled rejection is a failure',
    node: "Promise.reject(new Error('no'))",
    status: 'failure',
    stderr: showing('Error: no', 'main.js:1:16'),
  },
  {
    name: 'a rejection without an error is a failure',
    node: 'Promise.reject(5)',
    status: 'failure',
    stderr: showing('reason "5"'),
  },
  {
    name: 'an error that cannot be printed is a failure',
    status: 'failure',
    node: {
      source:
        "throw { get stack() { throw 1 }, [Symbol.for('nodejs.util.inspect.custom')]() { throw 2 } }",
      stderr: 'Uncaught error that cannot be shown',
    },
    python: {
      source:
        'class E(Exception):\n    def __str__(self): raise self\n    def __repr__(self): raise self\nraise E',
      stderr: showing('E'),
    },
  },
  {
    name: 'a script cannot abort its process',
    node: 'process.abort()',
    status: 'failure',
    stderr: showing('Error: process.abort is not available to scripts'),
  },
  {
    name: 'a caught error is not a failure',
    node: "process.on('uncaughtException', (e) => console.log('caught', e.message)); setTimeout(() => { throw new Error('x') }, 1)",
    stdout: 'caught x',
  },
  {
    name: 'a script may replace the exception hook',
    python:
      "import sys\nsys.excepthook = lambda kind, error, tb: print('mine', error, tb.tb_lineno)\nraise ValueError('x')",
    status: 'failure',
    stdout: 'mine x 3',
  },
  {
    name: 'KeyboardInterrupt is a failure',
    python: 'raise KeyboardInterrupt',
    status: 'failure',
    stderr: showing('line 1', 'KeyboardInterrupt'),
  },
  {
    name: 'endless recursion is a failure',
    inPyodide: true,
    status: 'failure',
    node: {
      source: 'const f = () => f() + 1; f()',
      stderr: showing('RangeError: Maximum call stack size exceeded'),
    },
    python: {
      source: 'def f(): return f() + 1\nf()',
      stderr: showing('RecursionError: maximum recursion depth exceeded'),
    },
  },
  {
    name: 'removing listeners has no effect',
    node: "process.removeAllListeners(); for (const n of ['beforeExit', 'exit', 'uncaughtException']) process.removeAllListeners(n); console.log('still here'); setResponse(new HttpResponse(201))",
    stdout: 'still here',
    response: { ...plain, status: 201 },
  },
];

/** Scripts that end their run with an exit code, each kind once. */
export const exits: readonly Rule[] = [
  {
    name: 'an exit with code 0 is an immediate success, with the response in JavaScript only',
    stdout: 'x',
    node: {
      source:
        "console.log('x'); setResponse(new HttpResponse(201)); process.exit(0); console.log('never')",
      response: { ...plain, status: 201 },
    },
    python: "import sys\nprint('x')\nset_response(HttpResponse(201))\nsys.exit(0)\nprint('never')",
  },
  exitWith(3, 'failure', { inPyodide: true }),
  exitWith(124, 'timeout'),
  {
    name: 'os._exit(3) is a failure',
    inPyodide: true,
    python: 'import os\nos._exit(3)',
    status: 'failure',
  },
];

/** Further exit codes, and ways to exit. */
export const exitCodes: readonly Rule[] = [
  exitWith(1, 'failure'),
  exitWith(-1, 'failure'),
  exitWith(256, 'failure'),
  ...(
    [
      ['', 'success'],
      ['None', 'success'],
      ['False', 'success'],
      ['True', 'failure'],
      ["'why ż'", 'failure', 'why ż'],
      ['(1, 2)', 'failure', '(1, 2)'],
      ['1.5', 'failure', '1.5'],
    ] as const
  ).map(([value, status, stderr = '']) => ({
    name: `sys.exit(${value}) is ${status}, without a response`,
    python: `import sys\nprint('x')\nset_response(HttpResponse(201))\nsys.exit(${value})`,
    status,
    stdout: 'x',
    stderr,
  })),
  { name: 'process.exitCode is used', node: 'process.exitCode = 2', status: 'failure' },
  { name: 'exit() and quit() are defined', python: 'exit(3)', status: 'failure' },
  { name: 'so is SystemExit', python: 'raise SystemExit(124)', status: 'timeout' },
  {
    name: 'sys.exit runs finally blocks',
    python: "import sys\ntry:\n    sys.exit()\nfinally:\n    print('finally')\nprint('never')",
    stdout: 'finally',
  },
  {
    name: 'os._exit(0) is success',
    python: "import os\nprint('x')\nset_response(HttpResponse(201))\nos._exit(0)",
    stdout: 'x',
  },
  { name: 'os._exit(124) is a timeout', python: 'import os\nos._exit(124)', status: 'timeout' },
];

function exitWith(code: number, status: 'failure' | 'timeout', terms: Partial<Rule> = {}): Rule {
  return {
    name: `an exit with code ${code} is a ${status}, without a response`,
    node: `console.log('x'); setResponse(new HttpResponse(201)); process.exit(${code})`,
    python: `import sys\nprint('x')\nset_response(HttpResponse(201))\nsys.exit(${code})`,
    status,
    stdout: 'x',
    ...terms,
  };
}
