import { type Access, allRights } from '../values/access.ts';

/** Who may do what with users (docs/reference/users-and-groups.md#permissions). A user is bound to himself besides. */
export const userAccess: Access = {
  owner: allRights,
  full: allRights,
  write: allRights,
  read: 'LG',
  ignoreAcl: allRights,
  allowUserCreate: 'C',
  user: 'LGUA',
};
