import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type MeasuredDeployment,
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

let deployment: MeasuredDeployment;
let accountKey: string;
let apiKey: string;
let changes = 0; // for values that differ each time

beforeAll(async () => {
  deployment = await openMeasuredDeployment();
  const { send } = deployment;
  const account = { email: 'ada@example.com', password: 'a password' };
  accountKey = (await send({ path: '/account/register/', body: account })).body.account_key;
  const byAccount = (path: string, body: object) => send({ path, key: accountKey, body });
  await byAccount('/instances/', { name: 'library' });
  const flags = { ignore_acl: true, allow_user_create: true };
  apiKey = (await byAccount(`${base}/api_keys/`, flags)).body.api_key;
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
  for (let round = 0; round < 3; round += 1) await batch();
});
afterAll(() => deployment?.close());

const create = (name: string, more: object = {}) =>
  deployment.send({ path: objectsOf(name), key: apiKey, body: { ...values, ...more } });

/** Creates fifty objects, one of four with `n` 0. */
const batch = () => {
  const requests = Array.from({ length: 50 }, (_, at) => ({
    method: 'POST',
    path: `/v1.1${objectsOf('indexed')}`,
    body: { ...values, n: at % 4 },
  }));
  return deployment.send({ path: `${base}/batch/`, key: apiKey, body: { requests } });
};

const another = (): string => {
  changes += 1;
  return `${values.title}${changes}`.slice(-100);
};

/** Creates an object and sends a request to it. */
async function toNew(name: string, method: string, body?: () => object): Promise<MeasuredResponse> {
  const { id } = (await create(name, { title: another() })).body;
  const path = `${objectsOf(name)}${id}/`;
  return deployment.send({ method, path, key: apiKey, ...(body && { body: body() }) });
}

const list = (query: string) =>
  deployment.send({ method: 'GET', path: objectsOf('indexed'), query, key: apiKey });

const filter = `page_size=20&query=${encodeURIComponent('{"n":{"_eq":0}}')}`;

/** The requests of the guide. */
const operations: Readonly<Record<string, () => Promise<MeasuredResponse>>> = {
  get: () => toNew('plain', 'GET'),
  'list of 100': () => list('page_size=100'),
  'filter of 20': () => list(filter),
  create: () => create('plain'),
  'create, two indexes': () => create('indexed'),
  'create, `unique` field': () => create('unique', { title: another() }),
  'create, reference': async () => create('referring', { other: (await create('plain')).body.id }),
  update: () => toNew('plain', 'PATCH', () => ({ n: 1 })),
  'update, two indexes': () => toNew('indexed', 'PATCH', () => ({ n: 1 })),
  'update, `unique` field': () => toNew('unique', 'PATCH', () => ({ title: another() })),
  delete: () => toNew('plain', 'DELETE'),
  'batch of 50 creates, two indexes': batch,
  'log-in of a user': () =>
    deployment.send({ path: `${base}/user/auth/`, key: apiKey, body: user }),
  'run of a script': () =>
    deployment.send({ path: `${base}/endpoints/scripts/hello/run/`, key: accountKey, body: {} }),
};

/**
 * Measures a request to a process that has served one like it before: the cheapest of three, because one that waits long
 * on a busy machine may need another write.
 */
async function measure(name: string): Promise<MeasuredResponse> {
  const operation = operations[name];
  if (operation === undefined) throw new Error(`no operation ${name}`);
  await operation();
  const costs: MeasuredResponse[] = [];
  while (costs.length < 3) costs.push(await operation());
  return costs.reduce((best, one) => (costOf(one) < costOf(best) ? one : best));
}

const costOf = ({ units }: MeasuredResponse) => units.read + units.write;

/** Figures of a row of the guide. */
function figures(heading: string, row: string): readonly number[] {
  return (tableAfter(guide, heading).get(row) ?? []).map((cell) => Number(cell.replace(',', '')));
}

describe('the guide has the units and costs of', () => {
  const price = (name: string) => figures('### Prices', name)[0] ?? Number.NaN;
  const scriptGbSeconds = 0.1;

  test.each(Object.keys(operations))('%s', async (name) => {
    const { units, logBytes } = await measure(name);
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

  test('no other request', () => {
    expect([...tableAfter(guide, '### Requests').keys()]).toEqual(Object.keys(operations));
  });
});

test('a line of the log has the number of requests to the table', async () => {
  const { units, tableRequests } = await measure('update');

  expect([units.requests, tableRequests]).toEqual([2, 2]);
});

describe('the guide has the ceiling of', () => {
  const busiest = (by: UnitsBy) => Math.max(...Object.values(by));
  const ofWrites = async (name: string) => {
    const { writeBy, indexBy } = (await measure(name)).units;
    return busiest({ ...writeBy, ...indexBy });
  };
  const rows: Readonly<Record<string, readonly [perSecond: number, () => Promise<number>]>> = {
    'objects created in a class': [1000, () => ofWrites('create, two indexes')],
    'objects created in a class with a `unique` field': [
      1000,
      () => ofWrites('create, `unique` field'),
    ],
    'objects updated in a class': [1000, () => ofWrites('update, two indexes')],
    'objects updated in a class, with another `unique` value': [
      1000,
      () => ofWrites('update, `unique` field'),
    ],
    'objects deleted from a class': [1000, () => ofWrites('delete')],
    'requests that take an id in an instance': [
      1000,
      async () => (await measure('create')).units.writeBy['INSTANCE#1#SEQUENCE'] ?? 0,
    ],
    'requests with an API key to an instance': [
      3000,
      async () => (await measure('get')).units.readBy['INSTANCE#1'] ?? 0,
    ],
  };

  test.each(Object.entries(rows))('%s', async (name, [perSecond, unitsOf]) => {
    const units = await unitsOf();

    expect(figures('## Ceilings', name)).toEqual([units, perSecond / units]);
  });

  test('nothing else', () => {
    expect([...tableAfter(guide, '## Ceilings').keys()]).toEqual(Object.keys(rows));
  });
});
