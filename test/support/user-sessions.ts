import { maintain } from '../../shared/jobs/maintain.ts';
import type { Stored } from '../../shared/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';
import { sessionEntity, userSettingsEntity } from '../../shared/table/entities/user-accounts.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import type { SessionData, UserSettingsData } from '../../shared/table/records/user-accounts.ts';
import { type NewSession, planSession } from '../../shared/users/sessions/plan-session.ts';
import { noUserSettings } from '../../shared/users/settings/user-settings.ts';
import type { World } from './api.ts';
import { instanceId } from './stored-records.ts';

type InWorld = Pick<World, 'api' | 'instance'>;

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
