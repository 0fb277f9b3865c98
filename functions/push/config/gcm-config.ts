import {
  type Context,
  defineFields,
  instanceOf,
  type Route,
  validInput,
} from '../../../shared/core/family.ts';
import { json } from '../../../shared/core/resource/field.ts';
import type { Values } from '../../../shared/core/resource/input.ts';
import { findCredential } from '../../../shared/push/push-config.ts';
import type { PushEnvironment } from '../../../shared/push/rules/provider.ts';
import { badServiceAccount, gcmKeyValue } from '../../../shared/push/rules/service-account.ts';
import type { PushConfigData, PushSideData } from '../../../shared/table/records/push.ts';
import { hasFullRole } from '../../../shared/values/access.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import { pushConfigRoute } from './config-route.ts';
import { type SideChange, saveConfig } from './config-save.ts';

const key = json(gcmKeyValue(), { nullable: true, shows: 'string' });
const fields = defineFields({ production_api_key: key, development_api_key: key });

async function show({ production, development }: PushConfigData, context: Context) {
  return {
    production_api_key: await shownKey(context, 'production', production),
    development_api_key: await shownKey(context, 'development', development),
  };
}

/**
 * Returns a key as a response shows it. Old clients read back the server key that they wrote, so owner and `full` see it;
 * nobody sees the key of a service account.
 */
async function shownKey(
  context: Context,
  environment: PushEnvironment,
  side: PushSideData,
): Promise<string | null> {
  if (side.credential === null) return null;
  const legacy = hasFullRole(context.actor) && (await legacyKey(context, environment, side));
  return legacy || side.credential.shown;
}

/** Returns the stored server key of an environment in clear; undefined: it has none, or none that can be read. */
async function legacyKey(
  context: Context,
  environment: PushEnvironment,
  { credential }: PushSideData,
): Promise<string | undefined> {
  if (credential?.kind !== 'legacyKey') return undefined;
  const scope = { instance: instanceOf(context), provider: 'gcm', environment } as const;
  const opened = await findCredential(context.platform, scope, credential);
  return opened?.kind === 'legacyKey' ? opened.key : undefined;
}

/** Routes of the Firebase keys; responses show their owners, never the keys (docs/reference/push.md#config). */
export const gcmConfigRoutes: readonly Route[] = [
  pushConfigRoute('gcm', {
    fields,
    show,
    links: [{ name: 'self', type: 'detail', to: '' }],
    change: async (context, mode) => {
      const input = validInput(fields, await context.body(), mode);
      return saveConfig(context, 'gcm', async (current) => ({
        development: await keyChange(context, 'development', { input, current }),
        production: await keyChange(context, 'production', { input, current }),
      }));
    },
  }),
];

interface KeysSent {
  readonly input: Values<typeof fields, 'replace' | 'patch'>;
  readonly current: PushConfigData;
}

async function keyChange(
  context: Context,
  environment: PushEnvironment,
  { input, current }: KeysSent,
): Promise<SideChange> {
  const field = `${environment}_api_key` as const;
  const sent = input[field];
  if (sent === undefined) return {};
  if (sent === null) return { credential: null };
  const side = current[environment];
  if (sent.kind === 'new') {
    const { credential: secret, shown } = sent;
    const isLegacy = secret.kind === 'legacyKey';
    // clients send back values that they have read
    if (isLegacy && secret.key === (await legacyKey(context, environment, side))) return {};
    return { credential: { secret, shown, field } };
  }
  if (sent.text === side.credential?.shown) return {};
  throw invalid({ [field]: [badServiceAccount] });
}
