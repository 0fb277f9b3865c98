import type { Citizen, Life } from '../citizen.ts';
import { makeShelf, type Shelf } from '../shelf.ts';

const schema = [
  { name: 'title', type: 'string' },
  { name: 'year', type: 'integer', filter_index: true, order_index: true },
];

/** A data endpoint that lists films since a year. */
interface Endpoint {
  readonly path: string;
  /** The year of its query; two years after an edit whose outcome is unknown. */
  since: readonly number[];
}

/** Creates data endpoints, creates objects through them, and reads the results of their queries. */
export const curator: Citizen = {
  name: 'curator',
  homes: ['medium'],
  settle: async (life) => {
    const shelf = await makeShelf(life, 'films', schema);
    const endpoint = await makeEndpoint(life, shelf);
    const acts = [post, get, edit].map((act) => () => act(life, shelf, endpoint));
    return {
      act: async () => {
        const ids = shelf.ledger.ids();
        if (ids.length > 60) await shelf.remove(life.random.pick(ids));
        else await life.random.pick(acts)();
      },
      verify: shelf.verify,
      arrive: async () => {
        await shelf.verify();
        await get(life, shelf, endpoint);
      },
    };
  },
};

async function makeEndpoint({ client, home, prefix }: Life, { path }: Shelf): Promise<Endpoint> {
  const name = `${prefix}-films`;
  const [, className] = /classes\/([^/]+)\//.exec(path) ?? [];
  const body = { name, class: className, query: since(1950), order_by: 'year' };
  const list = `${home.base}endpoints/data/`;
  await client.expect({ path: list, key: home.accountKey, body }, 201);
  return { path: `${list}${name}/`, since: [1950] };
}

function since(year: number) {
  return { year: { _gte: year } };
}

async function post({ client, home, random }: Life, { ledger }: Shelf, { path }: Endpoint) {
  const values = { title: `${random.word(6)} ${home.mark}`, year: random.integer(1900, 2020) };
  const done = ledger.begin({ kind: 'create', values });
  const call = { path: `${path}post/`, key: home.apiKey, body: values };
  const { body } = await client.expect(call, 201);
  done(body.id);
}

/** Checks that the list is that of the query which was saved last. */
async function get({ client, home }: Life, { ledger }: Shelf, endpoint: Endpoint): Promise<void> {
  const call = { path: `${endpoint.path}get/`, key: home.apiKey };
  const response = await client.expect(call, 200);
  const years = String(response.body.objects.map(({ year }: { year: number }) => year));
  const all = ledger.ids().map((id) => Number(ledger.values(id)?.year));
  const expected = (first: number) =>
    String(all.filter((year) => year >= first).sort((a, b) => a - b));
  const possible = endpoint.since.filter((first) => expected(first) === years);
  if (possible.length === 0)
    client.fail(call, response, `years ${years}, expected ${endpoint.since.map(expected)}`);
  endpoint.since = possible;
}

/** Checks that an edited query applies from the next request on. */
async function edit(life: Life, shelf: Shelf, endpoint: Endpoint): Promise<void> {
  const { client, home } = life;
  for (const year of [1980, 1950]) {
    endpoint.since = [...endpoint.since, year];
    const body = { query: since(year) };
    const call = { method: 'PATCH', path: endpoint.path, key: home.accountKey, body };
    await client.expect(call, 200);
    endpoint.since = [year];
    await get(life, shelf, endpoint);
  }
}
