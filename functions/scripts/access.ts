import { type Access, allRights } from '../../shared/domain/access.ts';

/** Scripts are for administrators: no API key has to do with them, whatever its flags (reference: API key). */
export const access: Access = { owner: allRights, full: allRights, write: allRights, read: 'LG' };
