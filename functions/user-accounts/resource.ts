import type { Family } from '../../shared/core/family.ts';
import { codeRoute } from './codes.ts';
import { confirmRoute } from './confirm.ts';
import { deleteRoute } from './delete.ts';
import { emailRoute } from './email.ts';
import { grants } from './grants.ts';
import { guestRoute } from './guests.ts';
import { jobs } from './jobs.ts';
import { registerRoute } from './register.ts';
import { resetRoutes } from './reset.ts';
import { sessionRoutes } from './sessions.ts';

/** Accounts of an instance's users (docs/reference/user-accounts.md). */
export const userAccounts: Family = {
  name: 'user-accounts',
  grants,
  jobs,
  routes: [
    registerRoute,
    emailRoute,
    confirmRoute,
    ...resetRoutes,
    codeRoute,
    guestRoute,
    deleteRoute,
    ...sessionRoutes,
  ],
};
