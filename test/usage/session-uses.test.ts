import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry, Meter } from '../../shared/ports/ports.ts';
import { type Store, StoreBusy, type Stored } from '../../shared/store/store.ts';
import { createItem, deleteIfExists } from '../../shared/store/writes.ts';
import { sessionEntity } from '../../shared/table/entities/user-accounts.ts';
import type { SessionData } from '../../shared/table/records/user-accounts.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { maxNotedSessions } from '../../shared/values/bounds.ts';
import { write } from '../store/fixture.ts';
import { type MovedClock, openMovedClock } from '../support/moved-clock.ts';

/* The use of sessions is written outside of the path of requests, and revives no session that was ended. */

const day = 86_400;
const key = sessionEntity.key(7, 21, 5);
const logged: LogEntry[] = [];
let store: LocalStore;
let clock: MovedClock;
let meter: Meter;
let writes: number;
let isBusy: boolean;
let begun: number;

beforeEach(async () => {
  clock = openMovedClock();
  store = await openTemporaryStore({ now: () => clock.micros() / 1000 });
  [writes, isBusy, logged.length] = [0, false, 0];
  const counted: Store = {
    ...store,
    write: (transaction) => {
      writes += 1;
      return isBusy ? Promise.reject(new StoreBusy(1)) : store.write(transaction);
    },
  };
  const log = (entry: LogEntry) => logged.push(entry);
  meter = openMeter({ store: counted, clock, ids: openIds(), log });
  begun = seconds();
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
});
afterEach(() => store.close());

const seconds = () => Math.floor(clock.micros() / 1_000_000);

async function stored(): Promise<Stored<SessionData> | undefined> {
  return sessionEntity.read(store, 7, 21, 5);
}

async function found(): Promise<Stored<SessionData>> {
  const session = await stored();
  if (session === undefined) throw new Error('no session');
  return session;
}

/** Notes a use as a request does, which is counted as well. */
function note(session: Stored<SessionData>, end?: number): void {
  meter.countRequest(7);
  meter.noteSession(session, end);
}

it('is written once a day, with the time to live', async () => {
  clock.forward(day - 60);
  note(await found());
  await meter.flush();
  expect((await found()).data.usedAt).toBe(begun);
  clock.forward(60);
  const session = await found();
  for (let times = 0; times < 3; times += 1) note(session);
  await meter.flush();

  expect(writes).toBe(1);
  expect((await found()).data).toMatchObject({ usedAt: begun + day, until: begun + 91 * day });
  clock.forward(90 * day - 60);
  expect(await stored()).toBeDefined();
  clock.forward(61);
  expect(await stored()).toBeUndefined();
});

it('never extends it beyond the end of a guest', async () => {
  clock.forward(2 * day);
  note(await found(), begun + 30 * day);
  await meter.flush();

  expect((await found()).data.until).toBe(begun + 30 * day);
});

it('does not revive one that was ended, nor write over another use', async () => {
  clock.forward(2 * day);
  const session = await found();
  note(session);
  await meter.flush();
  clock.forward(2 * day);
  note(session); // of another process, which has read it before
  await meter.flush();
  expect((await found()).data.usedAt).toBe(begun + 2 * day);
  note(await found());
  await write(store, deleteIfExists(key));
  await meter.flush();

  expect(await stored()).toBeUndefined();
  expect(logged).toEqual([]);
});

it('is noted again by the next request when the store is busy', async () => {
  clock.forward(2 * day);
  note(await found());
  isBusy = true;
  await meter.flush();
  expect(logged).toContainEqual(
    expect.objectContaining({ message: 'the use of a session could not be written' }),
  );
  isBusy = false;
  note(await found());
  await meter.flush();

  expect((await found()).data.usedAt).toBe(begun + 2 * day);
});

it('of more sessions than a process keeps in memory is dropped', async () => {
  clock.forward(2 * day);
  const session = await found();
  for (let number = 1; number <= maxNotedSessions; number += 1) {
    const { kind, version, data } = session;
    note({ key: sessionEntity.key(7, 22, number), kind, version, data }); // not stored
  }
  note(session);
  await meter.flush();

  expect((await found()).data.usedAt).toBe(begun);
  expect(writes).toBeLessThanOrEqual(maxNotedSessions + 1);
}, 60_000);
