import { afterAll, beforeAll, expect, it } from 'vitest';
import { forbidden } from '../support/answers.ts';
import { type Api, expected, openWorld, plantUser, startApi, type World } from '../support/api.ts';

let api: Api;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await openWorld(api);
});
afterAll(() => api.close());

it('a class that a caller may not read is not described to it', async () => {
  const as = { key: await world.apiKey(), user: await plantUser(world, 7) };
  const rights = { group_permissions: 'none', other_permissions: 'none' };
  const path = await world.dataClass('closed', [{ name: 'secret', type: 'string' }], rights);

  const refused = await api.send({ as, method: 'OPTIONS', path: `${path}objects/` });

  expect([refused.status, refused.body]).toEqual([403, forbidden]);
});

it('an uploaded file is refused, not read past', async () => {
  const path = await world.dataClass('paper', [{ name: 'scan', type: 'file' }]);
  const body = new FormData();
  body.set('scan', new Blob(['bytes']), 'scan.txt');

  const refused = await api.send({ as: world.owner, path: `${path}objects/`, body });
  const listed = expected(await api.send({ as: world.owner, path: `${path}objects/` }), 200);

  expect([refused.status, refused.body]).toEqual([
    400,
    { scan: ['The submitted data was not a file. Check the encoding type on the form.'] },
  ]);
  expect(listed.objects).toEqual([]);
});
