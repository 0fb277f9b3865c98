import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type MasterSecrets, parseSecrets } from '../../accounts/rules/master-secrets.ts';
import type { Log, Secrets } from '../../ports/ports.ts';
import { cacheSecrets } from '../../ports/secret-cache.ts';
import { faultOf } from '../../values/caught.ts';
import { clientLimits, naming } from './sdk/client.ts';

const ages = { forNewKeys: 60_000, forKnown: 600_000 }; // each fetch is a request that is charged
const limits = { requestMs: 3000, maxAttempts: 3 };

/** The location of the master secrets. */
export interface SecretsOptions {
  readonly client: SecretsManagerClient;
  /** ARN of the secret. */
  readonly secret: string;
  readonly nowMs: () => number;
  readonly log?: Log;
}

/**
 * Opens the master secrets of a deployment, fetched at their first use. The secret contains either 64 lower-case hex
 * digits, as the stack generated them, which are version 1; or, after a rotation, JSON: `MasterSecrets`. They are
 * fetched again after a while and for an unknown version: an operator may add or retire one while functions run.
 */
export function openSecrets({ client: given, secret, nowMs, log }: SecretsOptions): Secrets {
  const client = naming(given);
  const read = async () => (await fetchSecrets(client, secret)).secrets;
  const whenOutdated = (error: unknown) =>
    log?.({ level: 'error', message: 'the secrets could not be read again', ...faultOf(error) });
  return cacheSecrets(read, { nowMs, ages, whenOutdated });
}

/** Opens the master secrets of a deployment from any machine, with credentials that the SDK finds. */
export function openDeployedSecrets(arn: string): Secrets {
  return openSecrets({ client: clientOf(arn), secret: arn, nowMs: Date.now });
}

/** Opens a client for the region of a secret, with the credentials that the SDK finds. */
export function clientOf(arn: string): SecretsManagerClient {
  const region = arn.split(':')[3];
  return new SecretsManagerClient({ ...clientLimits(limits), ...(region && { region }) });
}

/** The deployed master secrets. */
export interface Fetched {
  readonly secrets: MasterSecrets;
  /** Secrets Manager's own name of the version that was read. */
  readonly versionId: string | undefined;
}

/**
 * Fetches the master secrets.
 *
 * @throws Error when AWS returns an error, or when the secret has invalid content, without showing it
 */
export async function fetchSecrets(client: SecretsManagerClient, secret: string): Promise<Fetched> {
  const found = await client.send(new GetSecretValueCommand({ SecretId: secret }));
  const secrets = parseSecrets(found.SecretString ?? '');
  // the text must not be shown: it can contain a secret
  if (secrets === undefined) {
    throw new Error('the secret is damaged: restore it, all keys depend on it');
  }
  return { secrets, versionId: found.VersionId };
}
