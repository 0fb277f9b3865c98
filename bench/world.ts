import type { MeasuredServer } from './server.ts';

/** A server and its data. */
export interface BenchWorld {
  readonly platform: MeasuredServer;
  /** API key with all rights to objects. */
  readonly apiKey: string;
  /** Ids of the authors. Each article refers to one of them. */
  readonly authors: readonly number[];
  /** Ids of the seeded objects, unordered. */
  readonly ids: number[];
  /** Key of the account that owns the instance. */
  readonly accountKey: string;
  /** Key of a user and an API key without flags, once created. */
  user?: { readonly apiKey: string; readonly key: string };
}

/** The instance with all data. */
export const instance = '/v1.1/instances/bench-shop';
/** Its articles. */
export const articleObjects = `${instance}/classes/article/objects/`;
/** Its script endpoints. */
export const benchEndpoints = `${instance}/endpoints/scripts/`;
/** Twenty articles and their authors. */
export const withAuthors = `${instance}/endpoints/data/with-authors/`;
/** Number of users who log in. Concurrent logins of one user may be delayed like guesses. */
export const visitors = 64;
/** Password of all users. */
export const password = 'not a secret';
const spinning = 8;
const ownObjects = 100;
const manyAuthors = 100;

/** Signs up and creates instance, API key and class on a fresh platform. */
export async function makeWorld(platform: MeasuredServer): Promise<BenchWorld> {
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
    apiKey: String(key.api_key),
    authors,
    accountKey: as,
    ids: [],
  };
}

/** Creates a user who owns some articles and may not read the others. */
export async function prepareUser(world: BenchWorld): Promise<void> {
  const { platform, accountKey } = world;
  if (world.user !== undefined) return;
  const { api_key } = await call(platform, `${instance}/api_keys/`, accountKey, {});
  const made = await call(platform, `${instance}/users/`, accountKey, {
    username: 'reader',
    password,
  });
  for (let index = 0; index < ownObjects; index += 1) {
    await call(platform, articleObjects, accountKey, { ...article(world, index), owner: made.id });
  }
  world.user = { apiKey: String(api_key), key: String(made.user_key) };
}

/** Creates users who log in. */
export async function prepareVisitors({ platform, accountKey }: BenchWorld): Promise<void> {
  for (let visitor = 0; visitor < visitors; visitor += 1) {
    const body = { username: `visitor-${visitor}`, password };
    await call(platform, `${instance}/users/`, accountKey, body);
  }
}

/** Creates an endpoint that embeds the author of each article. */
export async function prepareEndpoint({ platform, accountKey }: BenchWorld): Promise<void> {
  const body = { name: 'with-authors', class: 'article', page_size: 20, expand: 'author' };
  await call(platform, `${instance}/endpoints/data/`, accountKey, body);
}

/** Creates a script with a custom response, and an endpoint that runs it. */
export async function prepareScript(
  { platform, accountKey }: BenchWorld,
  name: string,
): Promise<void> {
  const source = 'setResponse(new HttpResponse(200, { hello: ARGS.POST.who }))';
  const script = { runtime_name: 'nodejs_v6', source };
  const { id } = await call(platform, `${instance}/snippets/scripts/`, accountKey, script);
  await call(platform, benchEndpoints, accountKey, { name, script: id });
}

/** Starts endless runs. Runs without a slot wait for one. */
export async function prepareSpinning({ platform, accountKey }: BenchWorld): Promise<void> {
  for (let at = 0; at < spinning; at += 1) {
    const script = { runtime_name: 'nodejs_v6', source: 'for (;;);', config: { timeout: 300 } };
    const { id } = await call(platform, `${instance}/snippets/scripts/`, accountKey, script);
    await call(platform, `${instance}/snippets/scripts/${id}/run/`, accountKey, {}, 200);
  }
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

/** Returns the body that creates article `index`. */
export function article({ authors }: BenchWorld, index: number) {
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

/** Sends a POST request that must return the given status. */
export async function call(
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
  return JSON.parse(text) as Record<string, unknown>; // it is an object (docs/reference/responses.md#status)
}
