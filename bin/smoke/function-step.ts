import { addressBelow } from '../../shared/clients/address-below.ts';
import {
  servedByRequest,
  servedByResponse,
} from '../../shared/platforms/aws/requests/served-by.ts';
import type { SmokeWorld, Step } from './world.ts';

/** A path of each family that its function serves, below the instance unless it begins with a slash. */
export const pathByFamily: Readonly<Record<string, string>> = {
  root: '/v1.1/',
  account: '/v1.1/account/',
  instances: '/v1.1/instances/',
  'api-keys': 'api_keys/',
  classes: 'classes/',
  objects: 'classes/book/objects/',
  users: 'users/',
  'user-accounts': 'user/register/',
  'user-redirects': 'user/auth/exchange/',
  'user-settings': 'user_settings/',
  'data-endpoints': 'endpoints/data/',
  templates: 'snippets/templates/',
  channels: 'channels/',
  'channel-polls': 'channels/smoke/poll/?last_id=0',
  push: 'push_notifications/gcm/config/',
  scripts: 'snippets/scripts/',
  'script-endpoints': 'endpoints/scripts/',
  schedules: 'schedules/',
  triggers: 'triggers/',
  transfer: 'export/',
  backups: '/v1.1/backups/full/',
  'dead-letters': 'dead_letters/',
  limits: 'limits/',
  'request-log': 'request_log/',
  schema: '/v1.1/schema/',
  usage: '/v1.1/usage/daily/',
  batch: 'batch/',
};

/** What a deployment does not have by itself. */
const reminder = `       Once it works: deploy with -c protectTable=true, give the alarms a recipient (-c alarmEmail=...),
       and keep a copy of the master secret outside of the account: npm run secret-copy -- save secret.json`;

const timeoutMs = 30_000;

/** Asks which functions serve each family: a deployment tells what its gateway makes of the last slash of a path. */
export const functionStep: Step = {
  name: 'functions',
  run: async (world) => {
    const served: string[] = [];
    for (const [family, path] of Object.entries(pathByFamily)) {
      const by = await functionsOf(world, path);
      if (by === undefined) return 'one process serves all families';
      served.push(by === family ? family : `${family} by ${by}`);
    }
    return `${served.length} families, each by its own but where named: ${served.join(', ')}\n${reminder}`;
  },
};

/** Requests a path; its status does not matter here. */
async function functionsOf(
  { url, instance, keys }: SmokeWorld,
  path: string,
): Promise<string | undefined> {
  const { account = '' } = keys;
  const response = await fetch(addressBelow(url, path.startsWith('/') ? path : instance + path), {
    headers: { 'X-API-KEY': account, [servedByRequest]: '1' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  return response.headers.get(servedByResponse)?.replaceAll(', ', ' and ') ?? undefined;
}
