import type { ScaleWorld, Shop } from './scale-world.ts';
import { type Scenario, scenarios, toBytes } from './scenarios.ts';
import { objects } from './world.ts';

const hotObjects = 10_000;
const hotPages = 400;
const someNumber = 7919; // a prime: adjacent requests share nothing

/**
 * Returns the requests that are compared between two worlds. Some are spread over all objects of the large class, few
 * of which fit into the cache of the server; the hot ones use as many objects in each world.
 */
export function scaleRows(world: ScaleWorld): readonly Scenario[] {
  const hot = { ...world, ids: choose(world.ids, hotObjects) };
  return [
    rowOf('get', world, 'get'),
    rowOf('get, hot', hot, 'get'),
    rowOf('filter 20', world, 'filter 20'),
    ownRow('filter 20, hot', (index) => hotPage(world, index)),
    rowOf('create', world, 'create'),
    ownRow('get, all instances', (index) => getNote(shopOf(world, index), index)),
    ownRow('filter, all instances', (index) => filterNotes(shopOf(world, index), index)),
    ownRow('create, all instances', (index) => createNote(shopOf(world, index), index)),
  ];
}

function ownRow(name: string, request: (index: number) => Buffer): Scenario {
  return { name, hasFloor: false, request: (_, index) => request(index) };
}

/** Returns a row with the requests of a scenario. */
function rowOf(name: string, world: ScaleWorld, like: string): Scenario {
  const scenario = scenarios.find((each) => each.name === like);
  if (scenario === undefined) throw new Error(`there is no scenario ${like}`);
  return ownRow(name, (index) => scenario.request(world, index));
}

/** Returns `count` evenly spread values. */
function choose(values: readonly number[], count: number): number[] {
  const step = Math.max(1, Math.floor(values.length / count));
  return values.filter((_, at) => at % step === 0).slice(0, count);
}

/** Returns a request of the scenario `filter 20` for one of a few pages, which are spread over all objects. */
function hotPage(world: ScaleWorld, index: number): Buffer {
  const stock = Math.ceil((world.ids.length * (1 + ((index * someNumber) % hotPages))) / hotPages);
  const query = encodeURIComponent(
    JSON.stringify({ active: { _eq: true }, stock: { _lt: Math.max(stock, 50) } }),
  );
  return toBytes(world, 'GET', `${objects}?query=${query}&order_by=-stock&page_size=20`);
}

function shopOf({ shops }: ScaleWorld, index: number): Shop {
  const shop = shops[(index * someNumber) % shops.length];
  if (shop === undefined) throw new Error('the world has no instances');
  return shop;
}

function getNote(shop: Shop, index: number): Buffer {
  return toBytes(shop, 'GET', `${shop.path}${shop.ids[index % shop.ids.length]}/`);
}

function filterNotes(shop: Shop, index: number): Buffer {
  const number = 2 + (index % 3);
  const query = encodeURIComponent(JSON.stringify({ number: { _lt: number } }));
  return toBytes(shop, 'GET', `${shop.path}?query=${query}&order_by=-number&page_size=2`);
}

function createNote(shop: Shop, index: number): Buffer {
  return toBytes(shop, 'POST', shop.path, {}, { title: `Note ${index}`, number: 1000 + index });
}
