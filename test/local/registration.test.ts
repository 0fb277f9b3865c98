import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { guess, type Headers, heldBack, type Place, portOf, send } from '../support/plain-calls.ts';
import { exchange } from '../support/raw-socket.ts';
import { serverTest } from '../support/server-test.ts';

/* Registration and guessing of passwords at a server with default settings. */

const test = serverTest('groundwork-network-')
  .extend('server', { scope: 'file' }, ({ start }) => start()) // with default settings
  .extend('port', { scope: 'file' }, ({ server }) => portOf(server));

const register = '/v1.1/account/register/';
const password = 'a password';

describe('a server with default settings', () => {
  test.for<[string, Headers]>([
    ['a program of this machine', {}],
    ['a page of this server', { Origin: 'http://127.0.0.1:3000' }],
    ['a development server', { Origin: 'http://localhost:5173' }],
    ['a development server with TLS', { Origin: 'https://LOCALHOST:8443' }],
    ['one that listens on IPv6', { Origin: 'http://[::1]:8080' }],
    ['one on another address', { Origin: 'http://127.1.2.3' }],
    ['a program with the host localhost', { Host: 'localhost:3000' }],
    ['one with the host in capitals', { Host: 'LocalHost' }],
    ['one with the host and a trailing dot', { Host: 'localhost.:3000' }],
    ['one with the host ::1', { Host: '[::1]:3000' }],
    ['one with another address as host', { Host: '127.255.0.9:80' }],
  ])('%s registers', async ([, headers], { port }) => {
    expect((await send(port, register, person(), headers)).status).toBe(201);
    expect(await signUp(port, headers)).toBe('open');
  });

  test.for<[string, Headers]>([
    ['a page of another site', { Origin: 'https://evil.example' }],
    ['a page without an origin', { Origin: 'null' }],
    ['a page with an empty origin', { Origin: '' }],
    ['a name with the same prefix', { Origin: 'http://localhost.evil.example' }],
    ['a name with the same suffix', { Origin: 'http://evil-localhost' }],
    ['a name that looks like an address', { Origin: 'http://127.0.0.1.evil.example' }],
    ['a user that looks like a host', { Origin: 'http://localhost@evil.example' }],
    ['a page with two origins', { Origin: 'http://localhost, https://evil.example' }],
    ['all addresses of the machine', { Origin: 'http://0.0.0.0:3000' }],
    ['a rebound name', { Host: 'evil.example:3000', Origin: 'http://evil.example:3000' }],
    ['a rebound name without origin', { Host: 'evil.example' }],
    ['a subdomain', { Host: 'x.localhost.evil.example' }],
    ['an address of the network', { Host: '192.168.1.5:3000' }],
    ['no address', { Host: '0.0.0.0:3000' }],
    ['a proxy that forwards the client', { 'X-Forwarded-For': '198.51.100.7' }],
    ['a proxy on this machine', { 'X-Forwarded-For': '127.0.0.1' }],
    ['a proxy that forwards the protocol', { 'X-Forwarded-Proto': 'http' }],
    ['a proxy that forwards the host', { 'X-Forwarded-Host': 'localhost' }],
    ['a proxy that forwards the port', { 'X-Forwarded-Port': '3000' }],
    ['a proxy with the standard header', { Forwarded: 'for=127.0.0.1' }],
    ['a proxy that names itself', { Via: '1.1 proxy' }],
    ['a proxy in another way', { 'X-Real-IP': '127.0.0.1' }],
    ['a proxy of a network', { 'CF-Connecting-IP': '198.51.100.7' }],
  ])('%s does not register', async ([, headers], { port }) => {
    const refused = await send(port, register, person(), headers);

    expect(refused).toEqual({
      status: 403,
      body: { detail: expect.stringContaining('--registration open') },
    });
    expect(await signUp(port, headers)).toBe('invitation');
  });

  test.for<[string, string, string]>([
    ['no host', '1.0', ''],
    ['an empty host', '1.1', 'Host: \r\n'],
    ['two hosts', '1.1', 'Host: localhost\r\nHost: evil.example\r\n'],
  ])('a request with %s does not register', async ([, version, hosts], { server }) => {
    const body = JSON.stringify(person());
    const length = `Content-Length: ${body.length}\r\nConnection: close\r\n`;
    const head = `POST ${register} HTTP/${version}\r\n${hosts}${length}`;
    const type = 'Content-Type: application/json\r\n';

    const refused = await exchange(server.url, `${head}${type}\r\n${body}`);

    expect(refused.body).toEqual({ detail: expect.stringContaining('--registration open') });
  });

  test('an invitation is accepted behind a proxy too', async ({ port }) => {
    const more = { invitation_key: 'no key of ours' };
    const refused = await send(port, register, person(more), { Via: '1.1 proxy' });

    expect(refused.status).toBe(400);
  });

  test('a script cannot guess a password with a forged address', async ({ server, port }) => {
    const { email } = person();
    const made = await send(port, register, { email, password });

    expect(await guess(server, made.body.account_key, email, password)).toEqual(heldBack);
  });
});

test('a server that is open to all accepts registrations from everywhere', async ({ start }) => {
  const server = await start({ args: ['--registration', 'open'] });

  const headers = { Origin: 'https://app.example', Host: 'api.example', Via: '1.1 proxy' };
  const made = await send(portOf(server), register, person(), headers);

  expect(made.status).toBe(201);
});

const person = (more: object = {}) => ({ email: `${randomUUID()}@example.com`, password, ...more });

/** What the server says that a client needs to register. */
async function signUp(port: Place, headers: Headers): Promise<string> {
  return (await send(port, '/v1.1/deployment/', undefined, headers)).body.sign_up;
}
