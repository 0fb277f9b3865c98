import { defineFields, json } from '../../../shared/core/resource/field.ts';
import { type Values, validInput } from '../../../shared/core/resource/input.ts';
import { instanceOf } from '../../../shared/core/resource/place.ts';
import type { Context, Route } from '../../../shared/core/resource/route.ts';
import { openCredential } from '../../../shared/push/push-config.ts';
import type { PushEnvironment } from '../../../shared/push/rules/provider.ts';
import { badServiceAccount, gcmKeyValue } from '../../../shared/push/rules/service-account.ts';
import type { PushConfigData, PushSideData } from '../../../shared/store/records/push.ts';
import { hasFullRole } from '../../../shared/values/access.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import { configRoute } from './config-route.ts';
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
  { credential }: PushSideData,
): Promise<string | null> {
  if (credential === null) return null;
  if (credential.kind !== 'legacyKey' || !hasFullRole(context.actor)) return credential.shown;
  const place = { instance: instanceOf(context), provider: 'gcm', environment } as const;
  const opened = await openCredential(context.platform.vault, place, credential);
  return opened.kind === 'legacyKey' ? opened.key : credential.shown;
}

/** Routes of the Firebase keys; responses show their owners, never the keys (docs/reference/push.md#config). */
export const gcmConfigRoutes: readonly Route[] = [
  configRoute('gcm', {
    fields,
    show,
    links: [{ name: 'self', type: 'detail', to: '' }],
    change: async (context, mode) => {
      const input = validInput(fields, await context.body(), mode);
      return saveConfig(context, 'gcm', async (current) => ({
        development: keyChange('development', input, current),
        production: keyChange('production', input, current),
      }));
    },
  }),
];

function keyChange(
  environment: PushEnvironment,
  input: Values<typeof fields, 'replace' | 'patch'>,
  current: PushConfigData,
): SideChange {
  const field = `${environment}_api_key` as const;
  const sent = input[field];
  if (sent === undefined) return {};
  if (sent === null) return { credential: null };
  if (sent.kind === 'new') {
    const { credential: secret, shown } = sent;
    return { credential: { secret, shown, field } };
  }
  // clients send back values that they have read
  if (sent.text === current[environment].credential?.shown) return {};
  throw invalid({ [field]: [badServiceAccount] });
}
