import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { describeOperations } from '../../functions/schema/describe.ts';
import { makeDocument } from '../../functions/schema/make-document.ts';
import { referenceFiles } from '../../functions/schema/reference/files.ts';
import { versions } from '../../shared/core/routing/versions.ts';
import type { Api } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';

interface Endpoint {
  readonly path: string;
  readonly methods: object;
}

/* The page of the schema: a table of contents. Each detail is behind a link, and JSON stays what it is. */

const it = apiTest();

const { gzip = '' } = referenceFiles(routes, 1)['index.html'] ?? {};
const reference = gunzipSync(Buffer.from(gzip, 'base64')).toString();

describe.each(versions)('the page of the schema of %s', (version) => {
  const path = `/${version}/schema/`;

  it('has each path with its methods, folded by families, in less than 100 kB', async ({ api }) => {
    const page = await get(api, path, 'text/html');
    const document = JSON.parse(await get(api, path, '*/*'));
    const resources: readonly { readonly endpoints: Record<string, Endpoint> }[] =
      document.resources ?? document;
    const endpoints = resources.flatMap((each) => Object.values(each.endpoints));

    const shown = [...page.matchAll(/<code>([^<]+)<\/code>/g)].map(([, text]) => text);
    const verbs = [...page.matchAll(/<li><span class="verb">(\w+)<\/span>/g)];

    expect(endpoints.filter((each) => !shown.includes(each.path))).toEqual([]);
    expect(verbs).toHaveLength(endpoints.flatMap((each) => Object.keys(each.methods)).length);
    expect(page.length).toBeLessThan(100_000);
    expect(page).not.toMatch(/<details[^>]* open|id="json"/);
  });

  it('links to the whole, which is what programs get', async ({ api }) => {
    const page = await get(api, path, 'text/html');
    const json = await get(api, path, '*/*');

    for (const address of ['?format=json', '?format=openapi', '../../docs/api/']) {
      expect(page).toContain(`<a rel="external" href="${address}">`);
    }
    expect(json).toBe(JSON.stringify(makeDocument(routes, version, 'json')));
    expect(await get(api, `${path}?format=json`, 'text/html')).toBe(json);
  });

  it('is not that of OPTIONS', async ({ api }) => {
    const options = { method: 'OPTIONS', headers: { Accept: 'text/html' } };
    const described = await (await fetch(`${api.url}${path}`, options)).text();

    expect(described).not.toContain('class="contents"');
    expect(described).toContain('id="json"');
  });
});

it('the page of the schema links each operation to its details', async ({ api }) => {
  const page = await get(api, '/v1.1/schema/', 'text/html');
  const { operations } = describeOperations(routes, 'v1.1');

  const links = [...page.matchAll(/ href="\.\.\/\.\.\/docs\/api\/#(\w+)">([^<]+)<\/a>/g)];

  expect(links.map(([, id, summary]) => [id, summary])).toEqual(
    expect.arrayContaining(operations.map(({ id, summary }) => [id, summary])),
  );
  expect(links.filter(([, id]) => !reference.includes(` id="${id}"`))).toEqual([]);
});

const get = async (api: Api, path: string, accept: string) =>
  (await fetch(`${api.url}${path}`, { headers: { Accept: accept } })).text();
