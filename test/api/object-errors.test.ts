import { expect, it } from 'vitest';
import { plantUser } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { forbidden } from '../support/responses.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

it('a class that a caller may not read is not described to it', async () => {
  const as = { key: await world.apiKey(), user: await plantUser(world, 7) };
  const rights = { group_permissions: 'none', other_permissions: 'none' };
  const path = await world.dataClass('closed', [{ name: 'secret', type: 'string' }], rights);

  const refused = await api.send({ as, method: 'OPTIONS', path: `${path}objects/` });

  expect([refused.status, refused.body]).toEqual([403, forbidden]);
});
