// biome-ignore-all lint/style/noExcessiveLinesPerFile: all keys stand on one page
import { type PushPlace, type PushProvider, pushProviders } from '../push/rules/provider.ts';
import type {
  RunPlaceData,
  RunWaiterData,
  ScriptFunctionData,
  ScriptSweepData,
} from './records/functions.ts';
import type { InvitationData, InvitedData } from './records/invitations.ts';
import type { DeadLetterData, JobData } from './records/jobs.ts';
import type { MailPurpose, MailsSentData } from './records/mails.ts';
import type {
  PushConfigData,
  PushDeviceData,
  PushDeviceRowData,
  PushEndpointData,
  PushMessageData,
  PushPartData,
} from './records/push.ts';
import type {
  AccountData,
  AdminData,
  ApiKeyData,
  AttemptsData,
  ClassCountData,
  ClassData,
  ClassNumbersData,
  ConfigData,
  DataEndpointData,
  DeletedGroupsData,
  EmailData,
  FileData,
  FirstAccountData,
  GroupData,
  GroupNameData,
  InstanceData,
  InstanceNameData,
  KnownAddressesData,
  MemberData,
  MembershipData,
  MetadataData,
  NamedRowData,
  ObjectData,
  OwnedData,
  PasswordData,
  SocialData,
  StoreIdentityData,
  TemplateData,
  UniqueData,
  UsageData,
  UserData,
  UsernameData,
  UserSocialData,
} from './records/records.ts';
import type {
  ScriptData,
  ScriptEndpointData,
  ScriptEndpointRowData,
  ScriptSourceData,
  TraceData,
  TraceKind,
} from './records/scripts.ts';
import type { Key, Store, Stored } from './store.ts';

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
 * | mails sent to an address in the last hour      | MAILS#<lower-case e-mail>      | <purpose>                   |
 * | instance id, owner by name; its class numbers   | NAME#<instance name>           | INSTANCE; CLASSES           |
 * | instance; its metadata; its configuration       | INSTANCE#<id>                  | INSTANCE; METADATA; CONFIG  |
 * | admins, API keys, classes, groups of an instance|                                | ADMIN#…, KEY#…, CLASS#…, …  |
 * | ... metadata of a class; number of its objects  |                                | CLASSMETADATA#<name>; CLASSCOUNT#<number> |
 * | ... data endpoints, by name and in list order   |                                | DATAENDPOINT#<name>; DATAENDPOINTROW#<row> |
 * | ... templates, by name and in list order        |                                | TEMPLATE#<name>; TEMPLATEROW#<row> |
 * | ... invitations, by id and by e-mail            |                                | INVITATION#<id>; INVITED#<e-mail> |
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
 * | runs of a script or an endpoint (by position)   | INSTANCE#<id>#TRACES#<kind>#<parent> | <id>                  |
 * | slots that runs take, waiting runs (on AWS)     | INSTANCE#<id>#RUNS             | PLACE#<0-7>; WAITER#<0 awaited, 1 not>#<time>#<id> |
 * | the Lambda function of a script                 | SCRIPTFUNCTIONS                | <instance>#<script>         |
 * | mark that the first account was created         | DEPLOYMENT                     | FIRST                       |
 * | mark that functions are compared with scripts   |                                | SCRIPTSWEEP                 |
 * | identity of the store (on one machine)          |                                | STORE                       |
 * | attempts to log in, by name                     | ATTEMPTS#<scope>#<name>        | ADDRESS#<address>; ALL      |
 * | ... addresses from which the name has logged in |                                | KNOWN                       |
 * | attempts to log in, by address                  | ATTEMPTSFROM#<scope>#<address> | ALL                         |
 * | jobs that are due                               | WORK#<shard 0-15>              | <due time>#<kind>#<id>      |
 * | changes that a consumer failed to process       | DEADLETTERS                    | <time>#<id>                 |
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

/** A kind of item: its name in the table, and its keys. */
export interface Entity<Data extends object, Args extends readonly unknown[]> {
  readonly kind: string;
  readonly key: (...args: Args) => Key;
  /** Reads an item of this kind. */
  readonly read: (store: Pick<Store, 'get'>, ...args: Args) => Promise<Stored<Data> | undefined>;
}

function entity<Data extends object, Args extends readonly unknown[]>(
  kind: string,
  key: (...args: Args) => Key,
): Entity<Data, Args> {
  const self: Entity<Data, Args> = {
    kind,
    key,
    read: async (store, ...args) => {
      const [item] = await store.get([key(...args)]);
      return as(self, item);
    },
  };
  return self;
}

/** Returns an item with the type of its kind. A different kind at its key is an internal error. */
export function as<Data extends object>(kind: Entity<Data, never>, item: Stored): Stored<Data>;
export function as<Data extends object>(
  kind: Entity<Data, never>,
  item: Stored | undefined,
): Stored<Data> | undefined;
export function as<Data extends object>(
  kind: Entity<Data, never>,
  item: Stored | undefined,
): Stored<Data> | undefined {
  if (item !== undefined && item.kind !== kind.kind) {
    throw new Error(`found ${item.kind} where ${kind.kind} belongs`);
  }
  return item as Stored<Data> | undefined; // guaranteed by its kind
}

/** Owner of an e-mail address. */
export const emailEntity = entity<EmailData, [email: string]>('email', (email) => ({
  pk: `EMAIL#${email}`,
  sk: 'ACCOUNT',
}));

/** An administrator of instances. */
export const accountEntity = entity<AccountData, [id: number]>('account', (id) => ({
  pk: `ACCOUNT#${id}`,
  sk: 'ACCOUNT',
}));

/** An account's password, hashed; separate from the record that every request reads. */
export const passwordEntity = entity<PasswordData, [account: number]>('password', (id) => ({
  pk: `ACCOUNT#${id}`,
  sk: 'PASSWORD',
}));

/** Free data of an account, an instance or a class. */
export const accountMetadataEntity = entity<MetadataData, [account: number]>('metadata', (id) => ({
  pk: `ACCOUNT#${id}`,
  sk: 'METADATA',
}));
export const instanceMetadataEntity = entity<MetadataData, [instance: number]>(
  'metadata',
  (id) => ({ pk: `INSTANCE#${id}`, sk: 'METADATA' }),
);
export const classMetadataEntity = entity<MetadataData, [instance: number, name: string]>(
  'metadata',
  (id, name) => ({ pk: `INSTANCE#${id}`, sk: `CLASSMETADATA#${name}` }),
);

/** Membership of an account in an instance, by account. */
export const memberPrefix = 'MEMBER#';
export const memberEntity = entity<MemberData, [account: number, instance: number]>(
  'member',
  (account, instance) => ({ pk: `ACCOUNT#${account}`, sk: `${memberPrefix}${idKey(instance)}` }),
);

/** The instances that an account owns; this one item enforces the limit on their number. */
export const ownedEntity = entity<OwnedData, [account: number]>('owned', (account) => ({
  pk: `ACCOUNT#${account}`,
  sk: 'OWNED',
}));

/** The same membership, by instance. */
export const adminPrefix = 'ADMIN#';
export const adminEntity = entity<AdminData, [instance: number, account: number]>(
  'admin',
  (instance, account) => ({ pk: `INSTANCE#${instance}`, sk: `${adminPrefix}${idKey(account)}` }),
);

/** The instance that has a name. An instance exists as long as this item does. */
export const instanceNameEntity = entity<InstanceNameData, [name: string]>('name', (name) => ({
  pk: `NAME#${name}`,
  sk: 'INSTANCE',
}));

/**
 * Names and numbers of an instance's classes. Enforces the limit on classes and records which numbers were used; a
 * process without cached ids reads it together with the name, and so finds a class's objects.
 */
export const classNumbersEntity = entity<ClassNumbersData, [instanceName: string]>(
  'class-numbers',
  (name) => ({ pk: `NAME#${name}`, sk: 'CLASSES' }),
);

/** An instance: one tenant. */
export const instanceEntity = entity<InstanceData, [id: number]>('instance', (id) => ({
  pk: `INSTANCE#${id}`,
  sk: 'INSTANCE',
}));

/** An API key of an instance; its text is derived, never stored. */
export const apiKeyPrefix = 'KEY#';
export const apiKeyEntity = entity<ApiKeyData, [instance: number, id: number]>(
  'api-key',
  (instance, id) => ({ pk: `INSTANCE#${instance}`, sk: `${apiKeyPrefix}${idKey(id)}` }),
);

/** A data class. */
export const classPrefix = 'CLASS#';
export const classEntity = entity<ClassData, [instance: number, name: string]>(
  'class',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `${classPrefix}${name}` }),
);

/** Prefix of counts of objects and of files. */
export const classCountPrefix = 'CLASSCOUNT#';

/**
 * Number of objects of a class; counted by a consumer of the change feed, never by the requests that create objects.
 */
export const classCountEntity = entity<ClassCountData, [instance: number, classNumber: number]>(
  'class-count',
  (instance, classNumber) => ({
    pk: `INSTANCE#${instance}`,
    sk: `${classCountPrefix}${idKey(classNumber)}`,
  }),
);

/** Number of files of the objects of a class; counted in the same way. */
export const classFileCountEntity = entity<ClassCountData, [instance: number, classNumber: number]>(
  'class-file-count',
  (instance, classNumber) => ({
    pk: `INSTANCE#${instance}`,
    sk: `${classCountPrefix}${idKey(classNumber)}#FILES`,
  }),
);

/** A data endpoint. One whose class was deleted, or created again, is treated as absent. */
export const dataEndpointEntity = entity<DataEndpointData, [instance: number, name: string]>(
  'data-endpoint',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `DATAENDPOINT#${name}` }),
);

/** Data endpoints in order of creation, which is the order of their list. */
export const dataEndpointRowPrefix = 'DATAENDPOINTROW#';
export const dataEndpointRowEntity = entity<NamedRowData, [instance: number, row: number]>(
  'data-endpoint-row',
  (instance, row) => ({ pk: `INSTANCE#${instance}`, sk: `${dataEndpointRowPrefix}${idKey(row)}` }),
);

/**
 * A template. The predefined ones of every instance are stored only when they are changed or removed, and exist before.
 */
export const templateEntity = entity<TemplateData, [instance: number, name: string]>(
  'template',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `TEMPLATE#${name}` }),
);

/** Templates in order of creation, which is the order of their list. */
export const templateRowPrefix = 'TEMPLATEROW#';
export const templateRowEntity = entity<NamedRowData, [instance: number, row: number]>(
  'template-row',
  (instance, row) => ({ pk: `INSTANCE#${instance}`, sk: `${templateRowPrefix}${idKey(row)}` }),
);

/** A group of users. */
export const groupPrefix = 'GROUP#';
export const groupEntity = entity<GroupData, [instance: number, id: number]>(
  'group',
  (instance, id) => ({ pk: `INSTANCE#${instance}`, sk: `${groupPrefix}${idKey(id)}` }),
);

/** The group that has a name. */
export const groupNameEntity = entity<GroupNameData, [instance: number, name: string]>(
  'group-name',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `GROUPNAME#${name}` }),
);

/**
 * Deleted groups that users or objects may still name. Read together with every user's record, so a group grants no
 * rights from its deletion on, however long the clean-up of its references takes.
 */
export const deletedGroupsEntity = entity<DeletedGroupsData, [instance: number]>(
  'deleted-groups',
  (instance) => ({ pk: `INSTANCE#${instance}`, sk: 'DELETEDGROUPS' }),
);

/** Membership of a user in a group, by group; the same transaction updates the user's record. */
export const membershipEntity = entity<
  MembershipData,
  [instance: number, group: number, user: number]
>('membership', (instance, group, user) => ({
  pk: `INSTANCE#${instance}#MEMBERS#${group}`,
  sk: idKey(user),
}));

/** A user of an app. Contains the ids of its groups, so that rights need no further read. */
export const userEntity = entity<UserData, [instance: number, id: number]>(
  'user',
  (instance, id) => ({ pk: `INSTANCE#${instance}#USERS`, sk: idKey(id) }),
);

/** A user's password, hashed. */
export const userPasswordEntity = entity<PasswordData, [instance: number, user: number]>(
  'password',
  (instance, id) => ({ pk: `INSTANCE#${instance}#PASSWORDS`, sk: idKey(id) }),
);

/** The user that has a name; `code` is the name as index-keys.ts encodes text. */
export const usernameEntity = entity<UsernameData, [instance: number, code: string]>(
  'username',
  (instance, code) => ({ pk: `INSTANCE#${instance}#USERNAME`, sk: code }),
);

/** A user by its identity at another service. */
export const userSocialEntity = entity<
  UserSocialData,
  [instance: number, backend: string, id: string]
>('user-social', (instance, backend, id) => ({
  pk: `INSTANCE#${instance}#SOCIAL`,
  sk: `${backend}#${id}`,
}));

/** A data object. */
export const objectEntity = entity<ObjectData, [instance: number, classNumber: number, id: number]>(
  'object',
  (instance, classNumber, id) => ({
    pk: `INSTANCE#${instance}#CLASS#${classNumber}`,
    sk: idKey(id),
  }),
);

/** The object that has a value of a unique field. */
export const uniqueEntity = entity<
  UniqueData,
  [instance: number, classNumber: number, storage: string, value: string]
>('unique', (instance, classNumber, storage, value) => ({
  pk: `INSTANCE#${instance}#UNIQUE#${classNumber}`,
  sk: `${storage}#${value}`,
}));

/** A file of an object of a class, by its key; the files of a class are counted by these items. */
export const fileEntity = entity<FileData, [instance: number, classNumber: number, file: string]>(
  'file',
  (instance, classNumber, file) => ({
    pk: `INSTANCE#${instance}#FILES#${classNumber}`,
    sk: file,
  }),
);

/** Returns the class whose partition contains an object or the record of its file. */
export function placeOfObject({ pk }: Key): {
  readonly instance: number;
  readonly classNumber: number;
} {
  const [, instance, , classNumber] = pk.split('#');
  return { instance: Number(instance), classNumber: Number(classNumber) };
}

/** Credentials of a push provider, and the applications that were created with them. */
export const pushConfigEntity = entity<PushConfigData, [instance: number, provider: PushProvider]>(
  'push-config',
  (instance, provider) => ({ pk: `INSTANCE#${instance}`, sk: `PUSHCONFIG#${provider}` }),
);

/** A device; `code` is its token in the form that identifies it. */
export const pushDeviceEntity = entity<
  PushDeviceData,
  [instance: number, provider: PushProvider, code: string]
>('push-device', (instance, provider, code) => ({
  pk: `INSTANCE#${instance}#DEVICES#${provider}`,
  sk: code,
}));

/** Devices in order of creation: all of them, and those of a user. */
export function pushDeviceRowPrefix(user: number | undefined): string {
  return user === undefined ? 'ALL#' : `USER#${idKey(user)}#`;
}
export const pushDeviceRowEntity = entity<
  PushDeviceRowData,
  [instance: number, provider: PushProvider, user: number | undefined, row: number]
>('push-device-row', (instance, provider, user, row) => ({
  pk: `INSTANCE#${instance}#DEVICEROWS#${provider}`,
  sk: pushDeviceRowPrefix(user) + idKey(row),
}));

/** A push message, without its recipients. */
export const pushMessageEntity = entity<
  PushMessageData,
  [instance: number, provider: PushProvider, id: number]
>('push-message', (instance, provider, id) => ({
  pk: `INSTANCE#${instance}#PUSHES#${provider}`,
  sk: idKey(id),
}));

/** Some of the devices of a message, and the state of delivery to each of them. */
export const pushPartEntity = entity<
  PushPartData,
  [instance: number, provider: PushProvider, message: number, part: number]
>('push-part', (instance, provider, message, part) => ({
  pk: `INSTANCE#${instance}#PUSHPARTS#${provider}`,
  sk: `${idKey(message)}#${idKey(part)}`,
}));

/** The endpoint of a device at the push service; the device may be known only from a message. */
export const pushEndpointEntity = entity<PushEndpointData, [place: PushPlace, code: string]>(
  'push-endpoint',
  ({ instance, provider, environment }, code) => ({
    pk: `INSTANCE#${instance}#PUSHENDPOINTS#${provider}`,
    sk: `${environment}#${code}`,
  }),
);

/** Returns the partitions of an instance for push, first that of endpoints at push services. */
function pushPartitions(instance: number): readonly string[] {
  return pushProviders.flatMap((provider) => [
    pushEndpointEntity.key({ instance, provider, environment: 'production' }, '').pk,
    pushDeviceEntity.key(instance, provider, '').pk,
    pushDeviceRowEntity.key(instance, provider, undefined, 0).pk,
    pushMessageEntity.key(instance, provider, 0).pk,
    pushPartEntity.key(instance, provider, 0, 0).pk,
  ]);
}

/** A script, without its source. */
export const scriptPrefix = 'SCRIPT#';
export const scriptEntity = entity<ScriptData, [instance: number, id: number]>(
  'script',
  (instance, id) => ({ pk: `INSTANCE#${instance}`, sk: `${scriptPrefix}${idKey(id)}` }),
);

/** The source of a script. */
export const scriptSourceEntity = entity<ScriptSourceData, [instance: number, script: number]>(
  'script-source',
  (instance, script) => ({ pk: `INSTANCE#${instance}`, sk: `SCRIPTSOURCE#${idKey(script)}` }),
);

/** A script endpoint. One whose script was deleted is treated as absent. */
export const scriptEndpointEntity = entity<ScriptEndpointData, [instance: number, name: string]>(
  'script-endpoint',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `SCRIPTENDPOINT#${name}` }),
);

/** Script endpoints in order of creation, which is the order of their list; public links name the list position. */
export const scriptEndpointRowPrefix = 'SCRIPTENDPOINTROW#';
export const scriptEndpointRowEntity = entity<
  ScriptEndpointRowData,
  [instance: number, row: number]
>('script-endpoint-row', (instance, row) => ({
  pk: `INSTANCE#${instance}`,
  sk: `${scriptEndpointRowPrefix}${idKey(row)}`,
}));

/** A run of a script; its parent is the script, or the list position of the endpoint that it was run by. */
export const traceEntity = entity<
  TraceData,
  [instance: number, kind: TraceKind, parent: number, id: number]
>('trace', (instance, kind, parent, id) => ({
  pk: `INSTANCE#${instance}#TRACES#${kind}#${parent}`,
  sk: idKey(id),
}));

/** A slot that a run of an instance has taken; it expires when its process must be dead. */
export const runPlacePrefix = 'PLACE#';
export const runPlaceEntity = entity<RunPlaceData, [instance: number, place: number]>(
  'run-place',
  (instance, place) => ({ pk: `INSTANCE#${instance}#RUNS`, sk: `${runPlacePrefix}${place}` }),
);

/** A run that waits for a slot, in queue order; it expires soon, and is renewed while it waits. */
export const runWaiterEntity = entity<
  RunWaiterData,
  [instance: number, waiter: { isAwaited: boolean; sinceMs: number; id: string }]
>('run-waiter', (instance, { isAwaited, sinceMs, id }) => ({
  pk: `INSTANCE#${instance}#RUNS`,
  sk: `WAITER#${isAwaited ? 0 : 1}#${dueKey(sinceMs)}#${id}`,
}));

/** Returns the partitions that belong to a class. */
export function classPartitions(instance: number, classNumber: number): readonly string[] {
  return [
    objectEntity.key(instance, classNumber, 0).pk,
    uniqueEntity.key(instance, classNumber, '', '').pk,
    fileEntity.key(instance, classNumber, '').pk,
  ];
}

/**
 * Returns the partitions that belong to an instance, its main one last. A new kind of partition must be added here, to
 * be deleted with the instance.
 *
 * @param lastClass the highest class number that it ever used
 */
export function instancePartitions(instance: number, lastClass: number): readonly string[] {
  const classes = Array.from({ length: lastClass }, (_, n) => classPartitions(instance, n + 1));
  return [
    ...classes.flat(),
    userEntity.key(instance, 0).pk,
    userPasswordEntity.key(instance, 0).pk,
    usernameEntity.key(instance, '').pk,
    userSocialEntity.key(instance, '', '').pk,
    usageEntity.key(instance, '').pk,
    runPlaceEntity.key(instance, 0).pk,
    ...pushPartitions(instance),
    instanceEntity.key(instance).pk,
  ];
}

/** Usage of an instance in one hour, `YYYY-MM-DDThh` in UTC. */
export const usageEntity = entity<UsageData, [instance: number, hour: string]>(
  'usage',
  (instance, hour) => ({ pk: `INSTANCE#${instance}#USAGE`, sk: hour }),
);

/** Pattern of the partitions of usage, for policies. */
export const anyUsagePartition = 'INSTANCE#*#USAGE';

/** The counters of an instance. */
export const instanceCounters = [
  'object',
  'key',
  'admin',
  'user',
  'group',
  'data-endpoint',
  'template',
  'gcm-device',
  'apns-device',
  'gcm-message',
  'apns-message',
  'script',
  'endpoint',
  'trace-script',
  'trace-endpoint',
] as const;
export type InstanceCounter = (typeof instanceCounters)[number];
export function instanceCounter(instance: number, what: InstanceCounter): Key {
  return { pk: `INSTANCE#${instance}#SEQUENCE`, sk: what };
}

/** Returns the key of a counter of the deployment. */
export function deploymentCounter(what: 'account' | 'instance' | 'invitation'): Key {
  return { pk: 'SEQUENCE', sk: what };
}

/** Attempts to log in by a name: from one address, or from all of them when it is undefined. */
export const attemptsEntity = entity<
  AttemptsData,
  [scope: string, name: string, address: string | undefined]
>('attempts', (scope, name, address) => ({
  pk: `ATTEMPTS#${scope}#${name}`,
  sk: address === undefined ? 'ALL' : `ADDRESS#${address}`,
}));

/** Attempts to log in from an address, by any name. */
export const attemptsFromEntity = entity<AttemptsData, [scope: string, address: string]>(
  'attempts',
  (scope, address) => ({ pk: `ATTEMPTSFROM#${scope}#${address}`, sk: 'ALL' }),
);

/** Addresses from which a name has logged in. */
export const knownAddressesEntity = entity<KnownAddressesData, [scope: string, name: string]>(
  'known-addresses',
  (scope, name) => ({ pk: `ATTEMPTS#${scope}#${name}`, sk: 'KNOWN' }),
);

/** Mark that the first account was created: the set-up code is used up. */
export const firstAccountEntity = entity<FirstAccountData, []>('first-account', () => ({
  pk: 'DEPLOYMENT',
  sk: 'FIRST',
}));

/** Mails that were sent to an address; it expires. */
export const mailsSentEntity = entity<MailsSentData, [address: string, purpose: MailPurpose]>(
  'mails-sent',
  (address, purpose) => ({ pk: `MAILS#${address}`, sk: purpose }),
);

/** The Lambda function of a script. All are in one partition, which is scanned to compare functions with scripts. */
export const scriptFunctionEntity = entity<ScriptFunctionData, [instance: number, script: number]>(
  'script-function',
  (instance, script) => ({ pk: 'SCRIPTFUNCTIONS', sk: `${idKey(instance)}#${idKey(script)}` }),
);

/** Mark that functions are compared with scripts from now on. */
export const scriptSweepEntity = entity<ScriptSweepData, []>('script-sweep', () => ({
  pk: 'DEPLOYMENT',
  sk: 'SCRIPTSWEEP',
}));

/** Identity of the store, on one machine: the folder's other files name it. */
export const storeIdentityEntity = entity<StoreIdentityData, []>('store-identity', () => ({
  pk: 'DEPLOYMENT',
  sk: 'STORE',
}));

/** An invitation of an instance. */
export const invitationPrefix = 'INVITATION#';
export const invitationEntity = entity<InvitationData, [instance: number, id: number]>(
  'invitation',
  (instance, id) => ({ pk: `INSTANCE#${instance}`, sk: `${invitationPrefix}${idKey(id)}` }),
);

/** The one invitation of an instance to an e-mail, in any state. */
export const invitedEntity = entity<InvitedData, [instance: number, email: string]>(
  'invited',
  (instance, email) => ({ pk: `INSTANCE#${instance}`, sk: `INVITED#${email}` }),
);

/**
 * Invitations by the e-mail that they are addressed to, until it has an account, and by the account. They may still
 * point to an invitation that is no longer open: readers check its state.
 */
export const invitedEmailEntity = entity<InvitedData, [email: string, id: number]>(
  'invited-email',
  (email, id) => ({ pk: `EMAIL#${email}`, sk: `${invitationPrefix}${idKey(id)}` }),
);
export const invitedAccountEntity = entity<InvitedData, [account: number, id: number]>(
  'invited-account',
  (account, id) => ({ pk: `ACCOUNT#${account}`, sk: `${invitationPrefix}${idKey(id)}` }),
);

/** An account by its identity at another service. */
export const socialEntity = entity<SocialData, [backend: string, id: string]>(
  'social',
  (backend, id) => ({ pk: `SOCIAL#${backend}#${id}`, sk: 'ACCOUNT' }),
);

/** Configuration of an instance, up to 256 KB. */
export const configEntity = entity<ConfigData, [instance: number]>('config', (id) => ({
  pk: `INSTANCE#${id}`,
  sk: 'CONFIG',
}));

/** Partitions over which jobs are spread. */
export const jobShards = Array.from({ length: 16 }, (_, shard) => shard);

/** Prefix of all partitions of jobs. */
export const workPrefix = 'WORK#';

/** A job to be run at `due`, in epoch milliseconds, or later. Its id, in hex, determines its shard. */
export const jobEntity = entity<JobData, [due: number, kind: string, id: string]>(
  'work',
  (due, kind, id) => ({
    pk: workShard(Number.parseInt(id.slice(0, 1), 16)),
    sk: `${dueKey(due)}#${kind}#${id}`,
  }),
);

/** Returns the partition of a shard of jobs. */
export function workShard(shard: number): string {
  return workPrefix + shard;
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
export const deadLetterEntity = entity<DeadLetterData, [at: number, id: string]>(
  'dead-letter',
  (at, id) => ({ pk: 'DEADLETTERS', sk: `${dueKey(at)}#${id}` }),
);
