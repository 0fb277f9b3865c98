import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  type MasterSecrets,
  parseSecrets,
  type SecretVersions,
  toVersions,
} from '../../accounts/rules/master-secrets.ts';
import { faultOf } from '../../values/caught.ts';
import type { Log, Secrets } from '../ports.ts';
import { limited, naming } from './sdk/client.ts';

const refetchAfterMs = 60_000;
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
 * Opens the master secrets of a deployment, fetched once at their first use. The secret contains either 64 lower-case
 * hex digits, as the stack generated them, which are version 1; or, after a rotation,
 * `{"current": 2, "versions": [{"version": 1, "secret": "<64 hex digits>"}, ...]}`. They are fetched again for an
 * unknown version and when a key is created, at most once a minute: an operator may add a version while functions run.
 */
export function openSecrets({ client: given, secret, nowMs, log }: SecretsOptions): Secrets {
  const client = naming(given);
  let known: Promise<SecretVersions> | undefined;
  let newest: Promise<SecretVersions> | undefined; // the known versions, or a pending fetch
  let fetchedAt = 0;
  const isOld = () => nowMs() - fetchedAt >= refetchAfterMs;
  const fetch = (): Promise<SecretVersions> => {
    fetchedAt = nowMs();
    const fetching = fetchSecrets(client, secret).then(({ secrets }) => toVersions(secrets));
    newest = fetching;
    fetching.then(
      () => {
        known = fetching;
      },
      () => {
        newest = known; // known versions stay; without any, the next caller tries again
      },
    );
    return fetching;
  };
  const logFault = (error: unknown) =>
    log?.({ level: 'error', message: 'the secrets could not be read again', ...faultOf(error) });
  return {
    current: async () => {
      // known versions stay valid when the fetch fails, and the next minute tries again
      if (known !== undefined && isOld()) await fetch().catch(logFault);
      return (await (known ?? newest ?? fetch())).current;
    },
    get: async (wanted) => {
      const found = (await (known ?? newest ?? fetch())).all.get(wanted);
      if (found !== undefined) return found;
      return (await (isOld() ? fetch() : (newest ?? fetch()))).all.get(wanted);
    },
  };
}

/** Opens the master secrets of a deployment from any machine, with credentials that the SDK finds. */
export function openDeployedSecrets(arn: string): Secrets {
  return openSecrets({ client: clientOf(arn), secret: arn, nowMs: Date.now });
}

/** Opens a client for the region of a secret, with the credentials that the SDK finds. */
export function clientOf(arn: string): SecretsManagerClient {
  const region = arn.split(':')[3];
  return new SecretsManagerClient({ ...limited(limits), ...(region && { region }) });
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
