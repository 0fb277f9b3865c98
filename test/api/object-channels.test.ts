import { beforeEach, describe, expect, it } from 'vitest';
import { type Credentials, expected, openWorld, plantUser, type World } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';

useApi();

/** Data objects that have a channel: its messages, and who may change them. */

let world: World;
let count = 0;
beforeEach(async () => {
  count += 1;
  world = await openWorld(api, `note-${count}`);
  const open = { other_permissions: 'create_objects' };
  await world.dataClass(
    'note',
    [
      { name: 'title', type: 'string' },
      { name: 'pages', type: 'integer' },
    ],
    open,
  );
  await channel('news', {});
  await channel('rooms', { type: 'separate_rooms' });
});

const call = (method: string, path: string, body?: unknown, as: Credentials = world.owner) =>
  world.call(as, method, path, body);
const channel = async (name: string, more: object) =>
  expected(await call('POST', 'channels/', { name, ...more }), 201);
const objects = 'classes/note/objects/';
const create = async (more: object) =>
  expected(await call('POST', objects, { title: 'a', channel: 'news', ...more }), 201);

async function messages(name = 'news', query = '') {
  await api.platform.idle();
  const path = `channels/${name}/history/?ordering=asc${query}`;
  return expected(await call('GET', path), 200).objects;
}

describe('the channel of an object', () => {
  it('gets a message of its creation, its changes and its deletion', async () => {
    const { body: account } = await api.send({ as: world.owner, path: '/v1.1/account/' });
    const { links: _, channel: __, channel_room: ___, ...made } = await create({ pages: 1 });
    const changed = expected(await call('PATCH', `${objects}${made.id}/`, { pages: 2 }), 200);
    await call('PATCH', `${objects}${made.id}/`, { pages: 2 }); // changes nothing
    await call('DELETE', `${objects}${made.id}/`);

    const all = await messages();

    const common = {
      author: { admin: account.id },
      metadata: { type: 'object', class: 'note' },
      created_at: expect.any(String),
      links: expect.any(Object),
    };
    const { id, revision, updated_at, pages } = changed;
    expect(all).toEqual([
      { ...common, id: 1, action: 'create', payload: made },
      { ...common, id: 2, action: 'update', payload: { id, updated_at, revision, pages } },
      { ...common, id: 3, action: 'delete', payload: { id } },
    ]);
  });

  it('gets them in the room of the object', async () => {
    const made = await create({ channel: 'Rooms', channel_room: 'Lobby' });

    expect([made.channel, made.channel_room]).toEqual(['rooms', 'Lobby']);
    expect(made.links.channel).toBe(`${world.base}channels/rooms/`);
    expect(await messages('rooms', '&room=lobby')).toHaveLength(1);
  });

  it('cannot be changed', async () => {
    const { id } = await create({});

    const { body } = await call('PATCH', `${objects}${id}/`, { channel: 'rooms', title: 'b' });

    expect(body).toMatchObject({ channel: 'news', channel_room: null, title: 'b' });
  });

  it('is absent when it was deleted, also from objects whose new channel has its name', async () => {
    const { id } = await create({});

    await call('DELETE', 'channels/news/');
    await channel('news', {});
    await call('PATCH', `${objects}${id}/`, { title: 'b' });

    expect(await messages()).toEqual([]);
    expect((await call('GET', `${objects}${id}/`)).body).toMatchObject({
      channel: null,
      channel_room: null,
    });
  });

  it('gets no message when the class is deleted', async () => {
    await create({});
    await messages();

    await call('DELETE', 'classes/note/');

    expect(await messages()).toHaveLength(1);
  });

  it.each([
    [
      'rooms and none is named',
      { channel: 'rooms' },
      { non_field_errors: ['Channel room field is required for channels with separate rooms.'] },
    ],
    [
      'a name that no channel has',
      { channel: 'none' },
      { channel: ['Object with name=none does not exist.'] },
    ],
  ])('is rejected where it has %s', async (_, sent, errors) => {
    const { status, body } = await call('POST', objects, { title: 'a', ...sent });

    expect([status, body]).toEqual([400, errors]);
  });

  it('has messages of items of a batch, in their order', async () => {
    const one = (title: string) => ({
      method: 'POST',
      path: `${world.base}${objects}`,
      body: { title, channel: 'news' },
    });

    const requests = ['a', 'b', 'c'].map(one);
    expected(await call('POST', 'batch/', { requests }), 200);

    const titles = (await messages()).map(
      ({ payload }: { payload: { title: string } }) => payload.title,
    );
    expect(titles).toEqual(['a', 'b', 'c']);
  });
});

describe('who may change an object with a channel', () => {
  const denied = { detail: 'You do not have permission to publish data to specified channel.' };

  it.each([
    ['a user where others may publish', 'user', 'publish', [201, 200, 204]],
    ['a user where others may subscribe', 'user', 'subscribe', [403, 403, 403]],
    ['a bare key where others may publish', 'key', 'publish', [201, 200, 204]],
    ['a bare key where others may subscribe', 'key', 'subscribe', [403, 403, 403]],
    ['a key with ignore_acl', 'acl', 'none', [201, 200, 204]],
  ])('%s', async (_, who, other_permissions, statuses) => {
    const key = await world.apiKey();
    const callers: Record<string, Credentials> = {
      key,
      user: { key, user: await plantUser(world, 7) },
      acl: await world.apiKey({ ignore_acl: true }),
    };
    await call('PATCH', 'channels/news/', { other_permissions });
    const { id } = await create({ other_permissions: 'full' });
    const as = callers[who];

    const made = await call('POST', objects, { title: 'b', channel: 'news' }, as);
    const changed = await call('PATCH', `${objects}${id}/`, { title: 'b' }, as);
    const deleted = await call('DELETE', `${objects}${id}/`, undefined, as);

    expect([made.status, changed.status, deleted.status]).toEqual(statuses);
    if (made.status === 403) {
      expect([made.body, changed.body, deleted.body]).toEqual([denied, denied, denied]);
      expect(await messages()).toHaveLength(1);
    }
  });
});
