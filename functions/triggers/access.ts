import { allRights } from '../../shared/core/family.ts';
import type { Access } from '../../shared/values/access.ts';

/** Rights to triggers: for administrators only, as to scripts (docs/reference/triggers.md#permissions). */
export const triggerAccess: Access = {
  owner: allRights,
  full: allRights,
  write: allRights,
  read: 'LG',
};
