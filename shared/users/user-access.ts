import type { UserData } from '../table/records/records.ts';
import { type Access, allRights } from '../values/access.ts';

/** Access table of users (docs/reference/users-and-groups.md#permissions). In addition, a user is limited to itself. */
export const userAccess: Access = {
  owner: allRights,
  full: allRights,
  write: allRights,
  read: 'LG',
  ignoreAcl: allRights,
  allowUserCreate: 'C',
  user: 'LGUA',
};

/**
 * Checks whether a record, which a request may have read again after a write conflict, is that of the calling user with the
 * key of the request: another person may have proved its address since.
 */
export function isSameUser(caller: UserData, { id, generation }: UserData): boolean {
  return caller.id === id && caller.generation === generation;
}
