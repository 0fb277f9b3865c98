import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openAccounts } from '../../../shared/platforms/local/push/accounts.ts';
import { openAdmission } from '../../../shared/platforms/local/push/admission.ts';
import { pushBounds } from '../../../shared/platforms/local/push/bounds.ts';
import { createPushClient } from '../../../shared/platforms/local/push/connections/client.ts';
import {
  readServiceAccount,
  requestGoogleToken,
} from '../../../shared/platforms/local/push/tokens/google-token.ts';
import { openClock } from '../../../shared/ports/clock.ts';
import { PushFailure } from '../../../shared/push/push-failure.ts';
import { openWorld } from '../../support/api.ts';
import { configure, serviceAccount } from '../../support/push.ts';
import { type PushServiceOptions, startPushService } from '../../support/push-service.ts';
import { startSending, useSendingApi } from './sending-api.ts';

/* What a hostile push service costs: each bound, with a lower number where the real one takes long. */

useSendingApi();

const ends: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const clock = openClock();
const request = { path: '/3/device/a', headers: {}, body: '{}' };

function clientOf(origin: string, lower: Partial<typeof pushBounds> = {}) {
  const bounds = { ...pushBounds, ...lower };
  const client = createPushClient({ origin, tls: {}, bounds, nowMs: clock.steadyMs });
  ends.push(async () => client.close());
  return client;
}

async function serviceOf(options: PushServiceOptions) {
  const service = await startPushService(options);
  ends.push(() => service.close());
  return service;
}

/** Starts a server of bytes; returns its address. */
async function startRaw(handle: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'sent',
    (error: unknown) => (error instanceof PushFailure ? error.reason : String(error)),
  );

describe('a response', () => {
  test('without an end is read up to a bound, and counts by its status', async () => {
    const { url } = await serviceOf({
      react: () => (stream) => {
        stream.respond({ ':status': 410 });
        const write = () => stream.write('x'.repeat(65_536), () => !stream.destroyed && write());
        write();
      },
    });

    const { status, body } = await clientOf(url).send(request);

    expect(status).toBe(410);
    expect(body.length).toBeLessThanOrEqual(pushBounds.bodyBytes);
  });

  test.each([
    ['bytes', { 'x-long': 'x'.repeat(20_000) }],
    ['fields', Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-${at}`, 'x']))],
  ])('with too many %s of headers is lost', async (_, headers) => {
    const { url } = await serviceOf({ react: () => ({ status: 200, headers }) });

    expect(await reasonOf(clientOf(url).send(request))).toBe('unknown');
  });

  test('that never comes ends in time, and the connection is replaced', async () => {
    const { url, connections } = await serviceOf({
      react: ({ earlier }) => (earlier === 0 ? 'hang' : 'accept'),
    });
    const client = clientOf(url, { responseMs: 200, pause: { firstMs: 0, maxMs: 0 } });

    const reasons = [await reasonOf(client.send(request)), await reasonOf(client.send(request))];

    expect(reasons).toEqual(['unknown', 'sent']);
    expect(connections()).toBe(2);
  });
});

describe('a connection', () => {
  test.each([
    ['says nothing', () => {}],
    ['speaks another protocol', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['closes at once', (socket: Socket) => socket.destroy()],
  ])('to a server that %s sends nothing', async (_, handle) => {
    const { url } = await startRaw(handle);

    expect(await reasonOf(clientOf(url, { connectMs: 300 }).send(request))).toBe('unreachable');
  });

  test('whose peer allows no streams lets pushes wait for a bounded time', async () => {
    const { url, arrived } = await serviceOf({ settings: { maxConcurrentStreams: 0 } });

    expect(await reasonOf(clientOf(url, { queueMs: 300 }).send(request))).toBe('busy');
    expect(arrived).toEqual([]);
  });

  test.each([
    ['PING', 6, 8],
    ['PRIORITY', 2, 5],
    ['WINDOW_UPDATE', 8, 4],
  ])('whose peer sends %s without end is closed', async (_, type, length) => {
    const stream = type === 2 ? 1 : 0;
    const content = Buffer.alloc(length, 0);
    content[length - 1] = 1;
    const frame = Buffer.concat([Buffer.from([0, 0, length, type, 0, 0, 0, 0, stream]), content]);
    const frames = Buffer.concat(Array.from({ length: 2000 }, () => frame));
    const { url, sockets } = await startRaw((socket) => {
      socket.resume();
      socket.write(Buffer.from('000000040000000000000000040100000000', 'hex')); // SETTINGS, ACK
      const write = () => {
        socket.write(frames, () => !socket.destroyed && setTimeout(write, 5));
      };
      setTimeout(write, 100);
    });

    const reason = await reasonOf(clientOf(url).send(request));
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(reason).toBe('unknown');
    expect([...sockets].every((socket) => socket.destroyed)).toBe(true);
  });

  test('that was silent is checked first: nothing is lost on a dead one', async () => {
    const service = await serviceOf({});
    const upstream: Socket[] = [];
    const { url } = await startRaw((socket) => {
      const up = connect(Number(new URL(service.url).port), '127.0.0.1');
      up.on('error', () => {});
      socket.pipe(up).pipe(socket);
      upstream.push(up);
    });
    const client = clientOf(url, { silentMs: 0, pingMs: 300 });

    const first = [await reasonOf(client.send(request)), await reasonOf(client.send(request))];
    upstream[0]?.unpipe().pause(); // as a firewall that forgets a connection
    const second = await reasonOf(client.send(request));

    expect([...first, second]).toEqual(['sent', 'sent', 'sent']);
    expect([service.connections(), service.arrived.length]).toEqual([2, 3]);
  });

  test('that ends again and again is opened with growing pauses', async () => {
    const { url, connections } = await serviceOf({ onSession: (session) => session.goaway() });
    const client = clientOf(url, { pause: { firstMs: 50, maxMs: 1000 } });
    const end = performance.now() + 1000;

    const reasons = new Set<string>();
    while (performance.now() < end) {
      reasons.add(await reasonOf(client.send(request)));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }

    expect(reasons).not.toContain('sent');
    expect(connections()).toBeLessThan(8);
  });
});

describe('the service of access tokens', () => {
  const account = readServiceAccount(JSON.stringify(serviceAccount));
  const tokenFrom = (tokenUrl: string) =>
    requestGoogleToken(account, {
      tokenUrl,
      bounds: { ...pushBounds, connectMs: 300 },
      nowMs: () => clock.micros() / 1000,
    });
  const granting = async (body: unknown) => {
    const { tokenUrl } = await serviceOf({ grant: () => ({ status: 200, body }) });
    return reasonOf(tokenFrom(tokenUrl));
  };

  test('that never responds is unreachable', async () => {
    const { url } = await startRaw(() => {});

    expect(await reasonOf(tokenFrom(url))).toBe('unreachable');
  });

  test('that responds without end is read up to a bound', async () => {
    const server = createPlainServer((_, response) => {
      const write = () => response.write('x'.repeat(65_536), () => response.destroyed || write());
      write();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => server.closeAllConnections());
    const { port } = server.address() as AddressInfo;

    expect(await reasonOf(tokenFrom(`http://127.0.0.1:${port}/`))).toBe('busy');
  });

  test('that redirects is not followed', async () => {
    const server = createPlainServer((_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => server.closeAllConnections());
    const { port } = server.address() as AddressInfo;

    expect(await reasonOf(tokenFrom(`http://127.0.0.1:${port}/`))).toBe('unreachable');
  });

  test.each([
    ['no token', {}],
    ['a token with a line end', { access_token: 'a\r\nx: y', expires_in: 60 }],
    ['a token that is too long', { access_token: 'a'.repeat(5000), expires_in: 60 }],
    ['a token without an end', { access_token: 'a', expires_in: 0 }],
  ])('that grants %s has no effect', async (_, body) => {
    expect(await granting(body)).toBe('busy');
  });

  test('cannot make a token last longer than an hour', async () => {
    const { tokenUrl } = await serviceOf({
      grant: () => ({ status: 200, body: { access_token: 'a', expires_in: 1e9 } }),
    });

    const { untilMs } = await tokenFrom(tokenUrl);

    expect(untilMs - Date.now()).toBeLessThan(3_600_000);
  });
});

describe('pushes', () => {
  test('without result are bounded, of an instance and in total', () => {
    const { enter } = openAdmission({ pushes: 3, instancePushes: 2 });
    const leave = enter(1);
    enter(1);

    expect(() => enter(1)).toThrow(PushFailure);
    enter(2);
    expect(() => enter(3)).toThrow(PushFailure);
    leave();
    enter(3);
  });

  test('of other instances are sent while one has a service that never responds', async () => {
    const { service, api, world, send } = await startSending(
      { react: ({ token }) => (token.startsWith('hang') ? 'hang' : 'accept') },
      { bounds: { responseMs: 3000 } },
    );
    await configure(world, 'gcm');
    const other = await openWorld(api, 'other');
    await configure(other, 'gcm');
    const ids = Array.from({ length: 100 }, (_, at) => `hang-${at}`);
    const content = { environment: 'development', registration_ids: ids, data: { a: 1 } };
    const messages = 'push_notifications/gcm/messages/';
    for (let at = 0; at < 4; at += 1) await other.call(other.owner, 'POST', messages, { content });
    while (service.arrived.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));

    const begin = performance.now();
    const { status } = await send('gcm', ['one']);

    expect(status).toBe('delivered');
    expect(performance.now() - begin).toBeLessThan(2500);
  });
});

describe('credentials in use', () => {
  const accountsOf = (lower: Partial<typeof pushBounds>) => {
    const accounts = openAccounts({
      clock,
      bounds: { ...pushBounds, ...lower },
      addresses: { fcm: '', googleToken: '', apns: '', apnsSandbox: '' },
      log: () => {},
      vault: { seal: async (text) => text, open: async (sealed) => sealed },
    });
    ends.push(async () => accounts.close());
    const use = (instance: number, id: string, run = async () => 'used') =>
      accounts.use(
        { instance, provider: 'gcm', environment: 'production' },
        {
          kind: 'serviceAccount',
          shown: '',
          sealed: JSON.stringify({
            kind: 'serviceAccount',
            text: JSON.stringify({ ...serviceAccount, client_email: id }),
          }),
        },
        run,
      );
    return {
      use,
      hold: (instance: number, id: string) => use(instance, id, () => new Promise(() => {})),
    };
  };

  test('are bounded, of an instance and in total', async () => {
    const { use, hold } = accountsOf({ credentials: 3, instanceCredentials: 2 });
    hold(1, 'a').catch(() => {});
    hold(1, 'b').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));

    expect(await reasonOf(use(1, 'c'))).toBe('busy');
    expect(await use(2, 'd')).toBe('used');
    expect(await use(3, 'e')).toBe('used'); // in place of the unused one
    hold(4, 'f').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await reasonOf(use(5, 'g'))).toBe('busy');
  });
});
