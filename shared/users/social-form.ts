import type { Endpoint } from '../core/resource/endpoint.ts';
import { defineFields, textField } from '../core/resource/field.ts';
import { type Access, allRights } from '../values/access.ts';
import { userFields } from './fields.ts';
import { userLinks } from './show-user.ts';

/** Access of log-ins of users. */
export const logInAccess: Access = {
  owner: allRights,
  full: allRights,
  write: allRights,
  read: allRights,
  apiKey: allRights,
};

/** Fields of a log-in by another service. */
export const userSocialFields = defineFields({
  access_token: textField(undefined, { shownRequired: true }),
});

/** The path of log-ins with the token of another service (docs/reference/users-and-groups.md#log-in). */
export const socialForm = {
  name: 'User Social Auth',
  operationNames: {
    POST: {
      id: 'logInAsUserWithSocialToken',
      summary: 'Log in as a user with a social service token',
    },
  },
  path: '/instances/{instance}/user/auth/{backend}/',
  access: logInAccess,
  response: { fields: userFields, links: userLinks },
} as const satisfies Partial<Endpoint>;
