import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { type Client, connect, errorOf, run } from '../support/client-calls.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest().extend('client', { scope: 'file', auto: true }, ({ world }) => setUp(world));

/*
 * An app that was shipped with a key of the original service: its client library, unmodified, has that key only.
 */

const old = '0123456789abcdef0123456789abcdef01234567';

describe('an app with an old key', () => {
  it('registers a user, logs in, and works with objects', async ({ api, world, client }) => {
    const credentials = { username: 'jo', password: 'secret' };
    await run(client.User.please().create(credentials));
    const { user_key } = await run(client.User.please().login({}, credentials));
    const app = connect(api.url, {
      apiKey: old,
      userKey: user_key,
      defaults: { instanceName: world.instance, className: 'note' },
    });
    const { DataObject } = app;

    const made = await run(DataObject.please().create({ text: 'first' }));
    const changed = await run(DataObject.please().update({ id: made.id }, { text: 'second' }));
    const found = await run(
      DataObject.please()
        .list()
        .filter({ text: { _eq: 'second' } }),
    );
    await run(DataObject.please().delete({ id: made.id }));

    expect([changed.text, Array.from(found, ({ id }) => id)]).toEqual(['second', [made.id]]);
    expect(await run(DataObject.please().list())).toHaveLength(0);
  });

  it('publishes to a channel, and polls', async ({ client }) => {
    const { Channel } = client;
    await run(Channel.please().publish({ name: 'chat' }, { n: 1 }));

    const poll = Channel.please().poll({ name: 'chat' }, { lastId: 0 }, false);
    const message: Promise<Client> = new Promise((resolve) => poll.on('create', resolve));
    const custom: Promise<Client> = new Promise((resolve) => poll.on('custom', resolve));
    poll.start();
    const heard = await Promise.race([message, custom]);
    poll.stop();

    expect(heard.payload).toEqual({ n: 1 });
  });

  it('may not do what its key may not', async ({ client }) => {
    const error = await errorOf(client.Class.please().delete({ name: 'note' }));

    expect(error.status).toBe(403);
  });
});

async function setUp(world: World): Promise<Client> {
  await world.dataClass('note', [{ name: 'text', type: 'string', filter_index: true }], {
    other_permissions: 'create_objects',
  });
  const flags = { allow_user_create: true, allow_anonymous_read: true };
  const { id } = await world.create('api_keys/', flags);
  expected(await world.own('POST', `api_keys/${id}/aliases/`, { alias: old }), 200);
  await world.create('channels/', {
    name: 'chat',
    custom_publish: true,
    other_permissions: 'publish',
  });
  return connect(world.api.url, { apiKey: old, defaults: { instanceName: world.instance } });
}
