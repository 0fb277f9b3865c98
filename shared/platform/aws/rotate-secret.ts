import {
  PutSecretValueCommand,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { addVersion } from '../../accounts/rules/master-secrets.ts';
import { clientOf, fetchSecrets } from './secrets.ts';

/**
 * Adds a version to the master secrets of a deployment. Functions use it for new keys within a minute.
 *
 * @returns the number of the version
 * @throws Error when the secret has no space for a version, when another process adds one at the same time, or when AWS
 *   returns an error; nothing is changed then
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
  // fails unless the version that was read is still current: of two that add at once, one does
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
