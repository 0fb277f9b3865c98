import type { Family } from '../../shared/core/family.ts';
import { codeRoute } from './addresses/codes.ts';
import { confirmRoute } from './addresses/confirm.ts';
import { deleteRoute } from './addresses/delete.ts';
import { emailRoute } from './addresses/email.ts';
import { guestRoute } from './addresses/guests.ts';
import { registerRoute } from './addresses/register.ts';
import { resetRoutes } from './addresses/reset.ts';
import { grants } from './grants.ts';
import { jobs } from './jobs.ts';
import { sessionRoutes } from './sessions.ts';

/** Addresses, codes, guests and sessions of an instance's users (docs/reference/user-accounts.md). */
export const userAccounts: Family = {
  name: 'user-accounts',
  grants,
  jobs,
  places: {
    '/instances/{instance}/user/': '/i/{instance}/users',
    '/instances/{instance}/users/': '/i/{instance}/users',
    '/instances/{instance}/users/{id}/': '/i/{instance}/users/{id}',
  },
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
