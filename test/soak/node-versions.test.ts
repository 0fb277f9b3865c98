import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, nodeHosts, type Sample } from '../scripts/hosts.ts';
import { pythonHosts } from '../scripts/python-hosts.ts';

// One case for each kind of run at each sandbox level, so that all supported versions of Node can be tested quickly.

interface Row {
  readonly name: string;
  readonly sample: Sample;
  readonly expected: object;
}

const bombMs = 10_000; // a bomb without limits must not exhaust the machine

const javascript: readonly Row[] = [
  {
    name: 'a success',
    sample: { source: 'console.log(ARGS.a + 1)', args: { a: 1 } },
    expected: { status: 'success', stdout: '2', stderr: '' },
  },
  {
    name: 'a custom response',
    sample: { source: "setResponse(new HttpResponse(201, 'made', 'text/plain'))" },
    expected: { status: 'success', response: expect.objectContaining({ status: 201 }) },
  },
  {
    name: 'its own files and their imports',
    sample: {
      source: `const fs = require('fs'); const file = require('os').tmpdir() + '/own.js';
        fs.writeFileSync(file, 'module.exports = 7'); console.log(require(file));
        import('node:path').then((path) => console.log(path.basename(fs.realpathSync(file))));`,
    },
    expected: { status: 'success', stdout: '7\nown.js', stderr: '' },
  },
  {
    name: 'an error',
    sample: { source: "throw new TypeError('no')" },
    expected: { status: 'failure', stderr: expect.stringContaining('TypeError: no') },
  },
  {
    name: 'a timeout',
    sample: { source: 'for (;;);', timeoutMs: 500 },
    expected: { status: 'timeout' },
  },
  {
    name: 'a call of process.abort',
    sample: { source: 'process.abort()' },
    expected: { status: 'failure' },
  },
  {
    name: 'a memory bomb of arrays',
    sample: {
      source: 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5))',
      timeoutMs: bombMs,
    },
    expected: { status: 'failure' },
  },
  {
    name: 'a memory bomb of buffers',
    sample: {
      source: 'const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))',
      timeoutMs: bombMs,
    },
    expected: { status: 'failure' },
  },
];

const python: readonly Row[] = [
  {
    name: 'a success',
    sample: { source: "print(ARGS['a'] + 1)", args: { a: 1 } },
    expected: { status: 'success', stdout: '2', stderr: '' },
  },
  {
    name: 'a memory bomb',
    sample: {
      source: 'all = []\nwhile True: all.append(bytearray(10_000_000))',
      timeoutMs: bombMs,
    },
    expected: { status: 'failure' },
  },
];

const inSandbox = ([name]: readonly [string, unknown]) => !name.startsWith('the zip');

describe.each([...nodeHosts].filter(inSandbox))('JavaScript in %s', (_name, open) => {
  let host: Host;
  beforeAll(() => {
    host = open();
  });
  afterAll(() => host.close());

  test.each(javascript)('$name', async ({ sample, expected }) => {
    expect(await host.run(sample)).toMatchObject(expected);
  });
});

describe.each([...pythonHosts].filter(inSandbox))('Python in %s', (_name, open) => {
  let host: Host;
  beforeAll(async () => {
    host = open();
    await host.run({ source: '' }); // Pyodide's snapshot may have to be created
  }, 300_000);
  afterAll(() => host.close());

  test.each(python)('$name', async ({ sample, expected }) => {
    expect(await host.run(sample)).toMatchObject(expected);
  });
});
