import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { expected } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { startOidcServer } from '../support/oidc-server.ts';
import { appPage, openRedirectApp, setUpServices } from '../support/redirect-log-in.ts';
import { storedUser } from '../support/user-sessions.ts';

/* Log-ins at a server that others wrote, through the real egress: the operator allows its host. */

const server = await startOidcServer();
const hostile = await startServer();
const it = newWorldTest('oidc', { settings: { egressAllow: [server.host, hostile.host] } });

it.afterAll(async () => {
  await server.close();
  await hostile.close();
});

/** Starts a server whose responses a test chooses. */
async function startServer() {
  const listener: { run: RequestListener } = { run: (_, response) => response.end() };
  const opened = createServer((request, response) => listener.run(request, response));
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(opened.address() as AddressInfo).port}`; // it listens on a port
  const close = () =>
    new Promise((resolve) => {
      opened.closeAllConnections();
      opened.close(resolve);
    });
  return { host, issuer: `http://${host}`, listener, close };
}

const client = { id: 'gw', secret: 'a secret, with + and %', name: 'real' };

describe.skipIf(isOn('roles'))('a log-in at a real server of OpenID Connect', () => {
  it('ends with a session of a user who has the verified address', async ({ world }) => {
    const callback = `${world.api.url}${world.base}user/auth/${client.name}/callback/`;
    server.serve({ ...client, callback });
    const provider = { name: client.name, kind: 'oidc', client_id: client.id };
    await setUpServices(world, [{ ...provider, issuer: server.issuer, secret: client.secret }]);
    const app = await openRedirectApp(world);
    const logIn = async (login: string) => {
      const { address, verifier } = await app.start(client.name, { state: 's1' });
      const back = await server.logIn(address, login);
      expect(back.origin + back.pathname).toBe(callback);
      const page = await app.callback(client.name, back.searchParams);
      expect(page.origin + page.pathname).toBe(appPage);
      expect(page.searchParams.get('state')).toBe('s1');
      return expected(await app.exchange(page.searchParams.get('code'), verifier), 200);
    };

    const ann = await logIn('ann');
    const again = await logIn('ann');
    const other = await logIn('unproved');

    const { data } = await storedUser(world, ann.id);
    expect(again.id).toBe(ann.id);
    expect([data.email, data.isEmailConfirmed]).toEqual(['ann@example.com', true]);
    expect((await storedUser(world, other.id)).data.email).toBeUndefined();
  });

  it('needs the right secret', async ({ world }) => {
    const callback = `${world.api.url}${world.base}user/auth/${client.name}/callback/`;
    server.serve({ ...client, callback });
    const provider = { name: client.name, kind: 'oidc', client_id: client.id };
    await setUpServices(world, [{ ...provider, issuer: server.issuer, secret: 'wrong' }]);
    const app = await openRedirectApp(world);

    const { address } = await app.start(client.name);
    const back = await server.logIn(address, 'ann');
    const page = await app.callback(client.name, back.searchParams);

    expect(page.href).toBe(`${appPage}?error=provider_failed`);
  });

  it('reaches no host that the operator does not allow', async ({ world }) => {
    const issuer = server.issuer.replace('127.0.0.1', 'localhost');
    const provider = { name: client.name, kind: 'oidc', client_id: client.id, issuer, secret: 's' };
    await setUpServices(world, [provider]);
    const app = await openRedirectApp(world);

    const { address } = await app.start(client.name);

    expect(address.href).toBe(`${appPage}?error=provider_failed`);
  });
});

describe.skipIf(isOn('roles'))('a hostile server', () => {
  const provider = {
    name: 'hostile',
    kind: 'oidc',
    client_id: 'gw',
    issuer: hostile.issuer,
    secret: 's',
  };
  const document = {
    issuer: hostile.issuer,
    authorization_endpoint: `${hostile.issuer}/authorize`,
    token_endpoint: `${hostile.issuer}/token`,
    jwks_uri: `${hostile.issuer}/keys`,
  };

  it('sends the request for a token to no other server', async ({ world }) => {
    const inside = await startServer();
    const seen: string[] = [];
    inside.listener.run = (request, response) => {
      seen.push(request.url ?? '');
      response.end('{}');
    };
    hostile.listener.run = (request, response) => {
      if (request.url !== '/token') response.setHeader('Content-Type', 'application/json');
      if (request.url === '/token') {
        response.writeHead(307, { Location: `${inside.issuer}/2018-06-01/runtime/` }).end();
      } else response.end(JSON.stringify(document));
    };
    await setUpServices(world, [provider]);
    const app = await openRedirectApp(world);

    const { address } = await app.start('hostile');
    const state = address.searchParams.get('state') ?? '';
    const page = await app.callback('hostile', new URLSearchParams({ code: 'x', state }));

    await inside.close();
    expect(page.href).toBe(`${appPage}?error=provider_failed`);
    expect(seen).toEqual([]);
  });

  it.for([
    'http://127.0.0.1:1/token',
    'http://169.254.169.254/latest/meta-data/',
    'https://[::1]/token',
    'file:///etc/passwd',
  ])('names no token endpoint inside: %s', async (endpoint, { world }) => {
    hostile.listener.run = (_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ ...document, token_endpoint: endpoint }));
    };
    await setUpServices(world, [provider]);
    const app = await openRedirectApp(world);

    const { address } = await app.start('hostile');
    const state = address.searchParams.get('state') ?? '';
    const page = await app.callback('hostile', new URLSearchParams({ code: 'x', state }));

    expect(page.href).toBe(`${appPage}?error=provider_failed`);
  });

  it('is not read for longer than its document may be, nor asked again at once', async ({
    world,
  }) => {
    let asked = 0;
    hostile.listener.run = (_, response) => {
      asked += 1;
      response.setHeader('Content-Type', 'application/json');
      const send = () => {
        while (response.write(' '.repeat(8192)));
      };
      response.on('drain', send);
      send();
    };
    await setUpServices(world, [provider]);
    const app = await openRedirectApp(world);

    const first = await app.start('hostile');
    const second = await app.start('hostile');

    const failed = `${appPage}?error=provider_failed`;
    expect([first.address.href, second.address.href]).toEqual([failed, failed]);
    expect(asked).toBe(1);
  });

  it('is no other issuer than that of the settings', async ({ world }) => {
    hostile.listener.run = (_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ ...document, issuer: 'https://accounts.google.com' }));
    };
    await setUpServices(world, [provider]);
    const app = await openRedirectApp(world);

    expect((await app.start('hostile')).address.href).toBe(`${appPage}?error=provider_failed`);
  });
});
