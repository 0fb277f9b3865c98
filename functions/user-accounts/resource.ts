import type { Family } from '../../shared/core/family.ts';
import { grants } from './grants.ts';
import { sessionRoutes } from './sessions.ts';

/** Accounts of an instance's users (docs/reference/user-accounts.md). */
export const userAccounts: Family = {
  name: 'user-accounts',
  grants,
  routes: [...sessionRoutes],
};
