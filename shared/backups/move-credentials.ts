import type { JobContext } from '../jobs/jobs.ts';
import { openCredential, sealCredential } from '../push/push-config.ts';
import { type PushProvider, pushEnvironments, pushProviders } from '../push/rules/provider.ts';
import { pushConfigEntity } from '../table/entities/push.ts';
import { userSettingsEntity } from '../table/entities/user-accounts.ts';
import type { PushConfigData, PushSideData } from '../table/records/push.ts';
import type { UserSettingsData } from '../table/records/user-accounts.ts';
import type { ArchivedItem } from './archive.ts';
import { moveProviderSecrets } from './move-provider-secrets.ts';
import type { RestoreTask } from './restore-state.ts';

/** Items of an archive as another instance gets them. */
interface MovedItems {
  readonly items: readonly ArchivedItem[];
  /** Whether a credential could not be read. */
  readonly hasLost: boolean;
}

/**
 * Returns the items of an archive for the instance that is restored: if it is another one, push credentials and secrets
 * of services for log-ins are sealed for it, or left out when it has another owner.
 */
export async function moveCredentials(
  context: JobContext,
  task: RestoreTask,
  items: readonly ArchivedItem[],
): Promise<MovedItems> {
  const { origin, instance, isOfOwner } = task;
  if (origin === undefined) return { items, hasLost: false };
  const moved: ArchivedItem[] = [];
  let hasLost = false;
  for (const item of items) {
    const [below, sk, kind, data] = item;
    if (kind === userSettingsEntity.kind) {
      const settings = await moveProviderSecrets(context, task, data as UserSettingsData); // of this kind
      hasLost ||= settings.hasLost;
      moved.push([below, sk, kind, settings.settings]);
      continue;
    }
    const provider = pushProviders.find((each) => sk.endsWith(`#${each}`));
    if (kind !== pushConfigEntity.kind || provider === undefined) moved.push(item);
    else if (isOfOwner === true) {
      const scope = { from: origin, to: instance, provider };
      const config = await resealAll(context, scope, data as PushConfigData); // of this kind
      hasLost ||= config === undefined;
      if (config !== undefined) moved.push([below, sk, kind, config]);
    }
  }
  return { items: moved, hasLost };
}

interface Move {
  readonly from: number;
  readonly to: number;
  readonly provider: PushProvider;
}

/** Seals the credentials of a provider for another instance; undefined when one cannot be read. */
async function resealAll(
  { vault, log }: JobContext,
  { from, to, provider }: Move,
  config: PushConfigData,
): Promise<PushConfigData | undefined> {
  const sides: Record<string, PushSideData> = {};
  try {
    for (const environment of pushEnvironments) {
      const side = config[environment];
      if (side.credential !== null) {
        const scope = { provider, environment };
        const opened = await openCredential(vault, { instance: from, ...scope }, side.credential);
        const sealed = await sealCredential(vault, { instance: to, ...scope }, opened);
        sides[environment] = { ...side, credential: { ...side.credential, sealed } };
      } else sides[environment] = side;
    }
  } catch {
    log({
      level: 'error',
      message: 'a push credential of a backup cannot be read',
      instance: from,
    });
    return undefined;
  }
  return sides as PushConfigData; // one for each environment
}
