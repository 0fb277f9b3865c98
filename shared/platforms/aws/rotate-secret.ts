import {
  PutSecretValueCommand,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import {
  addVersion,
  cannotRetire,
  type MasterSecrets,
  retireVersion,
} from '../../accounts/rules/master-secrets.ts';
import { addedAheadMs } from '../../ports/secret-cache.ts';
import { clientOf, fetchSecrets } from './secrets.ts';

/**
 * Adds a version to the master secrets of a deployment.
 *
 * @param isAtOnce whether new keys use it at once, which is safe only while no function is used: one that has not read
 *   it yet rejects them
 * @returns the number of the version, and the time from which new keys use it (epoch milliseconds)
 * @throws Error when the secret has no space for a version, when another process changes it at the same time, or when
 *   AWS returns an error; nothing is changed then
 */
export async function addDeployedVersion(
  arn: string,
  { isAtOnce }: { readonly isAtOnce: boolean },
): Promise<{ readonly version: number; readonly from: number }> {
  const nowMs = Date.now();
  const from = isAtOnce ? nowMs : nowMs + addedAheadMs;
  const { current, next } = await changeDeployed(arn, (secrets) => {
    const added = addVersion(secrets, { nowMs, from });
    if (added === undefined) throw new Error('there is version 255, the last one there can be');
    return added;
  });
  return { version: next?.version ?? current, from };
}

/**
 * Removes a version from the master secrets of a deployment. Functions reject its keys within ten minutes.
 *
 * @throws Error when there is no such version, when new keys use it, when another process changes the secret at the same
 *   time, or when AWS returns an error; nothing is changed then
 */
export async function retireDeployedVersion(arn: string, retired: number): Promise<void> {
  await changeDeployed(arn, (secrets) => {
    const rest = retireVersion(secrets, { retired, nowMs: Date.now() });
    if (rest === undefined) throw new Error(cannotRetire(arn, retired));
    return rest;
  });
}

async function changeDeployed(
  arn: string,
  change: (secrets: MasterSecrets) => MasterSecrets,
): Promise<MasterSecrets> {
  const client = clientOf(arn);
  const { secrets, versionId } = await fetchSecrets(client, arn);
  const changed = change(secrets);
  const put = await client.send(
    new PutSecretValueCommand({
      SecretId: arn,
      SecretString: JSON.stringify(changed),
      VersionStages: [changedStage],
    }),
  );
  // fails unless the version that was read is still current: of two changes at once, one is made
  await client.send(
    new UpdateSecretVersionStageCommand({
      SecretId: arn,
      VersionStage: 'AWSCURRENT',
      MoveToVersionId: put.VersionId,
      RemoveFromVersionId: versionId,
    }),
  );
  return changed;
}

const changedStage = 'GROUNDWORK_CHANGED';
