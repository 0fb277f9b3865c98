import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/* The examples in JavaScript next to those for curl, run as they are printed. */

const test = worldTest();

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;

/** Runs the first example of a guide with the values that it is given. Returns the value of `result` at its end. */
async function run(guide: string, given: Record<string, unknown>, result: string) {
  const text = readFileSync(new URL(`../../docs/guides/${guide}.md`, import.meta.url), 'utf8');
  const [, source = ''] = /^```js\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const example = new AsyncFunction(...Object.keys(given), `${source}\nreturn ${result};`);
  return example(...Object.values(given));
}

test('an update with operators', async ({ api, world }) => {
  const path = await world.dataClass('book', [
    { name: 'loans', type: 'integer' },
    { name: 'tags', type: 'array' },
  ]);
  const objects = `${path}objects/`;
  const body = { loans: 8, tags: ['novel', 'classic'] };
  expected(await api.send({ as: world.owner, path: objects, body }), 201);
  const given = { books: api.url + objects, key: world.owner };

  expect(await run('data-model', given, 'book')).toMatchObject({
    loans: 5,
    tags: ['classic', 'family'],
  });
});

test('all pages of a query', async ({ api, world }) => {
  const indexes = { filter_index: true, order_index: true };
  const path = await world.dataClass('film', [
    { name: 'title', type: 'string', ...indexes },
    { name: 'year', type: 'integer', ...indexes },
  ]);
  const objects = `${path}objects/`;
  for (const first of [1950, 1990, 2030]) {
    const requests = Array.from({ length: 40 }, (_, n) => ({
      method: 'POST',
      path: objects,
      body: { title: 'Little Women', year: first + n },
    }));
    expected(await world.call(world.owner, 'POST', 'batch/', { requests }), 200);
  }
  const given = { films: api.url + objects, key: world.owner };

  const years = await run('queries', given, 'found.map(({ year }) => year)');

  expect(years).toEqual(Array.from({ length: 119 }, (_, n) => 2069 - n));
});
