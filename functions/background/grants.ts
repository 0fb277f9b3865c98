import type { Grants } from '../../shared/core/family.ts';

/** What the background function needs from AWS. */
export const grants: Grants = {
  table: ['list', 'filter', 'write', 'count', 'meter'],
  files: ['public', 'private', 'thumbs', 'uploads', 'scripts', 'traces', 'dead-letters', 'backups'],
  push: ['send', 'configure'], // restores seal credentials for another instance
  scripts: ['start', 'deploy'],
  mail: true, // to users of instances
};
