import { describe, expect } from 'vitest';
import { type Credentials, expected, plantUser, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';

/** Data objects that have a channel: its messages, and who may change them. */

const it = newWorldTest('note').extend('given', { auto: true }, ({ world }) => setUp(world));

const objects = 'classes/note/objects/';

describe('the channel of an object', () => {
  it('gets a message of its creation, its changes and its deletion', async ({ api, world }) => {
    const { body: account } = await api.send({ as: world.owner, path: '/v1.1/account/' });
    const { links: _, channel: __, channel_room: ___, ...made } = await create(world, { pages: 1 });
    const changed = expected(
      await call(world, 'PATCH', `${objects}${made.id}/`, { pages: 2 }),
      200,
    );
    await call(world, 'PATCH', `${objects}${made.id}/`, { pages: 2 }); // changes nothing
    await call(world, 'DELETE', `${objects}${made.id}/`);

    const all = await messages(world);

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

  it('gets them in the room of the object', async ({ world }) => {
    const made = await create(world, { channel: 'Rooms', channel_room: 'Lobby' });

    expect([made.channel, made.channel_room]).toEqual(['rooms', 'Lobby']);
    expect(made.links.channel).toBe(`${world.base}channels/rooms/`);
    expect(await messages(world, 'rooms', '&room=lobby')).toHaveLength(1);
  });

  it('cannot be changed', async ({ world }) => {
    const { id } = await create(world, {});

    const { body } = await call(world, 'PATCH', `${objects}${id}/`, {
      channel: 'rooms',
      title: 'b',
    });

    expect(body).toMatchObject({ channel: 'news', channel_room: null, title: 'b' });
  });

  it('is absent when it was deleted, also from objects whose new channel has its name', async ({
    world,
  }) => {
    const { id } = await create(world, {});

    await call(world, 'DELETE', 'channels/news/');
    await channel(world, 'news', {});
    await call(world, 'PATCH', `${objects}${id}/`, { title: 'b' });

    expect(await messages(world)).toEqual([]);
    expect((await call(world, 'GET', `${objects}${id}/`)).body).toMatchObject({
      channel: null,
      channel_room: null,
    });
  });

  it('gets no message when the class is deleted', async ({ world }) => {
    await create(world, {});
    await messages(world);

    await call(world, 'DELETE', 'classes/note/');

    expect(await messages(world)).toHaveLength(1);
  });

  it.for([
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
  ] as const)('is rejected where it has %s', async ([_, sent, errors], { world }) => {
    const { status, body } = await call(world, 'POST', objects, { title: 'a', ...sent });

    expect([status, body]).toEqual([400, errors]);
  });

  it('has messages of items of a batch, in their order', async ({ world }) => {
    const one = (title: string) => ({
      method: 'POST',
      path: `${world.base}${objects}`,
      body: { title, channel: 'news' },
    });

    const requests = ['a', 'b', 'c'].map(one);
    expected(await call(world, 'POST', 'batch/', { requests }), 200);

    const titles = (await messages(world)).map(
      ({ payload }: { payload: { title: string } }) => payload.title,
    );
    expect(titles).toEqual(['a', 'b', 'c']);
  });
});

describe('who may change an object with a channel', () => {
  const denied = { detail: 'You do not have permission to publish data to specified channel.' };

  it.for([
    ['a user where others may publish', 'user', 'publish', [201, 200, 204]],
    ['a user where others may subscribe', 'user', 'subscribe', [403, 403, 403]],
    ['a bare key where others may publish', 'key', 'publish', [201, 200, 204]],
    ['a bare key where others may subscribe', 'key', 'subscribe', [403, 403, 403]],
    ['a key with ignore_acl', 'acl', 'none', [201, 200, 204]],
  ] as const)('%s', async ([_, who, other_permissions, statuses], { world }) => {
    const key = await world.apiKey();
    const callers: Record<string, Credentials> = {
      key,
      user: { key, user: await plantUser(world, 7) },
      acl: await world.apiKey({ ignore_acl: true }),
    };
    await call(world, 'PATCH', 'channels/news/', { other_permissions });
    const { id } = await create(world, { other_permissions: 'full' });
    const as = callers[who];

    const made = await call(world, 'POST', objects, { title: 'b', channel: 'news' }, as);
    const changed = await call(world, 'PATCH', `${objects}${id}/`, { title: 'b' }, as);
    const deleted = await call(world, 'DELETE', `${objects}${id}/`, undefined, as);

    expect([made.status, changed.status, deleted.status]).toEqual(statuses);
    if (made.status === 403) {
      expect([made.body, changed.body, deleted.body]).toEqual([denied, denied, denied]);
      expect(await messages(world)).toHaveLength(1);
    }
  });
});

async function setUp(world: World) {
  const open = { other_permissions: 'create_objects' };
  await world.dataClass(
    'note',
    [
      { name: 'title', type: 'string' },
      { name: 'pages', type: 'integer' },
    ],
    open,
  );
  await channel(world, 'news', {});
  await channel(world, 'rooms', { type: 'separate_rooms' });
}

const call = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
  as: Credentials = world.owner,
) => world.call(as, method, path, body);

const channel = async (world: World, name: string, more: object) =>
  expected(await call(world, 'POST', 'channels/', { name, ...more }), 201);

const create = async (world: World, more: object) =>
  expected(await call(world, 'POST', objects, { title: 'a', channel: 'news', ...more }), 201);

async function messages(world: World, name = 'news', query = '') {
  await world.api.platform.idle();
  const path = `channels/${name}/history/?ordering=asc${query}`;
  return expected(await call(world, 'GET', path), 200).objects;
}
