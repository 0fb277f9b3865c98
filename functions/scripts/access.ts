import { type Access, allRights } from '../../shared/values/access.ts';

/**
 * Scripts are for administrators: no API key has to do with them, whatever its flags
 * (docs/reference/scripts.md#permissions).
 */
export const access: Access = { owner: allRights, full: allRights, write: allRights, read: 'LG' };
