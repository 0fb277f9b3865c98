import { beforeEach, describe, expect, it } from 'vitest';
import { expected, openWorld, plantGroup, plantUser, type World } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { column, forbidden, missing, taken } from '../support/responses.ts';

useApi();

/** The records of channels, and who may do what with them; their messages are in messages.test.ts. */

let world: World;
let count = 0;
beforeEach(async () => {
  count += 1;
  world = await openWorld(api, `chat-${count}`);
});

const call = (method: string, path: string, body?: unknown, as: World['owner'] = world.owner) =>
  world.call(as, method, `channels/${path}`, body);
const make = async (name: string, more: object = {}) =>
  expected(await call('POST', '', { name, ...more }), 201);
const names = async (query = '') => column(await call('GET', query), 'name');

function linksOf(name: string) {
  const self = `${world.base}channels/${name}/`;
  const below = (path: string) => `${self}${path}/`;
  return { self, poll: below('poll'), publish: below('publish'), history: below('history') };
}

const closed = {
  description: '',
  group: null,
  group_permissions: 'none',
  other_permissions: 'none',
};

describe('a channel', () => {
  it('is created with a name', async () => {
    const { status, body } = await call('POST', '', { name: ' My-Chat ' });

    expect(status).toBe(201);
    expect(body).toEqual({
      name: 'my-chat',
      ...closed,
      type: 'default',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      custom_publish: false,
      links: linksOf('my-chat'),
    });
    expect((await call('GET', 'MY-chat/')).body).toEqual(body);
  });

  it('keeps its name and type when it is changed', async () => {
    await make('chat', { type: 'separate_rooms', custom_publish: 'true' });
    const sent = { name: 'other', type: 'default', other_permissions: 'subscribe' };

    const { body } = await call('PATCH', 'chat/', sent);

    const shown = { name: 'chat', type: 'separate_rooms', other_permissions: 'subscribe' };
    expect(body).toMatchObject({ ...shown, custom_publish: true });
  });

  it('loses its permissions by a PUT without them', async () => {
    await make('chat', { other_permissions: 'publish' });

    expect((await call('PUT', 'chat/', {})).body).toMatchObject({ other_permissions: 'none' });
  });

  it('has a group that exists', async () => {
    await plantGroup(world, 5);

    const wrong = await call('POST', '', { name: 'a', group: 6 });
    const right = await call('POST', '', { name: 'a', group: 5 });

    const message = 'Invalid pk "6" - object does not exist.';
    expect([wrong.status, wrong.body]).toEqual([400, { group: [message] }]);
    expect(right.body.links.group).toBe(`${world.base}groups/5/`);
  });

  it('has a name of its own', async () => {
    await make('chat');

    for (const name of ['chat', 'DEFAULT', 'eventlog']) {
      const { status, body } = await call('POST', '', { name });
      expect([status, body]).toEqual([400, { name: taken }]);
    }
  });

  it('is gone when it was deleted, and its name is free', async () => {
    await make('chat');

    expect((await call('DELETE', 'chat/')).status).toBe(204);

    const { status, body } = await call('GET', 'chat/');
    expect([status, body]).toEqual([404, missing]);
    expect((await call('POST', '', { name: 'chat' })).status).toBe(201);
  });
});

describe('built-in channels', () => {
  it('come first in the list', async () => {
    await make('b');
    await make('a');

    expect(await names()).toEqual(['default', 'eventlog', 'b', 'a']);
    expect(await names('?name__startswith=e')).toEqual(['eventlog']);
    expect(await names('?page_size=2&ordering=desc')).toEqual(['a', 'b']);
  });

  it('have rooms, and the age of the instance', async () => {
    const instance = expected(await world.call(world.owner, 'GET', ''), 200);

    const { body } = await call('GET', 'default/');

    const { created_at } = instance;
    const own = { name: 'default', type: 'separate_rooms', custom_publish: true };
    const times = { created_at, updated_at: created_at };
    expect(body).toEqual({ ...closed, ...own, ...times, links: linksOf('default') });
    expect((await call('GET', 'eventlog/')).body.custom_publish).toBe(false);
  });

  it('can be changed, and not deleted', async () => {
    await call('PATCH', 'default/', { description: 'for all' });

    const { status, body } = await call('DELETE', 'default/');

    expect([status, body]).toEqual([403, forbidden]);
    expect((await call('DELETE', 'eventlog/')).status).toBe(403);
    expect((await call('GET', 'default/')).body.description).toBe('for all');
    expect(await names()).toEqual(['default', 'eventlog']);
  });
});

describe('a user', () => {
  it('sees the channels that it may subscribe to', async () => {
    const user = { key: await world.apiKey(), user: await plantUser(world, 7, [3]) };
    await make('open', { other_permissions: 'subscribe' });
    await make('ours', { group: 3, group_permissions: 'publish' });
    await make('shut');

    const list = await world.call(user, 'GET', 'channels/');
    const shut = await world.call(user, 'GET', 'channels/shut/');

    expect(column(list, 'name')).toEqual(['open', 'ours']);
    expect([shut.status, shut.body]).toEqual([403, forbidden]);
  });

  it('loses the rights of a group that is deleted, and channels lose the group', async () => {
    const user = { key: await world.apiKey(), user: await plantUser(world, 7, [3]) };
    await make('ours', { group: 3, group_permissions: 'publish' });

    expected(await world.call(world.owner, 'DELETE', 'groups/3/'), 204);

    expect((await world.call(user, 'GET', 'channels/ours/')).status).toBe(403);
    await api.platform.idle();
    expect((await call('GET', 'ours/')).body.group).toBeNull();
  });
});
