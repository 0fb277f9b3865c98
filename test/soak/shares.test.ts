import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary.ts';

/* Effects of one client on the others, over HTTP with a server process. */

const it = test.extend('folder', temporaryFolder('groundwork-shares-'));

afterEach(endProcesses);

describe('thirty clients that search through all objects of a class', () => {
  it('delay another tenant by less than one such search takes alone', async ({ folder }) => {
    const server = await startProcess(folder);
    const [loud, calm] = [await openShop(server, 'loud-shop'), await openShop(server, 'calm-shop')];
    await fill(server, loud, 5000);
    const made = await send(server, calm.books, { key: calm.key, body: { title: 'quiet' } });
    // the letters are in every title, in this order, so each title is searched
    const query = encodeURIComponent(JSON.stringify({ title: { _like: '%a_b%' } }));
    const search = () => send(server, `${loud.books}?query=${query}`, { key: loud.key });
    await search();
    const alone = await timed(search);

    const flood = Array.from({ length: 30 }, async () => {
      const statuses = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await search()).status);
      return statuses;
    });
    const times: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      times.push(
        await timed(() => send(server, `${calm.books}${made.body.id}/`, { key: calm.key })),
      );
    }
    const statuses = (await Promise.all(flood)).flat();

    expect(times.sort((a, b) => a - b)[4]).toBeLessThan(alone);
    expect(new Set(statuses)).toEqual(new Set([200]));
  }, 180_000);
});

describe('two hundred anonymous registrations', () => {
  const slowHash = { variables: { GROUNDWORK_PASSWORD_COST: '15' } };

  it('do not delay the writes of others, and are throttled', async ({ folder }) => {
    const server = await startProcess(folder, slowHash);
    const { key, books } = await openShop(server, 'calm-shop');
    let registered = 0;
    const flood = Array.from({ length: 200 }, async (_, n) => {
      const response = await register(server, `flood-${n}@example.com`);
      if (response.status === 201) registered += 1;
      return response;
    });
    await Promise.race(flood); // they have arrived and are being processed

    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      statuses.push((await send(server, books, { key, body: { title: `t${n}` } })).status);
    }
    const before = registered;
    const responses = await Promise.all(flood);
    const refused = responses.filter(({ status }) => status !== 201);

    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(before).toBeLessThan(40);
    expect(registered).toBeGreaterThan(before);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refused) {
      const told = [status, headers.get('retry-after'), body];
      expect(told).toEqual([
        503,
        '2',
        { detail: 'Too many passwords are being checked. Expected available in 2 seconds.' },
      ]);
    }
  }, 120_000);

  it('do not prevent the server from stopping', async ({ folder }) => {
    const server = await startProcess(folder, slowHash);
    const flood = Array.from({ length: 60 }, (_, n) =>
      register(server, `flood-${n}@example.com`).catch(() => undefined),
    );
    await Promise.race(flood);

    const code = await server.end('SIGTERM');
    await Promise.all(flood);

    expect(code).toBe(0);
  }, 60_000);
});

describe.runIf(process.platform === 'linux')('a client that only writes', () => {
  /** Returns the memory of a process in MB, without pages of files, which the system takes back. */
  function memoryOf({ pid }: ServerProcess): number {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  it('does not fill the memory of the server: recent objects are kept up to a limit', async ({
    folder,
  }) => {
    const server = await startProcess(folder);
    const shop = await openShop(server, 'full-shop');

    await Promise.all([1, 2, 3, 4].map(() => fill(server, shop, 35_000)));

    expect(memoryOf(server)).toBeLessThan(350);
  });
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into responses of every shape
  readonly body: any;
}

async function send(
  { url }: ServerProcess,
  path: string,
  { key, body }: { readonly key?: string; readonly body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'X-API-KEY': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

const register = (server: ServerProcess, email: string) =>
  send(server, '/v1.1/account/register/', { body: { email, password: 'a password' } });

/** An account with an instance and a class of books. */
async function openShop(server: ServerProcess, name: string) {
  const key: string = (await register(server, `${name}@example.com`)).body.account_key;
  const base = `/v1.1/instances/${name}/`;
  await send(server, '/v1.1/instances/', { key, body: { name } });
  const schema = [{ name: 'title', type: 'string', filter_index: true }];
  await send(server, `${base}classes/`, { key, body: { name: 'book', schema } });
  return { key, base, books: `${base}classes/book/objects/` };
}

/** Creates objects by batches of fifty. */
async function fill(
  server: ServerProcess,
  shop: Awaited<ReturnType<typeof openShop>>,
  count: number,
) {
  const item = { method: 'POST', path: shop.books, body: { title: `${'ab'.repeat(60)}c` } };
  const requests = Array.from({ length: 50 }, () => item);
  for (let made = 0; made < count; made += 50) {
    await send(server, `${shop.base}batch/`, { key: shop.key, body: { requests } });
  }
}

async function timed<Result>(run: () => Promise<Result>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}
