import { linkPage } from '../../shared/core/resource/endpoint.ts';
import type { Family } from '../../shared/core/resource/route.ts';

const versionLinks = { v1: '/v1/', 'v1.1': '/v1.1/' };

const home = {
  instances: '/instances/',
  account: '/account/',
  usage: '/usage/',
  schema: '/schema/',
};

const devices = { devices: 'devices/', messages: 'messages/', config: 'config/' };

const inInstance = '/instances/{instance}';

/** The pages of links that lead from the root to everything, open to all (docs/reference/responses.md#link-pages). */
export const root: Family = {
  name: 'root',
  routes: [
    {
      ...linkPage({ name: 'Versions', path: '/', links: versionLinks }),
      paths: {},
      isRoot: true,
      operations: {
        GET: {
          right: 'G',
          run: () => Promise.resolve({ status: 200, body: { links: versionLinks } }),
        },
      },
    },
    linkPage({ name: 'Root', path: '/', links: home }),
    linkPage({
      name: 'Snippets',
      path: `${inInstance}/snippets/`,
      v1Path: null,
      links: { scripts: 'scripts/', templates: 'templates/', config: 'config/' },
    }),
    linkPage({
      name: 'Endpoints',
      path: `${inInstance}/endpoints/`,
      v1Path: null,
      links: { scripts: 'scripts/', data: 'data/' },
    }),
    ...pushPages(`${inInstance}/push_notifications/`, ['gcm', 'apns']),
  ],
};

/** Per provider a page of its own, and one on which all of them stand. */
function pushPages(path: string, providers: readonly string[]) {
  return [
    linkPage({
      name: 'Push Notifications',
      path,
      links: Object.fromEntries(
        providers.map((provider) => [provider, { uri: `${provider}/`, links: devices }]),
      ),
    }),
    ...providers.map((provider) =>
      linkPage({
        name: `Push Notifications ${provider.toUpperCase()}`,
        path: `${path}${provider}/`,
        links: devices,
      }),
    ),
  ];
}
