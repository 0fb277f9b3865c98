import { KeyGone, type Platform, type Vault } from '../../ports/ports.ts';
import type { UserProviderData } from '../../table/records/user-accounts.ts';
import { faultOf } from '../../values/caught.ts';
import { ownerOfData } from '../../values/keys/data-ids.ts';

type Identity = Pick<UserProviderData, 'name' | 'kind' | 'issuer' | 'client_id'>;

/**
 * Returns the context to seal the secret of a service in: it cannot be read for any other instance or service, nor be
 * sent to another issuer.
 */
function contextOf(instance: number, { name, kind, issuer, client_id }: Identity) {
  return {
    instance: String(ownerOfData(instance)),
    userProvider: name,
    issuer: issuer ?? kind,
    client: client_id,
  };
}

/** Encrypts the secret of a service; the instance is a data id. */
export function sealProviderSecret(
  vault: Vault,
  instance: number,
  provider: Identity,
  secret: string,
): Promise<string> {
  return vault.seal(secret, contextOf(instance, provider));
}

/** Decrypts the secret of a service that has one. */
export function openProviderSecret(
  vault: Vault,
  instance: number,
  provider: Identity & { readonly secret: string },
): Promise<string> {
  return vault.open(provider.secret, contextOf(instance, provider));
}

/**
 * Decrypts the secret of a service; undefined: it has none, or the deployment no longer has the key that sealed it, which
 * is logged: the secret has to be sent again.
 */
export async function findProviderSecret(
  { vault, log }: Pick<Platform, 'vault' | 'log'>,
  instance: number,
  provider: UserProviderData,
): Promise<string | undefined> {
  const { secret, name } = provider;
  if (secret === undefined) return undefined;
  try {
    return await openProviderSecret(vault, instance, { ...provider, secret });
  } catch (error) {
    if (!(error instanceof KeyGone)) throw error;
    const message = 'the secret of a service of log-ins cannot be read, and has to be sent again';
    log({ level: 'error', message, instance, provider: name, ...faultOf(error) });
    return undefined;
  }
}
