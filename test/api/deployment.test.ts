import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

describe('/v1.1/deployment/', () => {
  let api: Api;
  const path = '/v1.1/deployment/';

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(() => api.close());

  it('says without a key what leaves the deployment and who may register, and no setting', async () => {
    const { status, body } = await api.send({ path });

    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['mail', 'push', 'registration', 'sign_up']);
  });

  it('lists some settings for accounts, with name, value and meaning', async () => {
    const body = { email: 'ada@example.com', password: 'a password' };
    const made = await api.send({ path: '/v1.1/account/register/', body });
    const { settings } = (await api.send({ path, as: made.body.account_key })).body;

    expect(settings).toContainEqual({
      name: 'GROUNDWORK_REQUEST_LOG',
      value: 'on',
      meaning: 'Whether each instance has a log of its requests.',
    });
    for (const { name, value, meaning } of settings) {
      expect(name).toMatch(/^(GROUNDWORK_[A-Z_]+|--[a-z]+)$/);
      expect(value).not.toBe('');
      expect(meaning).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('lists none for API keys, whose holders are apps', async () => {
    const body = { email: 'eve@example.com', password: 'a password' };
    const made = await api.send({ path: '/v1.1/account/register/', body });
    const owner = { as: made.body.account_key };
    await api.send({ path: '/v1.1/instances/', body: { name: 'blog' }, ...owner });
    const created = await api.send({ path: '/v1.1/instances/blog/api_keys/', body: {}, ...owner });
    const { body: seen } = await api.send({ path, as: created.body.api_key });

    expect(seen).not.toHaveProperty('settings');
  });
});
