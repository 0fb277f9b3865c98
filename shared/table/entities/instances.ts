import { idKey, ofOwn } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type { ActiveRestoreData, InstanceBackupData, RestoreData } from '../records/backups.ts';
import type { InvitationData, InvitedData } from '../records/instances/invitations.ts';
import type {
  AdminData,
  ApiKeyData,
  ClassNumbersData,
  ConfigData,
  InstanceData,
  InstanceNameData,
  MetadataData,
  UsageData,
} from '../records/records.ts';

const ofInstanceName = (name: string) => `NAME#${name}`;

/** The instance that has a name. An instance exists as long as this item does. */
export const instanceNameEntity = entity<InstanceNameData>('name').keyed(
  ofInstanceName,
  'INSTANCE',
  { belongsTo: 'instance', clearedWith: 'name' },
);

/**
 * Names and numbers of an instance's classes. Enforces the limit on classes and records which numbers were used; a
 * process without cached ids reads it together with the name, and so finds a class's objects.
 */
export const classNumbersEntity = entity<ClassNumbersData>('class-numbers').keyed(
  ofInstanceName,
  'CLASSES',
  { belongsTo: 'instance', clearedWith: 'name' },
);

/** Usage of an instance in one hour, `YYYY-MM-DDThh` in UTC. */
export const usageEntity = entity<UsageData>('usage').keyed(
  (instance: number) => `${ofOwn(instance)}#USAGE`,
  '',
  (hour: string) => hour,
  { belongsTo: 'instance' },
);

/** Pattern of the partitions of usage, for policies. */
export const anyUsagePartition = 'INSTANCE#*#USAGE';

/** An instance: one tenant. */
export const instanceEntity = entity<InstanceData>('instance').keyed(ofOwn, 'INSTANCE', {
  belongsTo: 'instance',
});

/** Free data of an instance. */
export const instanceMetadataEntity = entity<MetadataData>('metadata').keyed(ofOwn, 'METADATA', {
  belongsTo: 'instance',
});

/** Configuration of an instance, up to 256 KB. */
export const configEntity = entity<ConfigData>('config').keyed(ofOwn, 'CONFIG', {
  belongsTo: 'instance',
});

/** Membership of an account in an instance, by instance. */
export const adminEntity = entity<AdminData>('admin').keyed(ofOwn, 'ADMIN#', idKey, {
  belongsTo: 'instance',
  counter: 'admin',
});

/** An API key of an instance; its text is derived, never stored. */
export const apiKeyEntity = entity<ApiKeyData>('api-key').keyed(ofOwn, 'KEY#', idKey, {
  belongsTo: 'instance',
  counter: 'key',
});

/** An invitation of an instance. */
export const invitationEntity = entity<InvitationData>('invitation').keyed(
  ofOwn,
  'INVITATION#',
  idKey,
  { belongsTo: 'instance' },
);

/** The one invitation of an instance to an e-mail, in any state. */
export const invitedEntity = entity<InvitedData>('invited').keyed(
  ofOwn,
  'INVITED#',
  (email: string) => email,
  { belongsTo: 'instance' },
);

/** A backup, by its instance. */
export const instanceBackupEntity = entity<InstanceBackupData>('instance-backup').keyed(
  ofOwn,
  'BACKUP#',
  idKey,
  { belongsTo: 'instance' },
);

/** A restore of an instance. */
export const restoreEntity = entity<RestoreData>('restore').keyed(ofOwn, 'RESTORE#', idKey, {
  belongsTo: 'instance',
  counter: 'restore',
});

/** The active restore of an instance. */
export const activeRestoreEntity = entity<ActiveRestoreData>('active-restore').keyed(
  ofOwn,
  'ACTIVERESTORE',
  { belongsTo: 'instance' },
);

/** The kinds of instances themselves. */
export const instanceKinds = [
  instanceNameEntity,
  classNumbersEntity,
  usageEntity,
  instanceEntity,
  instanceMetadataEntity,
  configEntity,
  adminEntity,
  apiKeyEntity,
  invitationEntity,
  invitedEntity,
  instanceBackupEntity,
  restoreEntity,
  activeRestoreEntity,
] as const;
