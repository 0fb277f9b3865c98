import type { Life } from './citizen.ts';
import { createLedger, type Ledger, type Shown, type Values } from './ledger.ts';

/** A class that only one resident writes to, and the resident's ledger. */
export interface Shelf {
  /** Path of the list of objects. */
  readonly path: string;
  readonly ledger: Ledger;
  create(values: Values): Promise<number>;
  /** Updates an object; `sent` differs from responses where it contains operators. */
  update(id: number, values: Values, sent?: Values): Promise<void>;
  remove(id: number): Promise<void>;
  /** Reads one object and compares it. */
  check(id: number): Promise<void>;
  /** Reads all pages. */
  all(query?: string): Promise<readonly Shown[]>;
  /** Compares the whole class. */
  verify(): Promise<void>;
}

/** Creates a class in the instance of a resident. */
export async function makeShelf(
  { client, home, prefix }: Life,
  className: string,
  schema: readonly object[],
): Promise<Shelf> {
  const name = `${prefix}_${className}`;
  const key = home.accountKey;
  const body = { name, schema };
  await client.expect({ path: `${home.base}classes/`, key, body }, 201);
  const path = `${home.base}classes/${name}/objects/`;
  const ledger = createLedger();
  const one = (id: number) => `${path}${id}/`;
  const as = () => ({ key: home.apiKey });

  const all = async (query = '') => {
    const found: Shown[] = [];
    let next: string | null = `${path}?page_size=100${query}`;
    while (next !== null) {
      const { body: page } = await client.expect({ ...as(), path: next }, 200);
      found.push(...page.objects);
      next = page.next;
    }
    return found;
  };

  return {
    path,
    ledger,
    all,
    create: async (values) => {
      const done = ledger.begin({ kind: 'create', values });
      const call = { ...as(), path, body: values };
      const response = await client.expect(call, 201);
      done(response.body.id);
      const wrong = ledger.compare(response.body);
      if (wrong !== undefined) client.fail(call, response, wrong);
      return response.body.id;
    },
    update: async (id, values, sent = values) => {
      const done = ledger.begin({ kind: 'update', id, values });
      const call = { ...as(), method: 'PATCH', path: one(id), body: sent };
      const response = await client.expect(call, 200);
      done(id);
      const wrong = ledger.compare(response.body);
      if (wrong !== undefined) client.fail(call, response, wrong);
    },
    remove: async (id) => {
      const done = ledger.begin({ kind: 'delete', id });
      await client.expect({ ...as(), method: 'DELETE', path: one(id) }, 204);
      done(id);
    },
    check: async (id) => {
      const call = { ...as(), path: one(id) };
      const response = await client.expect(call, 200);
      const wrong = ledger.compare(response.body);
      if (wrong !== undefined) client.fail(call, response, wrong);
    },
    verify: async () => {
      const wrong = ledger.settle(await all());
      if (wrong !== undefined) client.broken(`${path}: ${wrong}`);
    },
  };
}
