import {
  article,
  articleObjects,
  type BenchWorld,
  benchEndpoints,
  instance,
  password,
  prepareEndpoint,
  prepareScript,
  prepareSpinning,
  prepareUser,
  prepareVisitors,
  visitors,
  withAuthors,
} from './world.ts';

/** One measured kind of request. */
export interface Scenario {
  readonly name: string;
  /** Whether the cost is compared with that of a bare server, which sends the same JSON. */
  readonly hasFloor: boolean;
  /** Whether the bare server stores the JSON before it sends it: in a log like that of the store, on the disk. */
  readonly isStored?: boolean;
  /** Creates the data that the first request needs; called once. */
  readonly prepare?: (world: BenchWorld) => Promise<void>;
  /** Returns the bytes of a request; `index` counts up over all requests of this scenario. */
  readonly request: (world: BenchWorld, index: number) => Buffer;
}

const coldScripts = 64; // many more than processes, so that none is warm at its next run
const someId = 7919; // a prime, which steps through all ids without adjacent pending ids

/** All scenarios, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'get',
    hasFloor: true,
    request: (world, index) => toBytes(world, 'GET', detail(world, index)),
  },
  {
    name: 'list 100',
    hasFloor: true,
    request: (world, index) => toBytes(world, 'GET', page(world, index)),
  },
  {
    name: 'list 100 gzip',
    hasFloor: false,
    request: (world, index) =>
      toBytes(world, 'GET', page(world, index), { 'accept-encoding': 'gzip' }),
  },
  {
    name: 'filter 20',
    hasFloor: true,
    request: (world, index) => toBytes(world, 'GET', filtered(world, index)),
  },
  {
    name: 'user list 20',
    hasFloor: true,
    prepare: prepareUser,
    request: (world) => toBytes(world, 'GET', `${articleObjects}?page_size=20`, userHeaders(world)),
  },
  {
    name: 'endpoint 20 expanded',
    hasFloor: true,
    prepare: prepareEndpoint,
    request: (world, index) => toBytes(world, 'GET', expandedPage(world, index)),
  },
  {
    name: 'log-in',
    hasFloor: false,
    prepare: prepareVisitors,
    request: (world, index) => {
      const username = `visitor-${index % visitors}`;
      return toBytes(world, 'POST', `${instance}/user/auth/`, {}, { username, password });
    },
  },
  {
    name: 'create',
    hasFloor: true,
    isStored: true,
    request: (world, index) => toBytes(world, 'POST', articleObjects, {}, article(world, index)),
  },
  {
    name: 'batch of 50 creates',
    hasFloor: true,
    request: (world, index) =>
      toBytes(world, 'POST', `${instance}/batch/`, {}, { requests: creates(world, index * 50) }),
  },
  {
    name: 'update',
    hasFloor: true,
    isStored: true,
    request: (world, index) =>
      toBytes(world, 'PATCH', detail(world, index), {}, { stock: 1_000_000 + index }),
  },
  {
    name: 'endpoint run warm',
    hasFloor: true,
    prepare: (world) => prepareScript(world, 'warm'),
    request: (world, index) => toRun(world, 'warm', index),
  },
  {
    name: 'endpoint run cold',
    hasFloor: false,
    prepare: async (world) => {
      for (let at = 0; at < coldScripts; at += 1) await prepareScript(world, `cold-${at}`);
    },
    request: (world, index) => toRun(world, `cold-${index % coldScripts}`, index),
  },
  {
    name: 'get during 8 spinning scripts', // the last scenario, because the scripts keep spinning
    hasFloor: false,
    prepare: prepareSpinning,
    request: (world, index) => toBytes(world, 'GET', detail(world, index)),
  },
];

/** Returns the requests of a scenario. */
export function requestOf(name: string): Scenario['request'] {
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  return scenario.request;
}

/** Returns the request that creates seeded object `index`. */
export function seedRequest(world: BenchWorld, index: number): Buffer {
  return toBytes(world, 'POST', articleObjects, {}, article(world, index));
}

function userHeaders({ user }: BenchWorld): Readonly<Record<string, string>> {
  if (user === undefined) throw new Error('there is no user yet');
  return { 'x-api-key': user.apiKey, 'x-user-key': user.key };
}

function toRun(world: BenchWorld, name: string, index: number): Buffer {
  const key = { 'x-api-key': world.accountKey };
  return toBytes(world, 'POST', `${benchEndpoints}${name}/run/`, key, { who: `Ann ${index}` });
}

/** Returns a path that lists twenty articles, each with its author. */
function expandedPage({ ids }: BenchWorld, index: number): string {
  const before = ids[(index * someId) % (ids.length - 100)];
  return `${withAuthors}get/?direction=1&last_pk=${before}`;
}

/** Returns batch items that create the fifty articles from `index` on. */
function creates(world: BenchWorld, index: number) {
  return Array.from({ length: 50 }, (_, at) => ({
    method: 'POST',
    path: articleObjects,
    body: article(world, index + at),
  }));
}

function detail({ ids }: BenchWorld, index: number): string {
  return `${articleObjects}${ids[(index * someId) % ids.length]}/`;
}

function page({ ids }: BenchWorld, index: number): string {
  const before = ids[(index * someId) % (ids.length - 100)];
  return `${articleObjects}?page_size=100&direction=1&last_pk=${before}`;
}

/** Returns a path that lists the twenty active articles with the largest stock below a number. */
function filtered({ ids }: BenchWorld, index: number): string {
  const stock = 50 + ((index * someId) % (ids.length - 50));
  const query = JSON.stringify({ active: { _eq: true }, stock: { _lt: stock } });
  return `${articleObjects}?query=${encodeURIComponent(query)}&order_by=-stock&page_size=20`;
}

/** Returns the bytes of a request with the API key of a world. */
export function toBytes(
  { apiKey }: Pick<BenchWorld, 'apiKey'>,
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
