import type { PushProvider } from '../../shared/push/rules/provider.ts';

/** The place of a provider below the version. */
export function providerPath(provider: PushProvider): string {
  return `/instances/{instance}/push_notifications/${provider}/`;
}

/** A provider's place as links show it. */
export function providerBase(instance: string, provider: PushProvider): string {
  return `${instance}/push_notifications/${provider}/`;
}

/** A provider as names of resources show it. */
export const providerNames: Readonly<Record<PushProvider, string>> = { gcm: 'GCM', apns: 'APNS' };
