import { expected, type World } from '../../support/api.ts';
import { makeEndpoint } from '../../support/script-endpoint.ts';

/** Fields of each type. */
const fields = [
  { name: 'title', type: 'string', filter_index: true, order_index: true },
  { name: 'isbn', type: 'string', unique: true },
  { name: 'summary', type: 'text' },
  { name: 'year', type: 'integer', filter_index: true, order_index: true },
  { name: 'rating', type: 'float', filter_index: true },
  { name: 'pages', type: 'integer' },
  { name: 'lent', type: 'boolean', filter_index: true },
  { name: 'published', type: 'datetime', filter_index: true, order_index: true },
  { name: 'cover', type: 'file' },
  { name: 'author', type: 'reference', target: 'Author', filter_index: true },
  { name: 'reader', type: 'reference', target: 'user', filter_index: true },
  { name: 'sequels', type: 'relation', target: 'self', filter_index: true },
  { name: 'tags', type: 'array', filter_index: true },
  { name: 'extra', type: 'object' },
  { name: 'shelf', type: 'geopoint', filter_index: true },
];

/** Fills an instance with a class with fields of every type, endpoints and channels, and awkward names. */
export async function fillLibrary(world: World): Promise<void> {
  const create = async (path: string, body: object) =>
    expected(await world.call(world.owner, 'POST', path, body), 201);
  await world.dataClass('author', [
    { name: 'name', type: 'string', filter_index: true, order_index: true },
    { name: 'born', type: 'integer' },
  ]);
  await world.dataClass('book', fields, { other_permissions: 'create_objects' });
  await world.dataClass('error', [{ name: 'text', type: 'text' }]);
  await world.dataClass('run', []);
  await world.dataClass('blog_post', [{ name: 'body', type: 'text' }]);
  await create('endpoints/data/', {
    name: 'new-books',
    class: 'book',
    query: { year: { _gte: 1900 } },
    excluded_fields: 'extra',
    expand: 'author',
  });
  await makeEndpoint(world, 'greet', 'setResponse(new HttpResponse(200, { hello: ARGS.who }))');
  await makeEndpoint(world, 'fail', 'throw new Error("no")', { public: true });
  await create('channels/', { name: 'news', other_permissions: 'publish', custom_publish: true });
}
