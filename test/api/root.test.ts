import { expect } from 'vitest';
import { worldTest } from '../support/fixtures.ts';
import { scenarios } from '../support/scenarios.ts';

const it = worldTest();

const home = (version: string, further = {}) => ({
  links: {
    instances: `/${version}/instances/`,
    ...further,
    account: `/${version}/account/`,
    usage: `/${version}/usage/`,
    schema: `/${version}/schema/`,
  },
});
const push = (base: string) => ({
  devices: `${base}devices/`,
  messages: `${base}messages/`,
  config: `${base}config/`,
});
const pushPage = (base: string) => ({
  links: {
    gcm: { uri: `${base}gcm/`, links: push(`${base}gcm/`) },
    apns: { uri: `${base}apns/`, links: push(`${base}apns/`) },
  },
});
const inInstance = '/v1.1/instances/blog-1/';
const inOld = '/v1/instances/blog-1/';
const healthy = { status: 'ok' };

scenarios(it, 'a page of links', [
  {
    name: 'stands at the root',
    path: '/',
    status: 200,
    response: { links: { v1: '/v1/', 'v1.1': '/v1.1/' } },
  },
  {
    name: 'stands at the version',
    path: '/v1.1/',
    status: 200,
    response: home('v1.1', { backups: '/v1.1/backups/' }),
  },
  {
    name: 'stands at the older version',
    path: '/v1/',
    status: 200,
    response: home('v1', { backups: '/v1/backups/' }),
  },
  {
    name: 'stands at snippets',
    path: `${inInstance}snippets/`,
    status: 200,
    response: {
      links: {
        scripts: `${inInstance}snippets/scripts/`,
        templates: `${inInstance}snippets/templates/`,
        config: `${inInstance}snippets/config/`,
      },
    },
  },
  {
    name: 'stands at endpoints',
    path: `${inInstance}endpoints/`,
    status: 200,
    response: {
      links: { scripts: `${inInstance}endpoints/scripts/`, data: `${inInstance}endpoints/data/` },
    },
  },
  {
    name: 'stands at push notifications',
    path: `${inInstance}push_notifications/`,
    status: 200,
    response: pushPage(`${inInstance}push_notifications/`),
  },
  {
    name: 'stands at push notifications of the older version',
    path: `${inOld}push_notifications/`,
    status: 200,
    response: pushPage(`${inOld}push_notifications/`),
  },
  {
    name: 'stands at a provider',
    path: `${inInstance}push_notifications/gcm/`,
    status: 200,
    response: { links: push(`${inInstance}push_notifications/gcm/`) },
  },
  {
    name: 'bears the name of the instance as it is kept',
    path: '/v1.1/instances/BLOG-1/push_notifications/apns/',
    status: 200,
    response: { links: push(`${inInstance}push_notifications/apns/`) },
  },
  {
    name: 'needs its instance',
    path: '/v1.1/instances/nowhere/snippets/',
    status: 404,
    response: { detail: 'Instance was not found.' },
  },
  {
    name: 'is no place for a bad key',
    path: `${inInstance}snippets/`,
    as: 'bad',
    status: 403,
    response: { detail: 'No such API Key.' },
  },
  {
    name: 'is not written to',
    method: 'POST',
    path: '/v1.1/',
    status: 405,
    response: { detail: 'Method "POST" not allowed.' },
  },
  {
    name: 'is described to everybody, without actions',
    method: 'OPTIONS',
    path: `${inInstance}snippets/`,
    status: 200,
    response: {
      name: 'Snippets',
      description: '',
      renders: ['application/json', 'text/html'],
      parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    },
  },
]);

it('the root is the same with a key', async ({ api, world }) => {
  const { status, body } = await api.send({ as: world.owner, path: '/' });

  expect([status, body]).toEqual([200, { links: { v1: '/v1/', 'v1.1': '/v1.1/' } }]);
});

scenarios(it, 'the path for probes', [
  { name: 'needs no key', path: '/health', status: 200, response: healthy },
  { name: 'may end with a slash', path: '/health/', status: 200, response: healthy },
  { name: 'ignores keys', path: '/health', as: 'bad', status: 200, response: healthy },
  {
    name: 'is not written to',
    method: 'POST',
    path: '/health',
    status: 404,
    response: { detail: 'Not found.' },
  },
]);

it('the path for probes responds to HEAD, too, and no cache keeps its response', async ({
  api,
}) => {
  const { status, headers } = await api.send({ method: 'HEAD', path: '/health' });

  expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
});
