import { createServer } from 'node:http';
import { afterAll, test as base, beforeAll, describe, expect } from 'vitest';
import { close, listen } from '../aws-emulator/loopback.ts';
import { type Host, nodeHosts } from './hosts.ts';

const large = 8 * 2 ** 20; // more than the buffers of a connection
const count = 'process.runs = (process.runs ?? 0) + 1; console.log(process.runs)';

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
    const counted = { connections: 0 };
    const server = createServer(({ url }, response) =>
      response.end('x'.repeat(url === '/large' ? large : 2)),
    );
    server.on('connection', () => {
      counted.connections += 1;
    });
    onCleanup(() => close(server));
    return { counted, address: `http://${await listen(server)}` };
  });

describe.each([...nodeHosts])('a process of %s', (_name, open) => {
  let host: Host;
  beforeAll(() => {
    host = open();
  });
  afterAll(() => host.close());

  const runs = 3;
  const run = ({ address }: { readonly address: string }, source: string, times = runs) =>
    host.run({ source, config: { address } }, times);

  test('runs twenty times with fetch', async ({ server }) => {
    const result = await run(
      server,
      `${count}; fetch(CONFIG.address).then(async (response) => console.log(await response.text()))`,
      20,
    );

    expect(result).toEqual({ status: 'success', stdout: '20\nxx', stderr: '' });
  });

  test.for([
    [
      'fetch with a time limit',
      'fetch(CONFIG.address, { signal: AbortSignal.timeout(60_000) }).then((response) => response.text())',
    ],
    [
      'several requests of fetch',
      'Promise.all([1, 2, 3].map(() => fetch(CONFIG.address).then((response) => response.text())))',
    ],
    ['the HTTP module', "require('http').get(CONFIG.address, (response) => response.resume())"],
    [
      'an HTTP agent of its own',
      "const http = require('http'); http.get(CONFIG.address, { agent: new http.Agent({ keepAlive: true }) }, (response) => response.resume())",
    ],
  ])('is reused after %s', async ([_what, source], { server }) => {
    const result = await run(server, `${count}; ${source}`);

    expect(result).toEqual({ status: 'success', stdout: String(runs), stderr: '' });
  });

  test('has no connection of an earlier run', async ({ server }) => {
    server.counted.connections = 0;

    await run(server, 'fetch(CONFIG.address).then((response) => response.text())');

    expect(server.counted.connections).toBe(runs);
  });

  test('calls the handlers of a connection before the run ends', async ({ server }) => {
    const result = await run(
      server,
      `${count}; const request = require('http').get(CONFIG.address, (response) => response.resume()); const { runs } = process; request.on('socket', (socket) => socket.on('close', () => console.log('closed', runs)))`,
    );

    expect(result.stdout).toBe(`${runs}\nclosed ${runs}`);
  });

  test.for([
    ['fetch', "fetch(CONFIG.address + '/large')"],
    ['the HTTP module', "require('http').get(CONFIG.address + '/large', () => {})"],
  ])(
    'is not reused after a response of %s that is not read',
    async ([_what, source], { server }) => {
      const result = await run(server, `${count}; ${source}`);

      expect(result).toEqual({ status: 'success', stdout: '1', stderr: '' });
    },
  );

  test('is not reused after a connection that the script unreferenced', async ({ server }) => {
    const result = await run(
      server,
      `${count}; require('http').get(CONFIG.address, (response) => response.resume()).on('socket', (socket) => socket.on('free', () => socket.unref()))`,
    );

    expect(result.stdout).toBe('1');
  });
});
