import { describe, expect } from 'vitest';
import {
  type ApiResponse,
  type Credentials,
  expected,
  plantUser,
  type World,
} from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { column, forbidden, missing } from '../support/responses.ts';

/** Messages of channels: publishing, the history and polls. Streams are in streams.test.ts. */

const it = newWorldTest('talk');

const noRoom = { room: 'This field is required for channels with separate rooms.' };

describe('publishing', () => {
  it('returns the message with the first id of the instance', async ({ api, world }) => {
    await make(world, 'chat');
    const { body: account } = await api.send({ as: world.owner, path: '/v1.1/account/' });

    const { status, body } = await call(world, 'POST', 'chat/publish/', {
      payload: { text: 'hi' },
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      action: 'custom',
      author: { admin: account.id },
      metadata: { type: 'message' },
      payload: { text: 'hi' },
      links: { self: `${world.base}channels/chat/history/1/` },
    });
  });

  it('counts the messages of all channels and rooms of an instance', async ({ world }) => {
    await make(world, 'chat');

    await publish(world, 'chat', {});
    await publish(world, 'default', {}, { room: 'a' });

    expect((await publish(world, 'chat', {})).id).toBe(3);
  });

  it('accepts the payload as text, and none', async ({ world }) => {
    await make(world, 'chat');

    const text = await call(world, 'POST', 'chat/publish/', { payload: '{"a":[1]}' });
    const none = await call(world, 'POST', 'chat/publish/', {});

    expect([text.body.payload, none.body.payload]).toEqual([{ a: [1] }, {}]);
  });

  it('ignores the room of a channel without rooms', async ({ world }) => {
    await make(world, 'chat');

    expect((await publish(world, 'chat', {}, { room: 'x'.repeat(200) })).id).toBe(1);
  });

  it.for([
    [
      'a payload that is a list',
      { payload: [1], room: 'a' },
      { payload: ['Payload passed in invalid format.'] },
    ],
    [
      'a payload that is not JSON',
      { payload: '{', room: 'a' },
      { payload: ['Not a valid JSON string.'] },
    ],
    ['no room', { payload: {} }, noRoom],
    ['an empty room', { room: '' }, { room: ['This field may not be blank.'] }],
    ['null as a room', { room: null }, { room: ['This field may not be null.'] }],
    [
      'a long room',
      { room: 'x'.repeat(129) },
      { room: ['Ensure this field has no more than 128 characters.'] },
    ],
  ] as const)('rejects %s', async ([_, sent, errors], { world }) => {
    const { status, body } = await call(world, 'POST', 'default/publish/', sent);

    expect([status, body]).toEqual([400, errors]);
  });

  it('is limited to 64 kB, before rights', async ({ world }) => {
    const payload = { text: 'x'.repeat(65_536) };

    const { status, body } = await call(
      world,
      'POST',
      'eventlog/publish/',
      { payload },
      await world.apiKey(),
    );

    expect([status, body]).toEqual([413, { detail: 'Request size limit exceeded (65536).' }]);
  });

  it('is closed where the channel does not allow it, and always in the event log', async ({
    world,
  }) => {
    await call(world, 'PATCH', 'eventlog/', { custom_publish: true });
    await make(world, 'shut', { custom_publish: false });

    for (const name of ['shut', 'eventlog']) {
      const { status, body } = await call(world, 'POST', `${name}/publish/`, { room: 'a' });
      const detail = 'Custom publish not allowed on this channel.';
      expect([status, body]).toEqual([403, { detail }]);
    }
  });

  it('needs an existing channel', async ({ world }) => {
    const { status, body } = await call(world, 'POST', 'nowhere/publish/', {});

    expect([status, body]).toEqual([404, { detail: 'Channel was not found.' }]);
  });
});

describe('who publishes and reads', () => {
  const open = { other_permissions: 'publish' };
  const readable = { other_permissions: 'subscribe' };

  it.for([
    ['a user where others may publish', 'user', open, 201, 204],
    ['a user where others may subscribe', 'user', readable, 403, 204],
    [
      'a user of the group that may publish',
      'user',
      { group: 3, group_permissions: 'publish' },
      201,
      204,
    ],
    ['a user of another group', 'user', { group: 4, group_permissions: 'publish' }, 403, 403],
    ['a bare key', 'key', open, 403, 403],
    ['a key with allow_anonymous_read', 'reader', open, 403, 204],
    ['a key with allow_anonymous_read where others may not', 'reader', {}, 403, 403],
    ['a key with ignore_acl', 'acl', {}, 201, 204],
    ['nobody', 'nobody', open, 403, 403],
  ] as const)('%s', async ([_, who, rights, published, polled], { world }) => {
    const key = await world.apiKey();
    const callers: Record<string, Credentials> = {
      key,
      user: { key, user: await plantUser(world, 7, [3]) },
      reader: await world.apiKey({ allow_anonymous_read: true }),
      acl: await world.apiKey({ ignore_acl: true }),
    };
    const other = await plantUser(world, 8, [4]);
    expect(other).toBeTypeOf('string');
    await make(world, 'chat', rights);
    const as = callers[who];

    const sent = await world.call(as, 'POST', 'channels/chat/publish/', {});
    const read = await world.call(as, 'GET', 'channels/chat/poll/?last_id=9');
    const history = await world.call(as, 'GET', 'channels/chat/history/');

    expect([sent.status, read.status]).toEqual([published, polled]);
    expect(history.status).toBe(polled === 204 ? 200 : 403);
    if (sent.status === 403) expect(sent.body).toEqual(forbidden);
  });

  it('is shown as the author: key and user', async ({ world }) => {
    const key = await world.apiKey();
    await make(world, 'chat', open);
    const user = { key, user: await plantUser(world, 7) };

    const { body } = await call(world, 'POST', 'chat/publish/', {}, user);

    expect(body.author).toEqual({ api_key: expect.any(Number), user: 7 });
  });
});

describe('the history', () => {
  it('lists the newest first, each by its id', async ({ world }) => {
    await make(world, 'chat');
    for (const n of [1, 2, 3]) await publish(world, 'chat', { n });

    const list = await call(world, 'GET', 'chat/history/');
    const one = await call(world, 'GET', 'chat/history/2/');

    expect(column(list, 'id')).toEqual([3, 2, 1]);
    expect(one.body).toEqual(list.body.objects[1]);
    expect(one.body.links.self).toBe(`${world.base}channels/chat/history/2/`);
    expect([list.body.next, list.body.prev]).toEqual([null, null]);
  });

  it.for([
    ['?ordering=asc', [1, 2, 3, 4]],
    ['?last_id=2', [4, 3]],
    ['?last_id=x', [4, 3, 2, 1]],
    ['?page_size=2', [4, 3]],
    ['?page_size=2&direction=1&last_pk=3', [2, 1]],
    ['?page_size=2&direction=0&last_pk=2', [4, 3]],
    ['?page_size=0', []],
  ] as const)('reads %s', async ([query, ids], { world }) => {
    await make(world, 'chat');
    for (const n of [1, 2, 3, 4]) await publish(world, 'chat', { n });

    expect(column(await call(world, 'GET', `chat/history/${query}`), 'id')).toEqual(ids);
  });

  it('has a room, which is not case-sensitive; the id alone names a message', async ({ world }) => {
    await publish(world, 'default', {}, { room: 'Lobby' });
    await publish(world, 'default', {}, { room: 'kitchen' });

    expect(column(await call(world, 'GET', 'default/history/?room=LOBBY'), 'id')).toEqual([1]);
    expect((await call(world, 'GET', 'default/history/2/')).body.id).toBe(2);
    const without = await call(world, 'GET', 'default/history/');
    expect([without.status, without.body]).toEqual([400, noRoom]);
  });

  it('has only messages of its own channel', async ({ world }) => {
    await make(world, 'a');
    await make(world, 'b');
    await publish(world, 'a', {});

    const { status, body } = await call(world, 'GET', 'b/history/1/');

    expect([status, body]).toEqual([404, missing]);
    expect((await call(world, 'GET', 'b/history/')).body.objects).toEqual([]);
  });

  it('begins anew with a channel that is created again', async ({ world }) => {
    await make(world, 'chat');
    await publish(world, 'chat', {});
    await call(world, 'DELETE', 'chat/');
    await make(world, 'chat');

    expect((await call(world, 'GET', 'chat/history/')).body.objects).toEqual([]);
    expect((await call(world, 'GET', 'chat/history/1/')).status).toBe(404);
  });
});

describe('a stream', () => {
  it('has the messages so far, whether or not it remains open', async ({ world }) => {
    await make(world, 'chat');
    for (const n of [1, 2]) await publish(world, 'chat', { n });

    const { status, headers, body } = await call(world, 'GET', 'chat/stream/?last_id=1');

    const { links: _, ...second } = (await call(world, 'GET', 'chat/history/2/')).body;
    const data = JSON.stringify({ channel: 'chat', ...second });
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
    expect(body).toContain(`id: 2\ndata: ${data}\n\n`);
    expect(body).not.toContain('id: 1\n');
  });
});

describe('a poll', () => {
  it.beforeEach(({ world }) => make(world, 'chat'));

  it('returns the oldest message after an id at once, without links', async ({ world }) => {
    for (const n of [1, 2, 3]) await publish(world, 'chat', { n });

    const { status, body, headers } = await poll(world, '?last_id=1');

    const { links: _, ...second } = (await call(world, 'GET', 'chat/history/2/')).body;
    expect([status, body]).toEqual([200, second]);
    expect(headers.get('X-Last-Id')).toBeNull();
    expect(idOf(await poll(world, '?last_id=0'))).toBe(1);
  });

  it('waits for a message after an id', async ({ world }) => {
    await publish(world, 'chat', { n: 1 });

    const waiting = poll(world, '?last_id=1&room=&transport=');
    await publish(world, 'chat', { n: 2 });

    expect((await waiting).body.payload).toEqual({ n: 2 });
  });

  it('ends without a message', async ({ world }) => {
    await publish(world, 'chat', {});

    const { status, body, headers } = await poll(world);

    expect([status, body]).toEqual([204, '']);
    expect(headers.get('X-Last-Id')).toBe('1');
  });

  it('continues where an earlier poll of the caller ended', async ({ world }) => {
    const key = await world.apiKey({ ignore_acl: true });
    await publish(world, 'chat', { n: 1 });
    expect((await poll(world, '', key)).status).toBe(204);

    await publish(world, 'chat', { n: 2 });

    expect((await poll(world, '', key)).body.payload).toEqual({ n: 2 });
    expect((await poll(world, '', key)).status).toBe(204); // it has that message now
    expect((await poll(world)).status).toBe(204); // another caller waits for the next one
  });

  it('with an id that no message has had yet waits for the next one, and hides it from nobody', async ({
    world,
  }) => {
    const key = await world.apiKey({ ignore_acl: true });
    await publish(world, 'chat', { n: 1 });

    const { status, headers } = await poll(world, '?last_id=999999999999999', key);
    await publish(world, 'chat', { n: 2 });

    expect([status, headers.get('X-Last-Id')]).toEqual([204, '1']);
    expect((await poll(world, '', key)).body.payload).toEqual({ n: 2 });
  });

  it.for([
    ['?last_id=x', { last_id: ['A valid integer is required.'] }],
    ['?transport=websocket', { detail: 'Expected WebSocket connection.' }],
  ] as const)('rejects %s', async ([query, errors], { world }) => {
    const { status, body } = await poll(world, query);

    expect([status, body]).toEqual([400, errors]);
  });

  it('needs a room where the channel has rooms', async ({ world }) => {
    const { status, body } = await call(world, 'GET', 'default/poll/');

    expect([status, body]).toEqual([400, noRoom]);
  });

  it('sees only messages of its room', async ({ world }) => {
    await publish(world, 'default', {}, { room: 'a' });
    await publish(world, 'default', {}, { room: 'b' });

    expect(idOf(await call(world, 'GET', 'default/poll/?room=B&last_id=0'))).toBe(2);
  });

  it('is no part of a batch', async ({ world }) => {
    const requests = [{ method: 'GET', path: `${world.base}channels/chat/poll/` }];

    const { body } = await world.own('POST', 'batch/', { requests });

    expect(body).toEqual([{ code: 405, content: { detail: 'Batching not allowed.' } }]);
  });
});

const call = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
  as: Credentials = world.owner,
) => world.call(as, method, `channels/${path}`, body);

const make = async (world: World, name: string, more: object = {}) =>
  expected(await call(world, 'POST', '', { name, custom_publish: true, ...more }), 201);

const publish = async (world: World, path: string, payload: object, more: object = {}) =>
  expected(await call(world, 'POST', `${path}/publish/`, { payload, ...more }), 201);

const idOf = ({ body }: ApiResponse) => body.id;

const poll = (world: World, query = '', as: Credentials = world.owner) =>
  call(world, 'GET', `chat/poll/${query}`, undefined, as);
