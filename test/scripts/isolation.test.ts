import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { describeIsolation } from '../../shared/platforms/local/scripts/sandbox/isolation.ts';
import type { Isolation } from '../../shared/platforms/local/scripts/sandbox/level.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { StartError } from '../../shared/platforms/local/server/start-error.ts';
import { runLocally } from './hosts.ts';
import { levels } from './levels.ts';

const neighbour = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
await once(neighbour, 'listening');
const { port } = neighbour.address() as AddressInfo; // the server listens on a port
afterAll(() => neighbour.close());

const connecting = `require('net').connect(ARGS.port, '127.0.0.1')
  .on('data', (part) => console.log(String(part)))
  .on('error', (error) => console.log(error.code));`;

const closesNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
const closed = {
  bubblewrap: 'ECONNREFUSED',
  landlock: 'EACCES',
  flags: 'ERR_ACCESS_DENIED',
} as const;

describe.each(levels)('the network of the machine, level %s', (level) => {
  const mayClose = level !== 'flags' || closesNetwork;
  test.each<readonly [string, boolean, string]>([
    ['is open', true, 'hello'],
    ...(mayClose ? [['is closed when it is asked for', false, closed[level]] as const] : []),
  ])('%s', async (_name, network, stdout) => {
    const scripts = openScripts({ isolation: { network, level } });

    const result = await runLocally(scripts, { source: connecting, args: { port } });
    await scripts.close();

    expect(result).toMatchObject({ status: 'success', stdout });
  });
});

test.skipIf(closesNetwork)(
  'scripts without network access do not start if the network cannot be denied',
  async () => {
    const scripts = openScripts({ isolation: { network: false, level: 'flags' } });

    await expect(scripts.describe()).rejects.toThrow(StartError);
  },
);

const python = { program: '/usr/bin/python3', folder: '/usr', version: '3.11.2' };
const lines: readonly (readonly [Isolation, string])[] = [
  [
    { level: 'bubblewrap', prefix: [], hasNetwork: true },
    "Scripts: isolated by bubblewrap, Node's permission flags; they can access every network of this machine",
  ],
  [
    { level: 'bubblewrap', prefix: [], hasNetwork: false },
    "Scripts: isolated by bubblewrap, Node's permission flags; they have no network access",
  ],
  [
    { level: 'landlock', wrapper: python, open: [], prefix: [], hasNetwork: true },
    "Scripts: isolated by Landlock, Node's permission flags; bubblewrap does not work here; they can access every network of this machine",
  ],
  [
    { level: 'landlock', wrapper: python, open: ['signals'], prefix: [], hasNetwork: false },
    "Scripts: isolated by Landlock, Node's permission flags; bubblewrap does not work here; not isolated on this machine: signals; they have no network access",
  ],
  [
    { level: 'flags', prefix: [], hasNetwork: true, gaps: ['files'] },
    "Scripts: isolated by Node's permission flags; neither bubblewrap nor Landlock works here, try: apt-get install bubblewrap python3; not isolated on this machine: files; they can access every network of this machine",
  ],
  [
    { level: 'flags', prefix: [], hasNetwork: true },
    "Scripts: isolated by Node's permission flags; neither bubblewrap nor Landlock works here, try: apt-get install bubblewrap python3; they can access every network of this machine",
  ],
];

test.each(lines)('%j is reported in one line', (isolation, line) => {
  expect(describeIsolation(isolation)).toBe(line);
});
