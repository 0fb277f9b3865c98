import type { Key } from '../../shared/store/store.ts';
import * as accounts from '../../shared/table/entities/accounts.ts';
import * as channels from '../../shared/table/entities/channels.ts';
import * as classes from '../../shared/table/entities/classes.ts';
import * as deployment from '../../shared/table/entities/deployment.ts';
import * as endpoints from '../../shared/table/entities/endpoints.ts';
import * as instances from '../../shared/table/entities/instances.ts';
import * as jobs from '../../shared/table/entities/jobs.ts';
import * as push from '../../shared/table/entities/push.ts';
import * as runs from '../../shared/table/entities/runs.ts';
import * as scripts from '../../shared/table/entities/scripts.ts';
import * as userAccounts from '../../shared/table/entities/user-accounts.ts';
import * as users from '../../shared/table/entities/users.ts';
import type { DeclaredKind } from '../../shared/table/kind.ts';

/** All that the files of entities export, by name. */
export const table = {
  ...accounts,
  ...channels,
  ...classes,
  ...deployment,
  ...endpoints,
  ...instances,
  ...jobs,
  ...push,
  ...runs,
  ...scripts,
  ...userAccounts,
  ...users,
};

const waiter = { isAwaited: true, sinceMs: 1_700_000_000_123.4, id: 'a1' };

/** Each entity with a key from sample arguments, and the kind, partition key and sort key that are stored. */
export const samples: readonly (readonly [DeclaredKind, Key, string])[] = [
  [table.emailEntity, table.emailEntity.key('a@b.com'), 'email | EMAIL#a@b.com | ACCOUNT'],
  [table.accountEntity, table.accountEntity.key(12), 'account | ACCOUNT#12 | ACCOUNT'],
  [table.passwordEntity, table.passwordEntity.key(12), 'password | ACCOUNT#12 | PASSWORD'],
  [
    table.accountMetadataEntity,
    table.accountMetadataEntity.key(12),
    'metadata | ACCOUNT#12 | METADATA',
  ],
  [
    table.accountCodesEntity,
    table.accountCodesEntity.key(12),
    'account-codes | ACCOUNT#12 | LOGINCODES',
  ],
  [
    table.instanceMetadataEntity,
    table.instanceMetadataEntity.key(7),
    'metadata | INSTANCE#7 | METADATA',
  ],
  [
    table.classMetadataEntity,
    table.classMetadataEntity.key(7, 'book'),
    'metadata | INSTANCE#7 | CLASSMETADATA#book',
  ],
  [table.memberEntity, table.memberEntity.key(12, 7), 'member | ACCOUNT#12 | MEMBER#0000000007'],
  [table.ownedEntity, table.ownedEntity.key(12), 'owned | ACCOUNT#12 | OWNED'],
  [table.adminEntity, table.adminEntity.key(7, 12), 'admin | INSTANCE#7 | ADMIN#0000000012'],
  [table.instanceNameEntity, table.instanceNameEntity.key('shop'), 'name | NAME#shop | INSTANCE'],
  [
    table.classNumbersEntity,
    table.classNumbersEntity.key('shop'),
    'class-numbers | NAME#shop | CLASSES',
  ],
  [table.instanceEntity, table.instanceEntity.key(7), 'instance | INSTANCE#7 | INSTANCE'],
  [table.apiKeyEntity, table.apiKeyEntity.key(7, 3), 'api-key | INSTANCE#7 | KEY#0000000003'],
  [table.classEntity, table.classEntity.key(7, 'book'), 'class | INSTANCE#7 | CLASS#book'],
  [
    table.classCountEntity,
    table.classCountEntity.key(7, 5),
    'class-count | INSTANCE#7 | CLASSCOUNT#0000000005',
  ],
  [
    table.classFileCountEntity,
    table.classFileCountEntity.key(7, 5),
    'class-file-count | INSTANCE#7 | CLASSCOUNT#0000000005#FILES',
  ],
  [
    table.dataEndpointEntity,
    table.dataEndpointEntity.key(7, 'list'),
    'data-endpoint | INSTANCE#7 | DATAENDPOINT#list',
  ],
  [
    table.dataEndpointPositionEntity,
    table.dataEndpointPositionEntity.key(7, 4),
    'data-endpoint-row | INSTANCE#7 | DATAENDPOINTROW#0000000004',
  ],
  [
    table.templateEntity,
    table.templateEntity.key(7, 'page'),
    'template | INSTANCE#7 | TEMPLATE#page',
  ],
  [
    table.templatePositionEntity,
    table.templatePositionEntity.key(7, 4),
    'template-row | INSTANCE#7 | TEMPLATEROW#0000000004',
  ],
  [table.channelEntity, table.channelEntity.key(7, 'chat'), 'channel | INSTANCE#7 | CHANNEL#chat'],
  [
    table.channelPositionEntity,
    table.channelPositionEntity.key(7, 4),
    'channel-row | INSTANCE#7 | CHANNELROW#0000000004',
  ],
  [
    table.messageEntity,
    table.messageEntity.key(7, 3, '"lobby', 21),
    'message | INSTANCE#7#MESSAGES#3#"lobby | MESSAGE#0000000021',
  ],
  [
    table.roomHeadEntity,
    table.roomHeadEntity.key(7, 3, '"lobby'),
    'room-head | INSTANCE#7#MESSAGES#3#"lobby | HEAD',
  ],
  [
    table.messageRoomEntity,
    table.messageRoomEntity.key(7, 3, 21),
    'message-room | INSTANCE#7#MESSAGEROOMS#3 | 0000000021',
  ],
  [
    table.channelEventEntity,
    table.channelEventEntity.key(7, 5, { id: 21, revision: 2, action: 'update' }),
    'channel-event | INSTANCE#7#CHANNELEVENTS | 5#0000000021#2#update',
  ],
  [
    table.pollPositionEntity,
    table.pollPositionEntity.key(7, 3, 'key 4 user 9', '"lobby'),
    'poll-position | INSTANCE#7#POLLS | 3#key 4 user 9#"lobby',
  ],
  [table.pollSlotEntity, table.pollSlotEntity.key(7), 'poll-slot | POLLSLOT#7 | SLOT'],
  [table.groupEntity, table.groupEntity.key(7, 9), 'group | INSTANCE#7 | GROUP#0000000009'],
  [
    table.groupNameEntity,
    table.groupNameEntity.key(7, 'staff'),
    'group-name | INSTANCE#7 | GROUPNAME#staff',
  ],
  [
    table.deletedGroupsEntity,
    table.deletedGroupsEntity.key(7),
    'deleted-groups | INSTANCE#7 | DELETEDGROUPS',
  ],
  [
    table.deletedUserEntity,
    table.deletedUserEntity.key(7, 21),
    'deleted-user | INSTANCE#7 | DELETEDUSER#0000000021',
  ],
  [
    table.membershipEntity,
    table.membershipEntity.key(7, 9, 21),
    'membership | INSTANCE#7#MEMBERS#9 | 0000000021',
  ],
  [table.userEntity, table.userEntity.key(7, 21), 'user | INSTANCE#7#USERS | 0000000021'],
  [
    table.userPasswordEntity,
    table.userPasswordEntity.key(7, 21),
    'password | INSTANCE#7#PASSWORDS | 0000000021',
  ],
  [
    table.usernameEntity,
    table.usernameEntity.key(7, '"ann'),
    'username | INSTANCE#7#USERNAME | "ann',
  ],
  [
    table.userSocialEntity,
    table.userSocialEntity.key(7, 'google', 'x#1'),
    'user-social | INSTANCE#7#SOCIAL | google#x#1',
  ],
  [
    table.userSettingsEntity,
    table.userSettingsEntity.key(7),
    'user-settings | INSTANCE#7 | USERSETTINGS',
  ],
  [
    table.userAddressEntity,
    table.userAddressEntity.key(7, 'a@b.com'),
    'user-address | INSTANCE#7#USERADDRESS | a@b.com',
  ],
  [
    table.sessionEntity,
    table.sessionEntity.key(7, 21, 5),
    'session | INSTANCE#7#SESSIONS | 0000000021#0000000005',
  ],
  [
    table.guestPlaceEntity,
    table.guestPlaceEntity.key(7, 12),
    'guest-place | INSTANCE#7#GUESTS | 0000000012',
  ],
  [
    table.usedTokenEntity,
    table.usedTokenEntity.key(7, 'a1'),
    'used-token | INSTANCE#7#USEDTOKENS | a1',
  ],
  [
    table.userCodeEntity,
    table.userCodeEntity.key(7, 'log-in', 'a@b.com'),
    'user-code | INSTANCE#7#USERCODES | log-in#a@b.com',
  ],
  [
    table.objectEntity,
    table.objectEntity.key(7, 5, 12345678901),
    'object | INSTANCE#7#CLASS#5 | 12345678901',
  ],
  [
    table.uniqueEntity,
    table.uniqueEntity.key(7, 5, 's1', '"v'),
    'unique | INSTANCE#7#UNIQUE#5 | s1#"v',
  ],
  [
    table.fileEntity,
    table.fileEntity.key(7, 5, 'files/7/5/k'),
    'file | INSTANCE#7#FILES#5 | files/7/5/k',
  ],
  [
    table.pushConfigEntity,
    table.pushConfigEntity.key(7, 'gcm'),
    'push-config | INSTANCE#7 | PUSHCONFIG#gcm',
  ],
  [
    table.pushDeviceEntity,
    table.pushDeviceEntity.key(7, 'gcm', 'token'),
    'push-device | INSTANCE#7#DEVICES#gcm | token',
  ],
  [
    table.pushDevicePositionEntity,
    table.pushDevicePositionEntity.key(7, 'gcm', undefined, 4),
    'push-device-row | INSTANCE#7#DEVICEROWS#gcm | ALL#0000000004',
  ],
  [
    table.pushDevicePositionEntity,
    table.pushDevicePositionEntity.key(7, 'gcm', 21, 4),
    'push-device-row | INSTANCE#7#DEVICEROWS#gcm | USER#0000000021#0000000004',
  ],
  [
    table.pushMessageEntity,
    table.pushMessageEntity.key(7, 'gcm', 8),
    'push-message | INSTANCE#7#PUSHES#gcm | 0000000008',
  ],
  [
    table.pushPartEntity,
    table.pushPartEntity.key(7, 'apns', 8, 2),
    'push-part | INSTANCE#7#PUSHPARTS#apns | 0000000008#0000000002',
  ],
  [
    table.pushEndpointEntity,
    table.pushEndpointEntity.key(7, 'apns', 'development', 'token'),
    'push-endpoint | INSTANCE#7#PUSHENDPOINTS#apns | development#token',
  ],
  [table.triggerEntity, table.triggerEntity.key(7, 6), 'trigger | INSTANCE#7 | TRIGGER#0000000006'],
  [table.triggerIdsEntity, table.triggerIdsEntity.key(7), 'trigger-ids | INSTANCE#7 | TRIGGERS'],
  [
    table.triggerRateEntity,
    table.triggerRateEntity.key(7),
    'trigger-rate | INSTANCE#7 | TRIGGERRATE',
  ],
  [
    table.triggerEventEntity,
    table.triggerEventEntity.key(7, 5, '0000000002#0'),
    'trigger-event | INSTANCE#7#TRIGGEREVENTS | 0000000005#0000000002#0',
  ],
  [
    table.runQueueEntity,
    table.runQueueEntity.key(7, '0000000006#0000000005', '0000000002#0'),
    'run-queue | INSTANCE#7#RUNQUEUES | 0000000006#0000000005#0000000002#0',
  ],
  [table.scriptEntity, table.scriptEntity.key(7, 6), 'script | INSTANCE#7 | SCRIPT#0000000006'],
  [
    table.scriptSourceEntity,
    table.scriptSourceEntity.key(7, 6),
    'script-source | INSTANCE#7 | SCRIPTSOURCE#0000000006',
  ],
  [
    table.scriptEndpointEntity,
    table.scriptEndpointEntity.key(7, 'door'),
    'script-endpoint | INSTANCE#7 | SCRIPTENDPOINT#door',
  ],
  [
    table.scriptEndpointPositionEntity,
    table.scriptEndpointPositionEntity.key(7, 4),
    'script-endpoint-row | INSTANCE#7 | SCRIPTENDPOINTROW#0000000004',
  ],
  [
    table.scheduleEntity,
    table.scheduleEntity.key(7, 6),
    'schedule | INSTANCE#7 | SCHEDULE#0000000006',
  ],
  [
    table.scheduleIdsEntity,
    table.scheduleIdsEntity.key(7),
    'schedule-ids | INSTANCE#7 | SCHEDULES',
  ],
  [
    table.traceEntity,
    table.traceEntity.key(7, 'endpoint', 6, 30),
    'trace | INSTANCE#7#TRACES#endpoint#6 | 0000000030',
  ],
  [table.runSlotEntity, table.runSlotEntity.key(7, 2), 'run-place | INSTANCE#7#RUNS | PLACE#2'],
  [
    table.runWaiterEntity,
    table.runWaiterEntity.key(7, waiter),
    'run-waiter | INSTANCE#7#RUNS | WAITER#0#001700000000123#a1',
  ],
  [
    table.runWaiterEntity,
    table.runWaiterEntity.key(7, { ...waiter, isAwaited: false }),
    'run-waiter | INSTANCE#7#RUNS | WAITER#1#001700000000123#a1',
  ],
  [
    table.usageEntity,
    table.usageEntity.key(7, '2026-01-31T23'),
    'usage | INSTANCE#7#USAGE | 2026-01-31T23',
  ],
  [
    table.attemptsEntity,
    table.attemptsEntity.key('account', 'a@b.com', '10.0.0.1'),
    'attempts | ATTEMPTS#account#a@b.com | ADDRESS#10.0.0.1',
  ],
  [
    table.attemptsEntity,
    table.attemptsEntity.key('account', 'a@b.com', undefined),
    'attempts | ATTEMPTS#account#a@b.com | ALL',
  ],
  [
    table.attemptsFromEntity,
    table.attemptsFromEntity.key('user', '10.0.0.1'),
    'attempts | ATTEMPTSFROM#user#10.0.0.1 | ALL',
  ],
  [
    table.knownAddressesEntity,
    table.knownAddressesEntity.key('account', 'a@b.com'),
    'known-addresses | ATTEMPTS#account#a@b.com | KNOWN',
  ],
  [table.firstAccountEntity, table.firstAccountEntity.key(), 'first-account | DEPLOYMENT | FIRST'],
  [
    table.mailsSentEntity,
    table.mailsSentEntity.key('a@b.com', 'reset'),
    'mails-sent | MAILS#a@b.com | reset',
  ],
  [
    table.queuedMailEntity,
    table.queuedMailEntity.key({ purpose: 'invite', instance: 7, invitation: 11 }),
    'queued-mail | MAILQUEUE | invite#0000000007#0000000011',
  ],
  [
    table.userMailCountEntity,
    table.userMailCountEntity.key('2026-01-31', 7),
    'user-mail-count | USERMAILS#2026-01-31 | 0000000007',
  ],
  [
    table.scriptFunctionEntity,
    table.scriptFunctionEntity.key(7, 6),
    'script-function | SCRIPTFUNCTIONS | 0000000007#0000000006',
  ],
  [
    table.scriptSweepEntity,
    table.scriptSweepEntity.key(),
    'script-sweep | DEPLOYMENT | SCRIPTSWEEP',
  ],
  [table.deploymentIdEntity, table.deploymentIdEntity.key(), 'deployment-id | DEPLOYMENT | ID'],
  [table.dataVersionEntity, table.dataVersionEntity.key(), 'data-version | DEPLOYMENT | VERSION'],
  [
    table.storeIdentityEntity,
    table.storeIdentityEntity.key(),
    'store-identity | DEPLOYMENT | STORE',
  ],
  [
    table.invitationEntity,
    table.invitationEntity.key(7, 11),
    'invitation | INSTANCE#7 | INVITATION#0000000011',
  ],
  [
    table.invitedEntity,
    table.invitedEntity.key(7, 'a@b.com'),
    'invited | INSTANCE#7 | INVITED#a@b.com',
  ],
  [table.backupEntity, table.backupEntity.key(3, 5), 'backup | ACCOUNT#3 | BACKUP#0000000005'],
  [
    table.activeBackupEntity,
    table.activeBackupEntity.key(3),
    'active-backup | ACCOUNT#3 | ACTIVEBACKUP',
  ],
  [
    table.backupReaderEntity,
    table.backupReaderEntity.key(3, 5, 7),
    'backup-reader | ACCOUNT#3 | RESTOREOF#0000000005#0000000007',
  ],
  [
    table.instanceBackupEntity,
    table.instanceBackupEntity.key(7, 5),
    'instance-backup | INSTANCE#7 | BACKUP#0000000005',
  ],
  [table.restoreEntity, table.restoreEntity.key(7, 5), 'restore | INSTANCE#7 | RESTORE#0000000005'],
  [
    table.activeRestoreEntity,
    table.activeRestoreEntity.key(7),
    'active-restore | INSTANCE#7 | ACTIVERESTORE',
  ],
  [
    table.invitedEmailEntity,
    table.invitedEmailEntity.key('a@b.com', 11),
    'invited-email | EMAIL#a@b.com | INVITATION#0000000011',
  ],
  [
    table.invitedAccountEntity,
    table.invitedAccountEntity.key(12, 11),
    'invited-account | ACCOUNT#12 | INVITATION#0000000011',
  ],
  [
    table.socialEntity,
    table.socialEntity.key('google', 'x#1'),
    'social | SOCIAL#google#x#1 | ACCOUNT',
  ],
  [table.configEntity, table.configEntity.key(7), 'config | INSTANCE#7 | CONFIG'],
  [
    table.jobEntity,
    table.jobEntity.key(table.jobShard('b1'), 1_700_000_000_123.4, 'clear-class', 'b1'),
    'work | WORK#11 | 001700000000123#clear-class#b1',
  ],
  [
    table.deadLetterEntity,
    table.deadLetterEntity.key(1_700_000_000_123.4, 'b1'),
    'dead-letter | DEADLETTERS | 001700000000123#b1',
  ],
  [
    table.classMigrationEntity,
    table.classMigrationEntity.key(7, 5),
    'class-migration | INSTANCE#7 | CLASSMIGRATION#0000000005',
  ],
  [
    table.instanceLetterEntity,
    table.instanceLetterEntity.key(7, 5),
    'instance-letter | INSTANCE#7#DEADLETTERS | 0000000005',
  ],
  [table.suspensionEntity, table.suspensionEntity.key(7), 'suspension | SUSPENDED | 0000000007'],
  [
    table.parkedLaneEntity,
    table.parkedLaneEntity.key('7#class counts'),
    'parked-lane | PARKED | 7#class counts',
  ],
  [
    table.parkedChangesEntity,
    table.parkedChangesEntity.key('7#class counts', '0012', 'b1'),
    'parked-changes | PARKED#7#class counts | 0012#b1',
  ],
];

/** Returns the name under which an entity is exported. */
export function nameOf(entity: object): string {
  return Object.entries(table).find(([, each]) => each === entity)?.[0] ?? 'unknown';
}
