import { type Context, instanceOf, type LoadedOf, notFound } from '../../shared/core/family.ts';
import { shareOf } from '../../shared/ports/limits/fair-queue.ts';
import type { UserProviderData } from '../../shared/table/records/user-accounts.ts';
import type { ServiceCall } from '../../shared/users/redirects/service-call.ts';
import { findProviderSecret } from '../../shared/users/settings/provider-secrets.ts';
import {
  type userSettingsLoads,
  userSettingsOf,
} from '../../shared/users/settings/user-settings.ts';

/** A request with the settings of the instance's users. */
export type SettingsContext = Context<LoadedOf<typeof userSettingsLoads>>;

/**
 * Returns the service of the path.
 *
 * @throws ApiError 404 where the settings have none of that name
 */
export function providerOf(context: SettingsContext): UserProviderData {
  const { providers } = userSettingsOf(context);
  const found = providers.find(({ name }) => name === context.params.backend);
  if (found === undefined) throw notFound();
  return found;
}

/** Returns what requests to a service need. */
export function serviceCallOf(context: SettingsContext, provider: UserProviderData): ServiceCall {
  const { platform, instanceName } = context;
  const instance = instanceOf(context);
  return {
    egress: platform.egress,
    clock: platform.clock,
    share: shareOf(instance, instanceName?.data.owner),
    provider,
    secret: () => findProviderSecret(platform, instance, provider),
  };
}

/**
 * Returns the address of the callback that a service has to know. It contains the address of the deployment, never one
 * that a request names.
 */
export function callbackAddress({ platform, params }: SettingsContext): string {
  const { instance = '', backend = '' } = params;
  return `${platform.apiUrl()}/v1.1/instances/${instance}/user/auth/${backend}/callback/`;
}
