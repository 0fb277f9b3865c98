import { type PushProvider, pushProviders } from '../push/rules/provider.ts';
import type { Kind } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import {
  activeRestoreEntity,
  adminEntity,
  apiKeyEntity,
  channelEventEntity,
  classEntity,
  configEntity,
  fileEntity,
  groupEntity,
  idIn,
  instanceBackupEntity,
  instanceEntity,
  instanceIn,
  instanceLetterEntity,
  instanceMetadataEntity,
  invitationEntity,
  invitedEntity,
  membershipEntity,
  objectEntity,
  pollPositionEntity,
  pushDeviceEntity,
  pushDevicePositionEntity,
  pushEndpointEntity,
  pushMessageEntity,
  pushPartEntity,
  restoreEntity,
  runQueueEntity,
  runSlotEntity,
  scheduleEntity,
  scriptEndpointPositionEntity,
  scriptEntity,
  traceEntity,
  triggerEntity,
  triggerEventEntity,
  uniqueEntity,
  usageEntity,
  userEntity,
  usernameEntity,
  userPasswordEntity,
  userSocialEntity,
} from './entities.ts';
import { type TraceKind, traceKinds } from './records/scripts.ts';

/* The partitions that are deleted with a class, with an instance, or with an item. */

/** Returns the partitions that belong to a class. */
export function classPartitions(instance: number, classNumber: number): readonly string[] {
  return [objectEntity, uniqueEntity, fileEntity].map(({ partition }) =>
    partition(instance, classNumber),
  );
}

/** One for each kind of partition of contents. A new kind must be added here, to be deleted with the instance. */
const perInstance = [
  userEntity,
  userPasswordEntity,
  usernameEntity,
  userSocialEntity,
  runSlotEntity,
  pollPositionEntity,
  channelEventEntity,
  runQueueEntity,
  triggerEventEntity,
  instanceLetterEntity,
];

/**
 * Returns the partitions of the contents under a data id, the main one last.
 *
 * @param lastClass the highest class number that the instance ever used
 */
export function contentPartitions(instance: number, lastClass: number): readonly string[] {
  const classes = Array.from({ length: lastClass }, (_, n) => classPartitions(instance, n + 1));
  return [
    ...classes.flat(),
    ...perInstance.map(({ partition }) => partition(instance)),
    ...pushProviders.flatMap((provider) => pushPartitions(instance, provider)),
    classEntity.partition(instance),
  ];
}

/** Returns the partitions that belong to an instance itself, whatever its data id is, its main one last. */
export function ownPartitions(instance: number): readonly string[] {
  return [usageEntity, instanceEntity].map(({ partition }) => partition(instance));
}

const ownKinds: ReadonlySet<string> = new Set(
  [
    instanceEntity,
    configEntity,
    adminEntity,
    apiKeyEntity,
    invitationEntity,
    invitedEntity,
    instanceBackupEntity,
    restoreEntity,
    activeRestoreEntity,
  ].map(({ kind }) => kind),
);

/** Checks whether an item of a main partition belongs to the instance itself, and not to its contents. */
export function isOwn({ kind, key }: Pick<Stored, 'kind' | 'key'>): boolean {
  return ownKinds.has(kind) || key.sk === instanceMetadataEntity.key(0).sk;
}

/** Returns the partitions of a push provider, first that of endpoints at push services. */
function pushPartitions(instance: number, provider: PushProvider): readonly string[] {
  return [
    pushEndpointEntity.partition({ instance, provider }),
    pushDeviceEntity.partition(instance, provider),
    pushDevicePositionEntity.partition(instance, provider),
    pushMessageEntity.partition(instance, provider),
    pushPartEntity.partition(instance, provider),
  ];
}

/** What has traces; the ids of its items are those of their partitions. */
const traceParents: Readonly<Record<TraceKind, Kind<object>>> = {
  script: scriptEntity,
  endpoint: scriptEndpointPositionEntity,
  trigger: triggerEntity,
  schedule: scheduleEntity,
};

/** Returns the partition of an item's dependents, which ends with it: a group's members, or the runs of something. */
export function partitionBelow(item: Stored): string | undefined {
  const [instance, id] = [instanceIn(item.key), idIn(item.key)];
  if (groupEntity.matches(item)) return membershipEntity.partition(instance, id);
  const kind = traceKinds.find((each) => traceParents[each].matches(item));
  return kind && traceEntity.partition(instance, kind, id);
}
