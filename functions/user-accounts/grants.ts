import type { Grants } from '../../shared/core/family.ts';

export const grants: Grants = {
  table: ['list', 'write', 'check', 'count', 'meter'],
  files: ['public', 'private', 'uploads', 'traces'], // of profiles, and arguments of triggers
};
