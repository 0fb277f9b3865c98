import { KeyGone, type Log, type Vault } from '../ports/ports.ts';
import type { PushCredentialData, PushSideData } from '../table/records/push.ts';
import { faultOf } from '../values/caught.ts';
import { ownerOfData } from '../values/keys/data-ids.ts';
import type { PushCredential, PushEnvironment, PushProvider, PushScope } from './rules/provider.ts';

/** Empty configuration of an environment. */
export const emptySide: PushSideData = {
  credential: null,
  application: null,
  certificate_name: null,
  bundle_identifier: null,
  expiration_date: null,
};

/** Returns the context to seal a credential in: it cannot be read for any other environment. */
function contextOf({ instance, provider, environment }: PushScope) {
  return { instance: String(ownerOfData(instance)), provider, environment };
}

/** Encrypts a credential for its environment. */
export function sealCredential(vault: Vault, scope: PushScope, credential: PushCredential) {
  return vault.seal(JSON.stringify(credential), contextOf(scope));
}

/** Decrypts a credential that was sealed for an environment. */
export async function openCredential(
  vault: Vault,
  scope: PushScope,
  { sealed }: PushCredentialData,
): Promise<PushCredential> {
  return JSON.parse(await vault.open(sealed, contextOf(scope))) as PushCredential; // as sealed
}

/**
 * Decrypts a credential; undefined when the deployment no longer has the key that sealed it, which is logged: the
 * credential has to be sent again.
 */
export async function findCredential(
  { vault, log }: { readonly vault: Vault; readonly log: Log },
  scope: PushScope,
  credential: PushCredentialData,
): Promise<PushCredential | undefined> {
  try {
    return await openCredential(vault, scope, credential);
  } catch (error) {
    if (!(error instanceof KeyGone)) throw error;
    const { instance, provider, environment } = scope;
    const message = 'a push credential cannot be read, and has to be sent again';
    log({ level: 'error', message, instance, provider, environment, ...faultOf(error) });
    return undefined;
  }
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
