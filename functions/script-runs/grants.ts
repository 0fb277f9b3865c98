import type { Grants } from '../../shared/core/family.ts';

/** What the function for background runs needs from AWS. */
export const grants: Grants = {
  table: ['list', 'write', 'count', 'meter'],
  files: ['scripts', 'traces'],
  scripts: ['run', 'start'], // the end of a run starts the next one
};
