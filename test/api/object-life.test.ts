import { expect } from 'vitest';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

it('an object is created, read, changed, listed and deleted with an API key', async ({
  api,
  world,
}) => {
  const key = await world.apiKey({ ignore_acl: true });
  const path = await world.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true },
    { name: 'pages', type: 'integer' },
  ]);

  const made = expected(
    await api.send({ as: key, path: `${path}objects/`, body: { title: 'Dunes', pages: 2 } }),
    201,
  );
  const self = made.links.self;
  const changed = await api.send({
    as: key,
    method: 'PATCH',
    path: self,
    body: { pages: { _increment: 3 } },
  });
  const read = await api.send({ as: key, path: self });
  const listed = await api.send({ as: key, path: `${path}objects/` });
  const removed = await api.send({ as: key, method: 'DELETE', path: self });
  const again = await api.send({ as: key, path: self });

  expect(made).toMatchObject({ id: 1, revision: 1, title: 'Dunes', pages: 2, owner: null });
  expect(changed.body).toEqual({
    ...made,
    pages: 5,
    revision: 2,
    updated_at: changed.body.updated_at,
  });
  expect(read.body).toEqual(changed.body);
  expect(listed.body).toEqual({ next: null, prev: null, objects: [changed.body] });
  expect([removed.status, removed.body]).toEqual([204, '']);
  expect([again.status, again.body]).toEqual([404, { detail: 'Not found.' }]);
});
