import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import { createHeadCheck } from '../../shared/core/pipeline/admission.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { endpointRoute, open, post } from '../../shared/core/resource/endpoint.ts';
import { startServer } from '../../shared/platforms/local/server/server.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { existsWhere } from '../../shared/users/settings/user-settings.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { type Call, sendRaw } from '../support/http-client.ts';

/** A path that exists where guests are on, and one that is another route where they are off. */
const exists = existsWhere(({ guests }) => guests);
const guests = endpointRoute({
  name: 'Guests',
  path: '/instances/{instance}/guests/',
  v1Path: null,
  access: open,
  exists,
  ...post({}, async () => ({ status: 201, body: { is: 'on' } })),
});
const backend = routes.find(({ paths }) => paths['v1.1']?.endsWith('/user/auth/{backend}/'));
const hidden = endpointRoute({
  name: 'Hidden',
  path: '/instances/{instance}/user/auth/hidden/',
  v1Path: null,
  access: open,
  exists,
  ...post({}, async () => ({ status: 201, body: { is: 'on' } })),
  otherwise: { route: backend ?? guests, params: { backend: 'hidden' } },
});

const it = newWorldTest('path').extend('send', async ({ api }, { onCleanup }) => {
  const { platform } = api;
  const all = [...routes, guests, hidden];
  const dispatch = createDispatch(all, platform, { renderer: responseTemplates });
  const server = await startServer({
    ...platform,
    serve: createServe({ ...platform, dispatch }),
    headCheck: createHeadCheck(all, platform),
    host: '127.0.0.1',
    port: 0,
  });
  onCleanup(() => server.stop());
  return (call: Call) => sendRaw(server.url, call);
});

describe('a path that an instance has switched off', () => {
  it.for([
    ['a body', {}],
    ['a large body', { text: 'x'.repeat(100_000) }],
  ] as const)('is unknown to a request with %s', async ([, body], { world, send }) => {
    const off = await send({ path: `${world.base}guests/`, body });
    const unknown = await send({ path: `${world.base}unknown/`, body });

    expect([off.status, off.body]).toEqual([404, unknown.body]);
  });

  it('is unknown without its last slash', async ({ world, send }) => {
    const off = await send({ path: `${world.base}guests`, headers: { 'X-Error-Codes': '1' } });
    const unknown = await send({ path: `${world.base}unknown`, headers: { 'X-Error-Codes': '1' } });

    expect([off.status, off.text]).toEqual([404, unknown.text]);
  });

  it('is the path that it was before', async ({ world, send }) => {
    const body = { access_token: 'x' };
    const off = await send({
      as: await world.apiKey(),
      path: `${world.base}user/auth/hidden/`,
      body,
    });

    expect([off.status, off.body]).toEqual([400, { detail: 'Unsupported social backend.' }]);
  });

  it('is unknown in a batch', async ({ world, send }) => {
    const requests = ['guests/', 'unknown/'].map((name) => ({
      method: 'POST',
      path: world.base + name,
      body: {},
    }));
    const { body } = await send({
      as: world.owner,
      path: `${world.base}batch/`,
      body: { requests },
    });

    expect(body[0]).toEqual(body[1]);
  });

  it('exists when it is switched on', async ({ world, send }) => {
    await world.own('PATCH', 'user_settings/', { guests: true });

    for (const path of ['guests/', 'user/auth/hidden/']) {
      const on = await send({ path: world.base + path, body: {} });
      expect([on.status, on.body]).toEqual([201, { is: 'on' }]);
    }
  });
});
