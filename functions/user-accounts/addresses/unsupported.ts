import {
  allRights,
  defineFields,
  endpointRoute,
  type Route,
  text,
  validInput,
} from '../../../shared/core/family.ts';
import { post } from '../../../shared/core/resource/endpoint.ts';
import { userFields } from '../../../shared/users/fields.ts';
import { userLinks } from '../../../shared/users/show-user.ts';
import { detailError } from '../../../shared/values/errors/errors.ts';

const fields = defineFields({ access_token: text(undefined, { shownRequired: true }) });

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

/** Returns what a path below `user/auth/` is where it is off: that of a service that the deployment does not have. */
export function unsupportedBackend(backend: string): NonNullable<Route['otherwise']> {
  return { route, params: { backend } };
}
