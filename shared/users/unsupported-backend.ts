import { endpointRoute, post } from '../core/resource/endpoint.ts';
import { defineFields, textField } from '../core/resource/field.ts';
import { validInput } from '../core/resource/input.ts';
import type { Route } from '../core/routing/route.ts';
import { allRights } from '../values/access.ts';
import { detailError } from '../values/errors/errors.ts';
import { userFields } from './fields.ts';
import { userLinks } from './show-user.ts';

const fields = defineFields({ access_token: textField(undefined, { shownRequired: true }) });

/** Log-ins with the token of a service that no deployment has. */
const route = endpointRoute({
  name: 'User Social Auth',
  operationNames: {
    POST: {
      id: 'logInAsUserWithSocialToken',
      summary: 'Log in as a user with a social service token',
    },
  },
  path: '/instances/{instance}/user/auth/{backend}/',
  access: {
    owner: allRights,
    full: allRights,
    write: allRights,
    read: allRights,
    apiKey: allRights,
  },
  response: { fields: userFields, links: userLinks },
  ...post(fields, (_, body) => {
    validInput(fields, body, 'create');
    throw detailError(400, 'Unsupported social backend.', 'social_login_failed');
  }),
});

/** Returns what serves a path below `user/auth/` where it is off: to older clients it is the name of a service. */
export function unsupportedBackend(backend: string): NonNullable<Route['otherwise']> {
  return { route, params: { backend } };
}
