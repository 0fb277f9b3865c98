import type { Vault } from '../platform/ports.ts';
import { ownerOfData } from '../store/entities.ts';
import type { PushCredentialData, PushSideData } from '../store/records/push.ts';
import type { PushCredential, PushEnvironment, PushPlace, PushProvider } from './rules/provider.ts';

/** Empty configuration of an environment. */
export const emptySide: PushSideData = {
  credential: null,
  application: null,
  certificate_name: null,
  bundle_identifier: null,
  expiration_date: null,
};

/** Returns the context to seal a credential in: it cannot be read for any other place. */
function contextOf({ instance, provider, environment }: PushPlace) {
  return { instance: String(ownerOfData(instance)), provider, environment };
}

/** Encrypts a credential for its place. */
export function sealCredential(vault: Vault, place: PushPlace, credential: PushCredential) {
  return vault.seal(JSON.stringify(credential), contextOf(place));
}

/** Decrypts a credential that was sealed for a place. */
export async function openCredential(
  vault: Vault,
  place: PushPlace,
  { sealed }: PushCredentialData,
): Promise<PushCredential> {
  return JSON.parse(await vault.open(sealed, contextOf(place))) as PushCredential; // as sealed
}

/**
 * Returns a message about missing configuration of an environment; undefined: none (docs/reference/push.md#messages).
 */
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
