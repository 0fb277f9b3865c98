import {
  type BackupReference,
  maxBackups,
  mayBeDeleted,
} from '../../shared/backups/backup-state.ts';
import { makeBackup } from '../../shared/backups/make-backup.ts';
import { removeBackup } from '../../shared/backups/remove-backup.ts';
import {
  type Context,
  callingAccount,
  instanceOf,
  notFound,
  reservedId,
} from '../../shared/core/family.ts';
import { tenantOf } from '../../shared/core/resource/context-values.ts';
import type { Values } from '../../shared/core/resource/input.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import {
  createItem,
  createOrUpdate,
  deleteIfExists,
  deleteItem,
  updateItem,
} from '../../shared/store/writes.ts';
import { activeBackupEntity, backupEntity } from '../../shared/table/entities/accounts.ts';
import { instanceBackupEntity, instanceEntity } from '../../shared/table/entities/instances.ts';
import type { BackupData } from '../../shared/table/records/backups.ts';
import { detailError } from '../../shared/values/errors/errors.ts';
import { ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { backupFields } from './fields.ts';

/** Creates a backup of the request's instance, which a job makes. */
export async function createBackup(
  context: Context,
  draft: Values<typeof backupFields, 'create'>,
): Promise<BackupData> {
  const { platform } = context;
  const { store, clock } = platform;
  const account = callingAccount(context).data.id;
  const reference: BackupReference = {
    account,
    backup: reservedId(context),
    instance: instanceOf(context),
  };
  const now = timestamp(clock.micros());
  const [{ owner }, record] = await Promise.all([
    tenantOf(context),
    instanceEntity.read(store, reference.instance),
  ]);
  const lineage = record?.data.lineage; // of other contents than these the job makes no backup
  const data: BackupData = {
    id: reference.backup,
    instance: ownerOfData(reference.instance),
    owner,
    ...(lineage !== undefined && { lineage }),
    ...draft,
    status: 'scheduled',
    status_info: '',
    size: null,
    details: {},
    created_at: now,
    updated_at: now,
  };
  await retryOnConflict(async () => {
    const [active, all] = await Promise.all([
      activeBackupEntity.read(store, account),
      backupEntity.listAll(store, [account]),
    ]);
    if ((active?.data.backup ?? null) !== null) {
      throw detailError(400, 'You can have only one active backup running.', 'limit_reached');
    }
    if (all.length >= maxBackups) {
      const text = `Maximum number of backups per account reached (${maxBackups}).`;
      throw detailError(400, text, 'limit_reached');
    }
    const activeKey = { key: activeBackupEntity.key(account), current: active };
    await commit(context, [
      createItem(backupEntity, backupEntity.key(account, data.id), data),
      createOrUpdate(activeBackupEntity, activeKey, { backup: data.id }),
      createItem(instanceBackupEntity, instanceBackupEntity.key(reference.instance, data.id), {
        account,
        isActive: true,
      }),
      newJob(platform, makeBackup, reference),
    ]);
  });
  return data;
}

/** Deletes a backup that is not being made; a job deletes its archive. */
export async function deleteBackup(context: Context, found: Stored<BackupData>): Promise<void> {
  const { store } = context.platform;
  const { id: backup, instance } = found.data;
  const account = callingAccount(context).data.id;
  const reference: BackupReference = { account, backup, instance };
  await retryOnConflict(async (isFirst) => {
    const current = isFirst ? found : await backupEntity.read(store, account, backup);
    if (current === undefined) throw notFound(); // deleted since
    if (!mayBeDeleted(current.data.status)) {
      throw detailError(400, 'Cannot delete active backup', 'state_conflict');
    }
    const active = await activeBackupEntity.read(store, account);
    await commit(context, [
      deleteItem(current),
      ...(active?.data.backup === backup ? [updateItem(active, { backup: null })] : []),
      deleteIfExists(instanceBackupEntity.key(instance, backup)),
      newJob(context.platform, removeBackup, reference),
    ]);
  });
}
