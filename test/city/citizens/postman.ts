import { serviceAccount } from '../../support/push.ts';
import {
  type ArrivedPush,
  fcmError,
  type PushService,
  type Reaction,
  startPushService,
} from '../../support/push-service.ts';
import type { Citizen, Life } from '../citizen.ts';

/** What the push service does with pushes of a tenant, by the beginning of their tokens: to one of them it is hostile. */
const reactions: Readonly<Record<string, Reaction>> = {
  hang: 'hang',
  lose: 'lose',
  break: 'break',
  refuse: 'refuse',
  leave: 'goaway',
  busy: fcmError(503, 'UNAVAILABLE', { 'retry-after': '3600' }),
  gone: fcmError(404, 'UNREGISTERED'),
  heads: { status: 200, headers: { 'x-long': 'x'.repeat(60_000) } },
  flood: (stream) => {
    stream.respond({ ':status': 200 });
    const write = () => stream.write('x'.repeat(65_536), () => stream.destroyed || write());
    write();
  },
};

/** Starts the push service of a city. */
export function openPushes(): Promise<PushService> {
  return startPushService({
    react: ({ token }: ArrivedPush) => reactions[kindOf(token)] ?? 'accept',
  });
}

const kindOf = (token: string) => token.split('-', 1)[0] ?? '';

interface Sent {
  readonly path: string;
  readonly tokens: readonly string[];
  readonly sinceMs: number;
}

/** Time in which pushes are sent that the service accepts; after a kill, those of its moment are unknown. */
const boundMs = 30_000;

/**
 * Sends pushes through a service that is hostile to every second tenant. Those of the others arrive in time; no device
 * gets one twice.
 */
export const postman: Citizen = {
  name: 'postman',
  homes: ['own', 'own', 'own', 'own'],
  pauseMs: 400,
  settle: async (life) => {
    const { client, home, prefix } = life;
    const as = { key: home.accountKey };
    const base = `${home.base}push_notifications/gcm/`;
    const config = { development_api_key: serviceAccount };
    await client.expect({ ...as, method: 'PUT', path: `${base}config/`, body: config }, 200);
    const isHostile = Number(prefix.slice('postman'.length)) % 2 === 1;
    const sent: Sent[] = [];
    const check = async (mayWait: boolean) => {
      for (const each of sent.splice(0)) {
        if (!(await isOver(life, each, isHostile)) && mayWait) sent.push(each);
      }
    };
    return {
      act: async () => {
        if (sent.length < 5) sent.push(await sendSome(life, `${base}messages/`, isHostile));
        await check(true);
      },
      verify: () => check(true),
    };
  },
};

async function sendSome(
  { client, home, random }: Life,
  path: string,
  isHostile: boolean,
): Promise<Sent> {
  const kinds = isHostile ? Object.keys(reactions) : ['well'];
  const kind = random.pick(kinds);
  const tokens = Array.from({ length: 30 }, () => `${kind}-${random.word(16)}`);
  const data = { mark: home.mark };
  const content = { environment: 'development', registration_ids: tokens, data };
  const call = { path, key: home.accountKey, body: { content } };
  const { body } = await client.expect(call, 201);
  return { path: body.links.self, tokens, sinceMs: performance.now() };
}

/** Checks a message; tells whether all of its pushes have ended. */
async function isOver(
  life: Life,
  { path, tokens, sinceMs }: Sent,
  isHostile: boolean,
): Promise<boolean> {
  const { client, home, pushes } = life;
  const { body } = await client.expect({ path, key: home.accountKey }, 200);
  const twice = tokens.filter((token) => pushes.count(token) > 1 && !isRepeated(token));
  if (twice.length > 0) client.broken(`pushes were sent twice: ${twice.join(', ')}`);
  if (body.status === 'scheduled') {
    if (!isHostile && performance.now() - sinceMs > boundMs) client.broken('pushes take too long');
    return false;
  }
  const { success = {}, errors = {} } = body.result;
  const lost = Object.keys(success).filter((token) => pushes.count(token) === 0);
  if (lost.length > 0) client.broken(`pushes are called sent and were not: ${lost.join(', ')}`);
  const { Unknown: unknown = [], ...others } = errors;
  const failed = Object.keys(others);
  if (!isHostile && failed.length > 0) client.broken(`pushes failed: ${failed.join(', ')}`);
  if (!isHostile && unknown.length > 20)
    client.broken('more pushes are unknown than are sent at a time');
  return true;
}

/** Pushes that the service refused, or was too busy for, are sent again. */
function isRepeated(token: string): boolean {
  return ['refuse', 'busy', 'gone'].includes(kindOf(token));
}
