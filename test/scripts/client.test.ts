import { afterAll, describe, expect, test } from 'vitest';
import { runtimeNames } from '../../shared/scripts/script-runtimes.ts';
import { type Api, openWorld, startApi } from '../support/api.ts';
import { nodeHosts } from './hosts.ts';

/* Scripts like the samples of the old service's documentation, which use its client for JavaScript. */

const opened: Api[] = [];
afterAll(async () => {
  for (const api of opened) await api.close();
});

/** Starts the API with a class of books. */
async function startLibrary() {
  const api = await startApi();
  opened.push(api);
  const world = await openWorld(api);
  await world.dataClass('book', [
    { name: 'title', type: 'string', order_index: true, filter_index: true },
    { name: 'pages', type: 'integer', filter_index: true },
  ]);
  return { ...world, api };
}

const sample = `
var Syncano = require('syncano');
var connection = Syncano({ accountKey: META.token, defaults: { instanceName: META.instance, className: 'book' } });
var DataObject = connection.DataObject;

DataObject.please().create({ title: 'Dune', pages: 412 })
  .then(function () { return DataObject.please().create({ title: 'Emma', pages: 474 }); })
  .then(function () { return DataObject.please().list().filter({ pages: { _gt: 420 } }); })
  .then(function (books) {
    console.log(books.map(function (book) { return book.title; }));
    return connection.Class.please().get({ name: 'book' });
  })
  .then(function (found) { setResponse(new HttpResponse(200, { name: found.name, objects: found.objects_count })); })
  .catch(function (error) { console.log('failed', error); process.exit(1); });
`;

describe.each([...nodeHosts])('in %s', (_name, open) => {
  test('a sample of the old service lists and creates objects', async () => {
    const { api, owner, instance, call } = await startLibrary();
    const host = open();

    const meta = { api_url: api.url, instance, token: owner };
    const result = await host.run({ source: sample, meta });
    await host.close();

    const { body } = await call(owner, 'GET', 'classes/book/objects/?order_by=title');
    expect(body.objects.map(({ title }: { title: string }) => title)).toEqual(['Dune', 'Emma']);
    expect(result).toMatchObject({
      status: 'success',
      stdout: "[ 'Emma' ]",
      stderr: '',
      response: { content: '{"name":"book","objects":2}' },
    });
  });
});

const names = Object.keys(runtimeNames).filter((name) => runtimeNames[name]?.runtime === 'node');

test.each(names)(
  'the sample runs unmodified as %s, with the token of its run',
  async (runtime_name) => {
    const { owner, call } = await startLibrary();
    const script = {
      label: 'x',
      source: sample,
      runtime_name,
      config: { allow_full_access: true },
    };
    const { body: created } = await call(owner, 'POST', 'snippets/scripts/', script);
    await call(owner, 'POST', 'endpoints/scripts/', { name: 'books', script: created.id });

    const { status, body } = await call(owner, 'POST', 'endpoints/scripts/books/run/', {});

    expect([status, body]).toEqual([200, { name: 'book', objects: 2 }]);
  },
);
