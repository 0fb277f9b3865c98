import type { ScaleWorld, Shop } from './scale-world.ts';
import { requestOf, type Scenario, toBytes } from './scenarios.ts';
import { articleObjects, type BenchWorld } from './world.ts';

const mostHot = 10_000; // objects of hot rows, which fit into the cache
const objectsOfPage = 40; // examined for a page of twenty
const someNumber = 7919; // a prime: adjacent requests share nothing

/** A row that compares two worlds. */
export interface ScaleRow {
  readonly name: string;
  /** Whether the small server has a cache that is too small for its objects as well. */
  readonly isUncached?: true;
  /** Returns the requests of a world. */
  readonly requests: (world: ScaleWorld) => Scenario['request'];
}

/** All rows. The large class has many more objects than fit into the cache. */
export const scaleRows: readonly ScaleRow[] = [
  { name: 'get', requests: () => requestOf('get') },
  { name: 'get, both uncached', isUncached: true, requests: () => requestOf('get') },
  { name: 'get, 10000 of the objects', requests: (world) => toHot(world, 'get') },
  { name: 'filter 20', requests: () => requestOf('filter 20') },
  { name: 'filter 20, both uncached', isUncached: true, requests: () => requestOf('filter 20') },
  {
    name: 'filter 20, 10000 of the objects',
    requests: () => (world, index) => toTablePage(world, index, { pages: mostHot / objectsOfPage }),
  },
  { name: 'create', requests: () => requestOf('create') },
  { name: 'get, all instances', requests: ({ shops }) => eachShop(shops, getNote) },
  { name: 'filter, all instances', requests: ({ shops }) => eachShop(shops, filterNotes) },
  { name: 'create, all instances', requests: ({ shops }) => eachShop(shops, createNote) },
];

/** Returns the requests of a scenario for as many objects as the small class has. */
function toHot(world: ScaleWorld, name: string): Scenario['request'] {
  const request = requestOf(name);
  const step = Math.max(1, Math.floor(world.ids.length / mostHot));
  const ids = world.ids.filter((_, at) => at % step === 0).slice(0, mostHot);
  const hot = { ...world, ids };
  return (_, index) => request(hot, index);
}

/**
 * Returns a request of the form of the scenario `filter 20`, for one of `pages` pages spread over all objects, which
 * begins `less` objects earlier.
 */
export function toTablePage(
  world: BenchWorld,
  index: number,
  { pages, less = 0 }: { readonly pages: number; readonly less?: number },
): Buffer {
  const page = 1 + ((index * someNumber) % pages);
  const stock = Math.ceil((world.ids.length * page) / pages) - less;
  const query = JSON.stringify({ active: { _eq: true }, stock: { _lt: stock } });
  const encoded = encodeURIComponent(query);
  return toBytes(world, 'GET', `${articleObjects}?query=${encoded}&order_by=-stock&page_size=20`);
}

/** Returns requests to one instance after the other. */
function eachShop(
  shops: readonly Shop[],
  request: (shop: Shop, index: number) => Buffer,
): Scenario['request'] {
  return (_, index) => {
    const shop = shops[(index * someNumber) % shops.length];
    if (shop === undefined) throw new Error('the world has no instances');
    return request(shop, index);
  };
}

function getNote(shop: Shop, index: number): Buffer {
  return toBytes(shop, 'GET', `${shop.path}${shop.ids[index % shop.ids.length]}/`);
}

function filterNotes(shop: Shop, index: number): Buffer {
  const query = encodeURIComponent(JSON.stringify({ number: { _lt: 2 + (index % 3) } }));
  return toBytes(shop, 'GET', `${shop.path}?query=${query}&order_by=-number&page_size=2`);
}

function createNote(shop: Shop, index: number): Buffer {
  return toBytes(shop, 'POST', shop.path, {}, { title: `Note ${index}`, number: 1000 + index });
}
