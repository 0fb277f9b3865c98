import type { MeasuredServer } from './server.ts';

/** One kind of call that is measured. */
export interface Scenario {
  readonly name: string;
  readonly server: 'platform' | 'bare';
  /** What must be there before the first request; called once. */
  readonly prepare?: (world: World) => Promise<void>;
  /** The bytes of a request; `index` counts up over all that is sent for this scenario. */
  readonly request: (world: World, index: number) => Buffer;
}

/** The servers and what they hold. */
export interface World {
  readonly platform: MeasuredServer;
  readonly bare: MeasuredServer;
  /** May do everything with objects. */
  readonly apiKey: string;
  /** Ids of the objects that all others refer to, each to one. */
  readonly authors: readonly number[];
  /** Ids of the objects that were seeded, in no order. */
  readonly ids: number[];
  /** Key of the account that owns the instance. */
  readonly accountKey: string;
  /** Key of a user and an API key that no flag helps, once there is one. */
  user?: { readonly apiKey: string; readonly key: string };
}

const instance = '/v1.1/instances/bench-shop';
const objects = `${instance}/classes/article/objects/`;
const endpoint = `${instance}/endpoints/data/with-authors/`;
const scriptEndpoints = `${instance}/endpoints/scripts/`;
const coldScripts = 64; // many more than there are processes: none is warm when its turn comes again
const spinning = 8;
const visitors = 64; // one that logs in twice at a time may be held up, as one that guesses
const password = 'not a secret';
const ownObjects = 100;
const manyAuthors = 100;
const someId = 7919; // a prime: steps through all ids without two neighbours under way at once

/** Everything that is measured, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'get',
    server: 'platform',
    request: (world, index) => toBytes(world, 'GET', detail(world, index)),
  },
  {
    name: 'list 100',
    server: 'platform',
    request: (world, index) => toBytes(world, 'GET', page(world, index)),
  },
  {
    name: 'list 100 gzip',
    server: 'platform',
    request: (world, index) =>
      toBytes(world, 'GET', page(world, index), { 'accept-encoding': 'gzip' }),
  },
  {
    name: 'filter 20',
    server: 'platform',
    request: (world, index) => toBytes(world, 'GET', filtered(world, index)),
  },
  {
    name: 'user list 20',
    server: 'platform',
    prepare: prepareUser,
    request: (world) => toBytes(world, 'GET', `${objects}?page_size=20`, userHeaders(world)),
  },
  {
    name: 'endpoint 20 expanded',
    server: 'platform',
    prepare: prepareEndpoint,
    request: (world, index) => toBytes(world, 'GET', expandedPage(world, index)),
  },
  {
    name: 'log-in',
    server: 'platform',
    prepare: prepareVisitors,
    request: (world, index) => {
      const username = `visitor-${index % visitors}`;
      return toBytes(world, 'POST', `${instance}/user/auth/`, {}, { username, password });
    },
  },
  {
    name: 'create',
    server: 'platform',
    request: (world, index) => toBytes(world, 'POST', objects, {}, article(world, index)),
  },
  {
    name: 'batch of 50 creates',
    server: 'platform',
    request: (world, index) =>
      toBytes(world, 'POST', `${instance}/batch/`, {}, { requests: creates(world, index * 50) }),
  },
  {
    name: 'update',
    server: 'platform',
    request: (world, index) =>
      toBytes(world, 'PATCH', detail(world, index), {}, { stock: 1_000_000 + index }),
  },
  {
    name: 'endpoint run warm',
    server: 'platform',
    prepare: (world) => prepareScript(world, 'warm'),
    request: (world, index) => toRun(world, 'warm', index),
  },
  {
    name: 'endpoint run cold',
    server: 'platform',
    prepare: async (world) => {
      for (let at = 0; at < coldScripts; at += 1) await prepareScript(world, `cold-${at}`);
    },
    request: (world, index) => toRun(world, `cold-${index % coldScripts}`, index),
  },
  {
    name: 'bare get',
    server: 'bare',
    prepare: (world) => lend(world, '/get', detail(world, 0)),
    request: (world) => toBytes(world, 'GET', '/get'),
  },
  {
    name: 'bare list',
    server: 'bare',
    prepare: (world) => lend(world, '/list', page(world, 0)),
    request: (world) => toBytes(world, 'GET', '/list'),
  },
  {
    name: 'get beside 8 spinning scripts', // the last one: they spin on
    server: 'platform',
    prepare: prepareSpinning,
    request: (world, index) => toBytes(world, 'GET', detail(world, index)),
  },
];

/** The request that makes object `index` of those that are seeded. */
export function seedRequest(world: World, index: number): Buffer {
  return toBytes(world, 'POST', objects, {}, article(world, index));
}

/** Signs up and makes instance, API key and class on a fresh platform. */
export async function makeWorld(platform: MeasuredServer, bare: MeasuredServer): Promise<World> {
  const { account_key: accountKey } = await call(platform, '/v1.1/account/register/', '', {
    email: 'bench@example.com',
    password: 'not a secret',
  });
  const as = String(accountKey);
  await call(platform, '/v1.1/instances/', as, { name: 'bench-shop' });
  const key = await call(platform, `${instance}/api_keys/`, as, { ignore_acl: true });
  await call(platform, `${instance}/classes/`, as, { name: 'author', schema: [] });
  await call(platform, `${instance}/classes/`, as, { name: 'article', schema });
  const authors: number[] = [];
  while (authors.length < manyAuthors) {
    const { id } = await call(platform, `${instance}/classes/author/objects/`, as, {});
    authors.push(Number(id));
  }
  return {
    platform,
    bare,
    apiKey: String(key.api_key),
    authors,
    accountKey: as,
    ids: [],
  };
}

/** Makes a user, who owns some articles among those that it may not read. */
async function prepareUser(world: World): Promise<void> {
  const { platform, accountKey } = world;
  if (world.user !== undefined) return;
  const { api_key } = await call(platform, `${instance}/api_keys/`, accountKey, {});
  const made = await call(platform, `${instance}/users/`, accountKey, {
    username: 'reader',
    password,
  });
  for (let index = 0; index < ownObjects; index += 1) {
    await call(platform, objects, accountKey, { ...article(world, index), owner: made.id });
  }
  world.user = { apiKey: String(api_key), key: String(made.user_key) };
}

/** Makes users who log in. */
async function prepareVisitors({ platform, accountKey }: World): Promise<void> {
  for (let visitor = 0; visitor < visitors; visitor += 1) {
    const body = { username: `visitor-${visitor}`, password };
    await call(platform, `${instance}/users/`, accountKey, body);
  }
}

function userHeaders({ user }: World): Readonly<Record<string, string>> {
  if (user === undefined) throw new Error('there is no user yet');
  return { 'x-api-key': user.apiKey, 'x-user-key': user.key };
}

/** Makes an endpoint that embeds the author of each article. */
async function prepareEndpoint({ platform, accountKey }: World): Promise<void> {
  const body = { name: 'with-authors', class: 'article', page_size: 20, expand: 'author' };
  await call(platform, `${instance}/endpoints/data/`, accountKey, body);
}

/** Makes a script that answers by itself, and an endpoint that runs it. */
async function prepareScript({ platform, accountKey }: World, name: string): Promise<void> {
  const source = 'setResponse(new HttpResponse(200, { hello: ARGS.POST.who }))';
  const script = { runtime_name: 'nodejs_v6', source };
  const { id } = await call(platform, `${instance}/snippets/scripts/`, accountKey, script);
  await call(platform, scriptEndpoints, accountKey, { name, script: id });
}

function toRun(world: World, name: string, index: number): Buffer {
  const key = { 'x-api-key': world.accountKey };
  return toBytes(world, 'POST', `${scriptEndpoints}${name}/run/`, key, { who: `Ann ${index}` });
}

/** Begins runs that never end by themselves; those that find no place wait for one. */
async function prepareSpinning({ platform, accountKey }: World): Promise<void> {
  for (let at = 0; at < spinning; at += 1) {
    const script = { runtime_name: 'nodejs_v6', source: 'for (;;);', config: { timeout: 300 } };
    const { id } = await call(platform, `${instance}/snippets/scripts/`, accountKey, script);
    await call(platform, `${instance}/snippets/scripts/${id}/run/`, accountKey, {}, 200);
  }
}

/** Twenty articles, each with its author. */
function expandedPage({ ids }: World, index: number): string {
  const before = ids[(index * someId) % (ids.length - 100)];
  return `${endpoint}get/?direction=1&last_pk=${before}`;
}

const schema = [
  { name: 'title', type: 'string', filter_index: true },
  { name: 'stock', type: 'integer', order_index: true, filter_index: true },
  { name: 'price', type: 'float' },
  { name: 'active', type: 'boolean', filter_index: true },
  { name: 'released', type: 'datetime' },
  { name: 'summary', type: 'text' },
  { name: 'tags', type: 'array' },
  { name: 'details', type: 'object' },
  { name: 'place', type: 'geopoint' },
  { name: 'author', type: 'reference', target: 'author' },
];

function article({ authors }: World, index: number) {
  return {
    title: `Article number ${index}`,
    stock: index,
    price: index / 4,
    active: index % 2 === 0,
    released: '2024-03-01T10:00:00.000123Z',
    summary: 'A few words on what it is, how it came about and who may like it best.',
    tags: ['new', 'light', `lot-${index % 50}`],
    details: { size: { width: 20, height: index % 90 }, colours: ['red', 'blue'], weight: 1.5 },
    place: { longitude: 18.6, latitude: 54.3 },
    author: authors[index % authors.length],
  };
}

/** Items of a batch that makes the fifty articles from `index` on. */
function creates(world: World, index: number) {
  return Array.from({ length: 50 }, (_, at) => ({
    method: 'POST',
    path: objects,
    body: article(world, index + at),
  }));
}

function detail({ ids }: World, index: number): string {
  return `${objects}${ids[(index * someId) % ids.length]}/`;
}

function page({ ids }: World, index: number): string {
  const before = ids[(index * someId) % (ids.length - 100)];
  return `${objects}?page_size=100&direction=1&last_pk=${before}`;
}

/** Twenty articles that are active, those of the largest stock below some number. */
function filtered({ ids }: World, index: number): string {
  const stock = 50 + ((index * someId) % (ids.length - 50));
  const query = JSON.stringify({ active: { _eq: true }, stock: { _lt: stock } });
  return `${objects}?query=${encodeURIComponent(query)}&order_by=-stock&page_size=20`;
}

function toBytes(
  { apiKey }: World,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Buffer {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1'];
  for (const [name, value] of Object.entries({ 'x-api-key': apiKey, ...headers }))
    lines.push(`${name}: ${value}`);
  if (sent !== '') {
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(sent)}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${sent}`);
}

/** Gives the bare server what the platform answers for `path`. */
async function lend({ platform, bare, apiKey }: World, as: string, path: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${platform.port}${path}`, {
    headers: { 'x-api-key': apiKey, 'accept-encoding': 'identity' },
  });
  await bare.ask({ path: as, body: await answer.text() });
}

/** A call that must be answered so. */
async function call(
  { port }: MeasuredServer,
  path: string,
  key: string,
  body: unknown,
  status = 201,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`POST ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>; // what was made is an object (reference: Responses)
}
