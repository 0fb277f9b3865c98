import type { JobContext } from '../jobs/jobs.ts';
import type { UserProviderData, UserSettingsData } from '../table/records/user-accounts.ts';
import { openProviderSecret, sealProviderSecret } from '../users/settings/provider-secrets.ts';
import { faultOf } from '../values/caught.ts';
import type { RestoreTask } from './restore-state.ts';

/** Settings of users as another instance gets them. */
interface MovedSettings {
  readonly settings: UserSettingsData;
  /** Whether a secret could not be read. */
  readonly hasLost: boolean;
}

/**
 * Returns settings of users for the instance that is restored from a backup of another one: the secrets of services are
 * sealed for it, or left out when it has another owner.
 */
export async function moveProviderSecrets(
  context: JobContext,
  { origin = 0, instance, isOfOwner }: RestoreTask,
  settings: UserSettingsData,
): Promise<MovedSettings> {
  const providers: UserProviderData[] = [];
  let hasLost = false;
  for (const { secret, ...provider } of settings.providers) {
    const isKept = secret !== undefined && isOfOwner === true;
    const moved = isKept && (await reseal(context, [origin, instance], { ...provider, secret }));
    hasLost ||= isKept && moved === undefined;
    providers.push(typeof moved === 'string' ? { ...provider, secret: moved } : provider);
  }
  return { settings: { ...settings, providers }, hasLost };
}

/** Seals the secret of a service for another instance; undefined when it cannot be read. */
async function reseal(
  { vault, log }: JobContext,
  [from, to]: readonly [from: number, to: number],
  provider: UserProviderData & { readonly secret: string },
): Promise<string | undefined> {
  let secret: string;
  try {
    secret = await openProviderSecret(vault, from, provider);
  } catch (error) {
    const message = 'the secret of a service of log-ins in a backup cannot be read';
    log({ level: 'error', message, instance: from, provider: provider.name, ...faultOf(error) });
    return undefined;
  }
  return sealProviderSecret(vault, to, provider, secret);
}
