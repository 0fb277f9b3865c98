import type { Citizen, Life } from '../citizen.ts';
import type { Values } from '../ledger.ts';
import { makeShelf, type Shelf } from '../shelf.ts';

interface Item {
  readonly method: string;
  readonly path: string;
  readonly body?: Values;
  readonly code: number;
  readonly done?: (id: number) => void;
  readonly id?: number;
}

/** Sends batches of creates, updates, deletes and reads. */
export const batcher: Citizen = {
  name: 'batcher',
  homes: ['medium', 'large'],
  settle: async (life) => {
    const shelf = await makeShelf(life, 'parcels', [
      { name: 'label', type: 'string', filter_index: true },
      { name: 'weight', type: 'float' },
    ]);
    return { act: () => sendBatch(life, shelf), verify: shelf.verify, arrive: shelf.verify };
  },
};

async function sendBatch(life: Life, shelf: Shelf): Promise<void> {
  const { client, home, random } = life;
  const items = planBatch(life, shelf);
  const requests = items.map(({ method, path, body }) => ({ method, path, body }));
  const as = { key: home.apiKey, kind: 'bulk' } as const;
  const call = { ...as, path: `${home.base}batch/`, body: { requests } };
  const response = await client.expect(call, 200);
  if (response.body.length !== items.length)
    client.fail(call, response, `${items.length} were sent`);
  for (const [at, { code, id, done }] of items.entries()) {
    const entry = response.body[at];
    if (entry.code !== code)
      client.fail(call, response, `item ${at}: ${JSON.stringify(entry)}, expected ${code}`);
    done?.(id ?? entry.content.id);
  }
  if (random.chance(0.2)) await shelf.verify();
}

/** Plans up to 50 items, no two on the same object. */
function planBatch({ random, home }: Life, { ledger, path }: Shelf): readonly Item[] {
  const ids = [...ledger.ids()];
  return Array.from({ length: random.integer(1, 50) }, (): Item => {
    const values = { label: `${random.word(6)} ${home.mark}`, weight: random.integer(1, 99) / 4 };
    const id = ids.length > 30 || random.chance(0.5) ? ids.pop() : undefined;
    if (id === undefined)
      return {
        method: 'POST',
        path,
        body: values,
        code: 201,
        done: ledger.begin({ kind: 'create', values }),
      };
    const one = `${path}${id}/`;
    if (random.chance(0.3)) return { method: 'GET', path: one, code: 200 };
    if (random.chance(0.4) || ids.length > 100)
      return {
        method: 'DELETE',
        path: one,
        id,
        code: 204,
        done: ledger.begin({ kind: 'delete', id }),
      };
    const done = ledger.begin({ kind: 'update', id, values });
    return { method: 'PATCH', path: one, body: values, id, code: 200, done };
  });
}
