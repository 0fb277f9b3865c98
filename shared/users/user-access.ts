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
