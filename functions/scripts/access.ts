import { allRights } from '../../shared/core/family.ts';
import type { Access } from '../../shared/values/access.ts';

/**
 * Rights to scripts: for administrators only. API keys cannot access scripts, whatever their flags
 * (docs/reference/scripts.md#permissions).
 */
export const scriptAccess: Access = {
  owner: allRights,
  full: allRights,
  write: allRights,
  read: 'LG',
};
