import { runLoad } from './load.ts';
import { waitUntilQuiet } from './measure.ts';
import { requestOf } from './scenarios.ts';
import { ownProject, startPlatform } from './server.ts';
import { type BenchWorld, call, instance, makeWorld } from './world.ts';

/** A world of a certain size. */
export interface ScaleWorld extends BenchWorld {
  /** One for each instance. */
  readonly shops: readonly Shop[];
}

/** A class with a few objects, in an instance with its own API key. */
export interface Shop {
  /** Path of its objects. */
  readonly path: string;
  readonly apiKey: string;
  readonly ids: readonly number[];
}

/** Numbers of what a world contains. */
export interface Size {
  readonly objects: number;
  readonly instances: number;
}

const seedConnections = 4;
const batchSize = 50; // of the scenario
const shopObjects = 5;
const schema = [
  { name: 'title', type: 'string', filter_index: true },
  { name: 'number', type: 'integer', order_index: true, filter_index: true },
];

/**
 * Starts the platform and fills it: the objects are in one class of the first instance.
 *
 * @param cacheMb size of the cache of the server; absent: the default
 */
export async function openScaleWorld(size: Size, cacheMb?: number): Promise<ScaleWorld> {
  const variables = {
    GROUNDWORK_MAX_INSTANCES: String(size.instances),
    ...(cacheMb !== undefined && { GROUNDWORK_CACHE_MB: String(cacheMb) }),
  };
  const world = await makeWorld(await startPlatform(ownProject, variables));
  await fill(world, size.objects);
  const started = performance.now();
  const shops: Shop[] = [];
  for (let at = 0; at < size.instances; at += 1) shops.push(await makeShop(world, at));
  const seconds = (performance.now() - started) / 1000;
  console.log(`Seeded ${shops.length} instances in ${seconds.toFixed(1)} s`);
  await waitUntilQuiet(world.platform);
  return { ...world, shops };
}

async function fill(world: BenchWorld, count: number): Promise<void> {
  const create = requestOf('batch of 50 creates');
  const { seconds } = await runLoad({
    port: world.platform.port,
    connections: seedConnections,
    seconds: 3600,
    count: Math.ceil(count / batchSize),
    request: (index) => create(world, index),
    onAnswer: ({ body }) => {
      for (const [, id] of body.toString().matchAll(/"id":\s*(\d+)/g)) world.ids.push(Number(id));
    },
  });
  const rate = Math.round(world.ids.length / seconds);
  console.log(`Seeded ${world.ids.length} objects in ${seconds.toFixed(1)} s (${rate}/s)`);
}

/** Creates the class with a few objects; in a new instance, except for the first one. */
async function makeShop({ platform, accountKey }: BenchWorld, at: number): Promise<Shop> {
  const own = at === 0 ? instance : `/v1.1/instances/bench-shop-${at}`;
  if (at > 0) await call(platform, '/v1.1/instances/', accountKey, { name: `bench-shop-${at}` });
  const key = await call(platform, `${own}/api_keys/`, accountKey, { ignore_acl: true });
  const path = `${own}/classes/note/objects/`;
  await call(platform, `${own}/classes/`, accountKey, { name: 'note', schema });
  const ids: number[] = [];
  while (ids.length < shopObjects) {
    const number = ids.length;
    const { id } = await call(platform, path, accountKey, { title: `Note ${number}`, number });
    ids.push(Number(id));
  }
  return { path, apiKey: String(key.api_key), ids };
}
