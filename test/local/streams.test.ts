import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { deleteItem } from '../../shared/store/writes.ts';
import { maxClosedStreamBytes } from '../../shared/values/bounds.ts';
import { expected, type World } from '../support/api.ts';
import { type EventStream, openEventStream } from '../support/event-stream.ts';
import { newApiTest } from '../support/fixtures.ts';
import { beginSession, sessionsOf } from '../support/user-sessions.ts';

/** Polls and streams that remain open, on the server of one machine. */

const it = newApiTest({ settings: { pollMs: 60_000 } }).extend(
  'given',
  { auto: true },
  async ({ world }, { onCleanup }) => {
    const given = await setUp(world);
    onCleanup(() => {
      for (const stream of given.streams) stream.close();
    });
    return given;
  },
);

describe('a session', () => {
  it('that has ended receives no further message, by a stream or a poll', async ({
    api,
    world,
    given,
  }) => {
    const user = await world.create('users/', { username: 'ada', password: 'a password' });
    const session = await beginSession(world, user.id);
    given.key = await world.apiKey();
    await given.call('PATCH', 'chat/', { other_permissions: 'subscribe' });
    const stream = await given.open(`&user_key=${session}`);
    await stream.next();
    const polled = given.poll(`?user_key=${session}`);
    await given.untilWaiting(1);
    await given.publish(1);
    expect(await stream.next()).toMatchObject({ type: 'message', id: '1' });
    expect((await polled).body).toMatchObject({ id: 1 });
    const again = given.poll(`?user_key=${session}&last_id=1`);
    while (api.platform.messages.listeners.inside < 2) await pause(1);

    const [stored] = await sessionsOf(world, user.id);
    if (stored !== undefined) await maintain(api.platform, [deleteItem(stored)]);
    await given.publish(2);

    expect(await stream.next()).toBeUndefined();
    expect((await again).status).toBe(204);
  });
});

describe('a stream', () => {
  it('begins with the id of the newest message, then has each as it comes', async ({ given }) => {
    await given.publish(1);

    const stream = await given.open();
    const ready = await stream.next();
    const { links: _, ...message } = await given.publish(2);

    expect([stream.status, stream.type]).toEqual([200, 'text/event-stream']);
    expect(ready).toEqual({ type: 'ready', id: '1', data: {} });
    const data = { channel: 'chat', ...message };
    expect(await stream.next()).toEqual({ type: 'message', id: '2', data });
  });

  it('asks a proxy not to buffer it', async ({ api, world, given }) => {
    const stop = new AbortController();
    const path = `${world.base}channels/chat/stream/?api_key=${given.key}`;

    const { headers } = await fetch(api.url + path, { signal: stop.signal });
    stop.abort();

    expect(headers.get('X-Accel-Buffering')).toBe('no');
  });

  it('continues after the event that the browser names, rather than its first parameter', async ({
    given,
  }) => {
    for (const n of [1, 2, 3]) await given.publish(n);

    const stream = await given.open('&last_id=1', { 'Last-Event-ID': '2' });

    expect((await stream.next())?.data.payload).toEqual({ n: 3 });
  });

  it('follows several rooms; its ids have a part for each', async ({ given }) => {
    await given.publish(1, 'default', { room: 'a,b' });

    const stream = await given.open(
      `&channels=default:${encodeURIComponent(encodeURIComponent('A,b'))}`,
    );
    const ready = await stream.next();
    await given.publish(2);
    const second = await stream.next();
    await given.publish(3, 'default', { room: 'a,B' });
    const third = await stream.next();

    expect(ready?.id).toBe('0,1');
    expect([second?.id, second?.data.channel, second?.data.room]).toEqual([
      '2,1',
      'chat',
      undefined,
    ]);
    expect([third?.id, third?.data.channel, third?.data.room]).toEqual(['2,3', 'default', 'A,b']);
  });

  it.for<[string, object, number]>([
    ['&last_id=1,2', { last_id: ['A valid integer is required.'] }, 400],
    ['&last_id=x', { last_id: ['A valid integer is required.'] }, 400],
    ['&channels=nowhere', { detail: 'Channel was not found.' }, 404],
    [
      '&channels=default',
      { room: 'This field is required for channels with separate rooms.' },
      400,
    ],
    ['&channels=default:%25', { channels: ['Not a valid string.'] }, 400],
    [
      `&channels=${'a,'.repeat(20)}`,
      { channels: ['Ensure this field has no more than 19 elements.'] },
      400,
    ],
  ])('rejects %s', async ([query, body, status], { world }) => {
    const response = await world.call(
      world.owner,
      'GET',
      `channels/chat/stream/?${query.slice(1)}`,
    );

    expect([response.status, response.body]).toEqual([status, body]);
  });

  it('tells a client that was away for too long', async ({ api, given }) => {
    const place = { instance: 1, channel: 3, room: '"' };
    const draft = { action: 'custom', author: {}, metadata: {}, payload: {} } as const;
    await Promise.all(
      Array.from({ length: 1105 }, () => api.platform.messages.publish(place, draft)),
    );

    const stream = await given.open('&last_id=7');
    const [reset, first] = [await stream.next(), await stream.next()];

    expect(reset).toEqual({ type: 'reset', id: '', data: { channel: 'chat', oldest: 106 } });
    expect([first?.type, first?.id]).toEqual(['message', '106']);

    const asked = await given.open('&last_id=0');
    const continued = await given.open('&last_id=0', { 'last-event-id': '0' });
    const firsts = [await asked.next(), await continued.next()].map((event) => event?.type);
    expect(firsts).toEqual(['message', 'reset']);
  });

  it('that may not remain open has a bounded number of messages', async ({ api, given }) => {
    vi.spyOn(api.platform.messages, 'admit').mockResolvedValue({
      waitMs: 0,
      openMs: 0,
      release: () => Promise.resolve(),
    });
    const text = 'x'.repeat(60_000);
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => given.publish(n, 'chat', { payload: { text } })),
    );

    const { body } = await given.call('GET', 'chat/stream/?last_id=0');

    expect(body).toMatch(/^retry: 5000\n\nid: 1\n/);
    expect(body.length).toBeGreaterThan(maxClosedStreamBytes);
    expect(body.length).toBeLessThan(maxClosedStreamBytes + 200_000);
  });

  it('ends when its user may not subscribe any more', async ({ world, given }) => {
    await given.call('PATCH', 'chat/', { other_permissions: 'subscribe' });
    given.key = await world.apiKey({ allow_anonymous_read: true });
    const stream = await given.open();
    await stream.next();

    await given.call('PATCH', 'chat/', { other_permissions: 'none' });
    await given.publish(1);

    expect(await stream.next()).toBeUndefined();
  });

  it('ends when its key is deleted, and sends nothing more', async ({ world, given }) => {
    const keys = expected(await world.call(world.owner, 'GET', 'api_keys/'), 200).objects;
    const stream = await given.open();
    await stream.next();

    expected(await world.call(world.owner, 'DELETE', `api_keys/${keys[0].id}/`), 204);
    await given.publish(1);

    expect(await stream.next()).toBeUndefined();
  });

  it('ends when the alias by which it was opened is deleted', async ({ world, given }) => {
    const { id } = expected(
      await world.call(world.owner, 'POST', 'api_keys/', { ignore_acl: true }),
      201,
    );
    const aliases = `api_keys/${id}/aliases/`;
    given.key = '5'.repeat(40);
    expected(await world.call(world.owner, 'POST', aliases, { alias: given.key }), 200);
    const stream = await given.open();
    await stream.next();
    await given.untilWaiting(1);
    expected(await world.call(world.owner, 'DELETE', aliases), 204);

    await given.publish(1);

    expect([stream.status, await stream.next()]).toEqual([200, undefined]);
  });

  it('ends when its channel is deleted, also when another gets its name', async ({
    api,
    given,
  }) => {
    const stream = await given.open();
    await stream.next();
    await given.untilWaiting(1);

    await given.call('DELETE', 'chat/');
    await given.make('chat');
    const place = { instance: 1, channel: 3, room: '"' };
    const draft = { action: 'custom', author: {}, metadata: {}, payload: {} } as const;
    await api.platform.messages.publish(place, draft); // what a request does that has begun before

    expect(await stream.next()).toBeUndefined();
  });

  it('is released when its client disconnects', async ({ given }) => {
    const stream = await given.open();
    await stream.next();
    await given.untilWaiting(1);

    stream.close();

    await given.untilWaiting(0);
  });

  it('ends with the server', async ({ api, given }) => {
    const stream = await given.open();
    await stream.next();

    await api.close();

    expect(await stream.next()).toBeUndefined();
  });
});

describe('a poll', () => {
  it('is woken by a message, and names its id', async ({ given }) => {
    const waiting = given.poll();
    await given.untilWaiting(1);
    await given.publish(1);

    const { status, body, headers } = await waiting;

    expect([status, body.id, headers.get('X-Last-Id')]).toEqual([200, 1, '1']);
  });

  it('is a server error, and not at once, when something fails while it waits', async ({
    api,
    given,
  }) => {
    await given.publish(1);
    vi.spyOn(api.platform.messages, 'wait').mockRejectedValueOnce(new Error('no disk'));
    const startedMs = performance.now();

    const { status } = await given.poll('?last_id=1');

    expect(status).toBe(500);
    expect(performance.now() - startedMs).toBeGreaterThan(900); // a client polls again at once
    const errors = api.logged.filter(({ level }) => level === 'error');
    expect(errors).toEqual([
      expect.objectContaining({ cause: expect.stringContaining('Error: no disk') }),
    ]);
  });

  it('ends without a message when the server ends', async ({ api, given }) => {
    const waiting = given.poll();
    await given.untilWaiting(1);

    await api.close();

    expect((await waiting).status).toBe(204);
  });

  it('is released when its client disconnects', async ({ api, world, given }) => {
    const { pathname, search } = new URL(
      `${api.url}${world.base}channels/chat/poll/?api_key=${given.key}`,
    );
    const controller = new AbortController();
    const sent = fetch(api.url + pathname + search, { signal: controller.signal }).catch(
      () => 'gone',
    );
    await given.untilWaiting(1);

    controller.abort();

    expect(await sent).toBe('gone');
    await given.untilWaiting(0);
  });

  it('ends without a message when its key is deleted', async ({ world, given }) => {
    const keys = expected(await world.call(world.owner, 'GET', 'api_keys/'), 200).objects;
    const waiting = given.poll();
    await given.untilWaiting(1);

    expected(await world.call(world.owner, 'DELETE', `api_keys/${keys[0].id}/`), 204);
    await given.publish(1);

    expect((await waiting).status).toBe(204);
  });
});

/** Opens a channel; `key` is that of the following polls and streams. */
async function setUp(world: World) {
  const { api, base, owner } = world;
  const streams: EventStream[] = [];
  const call = (method: string, path: string, body?: unknown) =>
    world.call(owner, method, `channels/${path}`, body);
  const make = async (name: string, more: object = {}) =>
    expected(await call('POST', '', { name, custom_publish: true, ...more }), 201);
  const publish = async (n: number, path = 'chat', more: object = {}) =>
    expected(await call('POST', `${path}/publish/`, { payload: { n }, ...more }), 201);
  async function open(query = '', headers: Readonly<Record<string, string>> = {}) {
    const path = `${base}channels/chat/stream/?api_key=${given.key}${query}`;
    const stream = await openEventStream(api.url + path, headers);
    streams.push(stream);
    return stream;
  }
  const poll = (query = '') => world.call(given.key, 'GET', `channels/chat/poll/${query}`);
  /** Waits until as many rooms have waiting requests. */
  async function untilWaiting(rooms: number): Promise<void> {
    while (api.platform.messages.waiting !== rooms) await pause(1);
  }
  const key = await world.apiKey({ ignore_acl: true });
  const given = { key, streams, call, make, publish, open, poll, untilWaiting };
  await make('chat');
  return given;
}
