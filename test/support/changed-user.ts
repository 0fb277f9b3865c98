import { maintain } from '../../shared/jobs/maintain.ts';
import { updateItem } from '../../shared/store/writes.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import type { World } from './api.ts';
import { storedUser } from './user-sessions.ts';

/** Changes the stored record of a user, without the paths that do so. */
export async function changeUser(
  world: Pick<World, 'api' | 'instance'>,
  id: number,
  changes: Partial<UserData>,
): Promise<void> {
  const user = await storedUser(world, id);
  await maintain(world.api.platform, [updateItem(user, { ...user.data, ...changes })]);
}
