import { expect } from 'vitest';
import { putItem } from '../../../shared/store/writes.ts';
import { guestPlaceEntity } from '../../../shared/table/entities/user-accounts.ts';
import { maxClientGuests } from '../../../shared/users/addresses/request-limits.ts';
import { guestSeconds, maxGuests } from '../../../shared/users/guests/guest-places.ts';
import { removeGuest } from '../../../shared/users/guests/remove-guest.ts';
import type { World } from '../../support/api.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import { openMovedClock } from '../../support/moved-clock.ts';
import { instanceId } from '../../support/stored-records.ts';
import { ownStatus, signedInAs, tokenFor, userRecord } from '../../support/user-accounts.ts';
import { setUserSettings } from '../../support/user-sessions.ts';

const clock = openMovedClock();
const it = newWorldTest('guests', { clock }).extend('key', ({ world }) =>
  world.apiKey({ allow_user_create: true }),
);
const on = { email: 'required', confirmed: 'required', guests: true } as const;
const email = 'ann@example.com';

it('a guest has a user with a generated name, and keeps its objects as a user', async ({
  world,
  key,
}) => {
  await setUserSettings(world, on);
  await world.dataClass('note', [{ name: 'text', type: 'string' }], {
    group_permissions: 'create_objects',
    other_permissions: 'create_objects',
  });
  const guest = await world.call(key, 'POST', 'user/auth/guest/', {});
  const as = signedInAs(key, guest);
  const note = await world.call(as, 'POST', 'classes/note/objects/', { text: 'mine' });

  const token = await tokenFor(world, { purpose: 'register', user: guest.body.id, email });
  const user = await world.call(as, 'POST', 'user/email/confirm/', { token, username: 'ann' });

  expect(guest.status).toBe(201);
  expect(guest.body.username).toMatch(/^user-[0-9a-f]{20}$/);
  expect([user.status, user.body.id, user.body.username]).toEqual([200, guest.body.id, 'ann']);
  const path = `classes/note/objects/${note.body.id}/`;
  const read = await world.call(signedInAs(key, user), 'GET', path);
  expect([read.status, read.body.owner]).toEqual([200, guest.body.id]);
  expect(await places(world)).toBe(0);
});

it('needs a key that may create users', async ({ world }) => {
  await setUserSettings(world, on);
  const bare = await world.apiKey();

  const responses = [
    await world.call(bare, 'POST', 'user/auth/guest/', {}),
    await world.own('POST', 'user/auth/guest/', {}),
    await world.call(undefined, 'POST', 'user/auth/guest/', {}),
  ];

  expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
});

it('a guest ends after thirty days, with its objects', async ({ world, key }) => {
  await setUserSettings(world, on);
  const guest = await world.call(key, 'POST', 'user/auth/guest/', {});
  const stays = await world.call(key, 'POST', 'user/auth/guest/', {});
  const token = await tokenFor(
    world,
    { purpose: 'register', user: stays.body.id, email },
    2 * guestSeconds,
  );
  await world.call(key, 'POST', 'user/email/confirm/', { token });

  clock.forward(guestSeconds + 1);
  const late = await ownStatus(world, signedInAs(key, guest));
  await endGuests(world, [guest.body.id, stays.body.id]);

  expect(late).toBe(403);
  const users = [guest, stays].map(({ body }) => world.own('GET', `users/${body.id}/`));
  expect((await Promise.all(users)).map(({ status }) => status)).toEqual([404, 200]);
  const profile = await world.own('GET', `classes/user_profile/objects/${guest.body.profile.id}/`);
  expect(profile.status).toBe(404);
});

it('an instance has a thousand places, and a deleted guest frees its own', async ({
  world,
  key,
}) => {
  await setUserSettings(world, on);
  const guest = await world.call(key, 'POST', 'user/auth/guest/', {});
  const { guestPlace = 0 } = await userRecord(world, guest.body.id);
  await fillPlaces(world);

  const full = await world.call(key, 'POST', 'user/auth/guest/', {});
  await world.own('DELETE', `users/${guest.body.id}/`);

  expect([full.status, full.body]).toEqual([400, { detail: 'Guest count exceeded (1000).' }]);
  const { store } = world.api.platform;
  const at = [await instanceId(store, world.instance), guestPlace] as const;
  expect(await guestPlaceEntity.read(store, ...at)).toBeUndefined();
});

it('a client address makes thirty guests in an hour', async ({ world, key }) => {
  await setUserSettings(world, on);

  const statuses = [];
  for (let at = 0; at <= maxClientGuests; at += 1) {
    statuses.push((await world.call(key, 'POST', 'user/auth/guest/', {})).status);
  }
  clock.forward(3601);
  statuses.push((await world.call(key, 'POST', 'user/auth/guest/', {})).status);

  expect(statuses).toEqual([...Array(maxClientGuests).fill(201), 429, 201]);
});

it('a guest has no address of its own to change', async ({ world, key }) => {
  await setUserSettings(world, on);
  const as = signedInAs(key, await world.call(key, 'POST', 'user/auth/guest/', {}));

  const response = await world.call(as, 'POST', 'user/email/', { email });

  expect(response.status).toBe(400);
});

async function places({ api, instance }: World): Promise<number> {
  const { store } = api.platform;
  const id = await instanceId(store, instance);
  const all = Array.from({ length: maxGuests }, (_, at) => [id, at + 1] as const);
  const found = await guestPlaceEntity.readAll(store, all);
  return found.filter((item) => item !== undefined).length;
}

/** Fills all places that are free. */
async function fillPlaces({ api, instance }: World): Promise<void> {
  const { store, ids } = api.platform;
  const id = await instanceId(store, instance);
  const change = { actor: {}, cause: 'maintenance', depth: 0 } as const;
  const expiresAt = Math.floor(clock.micros() / 1e6) + guestSeconds;
  for (let at = 0; at < maxGuests; at += 100) {
    const writes = Array.from({ length: 100 }, (_, more) => ({
      ...putItem(guestPlaceEntity, guestPlaceEntity.key(id, at + more + 1), { user: 1 }),
      expiresAt,
    }));
    await store.write({ id: ids.random(), change, writes });
  }
}

/** Runs the jobs that end guests: the runner of jobs waits by the clock of the machine. */
async function endGuests({ api, instance }: World, users: readonly number[]): Promise<void> {
  const { platform } = api;
  const id = await instanceId(platform.store, instance);
  const context = {
    ...platform,
    settled: () => Promise.resolve(),
    endedBefore: () => Promise.resolve(true),
  };
  for (const user of users) {
    expect(await removeGuest.step(context, { instance: id, user })).toBe('done');
  }
}
