import { describe, expect, vi } from 'vitest';
import type { LocalStore } from '../../shared/platforms/local/store/store.ts';
import { expected, type World } from '../support/api.ts';
import { newApiTest } from '../support/fixtures.ts';

/** Responses and log entries for errors of LMDB, by LMDB's error codes. */

const it = newApiTest().extend('trouble', { auto: true }, async ({ world }, { onCleanup }) => {
  await setUp(world);
  onCleanup(() => {
    Object.assign(trouble, noTrouble());
  });
  return trouble;
});

describe.each([
  ['MDB_PAGE_NOTFOUND', -30797],
  ['MDB_CORRUPTED', -30796],
  ['MDB_PANIC', -30795],
  ['MDB_BAD_TXN', -30782],
])('after %s', (name, code) => {
  it('writes are rejected, reads continue, and the log reports it once', async ({
    world,
    trouble,
  }) => {
    expected(await write(world, 'before'), 201);
    await applied(world);
    trouble.failures.push(failure(code));

    expected(await write(world, 'in the log'), 201);
    await vi.waitUntil(() => logged(world, 'the store is damaged').length > 0);
    const between = trouble.commits;
    const second = await write(world, 'b');
    const batch = await world.call(world.owner, 'POST', 'batch/', {
      requests: [{ method: 'POST', path: world.base + books, body: { title: 'c' } }],
    });

    const detail =
      'The data of this server is damaged. Nothing can be stored until it is restored.';
    expect([second.status, second.body]).toEqual([503, { detail }]);
    expect(await health(world)).toMatchObject({ status: 503, body: { detail } });
    expect(batch.body).toEqual([{ code: 503, content: { detail } }]);
    expect(trouble.commits).toBe(between);
    expect(await titles(world)).toEqual(['before', 'in the log']);
    expect(logged(world, 'the store is damaged')).toMatchObject([{ level: 'error', cause: name }]);
    expect(logged(world, 'request failed')).toEqual([]);
  });
});

describe.each([
  ['MDB_MAP_FULL', -30792],
  ['ENOSPC', 28],
])('while the disk is full, which LMDB reports with %s', (_, code) => {
  it('writes are rejected once one waits in the log, and accepted again later', async ({
    world,
    trouble,
  }) => {
    expected(await write(world, 'before'), 201);
    await applied(world);
    trouble.obstacle = failure(code);

    const logs = await write(world, 'in the log');
    await vi.waitUntil(() => logged(world, 'the disk is full').length > 0);
    const first = await write(world, 'a');
    const second = await write(world, 'b');
    trouble.obstacle = undefined;
    const third = await write(world, 'c');

    const detail = 'The disk of this server is full. Nothing was stored.';
    expect(logs.status).toBe(201);
    expect([first.status, first.body]).toEqual([503, { detail }]);
    expect(first.headers.get('Retry-After')).toBe('60');
    expect([second.status, third.status]).toEqual([503, 201]);
    expect(await titles(world)).toEqual(['before', 'in the log', 'c']);
    expect(logged(world, 'the disk is full')).toMatchObject([{ level: 'error' }]);
  });

  it('a large write, which goes to the tables at once, is rejected', async ({ world, trouble }) => {
    await applied(world);
    trouble.obstacle = failure(code);
    const requests = Array.from({ length: 50 }, (_, n) => {
      return { method: 'POST', path: world.base + books, body: { title: `${n}` } };
    });

    const batch = await world.call(world.owner, 'POST', 'batch/', { requests });
    trouble.obstacle = undefined;

    const codes = batch.body.map((each: { code: number }) => each.code);
    expect(new Set(codes)).toEqual(new Set([503]));
    expect(await titles(world)).toEqual([]);
  });
});

it('another failure is logged and tried again, and refuses writes until then', async ({
  world,
  trouble,
}) => {
  await applied(world);
  trouble.obstacle = failure(-30781);

  expected(await write(world, 'in the log'), 201);
  await vi.waitUntil(() => logged(world, 'stored data could not leave the log').length > 0);
  const refused = await write(world, 'a');
  trouble.obstacle = undefined;
  const accepted = await write(world, 'b');

  expect([refused.status, accepted.status]).toEqual([500, 201]);
  expect(await titles(world)).toEqual(['in the log', 'b']);
});

it('damage that a read detects stops writes as well', async ({ world, trouble }) => {
  trouble.readFailures.push(Object.assign(new Error('of LMDB'), { code: -30796 }));

  const read = await world.call(world.owner, 'GET', `${books}77/`);
  const written = await write(world, 'a');
  const again = await world.call(world.owner, 'GET', `${books}77/`);

  expect([read.status, written.status, again.status]).toEqual([503, 503, 404]);
  expect(logged(world, 'the store is damaged')).toHaveLength(1);
});

async function setUp(world: World): Promise<void> {
  await world.dataClass('book', [{ name: 'title', type: 'string' }]);
  await world.api.platform.idle();
}

const books = 'classes/book/objects/';

const write = (world: World, title: string) => world.call(world.owner, 'POST', books, { title });

const titles = async (world: World) =>
  expected(await world.call(world.owner, 'GET', books), 200).objects.map(
    ({ title }: { title: string }) => title,
  );

const health = ({ api }: World) => api.send({ path: '/health' });

const logged = ({ api }: World, text: string) =>
  api.logged.filter(({ message }) => message.startsWith(text));

/** Creates an error like LMDB's for a batch, whose reason is in a separate promise. */
function failure(code: number | string): Error {
  const commitError = Promise.reject(Object.assign(new Error('of LMDB'), { code }));
  commitError.catch(() => undefined);
  return Object.assign(new Error('Commit failed'), { commitError });
}

/** Waits until everything stored so far is in the tables. */
const applied = ({ api }: World) =>
  vi.waitUntil(() => (api.platform.store as LocalStore).statistics().pendingBytes === 0);

const noTrouble = () => ({
  /** Errors of the next commits, in order; later commits succeed. */
  failures: [] as Error[],
  /** Error of all commits, those of the background too, until the test removes it. */
  obstacle: undefined as Error | undefined,
  commits: 0,
  /** Errors of reads that miss the cache. */
  readFailures: [] as Error[],
});

/** What the store of the current test meets: it reaches the replaced modules below, which all tests share. */
const trouble = noTrouble();

/** Returns a copy of an object with other methods. */
function replaced<Whole extends object>(whole: Whole, methods: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get: (target, name) => {
      const own = Reflect.get(methods, name);
      const value = own ?? Reflect.get(target, name);
      return own === undefined && typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

vi.mock('../../shared/platforms/local/store/tables.ts', async (load) => {
  const original = await load<typeof import('../../shared/platforms/local/store/tables.ts')>();
  const openTables: typeof original.openTables = (options) => {
    const tables = original.openTables(options);
    const { environment } = tables;
    const batch: typeof environment.batch = (act) => {
      trouble.commits += 1;
      const failure = trouble.obstacle ?? trouble.failures.shift();
      return failure === undefined ? environment.batch(act) : Promise.reject(failure);
    };
    const transactionSync: typeof environment.transactionSync = (act, flags) => {
      trouble.commits += 1;
      const failure = trouble.obstacle ?? trouble.failures.shift();
      if (failure !== undefined) throw failure;
      return environment.transactionSync(act, flags);
    };
    const get: typeof tables.items.get = (key) => {
      const failure = trouble.readFailures.shift();
      if (failure !== undefined) throw failure;
      return tables.items.get(key);
    };
    return {
      ...tables,
      environment: replaced(environment, { batch, transactionSync }),
      items: replaced(tables.items, { get }),
    };
  };
  return { ...original, openTables };
});

vi.mock('../../shared/platforms/local/store/pending/application.ts', async (load) => {
  type Module = typeof import('../../shared/platforms/local/store/pending/application.ts');
  const original = await load<Module>();
  return { ...original, applicationLimits: { ...original.applicationLimits, delayMs: 0 } };
});
