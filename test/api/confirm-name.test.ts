import { describe, expect } from 'vitest';
import { openWorld, type World } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';

const it = apiTest().extend('worlds', { scope: 'file' }, async ({ api }) => ({
  'v1.1': await openWorld(api, 'shelf-v11'),
  v1: await openWorld(api, 'shelf-v1'),
}));
const wrong = { detail: 'X-Confirm-Name is not the name of the instance.' };

describe.each(['v1.1', 'v1'] as const)('the deletion of an instance in %s', (version) => {
  const name = `shelf-${version.replace('.', '')}`;
  const path = `/${version}/instances/${name}/`;

  const remove = ({ api, owner }: World, headers: Readonly<Record<string, string>>) =>
    api.send({ as: owner, method: 'DELETE', path, headers });

  it.for([
    ['', 'nothing'],
    ['another', 'another name'],
    [`${name}, ${name}`, 'the name twice'],
    [name.toUpperCase(), 'capitals'],
    [`"${name}"`, 'quotes'],
    [encodeURIComponent(`${name}é`), 'percent signs'],
    ['\u00e9', 'a character beyond ASCII'],
  ])(
    'with %j (%s) in X-Confirm-Name is a 400, and deletes nothing',
    async ([sent = ''], { api, worlds }) => {
      const { status, body, headers } = await remove(worlds[version], { 'X-Confirm-Name': sent });

      expect([status, body]).toEqual([400, wrong]);
      expect(headers.get('X-Error-Code')).toBe('name_not_confirmed');
      expect((await api.send({ as: worlds[version].owner, path })).status).toBe(200);
    },
  );

  it('by others is a 403 whatever the header says', async ({ api, worlds }) => {
    const call = { method: 'DELETE', path, headers: { 'X-Confirm-Name': 'another' } };
    const { status } = await api.send({ as: await worlds[version].apiKey(), ...call });

    expect(status).toBe(403);
  });

  it('in a batch compares the header of the batch', async ({ api, worlds }) => {
    const call = {
      as: worlds[version].owner,
      path: `/${version}/instances/${name}/batch/`,
      body: { requests: [{ method: 'DELETE', path }] },
    };

    const response = await api.send({ ...call, headers: { 'X-Confirm-Name': 'another' } });

    expect(response.body).toEqual([{ code: 400, content: wrong }]);
    expect((await api.send({ as: worlds[version].owner, path })).status).toBe(200);
  });

  it('with the name in it deletes the instance', async ({ api, worlds }) => {
    const { status } = await remove(worlds[version], { 'X-Confirm-Name': name });

    expect(status).toBe(204);
    expect((await api.send({ as: worlds[version].owner, path })).status).toBe(404);
  });
});

describe('the deletion of an instance', () => {
  it('needs no header', async ({ api }) => {
    const world = await openWorld(api, 'without-header');

    const { status } = await api.send({ as: world.owner, method: 'DELETE', path: world.base });

    expect(status).toBe(204);
  });

  it('is confirmed by the header, not that of a class in it', async ({ api }) => {
    const world = await openWorld(api, 'other-items');
    await world.call(world.owner, 'POST', 'classes/', { name: 'book', schema: [] });
    const path = `${world.base}classes/book/`;

    const headers = { 'X-Confirm-Name': 'another' };
    const { status } = await api.send({ as: world.owner, method: 'DELETE', path, headers });

    expect(status).toBe(204);
  });

  it('may be confirmed by pages of other origins', async ({ api }) => {
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'DELETE' };

    const response = await api.send({ method: 'OPTIONS', path: '/v1.1/', headers });

    expect(response.headers.get('Access-Control-Allow-Headers')).toMatch(/\bx-confirm-name\b/);
  });

  it.for(['v1.1', 'v1'])('is described with the header in %s', async (version, { api }) => {
    const { body } = await api.send({ path: `/${version}/schema/?format=openapi` });

    const { description } = body.paths[`/${version}/instances/{instance_name}/`].delete;
    expect(description).toContain('X-Confirm-Name');
  });
});
