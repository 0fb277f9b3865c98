import { expect } from 'vitest';
import type { Store } from '../../../shared/store/store.ts';
import { userEntity } from '../../../shared/table/entities/users.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import { ownStatus, signedInAs, tokenFor } from '../../support/user-accounts.ts';
import { setUserSettings } from '../../support/user-sessions.ts';

/* Requests of a person who waits in the user of another one, and that person's proof, at the same time. */

/** Wraps a store so that something happens before the next write of a user. */
function holdUsers(store: Store) {
  const held = { before: undefined as (() => Promise<unknown>) | undefined };
  const wrapped: Store & typeof held = {
    ...store,
    get: (keys) => store.get(keys),
    query: (query) => store.query(query),
    next: (counter, count, most) => store.next(counter, count, most),
    close: () => store.close(),
    before: undefined,
    write: async (transaction) => {
      const isOfUser = transaction.writes.some(
        (each) => each.action === 'put' && each.kind === userEntity.kind,
      );
      const { before } = wrapped;
      if (before !== undefined && isOfUser) {
        wrapped.before = undefined;
        await before();
      }
      await store.write(transaction);
    },
  };
  return wrapped;
}

const it = newWorldTest('races', { wrap: holdUsers });
const victim = 'victim@example.com';

it.for([
  ['PATCH', 'user/', { password: 'attack' }],
  ['PUT', 'user/', { username: 'taker', password: 'attack' }],
  ['PATCH', 'users/{id}/', { password: 'attack' }],
  ['POST', 'users/{id}/reset_key/', {}],
] as const)('%s %s does not come after a proof', async ([method, path, body], { world, store }) => {
  await setUserSettings(world, { email: 'optional', confirmed: 'optional' });
  const key = await world.apiKey({ allow_user_create: true });
  const registration = { email: victim, username: 'taker', password: 'attack' };
  const planted = await world.call(key, 'POST', 'user/register/', registration);
  const { id } = planted.body;
  const as = signedInAs(key, planted);
  const token = await tokenFor(world, { purpose: 'confirm', user: id, email: victim });
  const proof = () => world.call(undefined, 'POST', 'user/email/confirm/', { token });
  const proofs: Awaited<ReturnType<typeof proof>>[] = [];
  store.before = async () => proofs.push(await proof());

  const response = await world.call(as, method, path.replace('{id}', id), body);

  expect([proofs.map(({ status }) => status), response.status]).toEqual([[200], 404]);
  for (const proved of proofs) expect(await ownStatus(world, signedInAs(key, proved))).toBe(200);
  const named = { username: 'taker', password: 'attack' };
  expect((await world.call(key, 'POST', 'user/auth/', named)).status).toBe(401);
});
