import type { Grants } from '../../shared/core/family.ts';

export const grants: Grants = {
  table: ['list', 'filter', 'write', 'check', 'count', 'meter'],
  files: ['public', 'private', 'uploads', 'traces'], // arguments of triggers
};
