import { expect } from 'vitest';
import { maxOutputBytes, tooMuchOutput } from '../../shared/scripts/rules/script-result.ts';
import type { Sample } from './hosts.ts';

/** A script, and the result of its last run on every host. */
export interface Case extends Sample {
  readonly name: string;
  /** Number of successive runs of the script; 1 by default. */
  readonly times?: number;
  readonly status?: 'success' | 'failure' | 'timeout';
  readonly stdout?: unknown;
  readonly stderr?: unknown;
  readonly response?: unknown;
}

const json = 'application/json';
const containing = (...parts: readonly string[]) =>
  expect.stringMatching(
    new RegExp(parts.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')),
  );

const globals: readonly Case[] = [
  {
    name: 'ARGS, CONFIG and META contain the input',
    source: 'console.log(JSON.stringify([ARGS, CONFIG, META]))',
    args: { GET: { a: '1' }, POST: { b: [2, null] }, a: '1' },
    config: { salt: 'x9' },
    meta: { executed_by: 'codebox', executor: 3 },
    stdout:
      '[{"GET":{"a":"1"},"POST":{"b":[2,null]},"a":"1"},{"salt":"x9"},{"executed_by":"codebox","executor":3}]',
  },
  {
    name: 'ARGS may be a list',
    source: 'console.log(Array.isArray(ARGS), ARGS instanceof Array, ARGS.length)',
    args: [1, 2],
    stdout: 'true true 2',
  },
  {
    name: '__proto__ in ARGS is a key like any other',
    source: 'console.log(Object.keys(ARGS).join(), ({}).x)',
    args: JSON.parse('{"__proto__":{"x":1}}'),
    stdout: '__proto__ undefined',
  },
  {
    name: 'the wrapper is not visible',
    source:
      "console.log(['fs','vm','net','path','run','mark','channel','script'].map((n) => typeof globalThis[n]).join(), typeof fs === 'undefined')",
    stdout: `${Array(8).fill('undefined').join()} true`,
  },
  {
    name: "Node's globals are defined",
    source:
      "console.log(['require','module','exports','process','Buffer','console','setTimeout','setInterval','setImmediate','clearTimeout','queueMicrotask','structuredClone','fetch','URL','URLSearchParams','TextEncoder','TextDecoder','AbortController','Event','performance','crypto','atob','global','globalThis','WebAssembly','__filename'].filter((n) => typeof globalThis[n] === 'undefined'))",
    stdout: '[]',
  },
  {
    name: 'global is the global object',
    source: 'global.x = 1; console.log(x, globalThis === global, this === global)',
    stdout: '1 true true',
  },
  {
    name: 'var and function become globals, as in a classic script',
    source: 'var a = 1; function f() {} console.log(globalThis.a, typeof globalThis.f)',
    stdout: '1 function',
  },
  {
    name: 'names of globals may be redeclared',
    source:
      "const fs = require('fs'); const crypto = require('crypto'); var URL = require('url').URL; let ARGS2 = ARGS; console.log(typeof fs.readFileSync, typeof crypto.createHash, new URL('http://a/b').pathname)",
    stdout: 'function function /b',
  },
  {
    name: 'core modules can be required, with both spellings',
    source:
      "console.log(require('node:path').join('a', 'b'), require('crypto').createHash('md5').update('x').digest('hex'))",
    stdout: 'a/b 9dd4e461268c8034f5c8564e155c67a6',
  },
  {
    name: 'import() loads core modules',
    source: "import('node:os').then((os) => console.log(typeof os.EOL))",
    stdout: 'string',
  },
  {
    name: 'errors of core modules are instances of Error',
    source:
      "try { require('fs').readFileSync('/nothing') } catch (e) { console.log(e instanceof Error, e instanceof TypeError) } try { Buffer.from(5) } catch (e) { console.log(e instanceof TypeError, e instanceof Error, e instanceof RangeError) }",
    stdout: 'true false\ntrue true false',
  },
  {
    name: 'buffers are instances of Uint8Array',
    source:
      "const b = Buffer.from('x'); console.log(b instanceof Uint8Array, b instanceof Buffer, b.buffer instanceof ArrayBuffer, process instanceof Object, require instanceof Function, fetch('data:,x') instanceof Promise)",
    stdout: 'true true true true true true',
  },
  {
    name: 'subclasses of builtins match only their own instances',
    source:
      'class E extends Error {} console.log(new E() instanceof E, new Error() instanceof E, new E() instanceof Error)',
    stdout: 'true false true',
  },
  {
    name: 'a strict script is strict',
    source: "'use strict'; try { y = 1 } catch (e) { console.log(e.name) }",
    stdout: 'ReferenceError',
  },
  {
    name: 'the environment contains no variables of the host',
    source:
      'console.log(Object.keys(process.env).sort().join(), process.env.GROUNDWORK_TEST_SECRET)',
    stdout: 'HOME,LANG,PATH,PWD,TMPDIR,TZ undefined',
  },
  {
    name: 'the temporary folder can be written',
    source:
      "const fs = require('fs'); fs.writeFileSync('a', 'x'); fs.writeFileSync(require('os').tmpdir() + '/b', 'y'); console.log(fs.readFileSync('b', 'utf8'), fs.readdirSync(process.cwd()).join())",
    stdout: 'y a,b',
  },
];

const endings: readonly Case[] = [
  { name: 'an empty script succeeds', source: '' },
  {
    name: 'promises and timers are awaited',
    source:
      "setTimeout(() => console.log('late'), 20); Promise.resolve().then(() => console.log('soon')); console.log('now'); process.nextTick(() => console.log('tick'))",
    stdout: 'now\ntick\nsoon\nlate',
  },
  {
    name: 'a promise that is never settled ends the run',
    source: "new Promise(() => {}).then(() => console.log('never')); console.log('end')",
    stdout: 'end',
  },
  {
    name: 'a cleared interval ends',
    source:
      'let n = 0; const i = setInterval(() => { console.log(++n); if (n === 3) clearInterval(i) }, 2)',
    stdout: '1\n2\n3',
  },
  {
    name: 'exit listeners run at the end',
    source: "process.on('exit', (code) => console.log('bye', code)); console.log('hi')",
    stdout: 'hi\nbye 0',
  },
  {
    name: 'a beforeExit listener may start more work',
    source: "process.once('beforeExit', () => setTimeout(() => console.log('more'), 5))",
    stdout: 'more',
  },
  {
    name: 'a syntax error is a failure',
    source: 'var a = ;',
    status: 'failure',
    stderr: containing('main.js:1', 'var a = ;', 'SyntaxError: Unexpected token'),
  },
  {
    name: 'return, import and await are syntax errors in a classic script',
    source: 'return 1',
    status: 'failure',
    stderr: containing('SyntaxError: Illegal return statement'),
  },
  {
    name: 'a thrown error is a failure with its traceback',
    source: "console.log(1);\nfunction f() { throw new RangeError('bad') }\nf()",
    status: 'failure',
    stdout: '1',
    stderr:
      "main.js:2\nfunction f() { throw new RangeError('bad') }\n               ^\n\nRangeError: bad\n    at f (main.js:2:22)\n    at main.js:3:1",
  },
  {
    name: 'anything may be thrown',
    source: 'throw { code: 5 }',
    status: 'failure',
    stderr: containing('Uncaught { code: 5 }'),
  },
  {
    name: 'an error in a callback is a failure',
    source:
      "setTimeout(() => { throw new TypeError('x') }, 2); setTimeout(() => console.log('never'), 500)",
    status: 'failure',
    stderr: 'TypeError: x\n    at Timeout._onTimeout (main.js:1:26)',
  },
  {
    name: 'an unhandled rejection is a failure',
    source: "Promise.reject(new Error('no'))",
    status: 'failure',
    stderr: containing('Error: no', 'main.js:1:16'),
  },
  {
    name: 'a rejection without an error is a failure',
    source: 'Promise.reject(5)',
    status: 'failure',
    stderr: containing('reason "5"'),
  },
  {
    name: 'an error that cannot be printed is a failure',
    source:
      "throw { get stack() { throw 1 }, [Symbol.for('nodejs.util.inspect.custom')]() { throw 2 } }",
    status: 'failure',
    stderr: 'Uncaught error that cannot be shown',
  },
  {
    name: 'a caught error is not a failure',
    source:
      "process.on('uncaughtException', (e) => console.log('caught', e.message)); setTimeout(() => { throw new Error('x') }, 1)",
    stdout: 'caught x',
  },
  {
    name: 'process.exit(0) is an immediate success',
    source: "console.log('a'); process.exit(0); console.log('b')",
    stdout: 'a',
  },
  { name: 'process.exit(3) is a failure', source: 'process.exit(3)', status: 'failure' },
  {
    name: 'exit code 124 is a timeout',
    source: "console.log('x'); process.exit(124)",
    status: 'timeout',
    stdout: 'x',
  },
  { name: 'process.exitCode is used', source: 'process.exitCode = 2', status: 'failure' },
  {
    name: 'an endless loop times out, and keeps its output',
    source:
      "console.log('so far'); console.error('err'); setResponse(new HttpResponse(200, 'x')); for (;;);",
    timeoutMs: 2000,
    status: 'timeout',
    stdout: 'so far',
    stderr: 'err',
  },
  {
    name: 'a waiting script times out',
    source: "console.log('so far'); setInterval(() => {}, 1000)",
    timeoutMs: 2000,
    status: 'timeout',
    stdout: 'so far',
  },
  {
    name: 'an endless chain of promises times out',
    source: 'const f = () => { Promise.resolve().then(f); }; f()', // with a result, it would use ever more memory
    timeoutMs: 1000,
    status: 'timeout',
  },
  {
    name: 'endless recursion is a failure',
    source: 'const f = () => f() + 1; f()',
    status: 'failure',
    stderr: containing('RangeError: Maximum call stack size exceeded'),
  },
  {
    name: 'removing listeners has no effect',
    source:
      "process.removeAllListeners(); for (const n of ['beforeExit', 'exit', 'uncaughtException']) process.removeAllListeners(n); console.log('still here'); setResponse(new HttpResponse(201))",
    stdout: 'still here',
    response: { status: 201, content: '', content_type: json, headers: {} },
  },
];

const outputs: readonly Case[] = [
  {
    name: 'both streams are separate, without trailing newlines',
    source:
      "console.log('out\\n\\n'); console.error('err'); process.stdout.write('\\n'); console.info('i'); console.warn('w')",
    stdout: 'out\n\n\n\ni',
    stderr: 'err\nw',
  },
  {
    name: 'Unicode output is unchanged',
    source: "console.log('żółć 🦉', ARGS.x)",
    args: { x: 'ü\u2028' },
    stdout: 'żółć 🦉 ü\u2028',
  },
  {
    name: 'an incomplete character is replaced',
    source: "console.log('\\ud83e|')",
    stdout: '\ufffd|',
  },
  {
    name: 'invalid UTF-8 is replaced',
    source:
      "process.stdout.write(Buffer.from([0xff, 0x00, 0x41])); process.stdout.write(Buffer.from('ż').subarray(0, 1))",
    stdout: '\ufffd\u0000A\ufffd',
  },
  {
    name: 'a character may be split into two writes',
    source:
      "const b = Buffer.from('ż'); process.stdout.write(b.subarray(0, 1)); process.stdout.write(b.subarray(1))",
    stdout: 'ż',
  },
  {
    name: 'writes to the descriptors are output',
    source:
      "require('fs').writeSync(1, 'a'); require('fs').writeSync(2, 'b'); process._rawDebug('c')",
    stdout: 'a',
    stderr: 'bc',
  },
  {
    name: 'output of the maximum length',
    source: `process.stdout.write('x'.repeat(${maxOutputBytes}))`,
    stdout: 'x'.repeat(maxOutputBytes),
  },
  {
    name: 'output above the maximum is a failure',
    source: `process.stdout.write('x'.repeat(${maxOutputBytes + 1}))`,
    status: 'failure',
    stdout: 'x'.repeat(maxOutputBytes - tooMuchOutput.length),
    stderr: tooMuchOutput,
  },
  {
    name: 'both streams count together',
    source: `process.stdout.write('x'.repeat(${maxOutputBytes - 5})); process.stderr.write('123456')`,
    status: 'failure',
    stdout: expect.any(String),
    stderr: tooMuchOutput,
  },
  {
    name: 'endless output is a failure',
    source: "for (;;) console.log('x'.repeat(1000))",
    status: 'failure',
    stdout: expect.stringMatching(/^[x\n]{500000,524288}$/),
    stderr: tooMuchOutput,
  },
  {
    name: 'a response counts as output',
    source: `setResponse(new HttpResponse(200, 'x'.repeat(${maxOutputBytes + 1}), 'text/plain'))`,
    status: 'failure',
    stderr: tooMuchOutput,
  },
  {
    name: 'a huge response counts as output',
    source: "setResponse(new HttpResponse(200, 'x'.repeat(3e7), 'text/plain'))",
    status: 'failure',
    stderr: tooMuchOutput,
  },
];

const responses: readonly Case[] = [
  {
    name: 'a response with everything',
    source: "setResponse(new HttpResponse(418, 'tea', 'text/plain', { 'X-A': 'b', 'X-N': 5 }))",
    response: {
      status: 418,
      content: 'tea',
      content_type: 'text/plain',
      headers: { 'X-A': 'b', 'X-N': '5' },
    },
  },
  {
    name: 'a response with defaults',
    source: 'setResponse(new HttpResponse())',
    response: { status: 200, content: '', content_type: json, headers: {} },
  },
  {
    name: 'new is optional, and attributes are writable with both spellings',
    source:
      "const r = HttpResponse(0, 'a'); setResponse(r); r.status_code = 201; r.contentType = 'text/css'; console.log(r.statusCode, r.content_type)",
    stdout: '201 text/css',
    response: { status: 201, content: 'a', content_type: 'text/css', headers: {} },
  },
  {
    name: 'the last call is used',
    source: "setResponse(new HttpResponse(201)); setResponse(new HttpResponse(202, 'b'))",
    response: { status: 202, content: 'b', content_type: json, headers: {} },
  },
  {
    name: 'a callback may set the response',
    source: "setTimeout(() => setResponse(new HttpResponse(200, 'late')), 5)",
    response: { status: 200, content: 'late', content_type: json, headers: {} },
  },
  {
    name: 'a last call without a response removes it',
    source: 'setResponse(new HttpResponse(201)); setResponse(null)',
  },
  {
    name: 'a plain object is not a response',
    source: 'setResponse({ status_code: 201, content: "x" })',
  },
  {
    name: 'an object as content becomes JSON',
    source: 'setResponse(new HttpResponse(200, { a: [1, "ż"] }))',
    response: { status: 200, content: '{"a":[1,"ż"]}', content_type: json, headers: {} },
  },
  {
    name: 'a number as content becomes text',
    source: 'setResponse(new HttpResponse(200, 42))',
    response: { status: 200, content: '42', content_type: json, headers: {} },
  },
  {
    name: 'a status may be a numeric string',
    source: "setResponse(new HttpResponse('404'))",
    response: { status: 404, content: '', content_type: json, headers: {} },
  },
  {
    name: 'a response before process.exit(0) is sent',
    source: 'setResponse(new HttpResponse(201)); process.exit(0)',
    response: { status: 201, content: '', content_type: json, headers: {} },
  },
  {
    name: 'a response before process.exit(1) is not',
    source: 'setResponse(new HttpResponse(201)); process.exit(1)',
    status: 'failure',
  },
  {
    name: 'a response before an error is not',
    source: "setResponse(new HttpResponse(201)); throw 'no'",
    status: 'failure',
    stderr: containing('no'),
  },
  {
    name: 'connection headers are omitted',
    source:
      "setResponse(new HttpResponse(200, '', 'a/b', { 'Content-Length': '5', Connection: 'close', Location: '/x' }))",
    response: { status: 200, content: '', content_type: 'a/b', headers: { Location: '/x' } },
  },
  {
    name: 'a status that is not a number',
    source: "setResponse(new HttpResponse('ok'))",
    status: 'failure',
    stderr: 'HTTP response validation failed.',
  },
  {
    name: 'a status out of range',
    source: 'setResponse(new HttpResponse(99))',
    status: 'failure',
    stderr: 'HTTP response validation failed.',
  },
  {
    name: 'a content type without a slash',
    source: "console.error('why'); setResponse(new HttpResponse(200, '', 'text'))",
    status: 'failure',
    stderr: 'why\nHTTP response validation failed.',
  },
  {
    name: 'headers that are not an object',
    source: "setResponse(new HttpResponse(200, '', 'a/b', 'x'))",
    status: 'failure',
    stderr: 'HTTP response validation failed.',
  },
  {
    name: 'headers that are a list',
    source: "setResponse(new HttpResponse(200, '', 'a/b', ['x']))",
    status: 'failure',
    stderr: 'HTTP response validation failed.',
  },
  {
    name: 'a header with a line break',
    source: "setResponse(new HttpResponse(200, '', 'a/b', { a: 'x\\r\\nb: c' }))",
    status: 'failure',
    stderr: 'HTTP response validation failed.',
  },
  {
    name: 'a response that cannot be read',
    source: "setResponse(new HttpResponse(200, { toJSON() { throw new Error('mine') } }))",
    status: 'failure',
    stderr: containing('Error: mine'),
  },
];

const repeated: readonly Case[] = [
  {
    name: 'globals are new for each run',
    times: 3,
    source: 'console.log(typeof left); left = 1; Object.prototype.polluted = 1',
    stdout: 'undefined',
  },
  {
    name: 'modified builtins are restored in the next run',
    times: 2,
    source:
      "console.log(JSON.stringify([ARGS, [1].map((x) => x), {}.polluted ?? 0, Promise.resolve() instanceof Promise])); JSON.stringify = JSON.parse = () => 'evil'; Object.prototype.polluted = 1; Array.prototype.map = Array.prototype.push = () => { throw 1 }; Promise.prototype.then = undefined; console.log = () => {}; globalThis.setTimeout = 5; Function.prototype.call = null",
    stdout: '[{},[1],0,true]',
  },
  {
    name: 'a modified main realm does not prevent a result',
    times: 2,
    source:
      "const main = process.constructor.constructor('return globalThis')(); console.log('whole'); main.JSON.stringify = () => '{}'; main.Array.prototype.push = () => { throw 1 }; main.Buffer.from = () => 'x'; require('fs').writeSync = () => 0",
    stdout: expect.any(String),
  },
  {
    name: 'listeners are removed after the run',
    times: 3,
    source: "process.on('exit', () => console.log('bye'))",
    stdout: 'bye',
  },
  {
    name: 'exit codes are reset after the run',
    times: 2,
    source: "const fs = require('fs'); console.log(process.exitCode)",
    stdout: 'undefined',
  },
  {
    name: 'files are deleted after the run',
    times: 2,
    source:
      "const fs = require('fs'); console.log(fs.readdirSync('.').join()); fs.mkdirSync('d'); fs.writeFileSync('d/x', '')",
    stdout: '',
  },
  {
    name: 'an unreferenced timer does not fire in the next run',
    times: 2,
    source:
      "setTimeout(() => console.log('leftover'), 3000).unref(); setTimeout(() => {}, 1); console.log('run')",
    stdout: 'run',
  },
  {
    name: 'a failed run has no effect on the next',
    times: 2,
    source: "console.log(typeof left); left = 1; throw 'x'",
    status: 'failure',
    stdout: 'undefined',
    stderr: containing('x'),
  },
  {
    name: 'a run after a timeout is complete',
    times: 2,
    timeoutMs: 1000,
    source: 'for (;;);',
    status: 'timeout',
  },
];

const forged = JSON.stringify({
  mark: '0'.repeat(32),
  exitCode: 0,
  isReusable: true,
  response: '{}',
});
const forgeries: readonly Case[] = [
  {
    name: 'a report of the script, without the mark, is ignored',
    source: `const fs = require('fs'); const line = '\\n' + ${JSON.stringify(forged)} + '\\n';
      for (let fd = 3; fd < 40; fd++) { try { if (fs.fstatSync(fd).isSocket()) fs.writeSync(fd, line); } catch {} }
      setTimeout(() => { console.log('true end'); process.exit(3); }, 30);`,
    status: 'failure',
    stdout: 'true end',
  },
  {
    name: 'invalid data before the report is ignored',
    source:
      "require('fs').writeSync(3, '{\"mark\": \\u0000 half a li'); setResponse(new HttpResponse(201));",
    response: { status: 201, content: '', content_type: json, headers: {} },
  },
  {
    name: 'too much data before the report ends the run',
    source:
      "const fs = require('fs'); const b = Buffer.alloc(65536, 'x'); for (;;) { try { fs.writeSync(3, b) } catch (e) { if (e.code !== 'EAGAIN') throw e } }",
    status: 'failure',
    stderr: 'stdout and/or stderr max size exceeded.',
  },
  {
    name: 'an end mark in the output is plain text',
    source: `process.stdout.write('${'0'.repeat(32)}'); console.log('more')`,
    stdout: `${'0'.repeat(32)}more`,
  },
];

const host: readonly Case[] = [
  {
    name: 'the process looks the same on all hosts',
    source:
      "const os = require('os'); console.log(process.execPath, process.argv.length, process.execArgv.length, process.umask().toString(8), process.getuid(), process.getegid(), process.ppid, process.title, os.hostname(), os.userInfo().username)",
    stdout: '/node 2 0 22 65534 65534 1 node script nobody',
  },
];

const limits: readonly Case[] = [
  {
    name: 'a memory bomb of arrays ends',
    timeoutMs: 60_000,
    source: 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5))',
    status: 'failure',
    stderr: expect.any(String),
  },
  {
    name: 'a memory bomb of buffers ends',
    timeoutMs: 60_000,
    source: 'const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))',
    status: 'failure',
    stderr: expect.any(String),
  },
  {
    name: 'a script may close the descriptors',
    source: "const fs = require('fs'); console.log('x'); fs.closeSync(1); fs.closeSync(2)",
    stdout: 'x',
  },
  {
    name: 'a script may close the control descriptor',
    source: "console.log('x'); require('fs').closeSync(3)",
    status: expect.any(String) as unknown as 'success',
    stdout: 'x',
    stderr: expect.any(String),
  },
];

/** All cases, by topic. */
export const cases: Readonly<Record<string, readonly Case[]>> = {
  'globals and environment': globals,
  'the end of a run': endings,
  output: outputs,
  'custom responses': responses,
  'successive runs': repeated,
  forgeries,
  'the host': host,
  limits,
};
