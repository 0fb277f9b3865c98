import type { PushProvider } from '../../shared/push/rules/provider.ts';

/** Returns the path of a provider below the version. */
export function providerPath(provider: PushProvider): string {
  return `/instances/{instance}/push_notifications/${provider}/`;
}

/** Returns a provider's path as links show it. */
export function providerBase(instance: string, provider: PushProvider): string {
  return `${instance}/push_notifications/${provider}/`;
}

/** Providers as names of resources show them. */
export const providerNames: Readonly<Record<PushProvider, string>> = { gcm: 'GCM', apns: 'APNS' };
