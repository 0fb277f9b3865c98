import { signUpOf, signUps } from '../../shared/accounts/registration.ts';
import { computed, endpointRoute, type Family } from '../../shared/core/family.ts';
import { linkPage, open } from '../../shared/core/resource/endpoint.ts';
import { grants } from './grants.ts';

const versionLinks = { v1: '/v1/', 'v1.1': '/v1.1/' };

const homeLinks = {
  instances: '/instances/',
  account: '/account/',
  usage: '/usage/',
  schema: '/schema/',
  backups: '/backups/',
};

const devices = { devices: 'devices/', messages: 'messages/', config: 'config/' };

const inInstance = '/instances/{instance}';

const deployment = endpointRoute({
  name: 'Deployment',
  noun: 'deployment',
  operationNames: { GET: { id: 'getDeployment', summary: 'Get what a deployment offers' } },
  description:
    'Whether mails and pushes leave the deployment, and who may register; for accounts, some of its settings.',
  path: '/deployment/',
  v1Path: null,
  access: open,
  isUntemplated: true as const,
  response: {
    fields: {
      mail: computed('choice', { choices: ['sent', 'logged'] }),
      push: computed('choice', { choices: ['sent', 'outbox'] }),
      registration: computed('choice', { choices: ['open', 'closed', 'local'] }),
      sign_up: computed('choice', { choices: signUps }),
      settings: computed('list', {
        isOptional: true,
        child: computed('nested object', {
          children: {
            name: computed('string'),
            value: computed('string', { nullable: true }),
            meaning: computed('string'),
          },
        }),
      }),
    },
  },
  operations: {
    GET: {
      right: 'G',
      run: async (context) => {
        const { actor, platform } = context;
        const { mailer, push, settings, publicSettings } = platform;
        const body = {
          mail: mailer.delivery === 'log' ? 'logged' : 'sent',
          push: push.mode === 'send' ? 'sent' : 'outbox',
          registration: settings.registration,
          sign_up: await signUpOf(context),
          ...(actor.kind === 'admin' && { settings: publicSettings }),
        };
        return { status: 200, body };
      },
    },
  },
});

/** The pages of links from the root to everything, and what a deployment offers; open to all (docs/reference/responses.md#link-pages). */
export const root: Family = {
  name: 'root',
  grants,
  places: {
    '/': '/',
    '/instances/{instance}/snippets/': '/i/{instance}/scripts',
    '/instances/{instance}/endpoints/': '/i/{instance}/endpoints',
    '/instances/{instance}/push_notifications/': '/i/{instance}/push',
    '/instances/{instance}/push_notifications/gcm/': '/i/{instance}/push/gcm',
    '/instances/{instance}/push_notifications/apns/': '/i/{instance}/push/apns',
  },
  routes: [
    {
      ...linkPage({ name: 'Versions', noun: 'version links', path: '/', links: versionLinks }),
      paths: {},
      isRoot: true,
      operations: {
        GET: {
          right: 'G',
          run: () => Promise.resolve({ status: 200, body: { links: versionLinks } }),
        },
      },
    },
    linkPage({ name: 'Root', noun: 'root links', path: '/', links: homeLinks }),
    deployment,
    linkPage({
      name: 'Snippets',
      noun: 'snippet links',
      path: `${inInstance}/snippets/`,
      links: { scripts: 'scripts/', templates: 'templates/', config: 'config/' },
    }),
    linkPage({
      name: 'Endpoints',
      noun: 'endpoint links',
      path: `${inInstance}/endpoints/`,
      links: { scripts: 'scripts/', data: 'data/' },
    }),
    ...pushPages(`${inInstance}/push_notifications/`, ['gcm', 'apns']),
  ],
};

/** Returns a page for each provider, and one that lists them all. */
function pushPages(path: string, providers: readonly string[]) {
  return [
    linkPage({
      name: 'Push Notifications',
      noun: 'push notification links',
      path,
      links: Object.fromEntries(
        providers.map((provider) => [provider, { uri: `${provider}/`, links: devices }]),
      ),
    }),
    ...providers.map((provider) =>
      linkPage({
        name: `Push Notifications ${provider.toUpperCase()}`,
        noun: `${provider.toUpperCase()} links`,
        path: `${path}${provider}/`,
        links: devices,
      }),
    ),
  ];
}
