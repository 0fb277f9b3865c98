import { expect, test } from 'vitest';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { type Store, StoreBusy, type Stored } from '../../shared/store/store.ts';
import { createItem, deleteIfExists } from '../../shared/store/writes.ts';
import { sessionEntity } from '../../shared/table/entities/user-accounts.ts';
import type { SessionData } from '../../shared/table/records/user-accounts.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { maxNotedSessions } from '../../shared/values/bounds.ts';
import { write } from '../store/fixture.ts';
import { type MovedClock, openMovedClock } from '../support/moved-clock.ts';
import { temporaryStore } from '../support/temporary.ts';

/* The use of sessions is written outside of the path of requests, and revives no session that was ended. */

const day = 86_400;
const key = sessionEntity.key(7, 21, 5);
const it = test
  .extend('clock', () => openMovedClock())
  .extend('store', ({ clock }, scope) =>
    temporaryStore({ now: () => clock.micros() / 1000 })({}, scope),
  )
  .extend('given', ({ clock, store }) => setUp(clock, store));

it('is written once a day, with the time to live', async ({
  clock,
  store,
  given: { state, meter, begun, note },
}) => {
  clock.forward(day - 60);
  note(await found(store));
  await meter.flush();
  expect((await found(store)).data.usedAt).toBe(begun);
  clock.forward(60);
  const session = await found(store);
  for (let times = 0; times < 3; times += 1) note(session);
  await meter.flush();

  expect(state.writes).toBe(1);
  expect((await found(store)).data).toMatchObject({ usedAt: begun + day, until: begun + 91 * day });
  clock.forward(90 * day - 60);
  expect(await stored(store)).toBeDefined();
  clock.forward(61);
  expect(await stored(store)).toBeUndefined();
});

it('never extends it beyond the end of a guest', async ({
  clock,
  store,
  given: { meter, begun, note },
}) => {
  clock.forward(2 * day);
  note(await found(store), begun + 30 * day);
  await meter.flush();

  expect((await found(store)).data.until).toBe(begun + 30 * day);
});

it('does not revive one that was ended, nor write over another use', async ({
  clock,
  store,
  given: { logged, meter, begun, note },
}) => {
  clock.forward(2 * day);
  const session = await found(store);
  note(session);
  await meter.flush();
  clock.forward(2 * day);
  note(session); // of another process, which has read it before
  await meter.flush();
  expect((await found(store)).data.usedAt).toBe(begun + 2 * day);
  note(await found(store));
  await write(store, deleteIfExists(key));
  await meter.flush();

  expect(await stored(store)).toBeUndefined();
  expect(logged).toEqual([]);
});

it('is noted again by the next request when the store is busy', async ({
  clock,
  store,
  given: { state, logged, meter, begun, note },
}) => {
  clock.forward(2 * day);
  note(await found(store));
  state.isBusy = true;
  await meter.flush();
  expect(logged).toContainEqual(
    expect.objectContaining({ message: 'the use of a session could not be written' }),
  );
  state.isBusy = false;
  note(await found(store));
  await meter.flush();

  expect((await found(store)).data.usedAt).toBe(begun + 2 * day);
});

it('of more sessions than a process keeps in memory is dropped', async ({
  clock,
  store,
  given: { state, meter, begun, note },
}) => {
  clock.forward(2 * day);
  const session = await found(store);
  for (let number = 1; number <= maxNotedSessions; number += 1) {
    const { kind, version, data } = session;
    note({ key: sessionEntity.key(7, 22, number), kind, version, data }); // not stored
  }
  note(session);
  await meter.flush();

  expect((await found(store)).data.usedAt).toBe(begun);
  expect(state.writes).toBeLessThanOrEqual(maxNotedSessions + 1);
}, 60_000);

/** Begins a session. */
async function setUp(clock: MovedClock, store: Store) {
  const state = { writes: 0, isBusy: false };
  const logged: LogEntry[] = [];
  const counted: Store = {
    ...store,
    write: (transaction) => {
      state.writes += 1;
      return state.isBusy ? Promise.reject(new StoreBusy(1)) : store.write(transaction);
    },
  };
  const log = (entry: LogEntry) => logged.push(entry);
  const meter = openMeter({ store: counted, clock, ids: openIds(), log });
  const begun = Math.floor(clock.micros() / 1_000_000);
  const data: SessionData = {
    number: 5,
    secret_version: 1,
    generation: 1,
    proof: 'password',
    created_at: '',
    provedAt: begun,
    usedAt: begun,
    until: begun + 90 * day,
  };
  await write(store, { ...createItem(sessionEntity, key, data), expiresAt: data.until });
  /** Notes a use as a request does, which is counted as well. */
  function note(session: Stored<SessionData>, end?: number): void {
    meter.countRequest(7);
    meter.noteSession(session, end);
  }
  return { state, logged, meter, begun, note };
}

async function stored(store: Store): Promise<Stored<SessionData> | undefined> {
  return sessionEntity.read(store, 7, 21, 5);
}

async function found(store: Store): Promise<Stored<SessionData>> {
  const session = await stored(store);
  if (session === undefined) throw new Error('no session');
  return session;
}
