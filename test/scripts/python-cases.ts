import { expect } from 'vitest';
import { maxOutputBytes, tooMuchOutput } from '../../shared/scripts/rules/script-result.ts';
import type { Case } from './cases.ts';

/** A Python script, and the result of its last run on every host. */
export interface PythonCase extends Case {
  /** True when the case also runs in Pyodide, which takes a second. */
  readonly inPyodide?: true;
  /** True when the script starts or signals processes, which fails on hosts that could not kill them. */
  readonly needsProcesses?: true;
}

const json = 'application/json';
const invalid = 'HTTP response validation failed.';
const plain = { status: 200, content: '', content_type: json, headers: {} };

/** Matches text with these parts in order, and without the runner's files. */
const showing = (...parts: readonly string[]) => {
  const [first = '', ...others] = parts.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return expect.stringMatching(
    new RegExp(`^(?![^]*(context|runner|family)\\.py)${[`[^]*${first}`, ...others].join('[^]*')}`),
  );
};

const globals: readonly PythonCase[] = [
  {
    name: 'ARGS, CONFIG and META contain the input',
    inPyodide: true,
    source: 'import json\nprint(json.dumps([ARGS, CONFIG, META]))',
    args: { GET: { a: '1' }, POST: { b: [2, null, true, 0.5] }, a: '1' },
    config: { salt: 'x9' },
    meta: { executed_by: 'codebox', executor: 3 },
    stdout:
      '[{"GET": {"a": "1"}, "POST": {"b": [2, null, true, 0.5]}, "a": "1"}, {"salt": "x9"}, {"executed_by": "codebox", "executor": 3}]',
  },
  {
    name: 'ARGS may be a list',
    source: 'print(type(ARGS) is list, len(ARGS), type(CONFIG) is dict, type(META) is dict)',
    args: [1, 2],
    stdout: 'True 2 True True',
  },
  {
    name: 'the globals are these, and the wrapper is not visible',
    inPyodide: true,
    source: 'print(*sorted(globals()))',
    stdout:
      'ARGS CONFIG HttpResponse META __builtins__ __doc__ __file__ __loader__ __name__ __package__ __spec__ set_response',
  },
  {
    name: 'a script is the main module',
    source:
      "import sys\nprint(__name__, sys.argv, sys.modules['__main__'].__dict__ is globals(), type(__builtins__).__name__)\nif __name__ == '__main__':\n    print('main')",
    stdout: "__main__ ['main.py'] True module\nmain",
  },
  {
    name: 'modules of the wrapper cannot be imported',
    inPyodide: true,
    source:
      "for name in ('context', 'family', 'runner', 'conversation', 'index'):\n    try:\n        __import__(name)\n        print(name)\n    except ImportError:\n        print('-')",
    stdout: '-\n-\n-\n-\n-',
  },
  {
    name: 'the standard library can be imported',
    inPyodide: true,
    source:
      "import base64, collections, csv, ctypes, datetime, decimal, email, hashlib, hmac, itertools, math, random, re, sqlite3, ssl, statistics, string, urllib.request, uuid, xml.etree.ElementTree, zlib\nprint(hashlib.md5(b'x').hexdigest(), decimal.Decimal('0.1') + 1, sqlite3.connect(':memory:').execute('select 1 + 1').fetchone())",
    stdout: '9dd4e461268c8034f5c8564e155c67a6 1.1 (2,)',
  },
  {
    name: 'packages of the machine cannot be imported',
    source:
      "import sys\nprint([each for each in sys.path if 'packages' in each])\ntry:\n    import requests\nexcept ImportError as error:\n    print(error)",
    stdout: "[]\nNo module named 'requests'",
  },
  {
    name: 'classes of a script can be pickled and become data classes',
    source:
      'import dataclasses, pickle\n@dataclasses.dataclass\nclass Point:\n    x: int = 3\nprint(pickle.loads(pickle.dumps(Point(5))), Point.__module__)',
    stdout: 'Point(x=5) __main__',
  },
  {
    name: 'the environment contains no variables of the host',
    inPyodide: true,
    source: 'import os\nprint(*sorted(os.environ))',
    stdout: 'HOME LANG PATH PWD TMPDIR TZ',
  },
  {
    name: 'the temporary folder can be written',
    inPyodide: true,
    source:
      "import os, tempfile\nopen('a', 'w').write('ż')\nwith tempfile.NamedTemporaryFile('w', delete=False, suffix='b'): pass\nprint(open('a').read(), len(os.listdir(os.getcwd())), os.getcwd() == tempfile.gettempdir())",
    stdout: 'ż 2 True',
  },
  {
    name: 'standard input is empty',
    source: "try:\n    input()\nexcept EOFError:\n    print('nothing')",
    stdout: 'nothing',
  },
  {
    name: 'the time zone is UTC',
    source: "import time\nprint(time.strftime('%H', time.localtime(0)))",
    stdout: '00',
  },
  {
    name: 'a response has attributes and named arguments',
    source:
      "r = HttpResponse(content='a', headers={'X': 'y'}, status_code=201)\nprint(r.status_code, r.content, r.content_type, r.headers)\nprint(sorted(vars(HttpResponse()).items()))",
    stdout:
      "201 a application/json {'X': 'y'}\n[('content', ''), ('content_type', 'application/json'), ('headers', {}), ('status_code', 200)]",
  },
];

const endings: readonly PythonCase[] = [
  { name: 'an empty script succeeds', source: '' },
  {
    name: 'an exception is a failure with its traceback',
    inPyodide: true,
    source: "print(1)\ndef f():\n    raise ValueError('bad')\nf()",
    status: 'failure',
    stdout: '1',
    stderr: expect.stringMatching(
      /^Traceback \(most recent call last\):\n {2}File "main.py", line 4, in <module>\n {4}f\(\)\n([ ~^]+\n)? {2}File "main.py", line 3, in f\n {4}raise ValueError\('bad'\)\nValueError: bad$/,
    ),
  },
  {
    name: 'an exception shows its cause',
    source: "try:\n    {}['x']\nexcept KeyError as error:\n    raise RuntimeError('no') from error",
    status: 'failure',
    stderr: showing('line 2', "KeyError: 'x'", 'direct cause', 'line 4', 'RuntimeError: no'),
  },
  {
    name: 'a syntax error is a failure',
    source: 'x = 1\ny = = 2',
    status: 'failure',
    stderr: showing('File "main.py", line 2\n    y = = 2', 'SyntaxError: invalid syntax'),
  },
  {
    name: 'Python 2 is a syntax error',
    inPyodide: true,
    source: 'print "hello"',
    status: 'failure',
    stderr: showing('File "main.py", line 1\n    print "hello"', 'SyntaxError: Missing paren'),
  },
  {
    name: 'a source with a null byte is a failure',
    source: 'x = 1\u0000',
    status: 'failure',
    stderr: showing('null bytes'),
  },
  { name: 'a byte order mark is not part of the source', source: '\ufeffprint(1)', stdout: '1' },
  {
    name: 'endless recursion is a failure',
    inPyodide: true,
    source: 'def f(): return f() + 1\nf()',
    status: 'failure',
    stderr: showing('RecursionError: maximum recursion depth exceeded'),
  },
  {
    name: 'an exception that cannot be printed is a failure',
    source:
      'class E(Exception):\n    def __str__(self): raise self\n    def __repr__(self): raise self\nraise E',
    status: 'failure',
    stderr: showing('E'),
  },
  {
    name: 'a script may replace the exception hook',
    source:
      "import sys\nsys.excepthook = lambda kind, error, tb: print('mine', error, tb.tb_lineno)\nraise ValueError('x')",
    status: 'failure',
    stdout: 'mine x 3',
  },
  {
    name: 'KeyboardInterrupt is a failure',
    source: 'raise KeyboardInterrupt',
    status: 'failure',
    stderr: showing('line 1', 'KeyboardInterrupt'),
  },
  {
    name: 'exit functions run at the end',
    source: "import atexit\natexit.register(print, 'bye')\nprint('hi')",
    stdout: 'hi\nbye',
  },
  {
    name: 'sys.exit runs finally blocks',
    source: "import sys\ntry:\n    sys.exit()\nfinally:\n    print('finally')\nprint('never')",
    stdout: 'finally',
  },
  ...(
    [
      ['', 'success'],
      ['0', 'success'],
      ['None', 'success'],
      ['False', 'success'],
      ['1', 'failure'],
      ['True', 'failure'],
      ['3', 'failure'],
      ['-1', 'failure'],
      ['256', 'failure'],
      ['124', 'timeout'],
      ["'why ż'", 'failure', 'why ż'],
      ['(1, 2)', 'failure', '(1, 2)'],
      ['1.5', 'failure', '1.5'],
    ] as const
  ).map(([value, status, stderr = '']) => ({
    name: `sys.exit(${value}) is ${status}, without a response`,
    ...(value === '3' && { inPyodide: true as const }),
    source: `import sys\nprint('x')\nset_response(HttpResponse(201))\nsys.exit(${value})`,
    stdout: 'x',
    status,
    stderr,
  })),
  { name: 'exit() and quit() are defined', source: 'exit(3)', status: 'failure' },
  { name: 'so is SystemExit', source: 'raise SystemExit(124)', status: 'timeout' },
  {
    name: 'an endless loop times out, and keeps output and stack',
    source:
      "import sys\nset_response(HttpResponse(201))\nprint('so far', end='')\nprint('err', file=sys.stderr)\ndef spin():\n    while True: pass\nspin()",
    timeoutMs: 2000,
    status: 'timeout',
    stdout: 'so far',
    stderr: showing('err\nTime is over', 'line 7, in <module>\n', 'line 6, in spin\n'),
  },
  {
    name: 'a waiting script times out',
    source: "import time\nprint('so far')\ntime.sleep(60)",
    timeoutMs: 2000,
    status: 'timeout',
    stdout: 'so far',
    stderr: showing('line 3', 'time.sleep(60)'),
  },
  {
    name: 'a script that catches everything times out',
    inPyodide: true,
    source:
      "print('so far')\nwhile True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
    timeoutMs: 2000,
    status: 'timeout',
    stdout: 'so far',
    stderr: expect.any(String),
  },
  {
    name: 'a loop outside of Python code times out',
    source:
      "import collections, itertools\nprint('so far')\ncollections.deque(itertools.repeat(0), maxlen=0)",
    timeoutMs: 2000,
    status: 'timeout',
    stdout: 'so far',
  },
  {
    name: 'a script that ignores the alarm times out',
    source:
      "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nprint('so far')\nwhile True: pass",
    timeoutMs: 2000,
    status: 'timeout',
    stdout: 'so far',
  },
];

const processes: readonly PythonCase[] = [
  {
    name: 'os._exit(0) is success',
    source: "import os\nprint('x')\nset_response(HttpResponse(201))\nos._exit(0)",
    stdout: 'x',
  },
  {
    name: 'os._exit(3) is a failure',
    inPyodide: true,
    source: 'import os\nos._exit(3)',
    status: 'failure',
  },
  { name: 'os._exit(124) is a timeout', source: 'import os\nos._exit(124)', status: 'timeout' },
  {
    name: 'a script that a signal kills is a reported failure',
    source: 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)',
    status: 'failure',
    stderr: 'The run was ended by signal 9: Killed.',
  },
  {
    name: 'a script that crashes the process is a reported failure',
    source: "import ctypes\nprint('x')\nctypes.string_at(0)",
    status: 'failure',
    stdout: 'x',
    stderr: 'The run was ended by signal 11: Segmentation fault.',
  },
  {
    name: 'threads are awaited, and may set the response',
    source:
      "import threading, time\ndef late():\n    time.sleep(0.05)\n    print('late')\n    set_response(HttpResponse(201))\nthreading.Thread(target=late).start()\nprint('soon')",
    stdout: 'soon\nlate',
    response: { ...plain, status: 201 },
  },
  {
    name: 'daemon threads are not awaited',
    source:
      "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('end')",
    stdout: 'end',
  },
  {
    name: 'an exception in a thread is a failure',
    source:
      "import threading\ndef f(): raise ValueError('in a thread')\nthreading.Thread(target=f).start()",
    status: 'failure',
    stderr: showing('Exception in thread', 'File "main.py", line 2, in f', 'in a thread'),
  },
  {
    name: 'sys.exit in a thread ends only the thread',
    source:
      "import sys, threading\nthreading.Thread(target=sys.exit, args=(3,)).start()\nprint('x')",
    stdout: 'x',
  },
  {
    name: 'a thread that waits forever times out',
    source:
      "import threading\nprint('so far')\nthreading.Thread(target=threading.Event().wait).start()",
    timeoutMs: 2000,
    status: 'timeout',
    stdout: 'so far',
    stderr: expect.stringContaining('Time is over'),
  },
  {
    name: 'pools and event loops work',
    source:
      "import asyncio, concurrent.futures\nwith concurrent.futures.ThreadPoolExecutor(8) as pool:\n    print(sum(pool.map(abs, range(-9, 0))))\nasync def f():\n    await asyncio.sleep(0.01)\n    return 'async'\nprint(asyncio.run(f()))",
    stdout: '45\nasync',
  },
  {
    name: 'child processes work, and their output counts',
    needsProcesses: true,
    source:
      "import subprocess\nsubprocess.run(['echo', 'out'])\nsubprocess.run('echo err >&2', shell=True)\nprint(subprocess.check_output(['cat'], input=b'piped').decode())",
    stdout: 'out\npiped',
    stderr: 'err',
  },
  {
    name: 'remaining child processes are killed at the end of the run',
    needsProcesses: true,
    source:
      "import os, subprocess, time\nsubprocess.Popen('sleep 61 & setsid sleep 62 & sleep 63', shell=True, start_new_session=True)\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(64)\nprint('end')",
    stdout: 'end',
  },
  {
    name: 'a script that kills its runner is a failure',
    needsProcesses: true,
    times: 2,
    source: 'import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass',
    status: 'failure',
  },
  {
    name: 'a script that stops its runner times out',
    needsProcesses: true,
    times: 2,
    timeoutMs: 1000,
    source: 'import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nwhile True: pass',
    status: 'timeout',
    stderr: expect.any(String),
  },
  {
    name: 'a script that kills all processes is a failure',
    needsProcesses: true,
    source: 'import os\nos.kill(-1, 9)\nwhile True: pass',
    status: 'failure',
  },
];

const outputs: readonly PythonCase[] = [
  {
    name: 'both streams are separate, without trailing newlines',
    inPyodide: true,
    source: "import sys\nprint('out\\n\\n')\nprint('err\\r', file=sys.stderr)\nprint()\nprint('i')",
    stdout: 'out\n\n\n\ni',
    stderr: 'err\r',
  },
  {
    name: 'Unicode output is unchanged',
    inPyodide: true,
    source: "print('żółć 🦉', ARGS['x'])",
    args: { x: 'ü\u2028' },
    stdout: 'żółć 🦉 ü\u2028',
  },
  {
    name: 'an incomplete character is replaced',
    source: "print('\\ud83e|')",
    stdout: '\ufffd|',
  },
  {
    name: 'invalid UTF-8 is replaced',
    inPyodide: true,
    source:
      "import sys\nsys.stdout.buffer.write(b'\\xff\\x00A')\nsys.stdout.buffer.write('ż'.encode()[:1])",
    stdout: '\ufffd\u0000A\ufffd',
  },
  {
    name: 'a character may be split into two writes',
    source:
      "import sys\nsys.stdout.buffer.write('ż'.encode()[:1])\nsys.stdout.buffer.write('ż'.encode()[1:])",
    stdout: 'ż',
  },
  {
    name: 'writes to the descriptors are output, in order',
    source: "import os\nprint('a', end='')\nos.write(1, b'b')\nprint('c')\nos.write(2, b'd')",
    stdout: 'abc',
    stderr: 'd',
  },
  {
    name: 'streams of a script are flushed at the end',
    source:
      "import io, sys\nsys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, 'w', closefd=False)), 'utf-8')\nprint('late')",
    stdout: 'late',
  },
  {
    name: 'a script may close its streams',
    source: 'import sys\nprint("x")\nsys.stdout.close()\nsys.stderr.close()',
    stdout: 'x',
  },
  {
    name: 'output of the maximum length',
    source: `import sys\nsys.stdout.write('x' * ${maxOutputBytes})`,
    stdout: 'x'.repeat(maxOutputBytes),
  },
  {
    name: 'output above the maximum is a failure',
    inPyodide: true,
    source: `import sys\nsys.stdout.write('x' * ${maxOutputBytes + 1})`,
    status: 'failure',
    stdout: 'x'.repeat(maxOutputBytes - tooMuchOutput.length),
    stderr: tooMuchOutput,
  },
  {
    name: 'both streams count together',
    source: `import sys\nsys.stdout.write('x' * ${maxOutputBytes - 5})\nsys.stderr.write('123456')`,
    status: 'failure',
    stdout: expect.any(String),
    stderr: tooMuchOutput,
  },
  {
    name: 'endless output is a failure',
    inPyodide: true,
    source: "while True: print('x' * 1000)",
    status: 'failure',
    stdout: expect.stringMatching(/^[x\n]{500000,524288}$/),
    stderr: tooMuchOutput,
  },
  {
    name: 'a response counts as output',
    source: `set_response(HttpResponse(200, 'x' * ${maxOutputBytes + 1}, 'text/plain'))`,
    status: 'failure',
    stderr: tooMuchOutput,
  },
  {
    name: 'a huge response counts as output',
    source: "set_response(HttpResponse(200, 'x' * 30_000_000, 'text/plain'))",
    status: 'failure',
    stderr: tooMuchOutput,
  },
];

const responses: readonly PythonCase[] = [
  {
    name: 'a response with everything',
    inPyodide: true,
    source: "set_response(HttpResponse(418, 'tea', 'text/plain', {'X-A': 'b', 'X-N': 5}))",
    response: {
      status: 418,
      content: 'tea',
      content_type: 'text/plain',
      headers: { 'X-A': 'b', 'X-N': '5' },
    },
  },
  {
    name: 'a response with defaults',
    source: 'set_response(HttpResponse())',
    response: plain,
  },
  {
    name: 'its attributes are writable',
    source: "r = HttpResponse()\nset_response(r)\nr.status_code = 201\nr.headers['A'] = 'b'",
    response: { ...plain, status: 201, headers: { A: 'b' } },
  },
  {
    name: 'defaults are not shared between responses',
    source: "HttpResponse().headers['A'] = 'b'\nset_response(HttpResponse())",
    response: plain,
  },
  {
    name: 'a subclass is a response',
    source:
      "class Page(HttpResponse):\n    def __init__(self): super().__init__(200, 'p', 'text/html')\nset_response(Page())",
    response: { status: 200, content: 'p', content_type: 'text/html', headers: {} },
  },
  {
    name: 'the last call is used',
    source: "set_response(HttpResponse(201))\nset_response(HttpResponse(202, 'b'))",
    response: { ...plain, status: 202, content: 'b' },
  },
  ...['None', "'text'", "{'status_code': 201}", 'HttpResponse', '5'].map((value) => ({
    name: `a last call with ${value} takes it back`,
    source: `set_response(HttpResponse(201))\nset_response(${value})`,
  })),
  ...(
    [
      ["{'a': [1, 'ż', None]}", '{"a": [1, "ż", null]}'],
      ["[1, {'b': True}]", '[1, {"b": true}]'],
      ["'ż'", 'ż'],
      ["'ż'.encode()", 'ż'],
      ['42', '42'],
      ['1.5', '1.5'],
      ['True', 'True'],
      ['None', ''],
      ['(1, 2)', '(1, 2)'],
      ["__import__('collections').OrderedDict(a=1)", '{"a": 1}'],
    ] as const
  ).map(([value, content]) => ({
    name: `${value} as content is sent as ${content}`,
    source: `set_response(HttpResponse(200, ${value}))`,
    response: { ...plain, content },
  })),
  ...(
    [
      ["'404'", 404],
      ["__import__('http').HTTPStatus.CREATED", 201],
      ['100', 100],
      ['599', 599],
    ] as const
  ).map(([value, status]) => ({
    name: `${value} will do as status`,
    source: `set_response(HttpResponse(${value}))`,
    response: { ...plain, status },
  })),
  {
    name: 'connection headers are omitted',
    source:
      "set_response(HttpResponse(200, '', 'a/b', {'Content-Length': '5', 'Connection': 'close', 'Location': '/x'}))",
    response: { ...plain, content_type: 'a/b', headers: { Location: '/x' } },
  },
  ...[
    "HttpResponse('ok')",
    'HttpResponse(99)',
    'HttpResponse(600)',
    'HttpResponse(object())',
    "HttpResponse(float('nan'))",
    "HttpResponse(200, '', 'text')",
    "HttpResponse(200, '', 5)",
    "HttpResponse(200, '', 'a/b', 'x')",
    "HttpResponse(200, '', 'a/b', [('a', 'b')])",
    "HttpResponse(200, '', 'a/b', {'a': 'x\\r\\nb: c'})",
    "HttpResponse(200, '', 'a/b', {'a': ['b']})",
  ].map((value) => ({
    name: `${value} cannot be sent`,
    source: `set_response(${value})`,
    status: 'failure' as const,
    stderr: invalid,
  })),
  {
    name: 'an invalid response keeps the output',
    source: "import sys\nprint('o')\nprint('why', file=sys.stderr)\nset_response(HttpResponse(0))",
    status: 'failure',
    stdout: 'o',
    stderr: `why\n${invalid}`,
  },
  {
    name: 'content that cannot become JSON is a failure',
    source: 'set_response(HttpResponse(200, {"a": object()}))',
    status: 'failure',
    stderr: showing('TypeError: Object of type object is not JSON serializable'),
  },
  {
    name: 'a response that cannot be read is a failure',
    inPyodide: true,
    source:
      "class C:\n    def __str__(self): raise ValueError('mine')\nset_response(HttpResponse(200, C()))",
    status: 'failure',
    stderr: showing('line 2, in __str__', 'ValueError: mine'),
  },
  {
    name: 'a response before an exception is not sent',
    source: "set_response(HttpResponse(201))\nraise ValueError('no')",
    status: 'failure',
    stderr: showing('ValueError: no'),
  },
];

const repeated: readonly PythonCase[] = [
  {
    name: 'globals are new for each run',
    inPyodide: true,
    times: 3,
    source: "print('left' in globals())\nleft = 1",
    stdout: 'False',
  },
  {
    name: 'modified builtins are restored in the next run',
    times: 3,
    source:
      "import builtins\nprint(len([1]), sorted([2, 1]), ARGS, hasattr(builtins, 'polluted'))\nbuiltins.polluted = 1\nbuiltins.len = builtins.print = builtins.open = builtins.exec = builtins.compile = None\nbuiltins.__import__ = lambda *a: None\ndel builtins.sorted",
    stdout: '1 [1, 2] {} False',
  },
  {
    name: 'environment, folder and alarm are reset for the next run',
    times: 2,
    source:
      "import os, sys\nprint('X' in os.environ, os.listdir('.'), sys.getrecursionlimit() > 900)\nos.environ['X'] = 'y'\nos.mkdir('d')\nos.chdir('d')\nsys.setrecursionlimit(100)",
    stdout: 'False [] True',
  },
  {
    name: 'files are deleted after the run, whatever their permissions',
    inPyodide: true,
    times: 3,
    source:
      "import os\nprint(os.listdir('.'))\nos.makedirs('d/e')\nopen('d/e/x', 'w').close()\nopen('.hidden', 'w').close()\nos.symlink('/', 'd/link')\nos.chmod('d/e', 0)\nos.chmod('d', 0)",
    stdout: '[]',
  },
  {
    name: 'compiler warnings are printed in each run',
    times: 3,
    source: "print(1 is 1, '\\d')",
    stdout: 'True \\d',
    stderr: showing('main.py:1: SyntaxWarning'),
  },
  {
    name: 'tracebacks show their lines in each run',
    times: 3,
    source: "raise ValueError('x')",
    status: 'failure',
    stderr: showing('line 1', "    raise ValueError('x')\n", 'ValueError: x'),
  },
  {
    name: 'a run after a timeout is complete',
    times: 2,
    timeoutMs: 1000,
    source: "print('left' in globals())\nleft = 1\nwhile True: pass",
    status: 'timeout',
    stdout: 'False',
    stderr: expect.any(String),
  },
];

/** Cases for hosts where each run has a separate process, which keeps no modules either. */
const apart: readonly PythonCase[] = [
  {
    name: 'changes to modules and classes are absent in the next run',
    times: 3,
    source:
      "import json, sys, threading\nprint(json.dumps({}), hasattr(json, 'x'), 'own' in sys.modules, threading.active_count())\njson.x = 1\njson.dumps = None\nsys.modules['own'] = json\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
    stdout: '{} False False 1',
  },
  {
    name: 'no process of the last run exists',
    needsProcesses: true,
    times: 3,
    source:
      "import glob, subprocess\ndef name(path):\n    try: return open(path).read()\n    except OSError: return ''  # it has just ended\nprint([each for each in map(name, glob.glob('/proc/[0-9]*/comm')) if 'sleep' in each])\nsubprocess.Popen(['sleep', '60'], start_new_session=True)",
    stdout: '[]',
  },
];

const forged = JSON.stringify({
  mark: '0'.repeat(32),
  exitCode: 0,
  isReusable: true,
  response: '{}',
});
const forgeries: readonly PythonCase[] = [
  {
    name: 'a report of the script is ignored',
    source: `import os, sys\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b'\\n' + ${JSON.stringify(forged)}.encode() + b'\\n')\n    except OSError:\n        pass\nprint('true end')\nsys.exit(3)`,
    status: 'failure',
    stdout: 'true end',
  },
  {
    name: 'the mark cannot be found',
    source:
      "import gc, re, sys\ndef texts():\n    frame = sys._getframe()\n    while frame:\n        yield from map(repr, frame.f_locals.values())\n        frame = frame.f_back\n    yield from map(repr, gc.get_objects())\nprint(sum(bool(re.search(r'\\b[0-9a-f]{32}\\b', each)) for each in texts() if 'main.py' not in each))",
    times: 2,
    stdout: '0',
  },
  {
    name: 'an end mark in the output is plain text',
    inPyodide: true,
    source: `print('${'0'.repeat(32)}', end='')\nprint('more')`,
    stdout: `${'0'.repeat(32)}more`,
  },
];

const limits: readonly PythonCase[] = [
  {
    name: 'a memory bomb is a MemoryError',
    source: "all = []\nwhile True: all.append(b'x' * 10_000_000)",
    timeoutMs: 60_000,
    status: 'failure',
    stderr: showing('line 2', 'MemoryError'),
  },
  {
    name: 'a memory bomb ends',
    inPyodide: true,
    source: 'all = []\nwhile True: all.append(bytearray(10_000_000))',
    timeoutMs: 60_000,
    status: 'failure',
    stderr: expect.any(String),
  },
  {
    name: 'the memory of all processes is limited together',
    needsProcesses: true,
    source:
      "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n        held = b'x' * 100_000_000\n        break\ntime.sleep(60)",
    status: 'failure',
    stderr: 'The run has used more memory than 320 MiB.',
  },
  {
    name: 'shared memory is limited',
    source:
      "import mmap\nheld = mmap.mmap(-1, 2_000_000_000)\nfor _ in range(100): held.write(b'x' * 20_000_000)",
    status: 'failure',
    stderr: expect.stringMatching(/^The run has used more memory than \d+ MiB/),
  },
  {
    name: 'memory outside of processes cannot be allocated',
    source: `import ctypes, errno, fcntl, os, platform, socket
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
pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
print(pair[0].getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 1 << 20)`,
    stdout: 'True',
  },
  {
    name: 'all processes together have at most 256 descriptors',
    needsProcesses: true,
    source:
      'import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        held = [os.dup(0) for _ in range(100)]\n        break\ntime.sleep(60)',
    status: 'failure',
    stderr: 'The run has opened more than 256 files and sockets.',
  },
  {
    name: 'a run has at most 64 processes',
    needsProcesses: true,
    source:
      "import subprocess, time\nfor _ in range(100): subprocess.Popen(['sleep', '60'])\ntime.sleep(60)",
    status: 'failure',
    stderr: 'The run has started more than 64 processes.',
  },
  {
    name: 'a fork bomb is killed completely',
    needsProcesses: true,
    times: 2,
    source:
      'import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass',
    status: 'failure',
    stderr: expect.any(String),
  },
  {
    name: 'a script may close all descriptors',
    source: "import os\nprint('x')\nos.closerange(0, 256)",
    stdout: 'x',
  },
  {
    name: 'a script may shut down its streams',
    times: 2,
    source:
      "import os, socket\nprint('x')\nfor fd in (1, 2):\n    try:\n        socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_RDWR)\n    except OSError:\n        pass",
    stdout: 'x',
  },
  {
    name: 'a script may make the streams non-blocking',
    source: "import os\nos.set_blocking(1, False)\nos.set_blocking(2, False)\nprint('x' * 100)",
    times: 2,
    stdout: 'x'.repeat(100),
  },
];

/** All cases, by topic. */
export const pythonCases: Readonly<Record<string, readonly PythonCase[]>> = {
  'globals and environment': globals,
  'the end of a run': endings,
  'threads and processes': processes,
  output: outputs,
  'custom responses': responses,
  'successive runs': [...repeated, ...apart],
  forgeries: forgeries,
  limits: limits,
};
