import { maintain } from '../../shared/jobs/maintain.ts';
import type { Stored } from '../../shared/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';
import { sessionEntity, userSettingsEntity } from '../../shared/table/entities/user-accounts.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import type { SessionData, UserSettingsData } from '../../shared/table/records/user-accounts.ts';
import { type NewSession, planSession } from '../../shared/users/sessions/plan-session.ts';
import { noUserSettings } from '../../shared/users/settings/user-settings.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { World } from './api.ts';
import { instanceId } from './stored-records.ts';

interface InWorld {
  readonly api: Pick<World['api'], 'platform'>;
  readonly instance: string;
}

/** Begins a session of a user, without the paths that do so; returns its key. */
export async function beginSession(
  world: InWorld,
  id: number,
  more: Partial<NewSession> = {},
): Promise<string> {
  const { platform } = world.api;
  const user = await storedUser(world, id);
  const instance = await instanceId(platform.store, world.instance);
  const { key, writes } = await planSession(platform, {
    instance,
    user: user.data,
    proof: 'password',
    ...more,
  });
  await maintain(platform, writes);
  return key;
}

/** Puts a session of a user with a chosen number. */
export async function putSession(
  { api: { platform }, instance: name }: InWorld,
  user: number,
  { number, provider }: Pick<SessionData, 'number'> & { readonly provider: string },
): Promise<void> {
  const micros = platform.clock.micros();
  const now = Math.floor(micros / 1_000_000);
  const { data } = await storedUser({ api: { platform }, instance: name }, user);
  const session: SessionData = {
    number,
    secret_version: 1,
    generation: data.generation,
    proof: 'provider',
    provider,
    created_at: timestamp(micros),
    provedAt: now,
    usedAt: now,
    until: now + 3600,
  };
  const key = sessionEntity.key(await instanceId(platform.store, name), user, number);
  await maintain(platform, [putItem(sessionEntity, key, session)]);
}

/** Returns the stored sessions of a user, the oldest first. */
export async function sessionsOf(
  { api, instance }: InWorld,
  user: number,
): Promise<readonly Stored<SessionData>[]> {
  const { store } = api.platform;
  const items = await sessionEntity.listAll(store, [await instanceId(store, instance), user]);
  return items.toSorted((one, other) => (one.data.created_at < other.data.created_at ? -1 : 1));
}

/** Returns the stored record of a user. Throws if there is none. */
export async function storedUser(
  { api, instance }: InWorld,
  id: number,
): Promise<Stored<UserData>> {
  const { store } = api.platform;
  const user = await userEntity.read(store, await instanceId(store, instance), id);
  if (user === undefined) throw new Error(`no user ${id}`);
  return user;
}

/** Stores settings of the users of an instance. */
export async function setUserSettings(
  { api: { platform }, instance }: InWorld,
  settings: Partial<UserSettingsData>,
): Promise<void> {
  const key = userSettingsEntity.key(await instanceId(platform.store, instance));
  const data: UserSettingsData = { ...noUserSettings, ...settings };
  await maintain(platform, [putItem(userSettingsEntity, key, data)]);
}
