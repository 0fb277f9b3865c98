import type { Vault } from '../platform/ports.ts';
import type { PushCredentialData, PushSideData } from '../store/records/push.ts';
import type { PushCredential, PushEnvironment, PushPlace, PushProvider } from './rules/provider.ts';

/** One environment without anything. */
export const emptySide: PushSideData = {
  credential: null,
  application: null,
  certificate_name: null,
  bundle_identifier: null,
  expiration_date: null,
};

/** What a credential is sealed for: it cannot be read for any other place. */
function contextOf({ instance, provider, environment }: PushPlace) {
  return { instance: String(instance), provider, environment };
}

/** Encrypts a credential for its place. */
export function sealCredential(vault: Vault, place: PushPlace, credential: PushCredential) {
  return vault.seal(JSON.stringify(credential), contextOf(place));
}

/** Reads a credential that was sealed for a place. */
export async function openCredential(
  vault: Vault,
  place: PushPlace,
  { sealed }: PushCredentialData,
): Promise<PushCredential> {
  return JSON.parse(await vault.open(sealed, contextOf(place))) as PushCredential; // so it was sealed
}

/** Says what an environment lacks before anything can be sent; undefined: nothing (docs/reference/push.md#messages). */
export function missingConfig(
  provider: PushProvider,
  environment: PushEnvironment,
  side: PushSideData | undefined,
): string | undefined {
  const lacks = (what: string) => `${what} for "${environment}" environment is required.`;
  if (side === undefined || side.credential === null) {
    return lacks(provider === 'gcm' ? 'GCM api key' : 'APNS certificate');
  }
  if (provider === 'gcm' || side.bundle_identifier) return undefined;
  return lacks('APNS bundle identifier');
}
