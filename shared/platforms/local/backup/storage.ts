import type { SettingValues } from '../../../ports/setting-variables.ts';
import { StartError } from '../server/start-error.ts';
import type { backupSettings } from '../settings.ts';
import type { BucketAccess } from './s3/bucket.ts';

/** Settings of backups, as read from variables. */
export type BackupSettings = SettingValues<typeof backupSettings>;

/**
 * Returns how to reach the service of a bucket.
 *
 * @throws StartError without credentials
 */
export function bucketAccess({
  endpoint,
  commonEndpoint,
  region = 'us-east-1',
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: BackupSettings): BucketAccess {
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StartError('a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  const given = endpoint ?? commonEndpoint ?? `https://s3.${region}.amazonaws.com`;
  return { endpoint: given.replace(/\/$/, ''), region, accessKeyId, secretAccessKey, sessionToken };
}
