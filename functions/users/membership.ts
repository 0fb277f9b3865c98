import { type Context, instanceOf, notFound } from '../../shared/core/family.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import { createItem, deleteIfExists, updateItem } from '../../shared/store/writes.ts';
import {
  deletedGroupsEntity,
  groupEntity,
  membershipEntity,
  userEntity,
} from '../../shared/table/entities/users.ts';
import type { GroupData, UserData } from '../../shared/table/records/records.ts';
import { dataMessages } from '../../shared/values/errors/data-messages.ts';
import {
  countExceeded,
  detailError,
  invalid,
  parentNotFound,
} from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';

const maxGroups = 32; // docs/reference/limits.md#accounts-and-instances. A user's record carries them all

/** A user and a group by id, and which of them the path names; the body names the other. */
export interface Pair {
  readonly user: number;
  readonly group: number;
  readonly parent: 'user' | 'group';
}

/** Both sides of a new membership. */
export interface NewMembership {
  readonly user: UserData;
  readonly group: GroupData;
}

/**
 * Adds a user to a group: one relation, seen from both sides (docs/reference/users-and-groups.md#memberships).
 *
 * @throws ApiError 400 when the named user or group does not exist, for a member, and above 32 groups a user
 */
export function addMembership(context: Context, pair: Pair): Promise<NewMembership> {
  const { store } = context.platform;
  const instance = instanceOf(context);
  return retryOnConflict(async () => {
    const groupKey = groupEntity.key(instance, pair.group);
    const { user, group, deleted } = await readTogether(store, {
      user: userEntity.at(instance, pair.user),
      group: groupEntity.at(instance, pair.group),
      deleted: deletedGroupsEntity.at(instance),
    });
    if (user === undefined) throw missing(pair, 'user');
    if (group === undefined) throw missing(pair, 'group');
    const gone = deleted?.data.groups ?? [];
    const groups = user.data.groups.filter((id) => !gone.includes(id));
    if (groups.includes(pair.group))
      throw detailError(400, dataMessages.alreadyMember, 'state_conflict');
    if (groups.length >= maxGroups) throw countExceeded("User's group", maxGroups);
    const data = { ...user.data, groups: [...groups, pair.group].sort((a, b) => a - b) };
    const key = membershipEntity.key(instance, pair.group, pair.user);
    await commit(context, [
      updateItem(user, data),
      createItem(membershipEntity, key, { user: pair.user }),
      { action: 'check', key: groupKey, condition: { kind: 'present' } },
    ]);
    return { user: data, group: group.data };
  });
}

function missing(pair: Pair, side: 'user' | 'group') {
  if (pair.parent === side) return parentNotFound(side === 'user' ? 'User' : 'Group');
  return invalid({ [side]: [messages.noSuchPk(pair[side])] });
}

/** Deletes a user's membership in a group. Tries once. */
export async function removeMembership(
  context: Context,
  { user: id, group }: Pick<Pair, 'user' | 'group'>,
): Promise<void> {
  const instance = instanceOf(context);
  const user = await userEntity.read(context.platform.store, instance, id);
  if (user === undefined || !user.data.groups.includes(group)) throw notFound();
  const groups = user.data.groups.filter((other) => other !== group);
  const key = membershipEntity.key(instance, group, id);
  await commit(context, [updateItem(user, { ...user.data, groups }), deleteIfExists(key)]);
}
