import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { describeIsolation, probeIsolation } from '../../shared/local/scripts/isolation.ts';
import { openScripts } from '../../shared/local/scripts/scripts.ts';
import { StartError } from '../../shared/local/start-error.ts';
import { runLocally } from './hosts.ts';

const { hasBubblewrap } = await probeIsolation({ network: true });

const neighbour = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
await once(neighbour, 'listening');
const { port } = neighbour.address() as AddressInfo; // of a server that listens on a port
afterAll(() => neighbour.close());

const connecting = `require('net').connect(ARGS.port, '127.0.0.1')
  .on('data', (part) => console.log(String(part)))
  .on('error', (error) => console.log(error.code));`;

describe.runIf(hasBubblewrap)('the network of the machine', () => {
  test.each([
    ['is open', true, 'hello'],
    ['is closed when it is asked for', false, 'ECONNREFUSED'],
  ])('%s', async (_name, network, stdout) => {
    const scripts = openScripts({ isolation: { network } });

    const result = await runLocally(scripts, { source: connecting, args: { port } });
    await scripts.close();

    expect(result).toMatchObject({ status: 'success', stdout });
  });
});

test('where the network cannot be closed, nothing starts that should have none', async () => {
  const scripts = openScripts({ isolation: { network: false, bubblewrap: false } });

  await expect(scripts.describe()).rejects.toThrow(StartError);
});

test.each([
  [
    { prefix: ['prlimit'], hasBubblewrap: true, hasNetwork: true },
    "Scripts: in processes held by bubblewrap, Node's permission flags, memory limit; they reach every network that this machine does",
  ],
  [
    { prefix: [], hasBubblewrap: true, hasNetwork: false },
    "Scripts: in processes held by bubblewrap, Node's permission flags; they have no network",
  ],
  [
    { prefix: [], hasBubblewrap: false, hasNetwork: true },
    "Scripts: in processes held by Node's permission flags; bubblewrap does not work here; they reach every network that this machine does",
  ],
])('%j is told in one line', (isolation, line) => {
  expect(describeIsolation(isolation)).toBe(line);
});
