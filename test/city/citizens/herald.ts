import type { Citizen, Life } from '../citizen.ts';

/** What a resident has published, and what it has received. */
interface Log {
  readonly channel: string;
  readonly objects: string;
  /** Texts whose publication was acknowledged, and that were not received yet. */
  readonly awaited: Set<string>;
  readonly received: Set<string>;
  lastId: number;
}

const room = 'Square';

/** Publishes messages, changes objects that a channel is told of, and polls for all of it. */
export const herald: Citizen = {
  name: 'herald',
  homes: ['small', 'medium'],
  settle: async (life) => {
    const log = await openLog(life);
    const acts = [publish, publishTogether, change, () => receive(life, log)];
    return {
      act: () => life.random.pick(acts)(life, log),
      verify: () => receive(life, log),
    };
  },
};

async function openLog({ client, home, prefix }: Life): Promise<Log> {
  const name = `${prefix}-news`;
  const key = home.accountKey;
  const made = { name, type: 'separate_rooms', custom_publish: true };
  await client.expect({ path: `${home.base}channels/`, key, body: made }, 201);
  const noted = { name: `${prefix}_notes`, schema: [{ name: 'text', type: 'string' }] };
  await client.expect({ path: `${home.base}classes/`, key, body: noted }, 201);
  return {
    channel: `${home.base}channels/${name}/`,
    objects: `${home.base}classes/${noted.name}/objects/`,
    awaited: new Set(),
    received: new Set(),
    lastId: 0,
  };
}

function newText({ random, home }: Life): string {
  return `${random.word(16)} ${home.mark}`;
}

async function publish(life: Life, log: Log): Promise<void> {
  const { client, home, random } = life;
  const text = newText(life);
  const body = { room: random.chance(0.5) ? room : room.toUpperCase(), payload: { text } };
  await client.expect({ path: `${log.channel}publish/`, key: home.apiKey, body }, 201);
  log.awaited.add(text);
}

async function publishTogether(life: Life, log: Log): Promise<void> {
  await Promise.all(Array.from({ length: 8 }, () => publish(life, log)));
}

async function change(life: Life, log: Log): Promise<void> {
  const { client, home, prefix } = life;
  const text = newText(life);
  const body = { text, channel: `${prefix}-news`, channel_room: room };
  await client.expect({ path: log.objects, key: home.apiKey, body }, 201);
  log.awaited.add(text);
}

/** Polls until all that was acknowledged has arrived: once, and in the order of ids. */
async function receive({ client, home }: Life, log: Log): Promise<void> {
  while (log.awaited.size > 0) {
    const path = `${log.channel}poll/?room=${room}&last_id=${log.lastId}`;
    const response = await client.expect({ path, key: home.apiKey }, 200);
    const { id, payload } = response.body;
    if (id <= log.lastId) client.broken(`message ${id} after ${log.lastId}`);
    if (log.received.has(payload.text)) client.broken(`message ${id} was published twice`);
    log.lastId = id;
    log.received.add(payload.text);
    log.awaited.delete(payload.text);
  }
}
