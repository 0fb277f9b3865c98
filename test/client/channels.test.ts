import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { type Client, connectOwner, errorOf, fieldsOf, run } from '../support/client-calls.ts';
import { apiTest } from '../support/fixtures.ts';

// a poll that ends without a message is a message for this client
const it = apiTest({ settings: { pollMs: 60_000 } }).extend(
  'client',
  { scope: 'file', auto: true },
  ({ api }) => setUp(api),
);

/*
 * Channels as the original client library uses them; its poll is a loop that emits events.
 */

it('is created, read, changed, listed and deleted', async ({ client }) => {
  const channel = await make(client, 'kitchen', {
    description: 'hot',
    other_permissions: 'subscribe',
  });
  const at = { name: 'kitchen' };

  const updated = await run(client.Channel.please().update(at, { description: 'cold' }));
  const read = await run(client.Channel.please().get(at));
  const listed = await run(client.Channel.please().list());
  await run(client.Channel.please().delete(at));
  const gone = await errorOf(client.Channel.please().get(at));

  expect([channel.description, updated.description]).toEqual(['hot', 'cold']);
  expect(fieldsOf(read)).toMatchObject({ name: 'kitchen', other_permissions: 'subscribe' });
  expect(listed.map(({ name }: Client) => name).toSorted()).toEqual([
    'default',
    'eventlog',
    'kitchen',
  ]);
  expect(gone.status).toBe(404);
});

it('publishes messages, to rooms too, and has their history', async ({ client }) => {
  const channel = await make(client, 'lobby');
  const rooms = await make(client, 'hotel', { type: 'separate_rooms' });

  const sent = await channel.publish({ text: 'hi' });
  const again = await run(client.Channel.please().publish({ name: 'lobby' }, { text: 'ho' }));
  const inRoom = await rooms.publish({ text: 'psst' }, 'Room1');
  const history = await channel.history();
  const ofRoom = await rooms.history({ room: 'room1' });

  expect(sent).toMatchObject({ action: 'custom', payload: { text: 'hi' } });
  expect(inRoom.id).toBeGreaterThan(again.id);
  expect(history.objects.map(({ payload }: Client) => payload.text)).toEqual(['ho', 'hi']);
  expect(ofRoom.objects.map(({ id }: Client) => id)).toEqual([inRoom.id]);
});

describe('poll', () => {
  it('emits each message once, in order, with an event of its action', async ({ client }) => {
    const channel = await make(client, 'ticker');
    const first = await channel.publish({ n: 0 });
    const poll = channel.poll({ lastId: first.id }, false);
    const custom: Client[] = [];
    poll.on('custom', (message: Client) => custom.push(message.payload.n));
    const received = messages(poll, 20);
    poll.start();

    for (let n = 1; n <= 20; n += 1) await channel.publish({ n });
    const found = await received;
    await channel.publish({ n: 'last' }); // ends the request that the client has open

    const expected = Array.from({ length: 20 }, (_, i) => i + 1);
    expect(found.map(({ payload }) => payload.n)).toEqual(expected);
    expect(custom).toEqual(expected.slice(0, -1)); // the last message has ended the poll before its second event
  });

  it('emits the changes of objects', async ({ client }) => {
    const channel = await make(client, 'newsroom', { custom_publish: false });
    const poll = channel.poll({ lastId: 0 }, false);
    const received = messages(poll, 3);
    const values = { className: 'novel', title: 'Dune', channel: 'newsroom' };
    const novel = await run(client.DataObject(values).save());
    const at = { className: 'novel', id: novel.id };
    await run(client.DataObject.please().update(at, { title: 'Emma' }));
    await run(client.DataObject.please().delete(at));
    poll.start();

    const [created, updated, deleted] = await received;
    const reader = await run(client.DataObject({ ...values, title: 'last' }).save());

    expect(created).toMatchObject({ action: 'create', payload: { id: novel.id, title: 'Dune' } });
    expect(Object.keys(updated.payload).toSorted()).toEqual([
      'id',
      'revision',
      'title',
      'updated_at',
    ]);
    expect([deleted.action, deleted.payload]).toEqual(['delete', { id: novel.id }]);
    expect(reader.id).toBeGreaterThan(novel.id);
  });
});

async function setUp(api: Api): Promise<Client> {
  const client = await connectOwner(api);
  const schema = [{ name: 'title', type: 'string' }];
  await run(client.Class({ name: 'novel', schema }).save());
  return client;
}

function make(client: Client, name: string, more: object = {}): Promise<Client> {
  return run(client.Channel({ name, custom_publish: true, ...more }).save());
}

/** Resolves with the next `count` messages of a poll, which it ends. */
function messages(poll: Client, count: number): Promise<Client[]> {
  const found: Client[] = [];
  return new Promise((resolve, reject) => {
    poll.on('error', reject);
    poll.on('message', (message: Client) => {
      found.push(message);
      if (found.length < count) return;
      poll.stop(true);
      resolve(found);
    });
  });
}
