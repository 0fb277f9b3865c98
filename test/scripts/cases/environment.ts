import type { Rule } from './case.ts';

/** The input of a script, its modules and its environment. */
export const environment: readonly Rule[] = [
  {
    name: 'ARGS, CONFIG and META contain the input',
    inPyodide: true,
    args: { GET: { a: '1' }, POST: { b: [2, null, true, 0.5] }, a: '1' },
    config: { salt: 'x9' },
    meta: { executed_by: 'codebox', executor: 3 },
    node: 'console.log(JSON.stringify([ARGS, CONFIG, META]))',
    python: "import json\nprint(json.dumps([ARGS, CONFIG, META], separators=(',', ':')))",
    stdout:
      '[{"GET":{"a":"1"},"POST":{"b":[2,null,true,0.5]},"a":"1"},{"salt":"x9"},{"executed_by":"codebox","executor":3}]',
  },
  {
    name: 'the wrapper is not visible',
    inPyodide: true,
    node: {
      source:
        "console.log(['fs','vm','net','path','run','mark','channel','script'].map((n) => typeof globalThis[n]).join(), typeof fs === 'undefined')",
      stdout: `${Array(8).fill('undefined').join()} true`,
    },
    python: {
      source: 'print(*sorted(globals()))',
      stdout:
        'ARGS CONFIG HttpResponse META __builtins__ __doc__ __file__ __loader__ __name__ __package__ __spec__ set_response',
    },
  },
  {
    name: 'modules of the wrapper cannot be imported',
    inPyodide: true,
    node: "for (const name of ['./context.cjs', './runner.cjs', './lockdown.cjs', './write-all.cjs', './index.mjs']) { try { require(name); console.log(name) } catch { console.log('-') } }",
    python:
      "for name in ('context', 'family', 'runner', 'conversation', 'index'):\n    try:\n        __import__(name)\n        print(name)\n    except ImportError:\n        print('-')",
    stdout: '-\n-\n-\n-\n-',
  },
  {
    name: 'the standard library can be imported',
    inPyodide: true,
    node: {
      source:
        "console.log(require('node:path').join('a', 'b'), require('crypto').createHash('md5').update('x').digest('hex'))", // both spellings
      stdout: 'a/b 9dd4e461268c8034f5c8564e155c67a6',
    },
    python: {
      source:
        "import base64, collections, csv, ctypes, datetime, decimal, email, hashlib, hmac, itertools, math, random, re, sqlite3, ssl, statistics, string, urllib.request, uuid, xml.etree.ElementTree, zlib\nprint(hashlib.md5(b'x').hexdigest(), decimal.Decimal('0.1') + 1, sqlite3.connect(':memory:').execute('select 1 + 1').fetchone())",
      stdout: '9dd4e461268c8034f5c8564e155c67a6 1.1 (2,)',
    },
  },
  {
    name: 'a script is the main module',
    times: 2,
    node: 'console.log(require.main === module, module.parent)',
    stdout: 'true undefined',
  },
  {
    name: 'import() loads core modules',
    node: "import('node:os').then((os) => console.log(typeof os.EOL))",
    stdout: 'string',
  },
  {
    name: 'packages of the machine cannot be imported',
    node: {
      source: "try { require('valibot') } catch (e) { console.log(e.message.split('\\n')[0]) }",
      stdout: "Cannot find module 'valibot'",
    },
    python: {
      source:
        "import sys\nprint([each for each in sys.path if 'packages' in each])\ntry:\n    import requests\nexcept ImportError as error:\n    print(error)",
      stdout: "[]\nNo module named 'requests'",
    },
  },
  {
    name: 'the environment contains no variables of the host',
    inPyodide: true,
    node: "console.log(Object.keys(process.env).sort().join(' '), process.env.GROUNDWORK_TEST_SECRET ?? 'none')",
    python:
      "import os\nprint(*sorted(os.environ), os.environ.get('GROUNDWORK_TEST_SECRET', 'none'))",
    stdout: 'HOME LANG PATH PWD TMPDIR TZ none',
  },
  {
    name: 'the temporary folder can be written',
    inPyodide: true,
    node: {
      source:
        "const fs = require('fs'); fs.writeFileSync('a', 'x'); fs.writeFileSync(require('os').tmpdir() + '/b', 'y'); console.log(fs.readFileSync('b', 'utf8'), fs.readdirSync(process.cwd()).join())",
      stdout: 'y a,b',
    },
    python: {
      source:
        "import os, tempfile\nopen('a', 'w').write('ż')\nwith tempfile.NamedTemporaryFile('w', delete=False, suffix='b'): pass\nprint(open('a').read(), len(os.listdir(os.getcwd())), os.getcwd() == tempfile.gettempdir())",
      stdout: 'ż 2 True',
    },
  },
  {
    name: 'modules in the temporary folder can be imported',
    node: {
      source:
        "const fs = require('fs'); const file = require('os').tmpdir() + '/own.js'; fs.writeFileSync(file, 'module.exports = 7'); console.log(require(file)); import('node:path').then((path) => console.log(path.basename(fs.realpathSync(file))))",
      stdout: '7\nown.js',
    },
    python: {
      source:
        "import sys, tempfile\nopen('own.py', 'w').write('value = 7')\nsys.path.append(tempfile.gettempdir())\nimport own\nprint(own.value)",
      stdout: '7',
    },
  },
  {
    name: 'standard input is empty',
    node: "console.log(require('fs').readFileSync(0).length || 'nothing')",
    python: "try:\n    input()\nexcept EOFError:\n    print('nothing')",
    stdout: 'nothing',
  },
  {
    name: 'the time zone is UTC',
    node: 'console.log(new Date(0).getHours())',
    python: 'import time\nprint(time.localtime(0).tm_hour)',
    stdout: '0',
  },
  {
    name: 'the process looks the same on all hosts',
    node: "const os = require('os'); console.log(process.execPath, process.argv.length, process.execArgv.length, process.umask().toString(8), process.getuid(), process.getegid(), process.ppid, process.title, os.hostname(), os.userInfo().username)",
    stdout: '/node 2 0 22 65534 65534 1 node script nobody',
  },
];

/** The global scope of a script. */
export const globals: readonly Rule[] = [
  {
    name: 'ARGS may be a list',
    args: [1, 2],
    node: {
      source: 'console.log(Array.isArray(ARGS), ARGS instanceof Array, ARGS.length)',
      stdout: 'true true 2',
    },
    python: {
      source: 'print(type(ARGS) is list, len(ARGS), type(CONFIG) is dict, type(META) is dict)',
      stdout: 'True 2 True True',
    },
  },
  {
    name: '__proto__ in ARGS is a key like any other',
    args: JSON.parse('{"__proto__":{"x":1}}'),
    node: {
      source: 'console.log(Object.keys(ARGS).join(), ({}).x)',
      stdout: '__proto__ undefined',
    },
    python: { source: 'print(ARGS)', stdout: "{'__proto__': {'x': 1}}" },
  },
  {
    name: "Node's globals are defined",
    node: "console.log(['require','module','exports','process','Buffer','console','setTimeout','setInterval','setImmediate','clearTimeout','queueMicrotask','structuredClone','fetch','URL','URLSearchParams','TextEncoder','TextDecoder','AbortController','Event','performance','crypto','atob','global','globalThis','WebAssembly','__filename'].filter((n) => typeof globalThis[n] === 'undefined'))",
    stdout: '[]',
  },
  {
    name: 'global is the global object',
    node: 'global.x = 1; console.log(x, globalThis === global, this === global)',
    stdout: '1 true true',
  },
  {
    name: 'var and function become globals, as in a classic script',
    node: 'var a = 1; function f() {} console.log(globalThis.a, typeof globalThis.f)',
    stdout: '1 function',
  },
  {
    name: 'names of globals may be redeclared',
    node: "const fs = require('fs'); const crypto = require('crypto'); var URL = require('url').URL; let ARGS2 = ARGS; console.log(typeof fs.readFileSync, typeof crypto.createHash, new URL('http://a/b').pathname)",
    stdout: 'function function /b',
  },
  {
    name: 'a script is the main module',
    python:
      "import sys\nprint(__name__, sys.argv, sys.modules['__main__'].__dict__ is globals(), type(__builtins__).__name__)\nif __name__ == '__main__':\n    print('main')",
    stdout: "__main__ ['main.py'] True module\nmain",
  },
  {
    name: 'errors of core modules are instances of Error',
    node: "try { require('fs').readFileSync('/nothing') } catch (e) { console.log(e instanceof Error, e instanceof TypeError) } try { Buffer.from(5) } catch (e) { console.log(e instanceof TypeError, e instanceof Error, e instanceof RangeError) }",
    stdout: 'true false\ntrue true false',
  },
  {
    name: 'buffers are instances of Uint8Array',
    node: "const b = Buffer.from('x'); console.log(b instanceof Uint8Array, b instanceof Buffer, b.buffer instanceof ArrayBuffer, process instanceof Object, require instanceof Function, fetch('data:,x') instanceof Promise)",
    stdout: 'true true true true true true',
  },
  {
    name: 'subclasses of builtins match only their own instances',
    node: 'class E extends Error {} console.log(new E() instanceof E, new Error() instanceof E, new E() instanceof Error)',
    stdout: 'true false true',
  },
  {
    name: 'a strict script is strict',
    node: "'use strict'; try { y = 1 } catch (e) { console.log(e.name) }",
    stdout: 'ReferenceError',
  },
  {
    name: 'classes of a script can be pickled and become data classes',
    python:
      'import dataclasses, pickle\n@dataclasses.dataclass\nclass Point:\n    x: int = 3\nprint(pickle.loads(pickle.dumps(Point(5))), Point.__module__)',
    stdout: 'Point(x=5) __main__',
  },
];
