// biome-ignore-all lint/style/noExcessiveLinesPerFile: all keys stand on one page
import type { PushPlace, PushProvider } from '../push/rules/provider.ts';
import { entity } from '../store/entity.ts';
import type { Key } from '../store/store.ts';
import { maxId } from '../values/bounds.ts';
import { ownerOfData } from '../values/keys/data-ids.ts';
import type { AttemptsData, KnownAddressesData } from './records/attempts.ts';
import type {
  ActiveBackupData,
  ActiveRestoreData,
  BackupData,
  BackupReaderData,
  InstanceBackupData,
  RestoreData,
} from './records/backups.ts';
import type {
  ChannelData,
  ChannelEventData,
  MessageAction,
  MessageData,
  MessageRoomData,
  PollPositionData,
  PollSlotData,
  RoomHeadData,
} from './records/channels.ts';
import type { ClassCountData } from './records/class-counts.ts';
import type {
  DeploymentIdData,
  RunSlotData,
  RunWaiterData,
  ScriptFunctionData,
  ScriptSweepData,
} from './records/functions.ts';
import type { InvitationData, InvitedData } from './records/invitations.ts';
import type {
  DeadLetterData,
  InstanceLetterData,
  JobData,
  ParkedChangesData,
  ParkedLaneData,
} from './records/jobs.ts';
import type { MailPurpose, MailsSentData } from './records/mails.ts';
import type {
  PushConfigData,
  PushDeviceData,
  PushDevicePositionData,
  PushEndpointData,
  PushMessageData,
  PushPartData,
} from './records/push.ts';
import type {
  AccountData,
  AdminData,
  ApiKeyData,
  ClassData,
  ClassMigrationData,
  ClassNumbersData,
  ConfigData,
  DataEndpointData,
  DataVersionData,
  DeletedGroupsData,
  EmailData,
  FileData,
  FirstAccountData,
  GroupData,
  GroupNameData,
  InstanceData,
  InstanceNameData,
  MemberData,
  MembershipData,
  MetadataData,
  NamedPositionData,
  ObjectData,
  OwnedData,
  PasswordData,
  RecordIdsData,
  SocialData,
  StoreIdentityData,
  TemplateData,
  UniqueData,
  UsageData,
  UserData,
  UsernameData,
  UserSocialData,
} from './records/records.ts';
import type { ScheduleData } from './records/schedules.ts';
import type {
  RunQueueData,
  ScriptData,
  ScriptEndpointData,
  ScriptEndpointPositionData,
  ScriptSourceData,
  TraceData,
  TraceKind,
} from './records/scripts.ts';
import type { SuspensionData } from './records/suspensions.ts';
import type { TriggerData, TriggerEventData, TriggerRateData } from './records/triggers.ts';

/*
 * THE TABLE. Keys are spelled here and nowhere else.
 *
 * | Item                                            | pk                             | sk                          |
 * |-------------------------------------------------|--------------------------------|-----------------------------|
 * | account by e-mail; its open invitations         | EMAIL#<lower-case e-mail>      | ACCOUNT; INVITATION#<id>    |
 * | account by identity at another service          | SOCIAL#<backend>#<id>          | ACCOUNT                     |
 * | account by id; its password; its metadata       | ACCOUNT#<id>                   | ACCOUNT; PASSWORD; METADATA |
 * | ... its instances, in order; those it owns      |                                | MEMBER#<instance>; OWNED    |
 * | ... invitations addressed to it                 |                                | INVITATION#<id>             |
 * | ... its backups; the active one; restores of it |                                | BACKUP#<id>; ACTIVEBACKUP; RESTOREOF#<backup>#<instance> |
 * | mails sent to an address in the last hour      | MAILS#<lower-case e-mail>      | <purpose>                   |
 * | instance id, owner, aliases of keys by name     | NAME#<instance name>           | INSTANCE                    |
 * | ... its class numbers                           |                                | CLASSES                     |
 * | instance; its metadata; its configuration       | INSTANCE#<id>                  | INSTANCE; METADATA; CONFIG  |
 * | admins, API keys, classes, groups of an instance|                                | ADMIN#…, KEY#…, CLASS#…, …  |
 * | ... metadata of a class; number of its objects; objects whose indexes are built | | CLASSMETADATA#<name>; CLASSCOUNT#<number>; CLASSMIGRATION#<number> |
 * | ... data endpoints, by name and in list order   |                                | DATAENDPOINT#<name>; DATAENDPOINTROW#<row> |
 * | ... templates, by name and in list order        |                                | TEMPLATE#<name>; TEMPLATEROW#<row> |
 * | ... channels, by name and in list order         |                                | CHANNEL#<name>; CHANNELROW#<row> |
 * | ... invitations, by id and by e-mail            |                                | INVITATION#<id>; INVITED#<e-mail> |
 * | ... its backups; restores; the active one       |                                | BACKUP#<id>; RESTORE#<id>; ACTIVERESTORE |
 * | messages of a room of a channel; their end      | INSTANCE#<id>#MESSAGES#<channel>#<room, encoded> | MESSAGE#<id>; HEAD |
 * | room of a message (of a channel with rooms)     | INSTANCE#<id>#MESSAGEROOMS#<channel> | <message id>          |
 * | changes of objects that are to be published     | INSTANCE#<id>#CHANNELEVENTS    | <class>#<object>#<revision>#<action> |
 * | position of a poll that ended, by its caller    | INSTANCE#<id>#POLLS            | <channel>#<caller>#<room, encoded> |
 * | counters of an instance; of the deployment      | INSTANCE#<id>#SEQUENCE; SEQUENCE | <what is counted>         |
 * | ... group by name; deleted groups               |                                | GROUPNAME#<name>; DELETEDGROUPS |
 * | users by id; their passwords                    | INSTANCE#<id>#USERS; INSTANCE#<id>#PASSWORDS | <id>          |
 * | user by name                                    | INSTANCE#<id>#USERNAME         | <name, encoded>             |
 * | user by identity at another service             | INSTANCE#<id>#SOCIAL           | <backend>#<id>              |
 * | members of a group, by user                     | INSTANCE#<id>#MEMBERS#<group>  | <user id>                   |
 * | objects of a class, by id and by all 19 indexes | INSTANCE#<id>#CLASS#<number>   | <id>                        |
 * | unique values of a class                        | INSTANCE#<id>#UNIQUE#<number>  | <storage name>#<value>      |
 * | files of objects of a class, with their bytes   | INSTANCE#<id>#FILES#<number>   | <key of the file>           |
 * | ... number and bytes of them                    | INSTANCE#<id>                  | CLASSCOUNT#<number>#FILES   |
 * | usage by hour (UTC)                             | INSTANCE#<id>#USAGE            | <YYYY-MM-DDThh>             |
 * | credentials and applications of a push provider | INSTANCE#<id>                  | PUSHCONFIG#<provider>       |
 * | devices by token; all in order, those of a user | INSTANCE#<id>#DEVICES#<provider>; …#DEVICEROWS#… | <token>; ALL#<row>, USER#<id>#<row> |
 * | push messages; their devices, by hundreds       | INSTANCE#<id>#PUSHES#<provider>; …#PUSHPARTS#… | <id>; <message>#<part> |
 * | endpoint of a device at a push service          | INSTANCE#<id>#PUSHENDPOINTS#<provider> | <environment>#<token> |
 * | scripts of an instance; their sources           | INSTANCE#<id>                  | SCRIPT#<id>; SCRIPTSOURCE#<id> |
 * | ... script endpoints, by name and in list order |                                | SCRIPTENDPOINT#<name>; SCRIPTENDPOINTROW#<row> |
 * | ... schedules of scripts; their ids             |                                | SCHEDULE#<id>; SCHEDULES    |
 * | ... triggers; their ids; their runs of a minute |                                | TRIGGER#<id>; TRIGGERS; TRIGGERRATE |
 * | changes of objects that triggers wait for       | INSTANCE#<id>#TRIGGEREVENTS    | <object>#<order>            |
 * | runs of a script or an endpoint (by position)   | INSTANCE#<id>#TRACES#<kind>#<parent> | <id>                  |
 * | runs that wait for each other, by queue          | INSTANCE#<id>#RUNQUEUES        | <queue>#<position>          |
 * | slots that runs take, waiting runs (on AWS)     | INSTANCE#<id>#RUNS             | PLACE#<0-7>; WAITER#<0 awaited, 1 not>#<time>#<id> |
 * | the Lambda function of a script                 | SCRIPTFUNCTIONS                | <instance>#<script>         |
 * | mark that the first account was created         | DEPLOYMENT                     | FIRST                       |
 * | mark that functions are compared with scripts   |                                | SCRIPTSWEEP                 |
 * | id of the deployment, in names of functions     |                                | ID                          |
 * | version of the data                             |                                | VERSION                     |
 * | identity of the store (on one machine)          |                                | STORE                       |
 * | attempts to log in, by name                     | ATTEMPTS#<scope>#<name>        | ADDRESS#<address>; ALL      |
 * | ... addresses from which the name has logged in |                                | KNOWN                       |
 * | attempts to log in, by address                  | ATTEMPTSFROM#<scope>#<address> | ALL                         |
 * | slots for polls that wait (on AWS)              | POLLSLOT#<number>              | SLOT                        |
 * | jobs that are due                               | WORK#<shard 0-15>              | <due time>#<kind>#<id>      |
 * | changes that a consumer failed to process       | DEADLETTERS                    | <time>#<id>                 |
 * | ... those of an instance                        | INSTANCE#<id>#DEADLETTERS      | <number>                    |
 * | instances that an operator has stopped          | SUSPENDED                      | <instance>                  |
 * | lanes with changes that wait (on AWS)           | PARKED                         | <owner>#<consumer>          |
 * | ... their changes                               | PARKED#<owner>#<consumer>      | <position>#<id>             |
 *
 * Names are pointers: instances have an id and classes a number that are never reused, so a rename is one
 * transaction, a deletion takes effect at once, and a reused name starts empty. Records that every request reads
 * (name, key, account, member, user, class) are small; metadata, of up to 32 KB, is an item of its own.
 * Ids in sort keys have ten digits, so that their text order is their number order.
 */

/** Writes an id so that text order is number order. */
export function idKey(id: number): string {
  return String(id).padStart(10, '0');
}

/** Returns the id or list position with which a sort key ends. */
export function idIn({ sk }: Key): number {
  let id = 0; // digit by digit: lists read a hundred of them
  for (let at = sk.lastIndexOf('#') + 1; at < sk.length; at += 1) {
    id = id * 10 + sk.charCodeAt(at) - 48;
  }
  return id;
}

/** Returns the data id that the record of an instance has. */
export function dataOfInstance({ id, data }: Pick<InstanceData, 'id' | 'data'>): number {
  return data ?? id;
}

/** Returns the data id that the record of a name has. */
export function dataOfName(found: InstanceNameData | undefined): number | undefined {
  return found?.data ?? found?.instance;
}

/** Returns the data id to whose partitions a key belongs; undefined outside instances. */
export function contentsOf(key: Key): number | undefined {
  return key.pk.startsWith('INSTANCE#') ? instanceIn(key) : undefined;
}

/** Returns the data id to whose partitions a key of an instance belongs. */
export function instanceIn({ pk }: Key): number {
  return Number(pk.split('#')[1]);
}

const ofEmail = (email: string) => `EMAIL#${email}`;
const ofAccount = (account: number) => `ACCOUNT#${account}`;
const ofInstanceName = (name: string) => `NAME#${name}`;
const ofInstance = (instance: number) => `INSTANCE#${instance}`;
const ofOwn = (instance: number) => `INSTANCE#${ownerOfData(instance)}`;
const ofAttempts = (scope: string, name: string) => `ATTEMPTS#${scope}#${name}`;
const ofDeployment = () => 'DEPLOYMENT';
const byName = (name: string) => name;

/** Owner of an e-mail address. */
export const emailEntity = entity<EmailData>('email').keyed(ofEmail, 'ACCOUNT');

/** An administrator of instances. */
export const accountEntity = entity<AccountData>('account').keyed(ofAccount, 'ACCOUNT');

/** An account's password, hashed; separate from the record that every request reads. */
export const passwordEntity = entity<PasswordData>('password').keyed(ofAccount, 'PASSWORD');

/** Free data of an account, an instance or a class. */
export const accountMetadataEntity = entity<MetadataData>('metadata').keyed(ofAccount, 'METADATA');
export const instanceMetadataEntity = entity<MetadataData>('metadata').keyed(ofOwn, 'METADATA');
export const classMetadataEntity = entity<MetadataData>('metadata').keyed(
  ofInstance,
  'CLASSMETADATA#',
  byName,
);

/** Membership of an account in an instance, by account. */
export const memberEntity = entity<MemberData>('member').keyed(
  ofAccount,
  'MEMBER#',
  (instance: number) => idKey(ownerOfData(instance)),
);

/** The instances that an account owns; this one item enforces the limit on their number. */
export const ownedEntity = entity<OwnedData>('owned').keyed(ofAccount, 'OWNED');

/** The same membership, by instance. */
export const adminEntity = entity<AdminData>('admin').keyed(ofOwn, 'ADMIN#', (account: number) =>
  idKey(account),
);

/** The instance that has a name. An instance exists as long as this item does. */
export const instanceNameEntity = entity<InstanceNameData>('name').keyed(
  ofInstanceName,
  'INSTANCE',
);

/**
 * Names and numbers of an instance's classes. Enforces the limit on classes and records which numbers were used; a
 * process without cached ids reads it together with the name, and so finds a class's objects.
 */
export const classNumbersEntity = entity<ClassNumbersData>('class-numbers').keyed(
  ofInstanceName,
  'CLASSES',
);

/** An instance: one tenant. */
export const instanceEntity = entity<InstanceData>('instance').keyed(ofOwn, 'INSTANCE');

/** An API key of an instance; its text is derived, never stored. */
export const apiKeyEntity = entity<ApiKeyData>('api-key').keyed(ofOwn, 'KEY#', idKey);

/** A data class. */
export const classEntity = entity<ClassData>('class').keyed(ofInstance, 'CLASS#', byName);

/**
 * Number of objects of a class; counted by a consumer of the change feed, never by the requests that create objects.
 * Its range contains the numbers of files too.
 */
export const classCountEntity = entity<ClassCountData>('class-count').keyed(
  ofInstance,
  'CLASSCOUNT#',
  (classNumber: number) => idKey(classNumber),
);

/** How far the indexes of a class are built; absent before the first step and after the last. */
export const classMigrationEntity = entity<ClassMigrationData>('class-migration').keyed(
  ofInstance,
  'CLASSMIGRATION#',
  (classNumber: number) => idKey(classNumber),
);

/** Number of files of the objects of a class; counted in the same way. */
export const classFileCountEntity = entity<ClassCountData>('class-file-count').keyed(
  ofInstance,
  'CLASSCOUNT#',
  (classNumber: number) => `${idKey(classNumber)}#FILES`,
);

/** A data endpoint. One whose class was deleted, or created again, is treated as absent. */
export const dataEndpointEntity = entity<DataEndpointData>('data-endpoint').keyed(
  ofInstance,
  'DATAENDPOINT#',
  byName,
);

/** Data endpoints in order of creation, which is the order of their list. */
export const dataEndpointPositionEntity = entity<NamedPositionData>('data-endpoint-row').keyed(
  ofInstance,
  'DATAENDPOINTROW#',
  (row: number) => idKey(row),
);

/**
 * A template. The predefined ones of every instance are stored only when they are changed or removed, and exist before.
 */
export const templateEntity = entity<TemplateData>('template').keyed(
  ofInstance,
  'TEMPLATE#',
  byName,
);

/** Templates in order of creation, which is the order of their list. */
export const templatePositionEntity = entity<NamedPositionData>('template-row').keyed(
  ofInstance,
  'TEMPLATEROW#',
  (row: number) => idKey(row),
);

/** A channel. The built-in ones of every instance are stored only when they are changed, and exist before. */
export const channelEntity = entity<ChannelData>('channel').keyed(ofInstance, 'CHANNEL#', byName);

/** Channels in order of creation, which is the order of their list. */
export const channelPositionEntity = entity<NamedPositionData>('channel-row').keyed(
  ofInstance,
  'CHANNELROW#',
  (row: number) => idKey(row),
);

/**
 * `channel` is the number of the channel, `room` the name as index-keys.ts encodes text: in lower case, and empty where
 * the channel has no rooms. All items of a room expire, so a deleted channel or instance leaves none behind.
 */
const ofRoom = (instance: number, channel: number, room: string) =>
  `INSTANCE#${instance}#MESSAGES#${channel}#${room}`;

/** A message. */
export const messageEntity = entity<MessageData>('message').keyed(
  ofRoom,
  'MESSAGE#',
  (id: number) => idKey(id),
);

/** The end of a room's log. */
export const roomHeadEntity = entity<RoomHeadData>('room-head').keyed(ofRoom, 'HEAD');

/** The room of a message, where the channel has rooms. */
export const messageRoomEntity = entity<MessageRoomData>('message-room').keyed(
  (instance: number, channel: number) => `INSTANCE#${instance}#MESSAGEROOMS#${channel}`,
  '',
  (message: number) => idKey(message),
);

/** A change of an object with a channel, until its message is published. */
export const channelEventEntity = entity<ChannelEventData>('channel-event').keyed(
  (instance: number) => `INSTANCE#${instance}#CHANNELEVENTS`,
  '',
  (
    classNumber: number,
    { id, revision, action }: { id: number; revision: number; action: MessageAction },
  ) => `${classNumber}#${idKey(id)}#${revision}#${action}`,
);

/** Returns the change that a channel event is of. */
export function changeOfChannelEvent({ sk }: Key): {
  readonly classNumber: number;
  readonly object: number;
  readonly action: string;
} {
  const [classNumber, object, , action = ''] = sk.split('#');
  return { classNumber: Number(classNumber), object: Number(object), action };
}

/** Where the next poll of a caller continues if it has no position of its own. */
export const pollPositionEntity = entity<PollPositionData>('poll-position').keyed(
  (instance: number) => `INSTANCE#${instance}#POLLS`,
  '',
  (channel: number, caller: string, room: string) => `${channel}#${caller}#${room}`,
);

/** One of the slots for polls that wait at the same time, on AWS; it expires when its process must be dead. */
export const pollSlotEntity = entity<PollSlotData>('poll-slot').keyed(
  (slot: number) => `POLLSLOT#${slot}`,
  'SLOT',
);

/** A group of users. */
export const groupEntity = entity<GroupData>('group').keyed(ofInstance, 'GROUP#', idKey);

/** The group that has a name. */
export const groupNameEntity = entity<GroupNameData>('group-name').keyed(
  ofInstance,
  'GROUPNAME#',
  byName,
);

/**
 * Deleted groups that users or objects may still name. Read together with every user's record, so a group grants no
 * rights from its deletion on, however long the clean-up of its references takes.
 */
export const deletedGroupsEntity = entity<DeletedGroupsData>('deleted-groups').keyed(
  ofInstance,
  'DELETEDGROUPS',
);

/** Membership of a user in a group, by group; the same transaction updates the user's record. */
export const membershipEntity = entity<MembershipData>('membership').keyed(
  (instance: number, group: number) => `INSTANCE#${instance}#MEMBERS#${group}`,
  '',
  (user: number) => idKey(user),
);

/** A user of an app. Contains the ids of its groups, so that rights need no further read. */
export const userEntity = entity<UserData>('user').keyed(
  (instance: number) => `INSTANCE#${instance}#USERS`,
  '',
  idKey,
);

/** A user's password, hashed. */
export const userPasswordEntity = entity<PasswordData>('password').keyed(
  (instance: number) => `INSTANCE#${instance}#PASSWORDS`,
  '',
  (user: number) => idKey(user),
);

/** The user that has a name; `code` is the name as index-keys.ts encodes text. */
export const usernameEntity = entity<UsernameData>('username').keyed(
  (instance: number) => `INSTANCE#${instance}#USERNAME`,
  '',
  (code: string) => code,
);

/** A user by its identity at another service. */
export const userSocialEntity = entity<UserSocialData>('user-social').keyed(
  (instance: number) => `INSTANCE#${instance}#SOCIAL`,
  '',
  (backend: string, id: string) => `${backend}#${id}`,
);

/** A data object. */
export const objectEntity = entity<ObjectData>('object').keyed(
  (instance: number, classNumber: number) => `INSTANCE#${instance}#CLASS#${classNumber}`,
  '',
  idKey,
);

/** The object that has a value of a unique field. */
export const uniqueEntity = entity<UniqueData>('unique').keyed(
  (instance: number, classNumber: number) => `INSTANCE#${instance}#UNIQUE#${classNumber}`,
  '',
  (storage: string, value: string) => `${storage}#${value}`,
);

/** A file of an object of a class, by its key; the files of a class are counted by these items. */
export const fileEntity = entity<FileData>('file').keyed(
  (instance: number, classNumber: number) => `INSTANCE#${instance}#FILES#${classNumber}`,
  '',
  (file: string) => file,
);

/** Returns the class whose partition contains an object or the record of its file. */
export function placeOfObject(key: Key): {
  readonly instance: number;
  readonly classNumber: number;
} {
  return { instance: instanceIn(key), classNumber: Number(key.pk.split('#')[3]) };
}

/** Credentials of a push provider, and the applications that were created with them. */
export const pushConfigEntity = entity<PushConfigData>('push-config').keyed(
  ofInstance,
  'PUSHCONFIG#',
  (provider: PushProvider) => provider,
);

/** A device; `code` is its token in the form that identifies it. */
export const pushDeviceEntity = entity<PushDeviceData>('push-device').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#DEVICES#${provider}`,
  '',
  (code: string) => code,
);

/** Devices in order of creation: all of them, and those of a user. */
export const pushDevicePositionEntity = entity<PushDevicePositionData>('push-device-row').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#DEVICEROWS#${provider}`,
  (_instance: number, _provider: PushProvider, user: number | undefined) =>
    user === undefined ? 'ALL#' : `USER#${idKey(user)}#`,
  (row: number) => idKey(row),
);

/** A push message, without its recipients. */
export const pushMessageEntity = entity<PushMessageData>('push-message').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#PUSHES#${provider}`,
  '',
  idKey,
);

/** Some of the devices of a message, and the state of delivery to each of them. */
export const pushPartEntity = entity<PushPartData>('push-part').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#PUSHPARTS#${provider}`,
  '',
  (message: number, part: number) => `${idKey(message)}#${idKey(part)}`,
);

/** The endpoint of a device at the push service; the device may be known only from a message. */
export const pushEndpointEntity = entity<PushEndpointData>('push-endpoint').keyed(
  ({ instance, provider }: Pick<PushPlace, 'instance' | 'provider'>) =>
    `INSTANCE#${instance}#PUSHENDPOINTS#${provider}`,
  ({ environment }: PushPlace) => `${environment}#`,
  (code: string) => code,
);

/** A script, without its source. */
export const scriptEntity = entity<ScriptData>('script').keyed(ofInstance, 'SCRIPT#', idKey);

/** The source of a script. */
export const scriptSourceEntity = entity<ScriptSourceData>('script-source').keyed(
  ofInstance,
  'SCRIPTSOURCE#',
  (script: number) => idKey(script),
);

/** A script endpoint. One whose script was deleted is treated as absent. */
export const scriptEndpointEntity = entity<ScriptEndpointData>('script-endpoint').keyed(
  ofInstance,
  'SCRIPTENDPOINT#',
  byName,
);

/** Script endpoints in order of creation, which is the order of their list; public links name the list position. */
export const scriptEndpointPositionEntity = entity<ScriptEndpointPositionData>(
  'script-endpoint-row',
).keyed(ofInstance, 'SCRIPTENDPOINTROW#', (row: number) => idKey(row));

/** A schedule. One whose script was deleted is treated as absent. */
export const scheduleEntity = entity<ScheduleData>('schedule').keyed(
  ofInstance,
  'SCHEDULE#',
  idKey,
);

/** The ids of all schedules of an instance. */
export const scheduleIdsEntity = entity<RecordIdsData>('schedule-ids').keyed(
  ofInstance,
  'SCHEDULES',
);

/** A run of a script; its parent is the script, trigger or schedule, or the list position of the endpoint, that ran it. */
export const traceEntity = entity<TraceData>('trace').keyed(
  (instance: number, kind: TraceKind, parent: number) =>
    `INSTANCE#${instance}#TRACES#${kind}#${parent}`,
  '',
  idKey,
);

/** A trigger. */
export const triggerEntity = entity<TriggerData>('trigger').keyed(ofInstance, 'TRIGGER#', idKey);

/** Ids of the triggers of an instance. */
export const triggerIdsEntity = entity<RecordIdsData>('trigger-ids').keyed(ofInstance, 'TRIGGERS');

/** Number of recent runs of triggers. */
export const triggerRateEntity = entity<TriggerRateData>('trigger-rate').keyed(
  ofInstance,
  'TRIGGERRATE',
);

/** A change of an object that triggers wait for; those of an object are in the order of their commits. */
export const triggerEventEntity = entity<TriggerEventData>('trigger-event').keyed(
  (instance: number) => `INSTANCE#${instance}#TRIGGEREVENTS`,
  (_instance: number, object: number) => `${idKey(object)}#`,
  (order: string) => order,
);

/** Returns the object of an event, and its order among the events of the object. */
export function placeOfEvent({ sk }: Key): { readonly object: number; readonly order: string } {
  const [object = ''] = sk.split('#', 1);
  return { object: Number(object), order: sk.slice(object.length + 1) };
}

const ofRuns = (instance: number) => `INSTANCE#${instance}#RUNS`;

/** A slot that a run of an instance has taken; it expires when its process must be dead. */
export const runSlotEntity = entity<RunSlotData>('run-place').keyed(
  ofRuns,
  'PLACE#',
  (slot: number) => String(slot),
);

/** A run that waits for a slot, in queue order. That of a process expires soon, and is renewed while it waits. */
export const runWaiterEntity = entity<RunWaiterData>('run-waiter').keyed(
  ofRuns,
  'WAITER#',
  ({ isAwaited, sinceMs, id }: { isAwaited: boolean; sinceMs: number; id: string }) =>
    `${isAwaited ? 0 : 1}#${dueKey(sinceMs)}#${id}`,
);

/** A run in a queue; it expires with its trace. */
export const runQueueEntity = entity<RunQueueData>('run-queue').keyed(
  (instance: number) => `INSTANCE#${instance}#RUNQUEUES`,
  (_instance: number, queue: string) => `${queue}#`,
  (position: string) => position,
);

/** Usage of an instance in one hour, `YYYY-MM-DDThh` in UTC. */
export const usageEntity = entity<UsageData>('usage').keyed(
  (instance: number) => `${ofOwn(instance)}#USAGE`,
  '',
  (hour: string) => hour,
);

/** Pattern of the partitions of usage, for policies. */
export const anyUsagePartition = 'INSTANCE#*#USAGE';

/** Checks whether the numbers of a counter order items of several processes: none may be taken in advance. */
export function isOrdered({ sk }: Key): boolean {
  return sk === 'message';
}

/** Counters of what clients do not refer to by 32 bits; keys of items have ten digits for their numbers. */
const longCounters: ReadonlySet<string> = new Set([
  'message',
  'trace-script',
  'trace-endpoint',
  'trace-trigger',
  'trace-schedule',
  'dead-letter',
]);

const maxLongNumber = 9_999_999_999; // ten digits, as in keys

/** Returns the highest number of a counter. */
export function lastNumber({ sk }: Key): number {
  return longCounters.has(sk) ? maxLongNumber : maxId;
}

/** The counters of an instance. */
export const instanceCounters = [
  'object',
  'key',
  'admin',
  'user',
  'group',
  'data-endpoint',
  'template',
  'channel',
  'message',
  'gcm-device',
  'apns-device',
  'gcm-message',
  'apns-message',
  'script',
  'endpoint',
  'trace-script',
  'trace-endpoint',
  'trigger',
  'trace-trigger',
  'schedule',
  'trace-schedule',
  'restore',
  'dead-letter',
] as const;
export type InstanceCounter = (typeof instanceCounters)[number];
export function instanceCounter(instance: number, what: InstanceCounter): Key {
  return { pk: `${ofOwn(instance)}#SEQUENCE`, sk: what };
}

/** Returns the key of a counter of the deployment. */
export function deploymentCounter(what: 'account' | 'instance' | 'invitation' | 'backup'): Key {
  return { pk: 'SEQUENCE', sk: what };
}

/** Attempts to log in by a name: from one address, or from all of them when it is undefined. */
export const attemptsEntity = entity<AttemptsData>('attempts').keyed(
  ofAttempts,
  '',
  (address: string | undefined) => (address === undefined ? 'ALL' : `ADDRESS#${address}`),
);

/** Attempts to log in from an address, by any name. */
export const attemptsFromEntity = entity<AttemptsData>('attempts').keyed(
  (scope: string, address: string) => `ATTEMPTSFROM#${scope}#${address}`,
  'ALL',
);

/** Addresses from which a name has logged in. */
export const knownAddressesEntity = entity<KnownAddressesData>('known-addresses').keyed(
  ofAttempts,
  'KNOWN',
);

/** Mark that the first account was created: the set-up code is used up. */
export const firstAccountEntity = entity<FirstAccountData>('first-account').keyed(
  ofDeployment,
  'FIRST',
);

/** Mails that were sent to an address; it expires. */
export const mailsSentEntity = entity<MailsSentData>('mails-sent').keyed(
  (address: string) => `MAILS#${address}`,
  '',
  (purpose: MailPurpose) => purpose,
);

/** The Lambda function of a script. All are in one partition, which is scanned to compare functions with scripts. */
export const scriptFunctionEntity = entity<ScriptFunctionData>('script-function').keyed(
  () => 'SCRIPTFUNCTIONS',
  '',
  (instance: number, script: number) => `${idKey(instance)}#${idKey(script)}`,
);

/** Mark that functions are compared with scripts from now on. */
export const scriptSweepEntity = entity<ScriptSweepData>('script-sweep').keyed(
  ofDeployment,
  'SCRIPTSWEEP',
);

/** Id of the deployment, from which names of script functions are derived, on AWS. */
export const deploymentIdEntity = entity<DeploymentIdData>('deployment-id').keyed(
  ofDeployment,
  'ID',
);

/** Version of the data; absent in a store of a release before there was one. */
export const dataVersionEntity = entity<DataVersionData>('data-version').keyed(
  ofDeployment,
  'VERSION',
);

/** Identity of the store, on one machine: the folder's other files name it. */
export const storeIdentityEntity = entity<StoreIdentityData>('store-identity').keyed(
  ofDeployment,
  'STORE',
);

/** An invitation of an instance. */
export const invitationEntity = entity<InvitationData>('invitation').keyed(
  ofOwn,
  'INVITATION#',
  idKey,
);

/** The one invitation of an instance to an e-mail, in any state. */
export const invitedEntity = entity<InvitedData>('invited').keyed(
  ofOwn,
  'INVITED#',
  (email: string) => email,
);

/**
 * Invitations by the e-mail that they are addressed to, until it has an account, and by the account. They may still
 * point to an invitation that is no longer open: readers check its state.
 */
export const invitedEmailEntity = entity<InvitedData>('invited-email').keyed(
  ofEmail,
  'INVITATION#',
  idKey,
);
export const invitedAccountEntity = entity<InvitedData>('invited-account').keyed(
  ofAccount,
  'INVITATION#',
  idKey,
);

/** An account by its identity at another service. */
export const socialEntity = entity<SocialData>('social').keyed(
  (backend: string, id: string) => `SOCIAL#${backend}#${id}`,
  'ACCOUNT',
);

/** Configuration of an instance, up to 256 KB. */
export const configEntity = entity<ConfigData>('config').keyed(ofOwn, 'CONFIG');

/** A backup, by the account that made it. */
export const backupEntity = entity<BackupData>('backup').keyed(ofAccount, 'BACKUP#', idKey);

/** The active backup of an account. */
export const activeBackupEntity = entity<ActiveBackupData>('active-backup').keyed(
  ofAccount,
  'ACTIVEBACKUP',
);

/** An active restore of a backup into an instance, by the account that made the backup. */
export const backupReaderEntity = entity<BackupReaderData>('backup-reader').keyed(
  ofAccount,
  'RESTOREOF#',
  (backup: number, instance: number) => `${idKey(backup)}#${idKey(ownerOfData(instance))}`,
);

/** A backup, by its instance. */
export const instanceBackupEntity = entity<InstanceBackupData>('instance-backup').keyed(
  ofOwn,
  'BACKUP#',
  idKey,
);

/** A restore of an instance. */
export const restoreEntity = entity<RestoreData>('restore').keyed(ofOwn, 'RESTORE#', idKey);

/** The active restore of an instance. */
export const activeRestoreEntity = entity<ActiveRestoreData>('active-restore').keyed(
  ofOwn,
  'ACTIVERESTORE',
);

/** Partitions over which jobs are spread. */
export const jobShards = Array.from({ length: 16 }, (_, shard) => shard);

/** Prefix of all partitions of jobs. */
export const jobPrefix = 'WORK#';

/** A job to be run at `due`, in epoch milliseconds, or later. */
export const jobEntity = entity<JobData>('work').keyed(
  (shard: number) => jobPrefix + shard,
  '',
  (due: number, kind: string, id: string) => `${dueKey(due)}#${kind}#${id}`,
);

/** Returns the shard of a job: the first digit of its id, which is in hex. */
export function jobShard(id: string): number {
  return Number.parseInt(id.slice(0, 1), 16);
}

const dueDigits = 15;

/** Writes a time in epoch milliseconds so that text order is time order. */
export function dueKey(due: number): string {
  return String(Math.floor(due)).padStart(dueDigits, '0');
}

/** Returns when the job at a key is due, in epoch milliseconds. */
export function dueOf({ sk }: Key): number {
  return Number(sk.slice(0, dueDigits));
}

/** A change that a consumer failed to process, kept for the operator. `at` in epoch milliseconds. */
export const deadLetterEntity = entity<DeadLetterData>('dead-letter').keyed(
  () => 'DEADLETTERS',
  '',
  (at: number, id: string) => `${dueKey(at)}#${id}`,
);

/** A dead letter as its instance sees it; it expires and is deleted with the letter. */
export const instanceLetterEntity = entity<InstanceLetterData>('instance-letter').keyed(
  (instance: number) => `INSTANCE#${instance}#DEADLETTERS`,
  '',
  idKey,
);

/** An instance that an operator has stopped; the records that requests and jobs read have a mark of it. */
export const suspensionEntity = entity<SuspensionData>('suspension').keyed(
  () => 'SUSPENDED',
  '',
  (instance: number) => idKey(ownerOfData(instance)),
);

/** A lane of the change feed with changes that wait for their consumer. */
export const parkedLaneEntity = entity<ParkedLaneData>('parked-lane').keyed(
  () => 'PARKED',
  '',
  byName,
);

/** Changes of a lane that wait; `position` is that of the first one. */
export const parkedChangesEntity = entity<ParkedChangesData>('parked-changes').keyed(
  (lane: string) => `PARKED#${lane}`,
  '',
  (position: string, id: string) => `${position}#${id}`,
);
