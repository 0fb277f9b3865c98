import type { Grants } from '../../shared/core/family.ts';

export const grants: Grants = {
  table: ['write', 'meter'],
  vault: ['seal'],
};
