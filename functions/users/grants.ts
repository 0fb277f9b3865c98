import type { Grants } from '../../shared/platform/grants.ts';

/** What the function of this family needs from AWS. */
export const grants: Grants = {
  table: ['read', 'list', 'write', 'check', 'count', 'meter'],
  files: ['public', 'uploads'], // of profiles
};
