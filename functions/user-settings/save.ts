import { type Context, instanceOf, type LoadedOf } from '../../shared/core/family.ts';
import { tenantOf } from '../../shared/core/resource/context-values.ts';
import { inputOf, type ReadInput, validValues } from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { readPrivateKey } from '../../shared/push/rules/private-key.ts';
import { commit } from '../../shared/store/commit.ts';
import { createOrUpdate } from '../../shared/store/writes.ts';
import { userSettingsEntity } from '../../shared/table/entities/user-accounts.ts';
import type {
  UserProviderData,
  UserSettingsData,
} from '../../shared/table/records/user-accounts.ts';
import type { MailTexts } from '../../shared/users/settings/mail-texts.ts';
import type { SentProvider } from '../../shared/users/settings/provider-input.ts';
import { sealProviderSecret } from '../../shared/users/settings/provider-secrets.ts';
import { settingsIn, type userSettingsLoads } from '../../shared/users/settings/user-settings.ts';
import { type FieldErrors, invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { userSettingsFields } from './fields.ts';

/** A request with the settings of the instance's users. */
export type SettingsContext = Context<LoadedOf<typeof userSettingsLoads>>;
type Mode = 'replace' | 'patch';

/**
 * Saves the settings that a body has; a PATCH leaves others as they are.
 *
 * @throws ApiError 400 with the messages of all fields that failed
 */
export async function saveSettings(context: SettingsContext, mode: Mode) {
  const reading = inputOf(userSettingsFields, await context.body(), mode).read();
  const values = validValues(reading, await templateErrors(context, reading));
  const instance = instanceOf(context);
  const { store } = context.platform;
  return retryOnConflict(async (isFirst) => {
    const current = isFirst
      ? context.loaded.userSettings
      : await userSettingsEntity.read(store, instance);
    const { providers: sent, ...others } = values;
    const before = settingsIn(current);
    const settings = { ...before, ...others };
    checkTogether(settings);
    if (context.platform.settings.userMail !== 'on') checkWithoutMail(settings);
    const providers = sent && (await newProviders(context, sent, before.providers));
    const data: UserSettingsData = { ...settings, ...(providers && { providers }) };
    const key = userSettingsEntity.key(instance);
    await commit(context, [createOrUpdate(userSettingsEntity, { key, current }, data)]);
    return data;
  });
}

/** Checks what settings need of each other. */
function checkTogether({ email, codes }: UserSettingsData): void {
  if (codes && email === 'off') {
    throw invalid({ codes: ['Codes go to addresses: "email" must be optional or required.'] });
  }
}

/** Rejects settings that need mails, where the operator has not allowed them. */
function checkWithoutMail({ codes, confirmed, email }: UserSettingsData): void {
  const needing = {
    ...(codes && { codes: [messages.mailDenied] }),
    ...(email !== 'off' && confirmed === 'required' && { confirmed: [messages.mailDenied] }),
  };
  if (Object.keys(needing).length > 0) throw invalid(needing, 'mail_denied');
}

/** Returns the error of the first text that is no template. */
async function templateErrors(
  context: Context,
  { values }: ReadInput<typeof userSettingsFields, Mode>,
): Promise<FieldErrors> {
  const mails: MailTexts = values.mails ?? {};
  const { templates } = context.platform;
  const tenant = await tenantOf(context);
  for (const [letter, text] of Object.entries(mails)) {
    for (const part of ['subject', 'text'] as const) {
      const problem = await templates.check(text[part], tenant);
      if (problem !== undefined) return { mails: [`${letter}: ${part}: ${problem}`] };
    }
  }
  return {};
}

/** Returns services as they are stored: their secrets are sealed, or those that were stored. */
function newProviders(
  context: Context,
  sent: readonly SentProvider[],
  stored: readonly UserProviderData[],
): Promise<readonly UserProviderData[]> {
  return Promise.all(
    sent.map(async ({ secret, ...provider }) => {
      const before = stored.find(({ name }) => name === provider.name);
      const sealed =
        typeof secret === 'string'
          ? await sealedSecret(context, provider, secret)
          : keptSecret(provider, secret === null ? undefined : before);
      if (sealed === undefined && provider.kind !== 'oidc') {
        throw invalid({
          providers: [`Service "${provider.name}": secret: This field is required.`],
        });
      }
      return { ...provider, ...(sealed !== undefined && { secret: sealed }) };
    }),
  );
}

function sealedSecret(
  context: Context,
  provider: Omit<UserProviderData, 'secret'>,
  sent: string,
): Promise<string> {
  const secret = provider.kind === 'apple' ? readPrivateKey(sent, 'P-256') : sent;
  if (secret === undefined) {
    const message = 'It is no whole P-256 key, as a .p8 file of Apple has.';
    throw invalid({ providers: [`Service "${provider.name}": secret: ${message}`] });
  }
  return sealProviderSecret(context.platform.vault, instanceOf(context), provider, secret);
}

/** Returns the stored secret of a service, which belongs to one issuer and client: it is sent to no other. */
function keptSecret(
  now: Omit<UserProviderData, 'secret'>,
  before: UserProviderData | undefined,
): string | undefined {
  if (before?.secret === undefined) return undefined;
  const isSame =
    now.kind === before.kind && now.issuer === before.issuer && now.client_id === before.client_id;
  if (isSame) return before.secret;
  const message = 'Send it again: kind, issuer or client_id have changed.';
  throw invalid({ providers: [`Service "${now.name}": secret: ${message}`] });
}
