import type { Grants } from '../../shared/ports/grants.ts';

export const grants: Grants = {
  table: ['list', 'write', 'count', 'meter'],
  push: ['configure'],
};
