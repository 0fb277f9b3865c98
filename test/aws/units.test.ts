import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type MeasuredResponse,
  openMeasuredDeployment,
} from '../aws-emulator/measured-deployment.ts';
import type { UnitsBy } from '../aws-emulator/unit-meter.ts';
import { tableAfter } from '../docs/markdown.ts';

/*
 * Capacity units of requests, and the figures of the guide that follow from them.
 */

const guide = readFileSync(new URL('../../docs/guides/operate.md', import.meta.url), 'utf8');
const base = '/instances/library';
const objectsOf = (name: string) => `${base}/classes/${name}/objects/`;
const values = { title: 'x'.repeat(100), n: 7 };
const user = { username: 'ada', password: 'a password' };

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('given', { scope: 'file' }, async ({}, { onCleanup }) => {
  const given = await setUp();
  onCleanup(() => given.close());
  return given;
});

/** The requests of the guide. */
const operations: Readonly<Record<string, (given: Given) => Promise<MeasuredResponse>>> = {
  get: (given) => toNew(given, 'plain', 'GET'),
  'list of 100': (given) => list(given, 'page_size=100'),
  'filter of 20': (given) => list(given, filter),
  create: (given) => create(given, 'plain'),
  'create, two indexes': (given) => create(given, 'indexed'),
  'create, `unique` field': (given) => create(given, 'unique', { title: another(given) }),
  'create, reference': async (given) =>
    create(given, 'referring', { other: (await create(given, 'plain')).body.id }),
  update: (given) => toNew(given, 'plain', 'PATCH', () => ({ n: 1 })),
  'update, two indexes': (given) => toNew(given, 'indexed', 'PATCH', () => ({ n: 1 })),
  'update, `unique` field': (given) =>
    toNew(given, 'unique', 'PATCH', () => ({ title: another(given) })),
  delete: (given) => toNew(given, 'plain', 'DELETE'),
  'batch of 50 creates, two indexes': (given) => batch(given),
  'log-in of a user': ({ send, apiKey }) =>
    send({ path: `${base}/user/auth/`, key: apiKey, body: user }),
  'run of a script': ({ send, accountKey }) =>
    send({ path: `${base}/endpoints/scripts/hello/run/`, key: accountKey, body: {} }),
};

describe('the guide has the units and costs of', () => {
  const price = (name: string) => figures('### Prices', name)[0] ?? Number.NaN;
  const scriptGbSeconds = 0.1;

  it.for(Object.keys(operations))('%s', async (name, { given }) => {
    const { units, logBytes } = await measure(given, name);
    const [read = 0, write = 0, ms = 0, usd = 0] = figures('### Requests', name);

    expect({ read: units.read, write: units.write }, JSON.stringify(units)).toEqual({
      read,
      write,
    });
    const isRun = name === 'run of a script';
    const gbSeconds = ms / 1000 + (isRun ? scriptGbSeconds : 0);
    const expected =
      price('million requests to the gateway') +
      price('million invocations of functions') * (isRun ? 2 : 1) +
      price('million GB-seconds of functions (arm64)') * gbSeconds +
      price('million read units') * units.read +
      price('million write units') * units.write +
      (price('GB of logs') * logBytes) / 1000; // a byte of a million lines is a MB
    expect(Math.abs(usd - expected), `${name}: ${expected.toFixed(2)}`).toBeLessThan(0.06);
  });

  it('no other request', () => {
    expect([...tableAfter(guide, '### Requests').keys()]).toEqual(Object.keys(operations));
  });
});

it('a line of the log has the number of requests to the table', async ({ given }) => {
  const { units, tableRequests } = await measure(given, 'update');

  expect([units.requests, tableRequests]).toEqual([2, 2]);
});

describe('the guide has the ceiling of', () => {
  const busiest = (by: UnitsBy) => Math.max(...Object.values(by));
  const ofWrites = async (given: Given, name: string) => {
    const { writeBy, indexBy } = (await measure(given, name)).units;
    return busiest({ ...writeBy, ...indexBy });
  };
  const rows: Readonly<
    Record<string, readonly [perSecond: number, (given: Given) => Promise<number>]>
  > = {
    'objects created in a class': [1000, (given) => ofWrites(given, 'create, two indexes')],
    'objects created in a class with a `unique` field': [
      1000,
      (given) => ofWrites(given, 'create, `unique` field'),
    ],
    'objects updated in a class': [1000, (given) => ofWrites(given, 'update, two indexes')],
    'objects updated in a class, with another `unique` value': [
      1000,
      (given) => ofWrites(given, 'update, `unique` field'),
    ],
    'objects deleted from a class': [1000, (given) => ofWrites(given, 'delete')],
    'requests that take an id in an instance': [
      1000,
      async (given) => (await measure(given, 'create')).units.writeBy['INSTANCE#1#SEQUENCE'] ?? 0,
    ],
    'requests with an API key to an instance': [
      3000,
      async (given) => (await measure(given, 'get')).units.readBy['INSTANCE#1'] ?? 0,
    ],
  };

  it.for(Object.entries(rows))('%s', async ([name, [perSecond, unitsOf]], { given }) => {
    const units = await unitsOf(given);

    expect(figures('## Ceilings', name)).toEqual([units, perSecond / units]);
  });

  it('nothing else', () => {
    expect([...tableAfter(guide, '## Ceilings').keys()]).toEqual(Object.keys(rows));
  });
});

type Given = Awaited<ReturnType<typeof setUp>>;

/** A deployment with objects, a user and a script. */
async function setUp() {
  const deployment = await openMeasuredDeployment();
  const { send } = deployment;
  const account = { email: 'ada@example.com', password: 'a password' };
  const accountKey: string = (await send({ path: '/account/register/', body: account })).body
    .account_key;
  const byAccount = (path: string, body: object) => send({ path, key: accountKey, body });
  await byAccount('/instances/', { name: 'library' });
  const flags = { ignore_acl: true, allow_user_create: true };
  const apiKey: string = (await byAccount(`${base}/api_keys/`, flags)).body.api_key;
  const [title, n] = [
    { name: 'title', type: 'string' },
    { name: 'n', type: 'integer' },
  ];
  const indexed = [
    { ...title, order_index: true, filter_index: true },
    { ...n, filter_index: true },
  ];
  const reference = { name: 'other', type: 'reference', target: 'plain' };
  for (const [name, schema] of [
    ['plain', [title, n]],
    ['indexed', indexed],
    ['unique', [{ ...title, unique: true }, n]],
    ['referring', [title, n, reference]],
  ] as const) {
    await byAccount(`${base}/classes/`, { name, schema });
  }
  await send({ path: `${base}/users/`, key: apiKey, body: user });
  const script = { runtime_name: 'nodejs_v6', source: '1', config: { timeout: 5 } };
  const { id } = (await byAccount(`${base}/snippets/scripts/`, script)).body;
  await byAccount(`${base}/endpoints/scripts/`, { name: 'hello', script: id });
  const given = { send, close: () => deployment.close(), accountKey, apiKey, changes: 0 };
  for (let round = 0; round < 3; round += 1) await batch(given);
  return given;
}

const create = ({ send, apiKey }: Given, name: string, more: object = {}) =>
  send({ path: objectsOf(name), key: apiKey, body: { ...values, ...more } });

/** Creates fifty objects, one of four with `n` 0. */
const batch = ({ send, apiKey }: Given) => {
  const requests = Array.from({ length: 50 }, (_, at) => ({
    method: 'POST',
    path: `/v1.1${objectsOf('indexed')}`,
    body: { ...values, n: at % 4 },
  }));
  return send({ path: `${base}/batch/`, key: apiKey, body: { requests } });
};

/** A title that differs each time. */
const another = (given: Given): string => {
  given.changes += 1;
  return `${values.title}${given.changes}`.slice(-100);
};

/** Creates an object and sends a request to it. */
async function toNew(
  given: Given,
  name: string,
  method: string,
  body?: () => object,
): Promise<MeasuredResponse> {
  const { id } = (await create(given, name, { title: another(given) })).body;
  const path = `${objectsOf(name)}${id}/`;
  return given.send({ method, path, key: given.apiKey, ...(body && { body: body() }) });
}

const list = ({ send, apiKey }: Given, query: string) =>
  send({ method: 'GET', path: objectsOf('indexed'), query, key: apiKey });

const filter = `page_size=20&query=${encodeURIComponent('{"n":{"_eq":0}}')}`;

/**
 * Measures a request to a process that has served one like it before: the cheapest of three, because one that waits long
 * on a busy machine may need another write.
 */
async function measure(given: Given, name: string): Promise<MeasuredResponse> {
  const operation = operations[name];
  if (operation === undefined) throw new Error(`no operation ${name}`);
  await operation(given);
  const costs: MeasuredResponse[] = [];
  while (costs.length < 3) costs.push(await operation(given));
  return costs.reduce((best, one) => (costOf(one) < costOf(best) ? one : best));
}

const costOf = ({ units }: MeasuredResponse) => units.read + units.write;

/** Figures of a row of the guide. */
function figures(heading: string, row: string): readonly number[] {
  return (tableAfter(guide, heading).get(row) ?? []).map((cell) => Number(cell.replace(',', '')));
}
