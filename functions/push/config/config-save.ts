import { type Context, instanceOf } from '../../../shared/core/family.ts';
import { newJob } from '../../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../../shared/jobs/write-conflict.ts';
import { emptySide, sealCredential } from '../../../shared/push/push-config.ts';
import { closeApplication } from '../../../shared/push/push-endpoints.ts';
import { failureReason } from '../../../shared/push/push-failure.ts';
import {
  type PushCredential,
  type PushEnvironment,
  type PushProvider,
  pushEnvironments,
} from '../../../shared/push/rules/provider.ts';
import { commit } from '../../../shared/store/commit.ts';
import type { Write } from '../../../shared/store/store.ts';
import { createOrUpdate } from '../../../shared/store/writes.ts';
import { pushConfigEntity } from '../../../shared/table/entities/push.ts';
import type { PushConfigData, PushSideData } from '../../../shared/table/records/push.ts';
import { invalid, throttled } from '../../../shared/values/errors/errors.ts';
import type { ConfigContext } from './loads.ts';

/** A credential that was sent, and the text that responses show instead. */
export interface NewCredential {
  readonly secret: PushCredential;
  readonly shown: string;
  /** Name of the field that it was sent in. */
  readonly field: string;
}

/** Changes of one environment; a credential of null is deleted. */
export interface SideChange {
  readonly credential?: NewCredential | null;
  readonly texts?: Partial<
    Pick<PushSideData, 'certificate_name' | 'bundle_identifier' | 'expiration_date'>
  >;
}

/** Returns the changes of a request; called again with the stored state after a write conflict. Throws ApiError. */
export type ConfigChanges = (
  current: PushConfigData,
) => Promise<Readonly<Partial<Record<PushEnvironment, SideChange>>>>;

const nothing: PushConfigData = { development: emptySide, production: emptySide };

/** Returns the stored configuration of a provider, as read with the request. */
export function configOf({ loaded }: ConfigContext): PushConfigData {
  return loaded.config?.data ?? nothing;
}

/**
 * Saves changes of a provider's configuration, and creates their applications of the push service.
 *
 * @throws ApiError 400 for a credential that the push service rejects, under its field
 */
export function saveConfig(
  context: ConfigContext,
  provider: PushProvider,
  changes: ConfigChanges,
): Promise<PushConfigData> {
  const instance = instanceOf(context);
  const { store } = context.platform;
  const key = pushConfigEntity.key(instance, provider);
  return retryOnConflict(async (isFirst) => {
    const current = isFirst
      ? context.loaded.config
      : await pushConfigEntity.read(store, instance, provider);
    const before = current?.data ?? nothing;
    const changed = await changes(before);
    const after: Record<PushEnvironment, PushSideData> = { ...before };
    for (const environment of pushEnvironments) {
      const scope = { provider, environment };
      after[environment] = await changeSide(
        context,
        scope,
        before[environment],
        changed[environment],
      );
    }
    await commit(context, [
      createOrUpdate(pushConfigEntity, { key, current }, after),
      ...planClosing(context, provider, before, after),
    ]);
    return after;
  });
}

async function changeSide(
  context: Context,
  at: { readonly provider: PushProvider; readonly environment: PushEnvironment },
  side: PushSideData,
  { credential, texts }: SideChange = {},
): Promise<PushSideData> {
  const named = { ...side, ...texts };
  if (credential === undefined) return named;
  if (credential === null) return { ...named, credential: null, application: null };
  const { push, vault } = context.platform;
  const scope = { ...at, instance: instanceOf(context) };
  const { secret, shown, field } = credential;
  const application = await push
    .openApplication(scope, secret, side.application ?? undefined)
    .catch((error: unknown) => {
      const reason = failureReason(error);
      if (reason === 'busy') throw throttled(1);
      if (reason !== 'badCredential') throw error;
      throw invalid({ [field]: ['The push service does not accept this credential.'] });
    });
  const sealed = await sealCredential(vault, scope, secret);
  const token = secret.kind === 'token' && { keyId: secret.keyId, teamId: secret.teamId };
  return { ...named, application, credential: { kind: secret.kind, sealed, shown, ...token } };
}

/** Returns jobs that delete the applications without a credential. */
function planClosing(
  context: Context,
  provider: PushProvider,
  before: PushConfigData,
  after: PushConfigData,
): readonly Write[] {
  return pushEnvironments.flatMap((environment) => {
    const { application } = before[environment];
    if (application === null || after[environment].application !== null) return [];
    const task = { instance: instanceOf(context), provider, environment, application };
    return [newJob(context.platform, closeApplication, task)];
  });
}
