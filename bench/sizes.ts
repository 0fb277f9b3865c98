import { runLoad } from './load.ts';
import { cpuMicrosOf, waitUntilQuiet } from './measure.ts';
import { type MeasuredServer, startPlatform } from './server.ts';

/** Names of the rows for pages of a small class and a large one. */
export const sizeRows = ['pages by size'] as const;

interface Class {
  readonly name: string;
  readonly count: number;
}

const few: Class = { name: 'small', count: 1000 };
const many: Class = { name: 'large', count: 100_000 };
const pageSize = 20;
const batchSize = 50;
const rounds = 4;
const pagesEach = 100; // of a round
const warmUps = 10; // compiles the code
const leastBelow = 250; // ensures that each page is full

const columns = ['page of 20', `${few.count} us`, `${many.count} us`, 'ratio'];

interface Question {
  readonly name: string;
  /** Returns the query of a page that starts below a rank. */
  readonly query: (below: number) => string;
}

const questions: readonly Question[] = [
  {
    name: 'one in two, in order',
    query: (below) =>
      `query={"even":{"_eq":true},"rank":{"_lt":${below}}}&order_by=-rank&page_size=${pageSize}`,
  },
  {
    name: 'equal, one in ten, in order',
    query: (below) =>
      `query={"tenth":{"_eq":3},"rank":{"_lt":${below}}}&order_by=-rank&page_size=${pageSize}`,
  },
];

interface World {
  readonly platform: MeasuredServer;
  readonly apiKey: string;
}

/**
 * Measures pages of a class with 1,000 objects and of one with 100,000: of objects that were just written, were read
 * before, and are read for the first time after a start. Times are server CPU per page, the minimum of the rounds.
 */
export async function measureSizes(
  names: readonly string[],
): Promise<readonly (readonly string[])[]> {
  if (names.length === 0) return [];
  let world = await makeWorld(await startPlatform());
  for (const { name, count } of [few, many]) {
    await fill(world, name, { from: 0, count: few.count });
    await waitForCompositeIndex(world, { name, count: few.count });
    await fill(world, name, { from: few.count, count: count - few.count });
  }
  const rows: string[][] = [];
  const measure = async (when: string) => {
    for (const question of questions) rows.push(await compare(world, question, when));
  };
  await measure('just written');
  await measure('read before');
  world = { ...world, platform: await world.platform.restart() };
  await measure('after a start');
  await measure('read again');
  await world.platform.stop();
  return [columns, ...rows];
}

const instance = '/v1.1/instances/sizes';

async function makeWorld(platform: MeasuredServer): Promise<World> {
  const send = (path: string, key: string, body: unknown) => post(platform, path, key, body);
  const email = 'sizes@example.com';
  const registered = await send('/v1.1/account/register/', '', { email, password: 'not a secret' });
  const key = String(registered.account_key);
  await send('/v1.1/instances/', key, { name: 'sizes' });
  const made = await send(`${instance}/api_keys/`, key, { ignore_acl: true });
  const index = { filter_index: true, order_index: true };
  const schema = [
    { name: 'rank', type: 'integer', ...index },
    { name: 'tenth', type: 'integer', ...index },
    { name: 'even', type: 'boolean', filter_index: true },
    { name: 'title', type: 'string', filter_index: true },
    { name: 'price', type: 'float' },
    { name: 'summary', type: 'text' },
    { name: 'tags', type: 'array' },
    { name: 'details', type: 'object' },
  ];
  for (const { name } of [few, many]) await send(`${instance}/classes/`, key, { name, schema });
  return { platform, apiKey: String(made.api_key) };
}

async function fill(
  { platform, apiKey }: World,
  name: string,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<void> {
  const path = `${instance}/classes/${name}/objects/`;
  await runLoad({
    port: platform.port,
    connections: 4,
    seconds: 600,
    count: count / batchSize,
    request: (index) => {
      const requests = Array.from({ length: batchSize }, (_, at) => ({
        method: 'POST',
        path,
        body: article(from + index * batchSize + at),
      }));
      return toBytes('POST', `${instance}/batch/`, apiKey, { requests });
    },
  });
}

/** Requests pages until the platform has built a composite index for them, which it does when worthwhile. */
async function waitForCompositeIndex(world: World, one: Class): Promise<void> {
  for (const question of questions) await cost(world, question, one, 0);
  await waitUntilQuiet(world.platform);
}

function article(rank: number) {
  return {
    rank,
    tenth: rank % 10,
    even: rank % 2 === 0,
    title: `Article number ${rank}`,
    price: rank / 4,
    summary: 'A few words on what it is, how it came about and who may like it best.',
    tags: ['new', 'light', `lot-${rank % 50}`],
    details: { size: { width: 20, height: rank % 90 }, colours: ['red', 'blue'], weight: 1.5 },
  };
}

async function compare(world: World, question: Question, when: string): Promise<string[]> {
  const ofFew: number[] = [];
  const ofMany: number[] = [];
  for (let round = 0; round < warmUps; round += 1) await cost(world, question, few, 0);
  for (let round = 0; round < rounds; round += 1) {
    const from = round * pagesEach;
    ofFew.push(await cost(world, question, few, from));
    ofMany.push(await cost(world, question, many, from));
  }
  const [least, most] = [Math.min(...ofFew), Math.min(...ofMany)];
  const ratio = (most / least).toFixed(2);
  return [`${question.name}, ${when}`, least.toFixed(0), most.toFixed(0), ratio];
}

/** Returns the CPU time of a page in microseconds. Pages share objects only when the class has too few. */
async function cost(
  world: World,
  { query }: Question,
  { name, count }: Class,
  from: number,
): Promise<number> {
  const { platform, apiKey } = world;
  const pages = rounds * pagesEach;
  const before = await cpuMicrosOf(world.platform);
  await runLoad({
    port: platform.port,
    connections: 4,
    seconds: 60,
    count: pagesEach,
    request: (index) => {
      const below = count - Math.floor((count * ((from + index) % pages)) / pages);
      const encoded = encodeURI(query(Math.max(below, leastBelow)));
      return toBytes('GET', `${instance}/classes/${name}/objects/?${encoded}`, apiKey);
    },
  });
  return ((await cpuMicrosOf(world.platform)) - before) / pagesEach;
}

function toBytes(method: string, path: string, apiKey: string, body?: unknown): Buffer {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `x-api-key: ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(sent)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${sent}`);
}

/** Sends a request that must return 201. */
async function post(
  { port }: MeasuredServer,
  path: string,
  key: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>; // a 201 is an object (docs/reference/responses.md#status)
}
