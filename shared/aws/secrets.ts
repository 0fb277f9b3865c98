import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import {
  addVersion,
  type MasterSecrets,
  parseSecrets,
  type SecretVersions,
  toVersions,
} from '../domain/master-secrets.ts';
import type { Secrets } from '../services/ports.ts';

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

function clientOf(arn: string): SecretsManagerClient {
  const region = arn.split(':')[3];
  return new SecretsManagerClient(region === undefined ? {} : { region });
}

/**
 * Adds a version to the master secrets of a deployment. Functions that are warm use it for new keys when they start
 * anew, or meet a key of it.
 *
 * @returns the number of the version
 * @throws Error when there is no room for a version, when somebody else adds one right now, or when AWS refuses;
 *   nothing is changed then
 */
export async function addDeployedVersion(arn: string): Promise<number> {
  const client = clientOf(arn);
  const { secrets, versionId } = await fetchSecrets(client, arn);
  const next = addVersion(secrets);
  if (next === undefined) throw new Error('there is version 255, the last one there can be');
  const put = await client.send(
    new PutSecretValueCommand({
      SecretId: arn,
      SecretString: JSON.stringify(next),
      VersionStages: [addedStage],
    }),
  );
  // fails unless what was read is still current: of two that add at once, one does
  await client.send(
    new UpdateSecretVersionStageCommand({
      SecretId: arn,
      VersionStage: 'AWSCURRENT',
      MoveToVersionId: put.VersionId,
      RemoveFromVersionId: versionId,
    }),
  );
  return next.current;
}

const addedStage = 'GROUNDWORK_ADDED';

interface Fetched {
  readonly secrets: MasterSecrets;
  /** Secrets Manager's own name of what was read. */
  readonly versionId: string | undefined;
}

async function fetchSecrets(client: SecretsManagerClient, secret: string): Promise<Fetched> {
  const found = await client.send(new GetSecretValueCommand({ SecretId: secret }));
  const secrets = parseSecrets(found.SecretString ?? '');
  // the text may not be shown: it can hold a secret
  if (secrets === undefined) {
    throw new Error('the secret is damaged: restore it, all keys depend on it');
  }
  return { secrets, versionId: found.VersionId };
}
