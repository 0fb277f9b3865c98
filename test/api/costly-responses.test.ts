import { describe, expect } from 'vitest';
import { type ApiResponse, expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/*
 * What a response may cost: indented or as a page it is many times as long as its JSON, by how deep its values are and
 * how many (docs/reference/responses.md#response-size).
 */

const it = worldTest().extend('objects', { scope: 'file' }, ({ world }) => setUp(world));

const indented = { Accept: 'application/json; indent=8' };
const page = { Accept: 'text/html' };
const limitOf = (bytes: number, form: string) =>
  `Response size limit exceeded (${bytes} bytes or 500000 brackets, commas and colons, ${form}).`;

describe('a deep object of 30 kB', () => {
  it('is 413 where its indented text is too long, with what helps', async ({
    api,
    world,
    objects,
  }) => {
    const path = `${objects}1/`;

    const response = await api.send({ as: world.owner, path, headers: indented });

    expect([response.status, response.body]).toEqual([
      413,
      { detail: `${limitOf(6_291_456, 'indented')} Use a smaller page_size, or no indent.` },
    ]);
    expect(response.headers.get('x-error-code')).toBe('response_too_large');
  });

  it('is as short as any without', async ({ api, world, objects }) => {
    const path = `${objects}1/`;

    expect((await api.send({ as: world.owner, path })).status).toBe(200);
    const two = { Accept: 'application/json; indent=2' };
    expect((await api.send({ as: world.owner, path, headers: two })).status).toBe(200);
  });

  it('is a page that says what helps, where it is one of many', async ({ api, world, objects }) => {
    const response = await api.send({ as: world.owner, path: objects, headers: page });

    expect(response.status).toBe(413);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(htmlOrJson(response)).toContain(
      `${limitOf(3_145_728, 'as HTML')} Use a smaller page_size, or format=json.`,
    );
  });
});

describe('a list of many small values', () => {
  it.for([
    ['indented', { Accept: 'application/json; indent=1' }, limitOf(6_291_456, 'indented')],
    ['as a page', page, limitOf(3_145_728, 'as HTML')],
  ] as const)(
    'is 413 %s, and fewer of them are not',
    async ([, headers, limit], { api, world, objects }) => {
      const flat = `${objects}?query=${encodeURIComponent('{"id":{"_gt":3}}')}`;

      const all = await api.send({ as: world.owner, path: flat, headers });
      const few = await api.send({ as: world.owner, path: `${flat}&page_size=5`, headers });

      expect([all.status, few.status]).toEqual([413, 200]);
      expect(htmlOrJson(all)).toContain(limit);
    },
  );
});

describe('an item of a batch', () => {
  it.for([
    ['indented', indented, '413'],
    ['as a page', page, '200'],
  ] as const)(
    'is 413 %s where it does not fit',
    async ([, headers, first], { api, world, objects }) => {
      const requests = [1, 1000, 1, 2].map((id) => ({ method: 'GET', path: `${objects}${id}/` }));
      const path = `${world.base}batch/`;

      const response = await api.send({
        as: world.owner,
        method: 'POST',
        path,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ requests }),
      });

      expect(response.status).toBe(200);
      const codes = [
        ...htmlOrJson(response).matchAll(
          /code(?:"|&quot;<\/span>|&quot;): (?:<span class="n">)?(\d+)/g,
        ),
      ];
      expect(codes.map(([, code]) => code)).toEqual([first, '404', '413', '413']);
    },
  );
});

const htmlOrJson = ({ body }: ApiResponse): string =>
  typeof body === 'string' ? body : JSON.stringify(body, undefined, 1);

it('many characters that HTML escapes are 413 as a page', async ({ api, world }) => {
  const source = "'".repeat(800_000);
  const sent = { label: 'quotes', runtime_name: 'nodejs_v8', source };
  const { id } = expected(await world.own('POST', 'snippets/scripts/', sent), 201);
  const path = `${world.base}snippets/scripts/${id}/`;

  const [as, json] = [world.owner, { Accept: 'application/json; indent=8' }];
  expect((await api.send({ as, path, headers: page })).status).toBe(413);
  expect((await api.send({ as, path, headers: json })).status).toBe(200);
});

/** Makes a class with three deep objects, and sixty of many small values. */
async function setUp(world: World): Promise<string> {
  await world.dataClass('dense', [{ name: 'any', type: 'object' }]);
  const objects = `${world.base}classes/dense/objects/`;
  const deep = {
    lists: JSON.parse(`${'['.repeat(95)}${Array(15_000).fill(1).join()}${']'.repeat(95)}`),
  };
  const flat = { list: Array(12_000).fill(1) };
  for (const any of [...Array(3).fill(deep), ...Array(60).fill(flat)]) {
    expected(await world.api.send({ as: world.owner, path: objects, body: { any } }), 201);
  }
  return objects;
}

it('a write is no error for the form of its response', async ({ api, world, objects }) => {
  const deep = expected(await world.own('GET', `${objects.slice(world.base.length)}1/`), 200);
  const source = '漢'.repeat(900_000);
  const script = { label: 'long', runtime_name: 'nodejs_v8', source };
  const send = (path: string, body: object, headers: object) =>
    api.send({
      as: world.owner,
      method: 'POST',
      path,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  const plain = await send(objects, { ...deep, id: undefined }, indented);
  const shown = await send(`${world.base}snippets/scripts/`, script, page);

  expect([plain.status, shown.status]).toEqual([201, 201]);
  expect(htmlOrJson(shown)).toContain('The request succeeded.');
});
