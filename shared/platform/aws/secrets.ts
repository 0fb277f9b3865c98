import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  type MasterSecrets,
  parseSecrets,
  type SecretVersions,
  toVersions,
} from '../../accounts/rules/master-secrets.ts';
import type { Secrets } from '../ports.ts';

const refetchAfterMs = 60_000;

/** Where the master secrets are. */
export interface SecretsOptions {
  readonly client: SecretsManagerClient;
  /** ARN of the secret. */
  readonly secret: string;
  readonly nowMs: () => number;
}

/**
 * Opens the master secrets of a deployment, fetched once when they are first asked for. The secret holds either 64
 * lower-case hex digits, as the stack has made them, which are version 1; or, once there has been a rotation,
 * `{"current": 2, "versions": [{"version": 1, "secret": "<64 hex digits>"}, ...]}`. They are fetched again when a version
 * is not known and when a key is made, at most once a minute: an operator may add a version while functions run.
 */
export function openSecrets({ client, secret, nowMs }: SecretsOptions): Secrets {
  let known: Promise<SecretVersions> | undefined;
  let newest: Promise<SecretVersions> | undefined; // what is known, or is just being fetched
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
        newest = known; // what was known stays, and when that is nothing, the next caller tries again
      },
    );
    return fetching;
  };
  return {
    current: async () => {
      // what is known stays good when the fetch fails, and the next minute tries again
      if (known !== undefined && isOld()) await fetch().catch(() => undefined);
      return (await (known ?? newest ?? fetch())).current;
    },
    get: async (wanted) => {
      const found = (await (known ?? newest ?? fetch())).all.get(wanted);
      if (found !== undefined) return found;
      return (await (isOld() ? fetch() : (newest ?? fetch()))).all.get(wanted);
    },
  };
}

/** Opens the master secrets of a deployment from anywhere, with the credentials that the SDK finds there. */
export function openDeployedSecrets(arn: string): Secrets {
  return openSecrets({ client: clientOf(arn), secret: arn, nowMs: Date.now });
}

/** Opens a client for the region of a secret, with the credentials that the SDK finds. */
export function clientOf(arn: string): SecretsManagerClient {
  const region = arn.split(':')[3];
  return new SecretsManagerClient(region === undefined ? {} : { region });
}

/** The master secrets as they are deployed. */
export interface Fetched {
  readonly secrets: MasterSecrets;
  /** Secrets Manager's own name of what was read. */
  readonly versionId: string | undefined;
}

/**
 * Fetches the master secrets.
 *
 * @throws Error when AWS refuses, or when the secret holds something else, without showing it
 */
export async function fetchSecrets(client: SecretsManagerClient, secret: string): Promise<Fetched> {
  const found = await client.send(new GetSecretValueCommand({ SecretId: secret }));
  const secrets = parseSecrets(found.SecretString ?? '');
  // the text may not be shown: it can hold a secret
  if (secrets === undefined) {
    throw new Error('the secret is damaged: restore it, all keys depend on it');
  }
  return { secrets, versionId: found.VersionId };
}
