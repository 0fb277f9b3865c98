import type { Grants } from '../../shared/platform/grants.ts';

export const grants: Grants = {
  table: ['list', 'write', 'meter'],
};
