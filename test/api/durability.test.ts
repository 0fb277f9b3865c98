import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../shared/platforms/local/store/store.ts';
import type { Bound, IndexName, Store, Stored } from '../../shared/store/store.ts';
import { objectEntity, uniqueEntity } from '../../shared/table/entities/classes.ts';
import type { ObjectData, UniqueData } from '../../shared/table/records/records.ts';
import { sendRaw } from '../support/http-client.ts';
import { accepted } from '../support/lawful.ts';
import { refusing } from '../support/raw-socket.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';

/*
 * The server as a separate process on a folder: acknowledged writes survive, however the process ends.
 */

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('folder', ({}, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-durability-'));
  onCleanup(() => {
    endProcesses();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
});

const base = '/v1.1/instances/durable/';
const objects = `${base}classes/book/objects/`;
/** Kills of one server; more by hand: `TEST_KILLS=100 npm run test:slow -- test/api/durability.test.ts`. */
const kills = Number(process.env.TEST_KILLS ?? 3);

describe('a server that is killed', () => {
  it(
    `keeps all that it acknowledged, complete, and assigns no id twice (${kills} times)`,
    async ({ folder }) => {
      let server = await startProcess(folder, { args: ['--registration', 'open'] });
      const keys = await fill(server);
      const books: Book[] = [];

      for (let round = 0; round < kills; round += 1) {
        const before = Math.max(0, ...books.map(({ id }) => id));
        const { acknowledged, done } = await write(server, keys, round);
        await setTimeout((round % 3) * 60 + Math.random() * 50);
        expect(await server.end('SIGKILL')).toBeNull();
        await done;
        expect(acknowledged.every(({ id }) => id > before)).toBe(true);
        books.push(...acknowledged);
        const ids = new Set(await storedIds(folder));
        expect(books.filter(({ id }) => !ids.has(id))).toEqual([]);
        server = await startProcess(folder, { args: ['--registration', 'open'] });
      }

      expect(new Set(books.map(({ id }) => id)).size).toBe(books.length);
      const last = books.slice(-500);
      const shown = await Promise.all(
        last.map(({ id }) => sendRaw(server.url, { as: keys.apiKey, path: `${objects}${id}/` })),
      );
      expect(shown.map(({ body }) => body)).toEqual(last);
      const { isbn } = books[0] ?? {};
      const again = await sendRaw(server.url, { as: keys.apiKey, path: objects, body: { isbn } });
      expect([again.status, again.body]).toEqual([400, { isbn: ['This field must be unique.'] }]);
      expect(server.complaints()).toBe('');
    },
    20_000 + 20_000 * kills,
  );

  it('keeps valid keys valid, and reset or deleted ones invalid', async ({ folder }) => {
    const first = await startProcess(folder, { args: ['--registration', 'open'] });
    const { owner, apiKey } = await fill(first);
    const make = async () =>
      accepted(await sendRaw(first.url, { as: owner, path: `${base}api_keys/`, body: {} }), 201);
    const [reset, removed] = [await make(), await make()];
    const renewed = accepted(
      await sendRaw(first.url, { as: owner, method: 'POST', path: reset.links.reset_key }),
      200,
    );
    accepted(
      await sendRaw(first.url, { as: owner, method: 'DELETE', path: removed.links.self }),
      204,
    );
    await first.end('SIGKILL');

    const { url } = await startProcess(folder, { args: ['--registration', 'open'] });

    const statusOf = async (as: string) =>
      (await sendRaw(url, { as, path: `${base}api_keys/` })).status;
    expect(await Promise.all([owner, apiKey, renewed.api_key].map(statusOf))).toEqual([
      200, 200, 200,
    ]);
    expect(await Promise.all([reset.api_key, removed.api_key].map(statusOf))).toEqual([403, 403]);
    const shown = await sendRaw(url, { as: owner, path: `${base}api_keys/` });
    expect(shown.body.objects.map((each: { api_key: string }) => each.api_key)).toEqual([
      apiKey,
      renewed.api_key,
    ]);
  });
});

describe('a server that is asked to end', () => {
  it('keeps all that it acknowledged, and aborts no request', async ({ folder }) => {
    const server = await startProcess(folder, { args: ['--registration', 'open'] });
    const keys = await fill(server);
    const { acknowledged, done } = await write(server, keys, 0);

    const code = await server.end('SIGTERM');

    await done;
    const ids = new Set(await storedIds(folder));
    expect(code).toBe(0);
    expect(acknowledged.filter(({ id }) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe(acknowledged.length);
    expect(server.complaints()).toBe('');
  });

  it('responds to a request whose body is still arriving', async ({ folder }) => {
    const server = await startProcess(folder, { args: ['--registration', 'open'] });
    const { apiKey } = await fill(server);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    socket.write(
      `POST ${objects} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${apiKey}\r\nExpect: 100-continue\r\n` +
        'Content-Type: application/json\r\nContent-Length: 42\r\n\r\n',
    );
    await once(socket, 'data'); // the server has started to read it

    const ended = server.end('SIGTERM');
    await refusing(server.url);
    socket.write('{"isbn":"late","other_permissions":"read"');
    socket.write('}');

    expect(await ended).toBe(0);
    expect(text).toMatch(/\r\n\r\nHTTP\/1.1 201 Created\r\n[\s\S]*connection: close/i);
    expect(await storedIds(folder)).toEqual([1]);
  });

  it('keeps its folder locked: a second one fails and harms nothing', async ({ folder }) => {
    const server = await startProcess(folder, { args: ['--registration', 'open'] });
    const { apiKey } = await fill(server);

    await expect(startProcess(folder, { args: ['--registration', 'open'] })).rejects.toThrow(
      /ended with 1: .*is in use by process/,
    );

    const body = { isbn: 'x', other_permissions: 'read' };
    expect((await sendRaw(server.url, { as: apiKey, path: objects, body })).status).toBe(201);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(await storedIds(folder)).toEqual([1]);
  });
});

// numbers of the only instance and of the only class except that of the profiles
const partition = objectEntity.partition(1, 2);
const uniques = uniqueEntity.partition(1, 2);

interface Keys {
  readonly owner: string;
  readonly apiKey: string;
}

type Book = Readonly<Record<string, unknown>> & { readonly id: number; readonly isbn: string };

async function fill({ url }: ServerProcess): Promise<Keys> {
  const account = { email: 'ann@example.com', password: 'a password' };
  const path = '/v1.1/account/register/';
  const { account_key: owner } = accepted(await sendRaw(url, { path, body: account }), 201);
  const create = async (at: string, body: object) =>
    accepted(await sendRaw(url, { as: owner, path: at, body }), 201);
  await create('/v1.1/instances/', { name: 'durable' });
  await create(`${base}classes/`, {
    name: 'book',
    schema: [
      { name: 'isbn', type: 'string', unique: true },
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'pages', type: 'integer', order_index: true },
    ],
  });
  const { api_key: apiKey } = await create(`${base}api_keys/`, { ignore_acl: true });
  return { owner, apiKey };
}

/** Creates books from 16 clients at once, alone and in batches, until the server is gone; returns the acknowledged. */
async function write(server: ServerProcess, { apiKey }: Keys, round: number) {
  const acknowledged: Book[] = [];
  const send = (path: string, body: object) =>
    sendRaw(server.url, { as: apiKey, path, body }).catch(() => undefined);
  const bookOf = (isbn: string) => {
    const pages = isbn.length;
    return { isbn, title: `title ${isbn}`, pages, other_permissions: 'read' };
  };
  const createOne = async (isbn: string): Promise<readonly Book[] | undefined> => {
    const created = await send(objects, bookOf(isbn));
    return created && [accepted(created, 201)];
  };
  const createMany = async (isbn: string): Promise<readonly Book[] | undefined> => {
    const isbns = ['a', 'b', 'c', 'd'].map((end) => isbn + end);
    const requests = isbns.map((each) => ({ method: 'POST', path: objects, body: bookOf(each) }));
    const sent = await send(`${base}batch/`, { requests });
    const entries: readonly { code: number; content: Book }[] | undefined =
      sent && accepted(sent, 200);
    if (entries !== undefined) expect(entries.map(({ code }) => code)).toEqual(Array(4).fill(201));
    return entries?.map(({ content }) => content);
  };
  const client = async (number: number): Promise<void> => {
    const create = number % 4 === 0 ? createMany : createOne;
    for (let turn = 0; ; turn += 1) {
      const books = await create(`${round}-${number}-${turn}`);
      if (books === undefined) return;
      acknowledged.push(...books);
    }
  };
  const done = Promise.all(Array.from({ length: 16 }, (_, number) => client(number)));
  while (acknowledged.length < 16) await setTimeout(5);
  return { acknowledged, done };
}

async function readAll(store: Store, pk: string, index?: IndexName): Promise<readonly Stored[]> {
  const items: Stored[] = [];
  let lower: Bound | undefined;
  for (;;) {
    const page = await store.query({
      pk,
      ...(index && { index }),
      ...(lower && { lower }),
      limit: 1000,
    });
    items.push(...page.items);
    const last = page.positions.at(-1);
    if (!page.more || last === undefined) return items;
    lower = { key: last, inclusive: false };
  }
}

const idsOf = (items: readonly Stored[]) =>
  items.map(({ data }) => (data as ObjectData).id).sort((a, b) => a - b);

/** Returns the ids of the objects in a folder after the server ended; checks that index entries match exactly. */
async function storedIds(folder: string): Promise<readonly number[]> {
  const store = await openStore({ path: join(folder, 'store'), now: Date.now });
  try {
    const stored = await readAll(store, partition);
    const ids = idsOf(stored);
    for (const index of ['slot0', 'slot1', 'slot2', 'updated', 'shared'] as const) {
      expect(idsOf(await readAll(store, partition, index)), index).toEqual(ids);
    }
    expect(await readAll(store, partition, 'slot3')).toEqual([]);
    const taken = await readAll(store, uniques);
    expect(taken.map(({ data }) => (data as UniqueData).object).sort((a, b) => a - b)).toEqual(ids);
    return ids;
  } finally {
    await store.close();
  }
}
