import { describe, expect } from 'vitest';
import { expected, plantGroup, plantUser, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { column, forbidden, missing, taken } from '../support/responses.ts';

/** The records of channels, and who may do what with them; their messages are in messages.test.ts. */

const it = newWorldTest('chat');

const closed = {
  description: '',
  group: null,
  group_permissions: 'none',
  other_permissions: 'none',
};

describe('a channel', () => {
  it('is created with a name', async ({ world }) => {
    const { status, body } = await call(world, 'POST', '', { name: ' My-Chat ' });

    expect(status).toBe(201);
    expect(body).toEqual({
      name: 'my-chat',
      ...closed,
      type: 'default',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      custom_publish: false,
      links: linksOf(world, 'my-chat'),
    });
    expect((await call(world, 'GET', 'MY-chat/')).body).toEqual(body);
  });

  it('keeps its name and type when it is changed', async ({ world }) => {
    await make(world, 'chat', { type: 'separate_rooms', custom_publish: 'true' });
    const sent = { name: 'other', type: 'default', other_permissions: 'subscribe' };

    const { body } = await call(world, 'PATCH', 'chat/', sent);

    const shown = { name: 'chat', type: 'separate_rooms', other_permissions: 'subscribe' };
    expect(body).toMatchObject({ ...shown, custom_publish: true });
  });

  it('loses its permissions by a PUT without them', async ({ world }) => {
    await make(world, 'chat', { other_permissions: 'publish' });

    expect((await call(world, 'PUT', 'chat/', {})).body).toMatchObject({
      other_permissions: 'none',
    });
  });

  it('has a group that exists', async ({ world }) => {
    await plantGroup(world, 5);

    const wrong = await call(world, 'POST', '', { name: 'a', group: 6 });
    const right = await call(world, 'POST', '', { name: 'a', group: 5 });

    const message = 'Invalid pk "6" - object does not exist.';
    expect([wrong.status, wrong.body]).toEqual([400, { group: [message] }]);
    expect(right.body.links.group).toBe(`${world.base}groups/5/`);
  });

  it('has a name of its own', async ({ world }) => {
    await make(world, 'chat');

    for (const name of ['chat', 'DEFAULT', 'eventlog']) {
      const { status, body } = await call(world, 'POST', '', { name });
      expect([status, body]).toEqual([400, { name: taken }]);
    }
  });

  it('is gone when it was deleted, and its name is free', async ({ world }) => {
    await make(world, 'chat');

    expect((await call(world, 'DELETE', 'chat/')).status).toBe(204);

    const { status, body } = await call(world, 'GET', 'chat/');
    expect([status, body]).toEqual([404, missing]);
    expect((await call(world, 'POST', '', { name: 'chat' })).status).toBe(201);
  });
});

describe('built-in channels', () => {
  it('come first in the list', async ({ world }) => {
    await make(world, 'b');
    await make(world, 'a');

    expect(await names(world)).toEqual(['default', 'eventlog', 'b', 'a']);
    expect(await names(world, '?name__startswith=e')).toEqual(['eventlog']);
    expect(await names(world, '?page_size=2&ordering=desc')).toEqual(['a', 'b']);
  });

  it('have rooms, and the age of the instance', async ({ world }) => {
    const instance = await world.read('');

    const { body } = await call(world, 'GET', 'default/');

    const { created_at } = instance;
    const own = { name: 'default', type: 'separate_rooms', custom_publish: true };
    const times = { created_at, updated_at: created_at };
    expect(body).toEqual({ ...closed, ...own, ...times, links: linksOf(world, 'default') });
    expect((await call(world, 'GET', 'eventlog/')).body.custom_publish).toBe(false);
  });

  it('can be changed, and not deleted', async ({ world }) => {
    await call(world, 'PATCH', 'default/', { description: 'for all' });

    const { status, body } = await call(world, 'DELETE', 'default/');

    expect([status, body]).toEqual([403, forbidden]);
    expect((await call(world, 'DELETE', 'eventlog/')).status).toBe(403);
    expect((await call(world, 'GET', 'default/')).body.description).toBe('for all');
    expect(await names(world)).toEqual(['default', 'eventlog']);
  });
});

describe('a user', () => {
  it('sees the channels that it may subscribe to', async ({ world }) => {
    const user = { key: await world.apiKey(), user: await plantUser(world, 7, [3]) };
    await make(world, 'open', { other_permissions: 'subscribe' });
    await make(world, 'ours', { group: 3, group_permissions: 'publish' });
    await make(world, 'shut');

    const list = await world.call(user, 'GET', 'channels/');
    const shut = await world.call(user, 'GET', 'channels/shut/');

    expect(column(list, 'name')).toEqual(['open', 'ours']);
    expect([shut.status, shut.body]).toEqual([403, forbidden]);
  });

  it('loses the rights of a group that is deleted, and channels lose the group', async ({
    api,
    world,
  }) => {
    const user = { key: await world.apiKey(), user: await plantUser(world, 7, [3]) };
    await make(world, 'ours', { group: 3, group_permissions: 'publish' });

    expected(await world.own('DELETE', 'groups/3/'), 204);

    expect((await world.call(user, 'GET', 'channels/ours/')).status).toBe(403);
    await api.platform.idle();
    expect((await call(world, 'GET', 'ours/')).body.group).toBeNull();
  });
});

const call = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
  as: World['owner'] = world.owner,
) => world.call(as, method, `channels/${path}`, body);

const make = async (world: World, name: string, more: object = {}) =>
  expected(await call(world, 'POST', '', { name, ...more }), 201);

const names = async (world: World, query = '') => column(await call(world, 'GET', query), 'name');

function linksOf(world: World, name: string) {
  const self = `${world.base}channels/${name}/`;
  const below = (path: string) => `${self}${path}/`;
  return { self, poll: below('poll'), publish: below('publish'), history: below('history') };
}
