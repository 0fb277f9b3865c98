import type { Citizen, Life } from '../citizen.ts';
import { makeShelf, type Shelf } from '../shelf.ts';

const schema = [
  { name: 'title', type: 'string' },
  { name: 'year', type: 'integer', filter_index: true, order_index: true },
];

/** Creates data endpoints, creates objects through them, and reads the results of their queries. */
export const curator: Citizen = {
  name: 'curator',
  homes: ['medium'],
  settle: async (life) => {
    const shelf = await makeShelf(life, 'films', schema);
    const endpoint = await makeEndpoint(life, shelf);
    const acts = [
      () => post(life, shelf, endpoint),
      () => get(life, shelf, endpoint),
      () => edit(life, shelf, endpoint),
    ];
    return {
      act: async () => {
        const ids = shelf.ledger.ids();
        if (ids.length > 60) await shelf.remove(life.random.pick(ids));
        else await life.random.pick(acts)();
      },
      verify: shelf.verify,
    };
  },
};

async function makeEndpoint({ client, home, prefix }: Life, { path }: Shelf): Promise<string> {
  const name = `${prefix}-films`;
  const [, className] = /classes\/([^/]+)\//.exec(path) ?? [];
  const body = { name, class: className, query: { year: { _gte: 1950 } }, order_by: 'year' };
  const list = `${home.base}endpoints/data/`;
  await client.expect({ path: list, key: home.accountKey, body }, 201);
  return `${list}${name}/`;
}

async function post({ client, home, random }: Life, { ledger }: Shelf, endpoint: string) {
  const values = { title: `${random.word(6)} ${home.mark}`, year: random.integer(1900, 2020) };
  const done = ledger.begin({ kind: 'create', values });
  const call = { path: `${endpoint}post/`, key: home.apiKey, body: values };
  const { body } = await client.expect(call, 201);
  done(body.id);
}

async function get(life: Life, { ledger }: Shelf, endpoint: string, since = 1950): Promise<void> {
  const { client, home } = life;
  const call = { path: `${endpoint}get/`, key: home.apiKey };
  const answer = await client.expect(call, 200);
  const years = answer.body.objects.map(({ year }: { year: number }) => year);
  const expected = ledger
    .ids()
    .map((id) => Number(ledger.values(id)?.year))
    .filter((year) => year >= since)
    .sort((a, b) => a - b);
  if (String(years) !== String(expected))
    client.fail(call, answer, `years ${years}, expected ${expected}`);
}

/** Checks that an edited query applies from the next request on. */
async function edit(life: Life, shelf: Shelf, endpoint: string): Promise<void> {
  const { client, home } = life;
  const save = (since: number) => {
    const body = { query: { year: { _gte: since } } };
    return client.expect({ method: 'PATCH', path: endpoint, key: home.accountKey, body }, 200);
  };
  await save(1980);
  await get(life, shelf, endpoint, 1980);
  await save(1950);
  await get(life, shelf, endpoint);
}
