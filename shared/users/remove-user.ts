import { instanceOf } from '../core/resource/context-values.ts';
import { newJob } from '../jobs/jobs.ts';
import { type SaveCall, saveCallIn } from '../objects/save-call.ts';
import { planRemove } from '../objects/save-object.ts';
import { commitUnique } from '../store/commit.ts';
import type { Stored, Write } from '../store/store.ts';
import { deleteIfExists, deleteItem, putItem } from '../store/writes.ts';
import { objectEntity } from '../table/entities/classes.ts';
import {
  deletedUserEntity,
  membershipEntity,
  usernameEntity,
  userPasswordEntity,
} from '../table/entities/users.ts';
import { encodeText } from '../table/index-keys.ts';
import type { UserData } from '../table/records/records.ts';
import type { ApiError } from '../values/errors/errors.ts';
import { addressDeletes } from './addresses/user-address.ts';
import { type ClearUserTask, clearUser } from './clear-user.ts';
import { guestEnd } from './guests/guest-places.ts';
import { profileClassOf, type UserContext } from './show-user.ts';

/** Writes of the transaction that deletes a user. */
export interface WithRemoval {
  readonly writes: readonly Write[];
  /** Returns the error for a write conflict in one of them, where it has a meaning. */
  readonly conflictError: (write: Write) => ApiError | undefined;
}

const nothing: WithRemoval = { writes: [], conflictError: () => undefined };

/**
 * Deletes a user with name, address, password, memberships and profile, in one transaction. A background job deletes its
 * sessions and identities and the objects that it owns, on which no user has owner rights any more.
 */
export async function removeUser(
  context: UserContext,
  current: Stored<UserData>,
  { writes: more, conflictError }: WithRemoval = nothing,
): Promise<void> {
  const call = saveCallIn(context, instanceOf(context), profileClassOf(context));
  const writes = await planRemoveUser(call, current);
  await commitUnique(context, [...writes, ...more], conflictError);
}

/**
 * Returns the writes that delete a user.
 *
 * @param call a save in the class of profiles
 */
export async function planRemoveUser(
  call: SaveCall,
  current: Stored<UserData>,
): Promise<readonly Write[]> {
  const { platform, instance, classNumber } = call;
  const { id, username, groups, profile: profileId } = current.data;
  const found = await objectEntity.read(platform.store, instance, classNumber, profileId);
  const profile = found && (await planRemove(call, found));
  const task: ClearUserTask = { instance, user: id, isRecorded: true };
  return [
    deleteItem(current),
    deleteIfExists(usernameEntity.key(instance, encodeText(username))),
    ...addressDeletes(instance, current.data),
    ...guestEnd(instance, current.data),
    deleteIfExists(userPasswordEntity.key(instance, id)),
    ...groups.map((group) => deleteIfExists(membershipEntity.key(instance, group, id))),
    ...(profile?.writes ?? []),
    ...((await profile?.events()) ?? []),
    putItem(deletedUserEntity, deletedUserEntity.key(instance, id), { user: id }),
    newJob(platform, clearUser, task),
  ];
}
