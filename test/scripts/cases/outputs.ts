import { expect } from 'vitest';
import { maxOutputBytes, tooMuchOutput } from '../../../shared/scripts/rules/script-result.ts';
import type { Rule } from './case.ts';

/** The output of scripts, and its limit. */
export const outputs: readonly Rule[] = [
  {
    name: 'both streams are separate, without trailing newlines',
    inPyodide: true,
    stdout: 'out\n\n\n\ni',
    node: {
      source:
        "console.log('out\\n\\n'); console.error('err'); process.stdout.write('\\n'); console.info('i'); console.warn('w')",
      stderr: 'err\nw',
    },
    python: {
      source:
        "import sys\nprint('out\\n\\n')\nprint('err\\r', file=sys.stderr)\nprint()\nprint('i')",
      stderr: 'err\r',
    },
  },
  {
    name: 'Unicode output is unchanged',
    inPyodide: true,
    args: { x: 'ü\u2028' },
    node: "console.log('żółć 🦉', ARGS.x)",
    python: "print('żółć 🦉', ARGS['x'])",
    stdout: 'żółć 🦉 ü\u2028',
  },
  {
    name: 'an incomplete character is replaced',
    node: "console.log('\\ud83e|')",
    python: "print('\\ud83e|')",
    stdout: '\ufffd|',
  },
  {
    name: 'invalid UTF-8 is replaced',
    inPyodide: true,
    node: "process.stdout.write(Buffer.from([0xff, 0x00, 0x41])); process.stdout.write(Buffer.from('ż').subarray(0, 1))",
    python:
      "import sys\nsys.stdout.buffer.write(b'\\xff\\x00A')\nsys.stdout.buffer.write('ż'.encode()[:1])",
    stdout: '\ufffd\u0000A\ufffd',
  },
  {
    name: 'a character may be split into two writes',
    node: "const b = Buffer.from('ż'); process.stdout.write(b.subarray(0, 1)); process.stdout.write(b.subarray(1))",
    python:
      "import sys\nsys.stdout.buffer.write('ż'.encode()[:1])\nsys.stdout.buffer.write('ż'.encode()[1:])",
    stdout: 'ż',
  },
  {
    name: 'writes to the descriptors are output, in order',
    stdout: 'abc',
    node: {
      source:
        "const fs = require('fs'); process.stdout.write('a'); fs.writeSync(1, 'b'); console.log('c'); fs.writeSync(2, 'd'); process._rawDebug('e')",
      stderr: 'de',
    },
    python: {
      source: "import os\nprint('a', end='')\nos.write(1, b'b')\nprint('c')\nos.write(2, b'd')",
      stderr: 'd',
    },
  },
  {
    name: 'streams of a script are flushed at the end',
    python:
      "import io, sys\nsys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, 'w', closefd=False)), 'utf-8')\nprint('late')",
    stdout: 'late',
  },
  {
    name: 'output of the maximum length',
    node: `process.stdout.write('x'.repeat(${maxOutputBytes}))`,
    python: `import sys\nsys.stdout.write('x' * ${maxOutputBytes})`,
    stdout: 'x'.repeat(maxOutputBytes),
  },
  {
    name: 'output above the maximum is a failure',
    node: `process.stdout.write('x'.repeat(${maxOutputBytes + 1}))`,
    python: `import sys\nsys.stdout.write('x' * ${maxOutputBytes + 1})`,
    status: 'failure',
    stdout: 'x'.repeat(maxOutputBytes - tooMuchOutput.length),
    stderr: tooMuchOutput,
  },
  {
    name: 'both streams count together',
    node: `process.stdout.write('x'.repeat(${maxOutputBytes - 5})); process.stderr.write('123456')`,
    python: `import sys\nsys.stdout.write('x' * ${maxOutputBytes - 5})\nsys.stderr.write('123456')`,
    status: 'failure',
    stdout: expect.any(String),
    stderr: tooMuchOutput,
  },
  {
    name: 'endless output is a failure',
    inPyodide: true,
    node: "for (;;) console.log('x'.repeat(1000))",
    python: "while True: print('x' * 1000)",
    status: 'failure',
    stdout: expect.stringMatching(/^[x\n]{500000,524288}$/),
    stderr: tooMuchOutput,
  },
  {
    name: 'a response counts as output',
    node: `setResponse(new HttpResponse(200, 'x'.repeat(${maxOutputBytes + 1}), 'text/plain'))`,
    python: `set_response(HttpResponse(200, 'x' * ${maxOutputBytes + 1}, 'text/plain'))`,
    status: 'failure',
    stderr: tooMuchOutput,
  },
  {
    name: 'bytes count as many as they are',
    node: `setResponse(new HttpResponse(200, Buffer.alloc(${maxOutputBytes}, 255), 'a/b'))`,
    python: `set_response(HttpResponse(200, b'\\xff' * ${maxOutputBytes}, 'a/b'))`,
    response: {
      status: 200,
      content: Buffer.alloc(maxOutputBytes, 255).toString('base64'),
      encoding: 'base64',
      content_type: 'a/b',
      headers: {},
    },
  },
  ...[maxOutputBytes + 1, 30_000_000].map((bytes) => ({
    name: `${bytes} bytes are too much output`,
    node: `setResponse(new HttpResponse(200, Buffer.alloc(${bytes}, 255), 'a/b'))`,
    python: `set_response(HttpResponse(200, b'\\xff' * ${bytes}, 'a/b'))`,
    status: 'failure' as const,
    stderr: tooMuchOutput,
  })),
  {
    name: 'a huge response counts as output',
    node: "setResponse(new HttpResponse(200, 'x'.repeat(3e7), 'text/plain'))",
    python: "set_response(HttpResponse(200, 'x' * 30_000_000, 'text/plain'))",
    status: 'failure',
    stderr: tooMuchOutput,
  },
];
