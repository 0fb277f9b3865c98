import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, nodeHosts } from './hosts.ts';

const large = 8 * 2 ** 20; // more than the buffers of a connection
const count = 'process.runs = (process.runs ?? 0) + 1; console.log(process.runs)';

let server: Server;
let address: string;
let connections = 0;

beforeAll(async () => {
  server = createServer(({ url }, response) =>
    response.end('x'.repeat(url === '/large' ? large : 2)),
  );
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe.each([...nodeHosts])('a process of %s', (_name, open) => {
  let host: Host;
  beforeAll(() => {
    host = open();
  });
  afterAll(() => host.close());

  const runs = 3;
  const run = (source: string, times = runs) => host.run({ source, config: { address } }, times);

  test('runs twenty times with fetch', async () => {
    const result = await run(
      `${count}; fetch(CONFIG.address).then(async (response) => console.log(await response.text()))`,
      20,
    );

    expect(result).toEqual({ status: 'success', stdout: '20\nxx', stderr: '' });
  });

  test.each([
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
  ])('is reused after %s', async (_what, source) => {
    const result = await run(`${count}; ${source}`);

    expect(result).toEqual({ status: 'success', stdout: String(runs), stderr: '' });
  });

  test('has no connection of an earlier run', async () => {
    connections = 0;

    await run('fetch(CONFIG.address).then((response) => response.text())');

    expect(connections).toBe(runs);
  });

  test('calls the handlers of a connection before the run ends', async () => {
    const result = await run(
      `${count}; const request = require('http').get(CONFIG.address, (response) => response.resume()); const { runs } = process; request.on('socket', (socket) => socket.on('close', () => console.log('closed', runs)))`,
    );

    expect(result.stdout).toBe(`${runs}\nclosed ${runs}`);
  });

  test.each([
    ['fetch', "fetch(CONFIG.address + '/large')"],
    ['the HTTP module', "require('http').get(CONFIG.address + '/large', () => {})"],
  ])('is not reused after a response of %s that is not read', async (_what, source) => {
    const result = await run(`${count}; ${source}`);

    expect(result).toEqual({ status: 'success', stdout: '1', stderr: '' });
  });

  test('is not reused after a connection that the script unreferenced', async () => {
    const result = await run(
      `${count}; require('http').get(CONFIG.address, (response) => response.resume()).on('socket', (socket) => socket.on('free', () => socket.unref()))`,
    );

    expect(result.stdout).toBe('1');
  });
});
