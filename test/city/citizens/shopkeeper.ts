import type { Citizen, Life, Resident, Size } from '../citizen.ts';
import type { Shown } from '../ledger.ts';
import { makeShelf, type Shelf } from '../shelf.ts';

const counts: Readonly<Record<Size, number>> = { small: 5, medium: 50, large: 300 };
const index = { filter_index: true, order_index: true };
const schema = [
  { name: 'title', type: 'string', ...index },
  { name: 'stock', type: 'integer', ...index },
  { name: 'tags', type: 'array' },
  { name: 'details', type: 'object' },
];

/** Creates, changes, reads, filters, orders, pages and deletes objects. */
export const shopkeeper: Citizen = {
  name: 'shopkeeper',
  homes: ['small', 'medium', 'large'],
  settle: async (life) => {
    const shelf = await makeShelf(life, 'goods', schema);
    for (let n = 0; n < counts[life.home.size]; n += 1) await shelf.create(goods(life));
    return keepShop(life, shelf);
  },
};

function keepShop(life: Life, shelf: Shelf): Resident {
  const { random } = life;
  const { ledger } = shelf;
  const any = () => random.pick(ledger.ids());
  const most = counts[life.home.size] * 1.5;
  const acts = [
    () => (ledger.ids().length < most ? shelf.create(goods(life)) : shelf.remove(any())),
    () => (ledger.ids().length > most / 2 ? shelf.remove(any()) : shelf.create(goods(life))),
    () => shelf.update(any(), { title: title(life), tags: [random.word(4)] }),
    () => count(shelf, any()),
    () => shelf.check(any()),
    () => filter(life, shelf),
    () => page(life, shelf),
  ];
  return {
    act: async () => {
      await random.pick(acts)();
    },
    verify: shelf.verify,
    arrive: shelf.verify,
  };
}

function title({ random, home }: Life): string {
  return `${random.word(8)} ${home.mark}`;
}

function goods(life: Life) {
  const { random } = life;
  return {
    title: title(life),
    stock: random.integer(0, 20),
    tags: [random.word(3), random.word(3)],
    details: { size: random.integer(1, 9), note: random.word(random.integer(1, 200)) },
  };
}

/** Increments a number. The ledger adds like the server, which detects lost increments. */
async function count({ ledger, update }: Shelf, id: number): Promise<void> {
  const stock = Number(ledger.values(id)?.stock) + 1;
  await update(id, { stock }, { stock: { _increment: 1 } });
}

/** Checks that a filter returns exactly the matching objects of the ledger, in order. */
async function filter({ random, client }: Life, { ledger, all, path }: Shelf): Promise<void> {
  const low = random.integer(0, 20);
  const query = encodeURIComponent(JSON.stringify({ stock: { _gte: low } }));
  const found = await all(`&order_by=stock&query=${query}`);
  const expected = ledger
    .ids()
    .map((id) => ({ id, stock: Number(ledger.values(id)?.stock) }))
    .filter(({ stock }) => stock >= low)
    .sort((a, b) => a.stock - b.stock || a.id - b.id);
  const shown = found.map(({ id, stock }) => ({ id, stock }));
  if (JSON.stringify(shown) !== JSON.stringify(expected))
    client.broken(`${path} with stock >= ${low}: ${difference(shown, expected)}`);
}

/** Checks that pages of any size return each object once. */
async function page({ random, client, home }: Life, { ledger, path }: Shelf): Promise<void> {
  const size = random.integer(1, 60);
  const seen: Shown[] = [];
  let next: string | null = `${path}?page_size=${size}&include_count=true`;
  let counted = 0;
  while (next !== null) {
    const { body } = await client.expect({ path: next, key: home.apiKey }, 200);
    seen.push(...body.objects);
    counted = body.objects_count ?? counted;
    next = body.next;
  }
  const ids = seen.map(({ id }) => id);
  const expected = [...ledger.ids()].sort((a, b) => a - b);
  if (JSON.stringify(ids) !== JSON.stringify(expected) || counted !== expected.length)
    client.broken(`${path} by ${size}, count ${counted}: ${difference(ids, expected)}`);
  const wrong = seen.map(ledger.compare).find((each) => each !== undefined);
  if (wrong !== undefined) client.broken(`${path} by ${size}: ${wrong}`);
}

function difference(found: readonly unknown[], expected: readonly unknown[]): string {
  const at = found.findIndex((each, n) => JSON.stringify(each) !== JSON.stringify(expected[n]));
  const position = at < 0 ? found.length : at;
  const [shown, written] = [found[position], expected[position]].map((each) =>
    JSON.stringify(each),
  );
  return `${found.length} of ${expected.length}, at ${position} ${shown}, expected ${written}`;
}
