import { allRights, endpointRoute, type Family } from '../../shared/core/family.ts';
import { open, post } from '../../shared/core/resource/endpoint.ts';
import { userFields } from '../../shared/users/fields.ts';
import { existsWhere, userSettingsLoads } from '../../shared/users/settings/user-settings.ts';
import { profileLoads, userLinks } from '../../shared/users/show-user.ts';
import { unsupportedBackend } from '../../shared/users/unsupported-backend.ts';
import { callbackParameters, finishLogIn } from './callback.ts';
import { exchangeCode, exchangeFields } from './exchange.ts';
import { grants } from './grants.ts';
import { startLogIn, startParameters } from './start.ts';

const exists = existsWhere(({ providers }) => providers.length > 0);

const startRoute = endpointRoute({
  name: 'User Log-in Start',
  description: 'Sends a browser to a service, where a user logs in.',
  operationNames: {
    GET: { id: 'startUserLogIn', summary: 'Start a log-in at another service' },
  },
  path: '/instances/{instance}/user/auth/{backend}/start/',
  v1Path: null,
  access: open,
  ignoresCredentials: true,
  isUnbatchable: true,
  exists,
  loads: userSettingsLoads,
  operations: { GET: { right: 'G', parameters: startParameters, run: startLogIn } },
  forms: { response: { status: 302 } },
});

const callbackRoute = endpointRoute({
  name: 'User Log-in Callback',
  description:
    'Gets the browser back from a service, with the parameters in the query or in a form, and sends it to the app.',
  operationNames: {
    GET: { id: 'finishUserLogIn', summary: 'Finish a log-in at another service' },
    POST: {
      id: 'finishUserLogInByForm',
      summary: 'Finish a log-in that a service sends as a form',
    },
  },
  path: '/instances/{instance}/user/auth/{backend}/callback/',
  v1Path: null,
  access: open,
  ignoresCredentials: true,
  isUnbatchable: true,
  maxBodyBytes: 32_768,
  exists,
  loads: userSettingsLoads,
  operations: {
    GET: { right: 'A', parameters: callbackParameters, run: finishLogIn },
    POST: { right: 'A', run: finishLogIn },
  },
  forms: { response: { status: 303 } },
});

const exchangeRoute = endpointRoute({
  name: 'User Log-in Exchange',
  operationNames: {
    POST: { id: 'exchangeUserLogIn', summary: 'Exchange a code of a redirect for a session' },
  },
  path: '/instances/{instance}/user/auth/exchange/',
  v1Path: null,
  access: { apiKey: allRights }, // accounts have no rights here, as on the path of the calling user
  exists,
  otherwise: unsupportedBackend('exchange'),
  response: { name: 'User', fields: userFields, links: userLinks },
  loads: { ...userSettingsLoads, ...profileLoads },
  ...post(exchangeFields, exchangeCode),
});

/** Log-ins at other services by redirect (docs/reference/user-accounts.md#log-in-by-redirect). */
export const userRedirects: Family = {
  name: 'user-redirects',
  grants,
  places: { '/instances/{instance}/user/': '/i/{instance}/users' },
  routes: [startRoute, callbackRoute, exchangeRoute],
};
