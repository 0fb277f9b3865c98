import { endpointRoute, post } from '../core/resource/endpoint.ts';
import { validInput } from '../core/resource/input.ts';
import type { Route } from '../core/routing/route.ts';
import { detailError } from '../values/errors/errors.ts';
import { socialForm, userSocialFields } from './social-form.ts';

/** Log-ins with the token of a service that no deployment has. */
const route: Route = {
  ...endpointRoute({
    ...socialForm,
    ...post(userSocialFields, (_, body) => {
      validInput(userSocialFields, body, 'create');
      throw detailError(400, 'Unsupported social backend.', 'social_login_failed');
    }),
  }),
  places: { '/instances/{instance}/user/': '/i/{instance}/users' }, // as of the services
};

/** Returns what serves a path below `user/auth/` where it is off: to older clients it is the name of a service. */
export function unsupportedBackend(backend: string): NonNullable<Route['otherwise']> {
  return { route, params: { backend } };
}
