import { afterAll, beforeAll, expect, it } from 'vitest';
import { forbidden } from '../support/answers.ts';
import { type Api, openWorld, plantUser, startApi, type World } from '../support/api.ts';

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
