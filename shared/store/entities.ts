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
 * | What is asked                                   | pk                             | sk                          |
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
 * | ... group by name; groups that are gone         |                                | GROUPNAME#<name>; DELETEDGROUPS |
 * | users by id; their passwords                    | INSTANCE#<id>#USERS; INSTANCE#<id>#PASSWORDS | <id>          |
 * | user by name                                    | INSTANCE#<id>#USERNAME         | <name, encoded>             |
 * | user by identity at another service             | INSTANCE#<id>#SOCIAL           | <backend>#<id>              |
 * | members of a group, by user                     | INSTANCE#<id>#MEMBERS#<group>  | <user id>                   |
 * | objects of a class, by id and by all 19 indexes | INSTANCE#<id>#CLASS#<number>   | <id>                        |
 * | unique values of a class                        | INSTANCE#<id>#UNIQUE#<number>  | <storage name>#<value>      |
 * | files of objects of a class, with their bytes   | INSTANCE#<id>#FILES#<number>   | <key of the file>           |
 * | ... number and bytes of them                    | INSTANCE#<id>                  | CLASSCOUNT#<number>#FILES   |
 * | what was used, by hour (UTC)                    | INSTANCE#<id>#USAGE            | <YYYY-MM-DDThh>             |
 * | credentials and applications of a push provider | INSTANCE#<id>                  | PUSHCONFIG#<provider>       |
 * | devices by token; all in order, those of a user | INSTANCE#<id>#DEVICES#<provider>; …#DEVICEROWS#… | <token>; ALL#<row>, USER#<id>#<row> |
 * | push messages; whom they are for, by hundreds   | INSTANCE#<id>#PUSHES#<provider>; …#PUSHPARTS#… | <id>; <message>#<part> |
 * | where a push service knows a device             | INSTANCE#<id>#PUSHENDPOINTS#<provider> | <environment>#<token> |
 * | scripts of an instance; their sources           | INSTANCE#<id>                  | SCRIPT#<id>; SCRIPTSOURCE#<id> |
 * | ... script endpoints, by name and in list order |                                | SCRIPTENDPOINT#<name>; SCRIPTENDPOINTROW#<row> |
 * | runs of a script or an endpoint (by its row)    | INSTANCE#<id>#TRACES#<kind>#<parent> | <id>                  |
 * | runs that go on, and runs that wait (on AWS)    | INSTANCE#<id>#RUNS             | PLACE#<0-7>; WAITER#<0 awaited, 1 not>#<time>#<id> |
 * | the Lambda function of a script                 | SCRIPTFUNCTIONS                | <instance>#<script>         |
 * | that the first account was made                 | DEPLOYMENT                     | FIRST                       |
 * | that functions are compared with scripts        |                                | SCRIPTSWEEP                 |
 * | which store this is (on one machine)            |                                | STORE                       |
 * | attempts to log in, by name                     | ATTEMPTS#<scope>#<name>        | ADDRESS#<address>; ALL      |
 * | ... addresses from which the name has logged in |                                | KNOWN                       |
 * | attempts to log in, by address                  | ATTEMPTSFROM#<scope>#<address> | ALL                         |
 * | work that is due                                | WORK#<shard 0-15>              | <due time>#<kind>#<id>      |
 * | changes that a consumer could not take          | DEADLETTERS                    | <time>#<id>                 |
 *
 * Names are pointers: instances have an id and classes a number that are never given again, so a rename is one
 * transaction, a deletion is effective at once, and a name that comes back starts empty. What every call reads
 * (name, key, account, member, user, class) is small; metadata, of up to 32 KB, is an item of its own.
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

/** Reads an item as what it must be by its kind. A different kind at its key is a fault of ours. */
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
  return item as Stored<Data> | undefined; // its kind says so
}

/** Who owns an e-mail address. */
export const emailEntity = entity<EmailData, [email: string]>('email', (email) => ({
  pk: `EMAIL#${email}`,
  sk: 'ACCOUNT',
}));

/** An administrator of instances. */
export const accountEntity = entity<AccountData, [id: number]>('account', (id) => ({
  pk: `ACCOUNT#${id}`,
  sk: 'ACCOUNT',
}));

/** An account's password, hashed; kept away from the record that every call reads. */
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

/** That an account belongs to an instance, seen from the account. */
export const memberPrefix = 'MEMBER#';
export const memberEntity = entity<MemberData, [account: number, instance: number]>(
  'member',
  (account, instance) => ({ pk: `ACCOUNT#${account}`, sk: `${memberPrefix}${idKey(instance)}` }),
);

/** The instances that an account owns; the limit on their number is kept by this one item. */
export const ownedEntity = entity<OwnedData, [account: number]>('owned', (account) => ({
  pk: `ACCOUNT#${account}`,
  sk: 'OWNED',
}));

/** The same membership seen from the instance. */
export const adminPrefix = 'ADMIN#';
export const adminEntity = entity<AdminData, [instance: number, account: number]>(
  'admin',
  (instance, account) => ({ pk: `INSTANCE#${instance}`, sk: `${adminPrefix}${idKey(account)}` }),
);

/** Which instance bears a name. Its presence is what makes an instance exist. */
export const instanceNameEntity = entity<InstanceNameData, [name: string]>('name', (name) => ({
  pk: `NAME#${name}`,
  sk: 'INSTANCE',
}));

/**
 * Names and numbers of an instance's classes. Keeps their number within its limit and says which numbers were
 * given; a process without hints reads it beside the name and so knows where a class's objects are.
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

/** What counts of objects and of files begin with. */
export const classCountPrefix = 'CLASSCOUNT#';

/** How many objects a class has; counted by the consumer of changes, never by the calls that make objects. */
export const classCountEntity = entity<ClassCountData, [instance: number, classNumber: number]>(
  'class-count',
  (instance, classNumber) => ({
    pk: `INSTANCE#${instance}`,
    sk: `${classCountPrefix}${idKey(classNumber)}`,
  }),
);

/** How many files the objects of a class have; counted in the same way. */
export const classFileCountEntity = entity<ClassCountData, [instance: number, classNumber: number]>(
  'class-file-count',
  (instance, classNumber) => ({
    pk: `INSTANCE#${instance}`,
    sk: `${classCountPrefix}${idKey(classNumber)}#FILES`,
  }),
);

/** A data endpoint. One whose class is gone, or was made anew, is as if it were not there. */
export const dataEndpointEntity = entity<DataEndpointData, [instance: number, name: string]>(
  'data-endpoint',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `DATAENDPOINT#${name}` }),
);

/** Data endpoints in the order of their creation, by which they are listed. */
export const dataEndpointRowPrefix = 'DATAENDPOINTROW#';
export const dataEndpointRowEntity = entity<NamedRowData, [instance: number, row: number]>(
  'data-endpoint-row',
  (instance, row) => ({ pk: `INSTANCE#${instance}`, sk: `${dataEndpointRowPrefix}${idKey(row)}` }),
);

/**
 * A template. Those that every instance has from the beginning are stored when they are changed or removed, and are
 * there before.
 */
export const templateEntity = entity<TemplateData, [instance: number, name: string]>(
  'template',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `TEMPLATE#${name}` }),
);

/** Templates in the order of their creation, by which they are listed. */
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

/** Which group bears a name. */
export const groupNameEntity = entity<GroupNameData, [instance: number, name: string]>(
  'group-name',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `GROUPNAME#${name}` }),
);

/**
 * Groups that were deleted and that users or objects may still name. Read beside every user's record: so a group
 * gives no rights from its deletion on, however long it takes to sweep what names it.
 */
export const deletedGroupsEntity = entity<DeletedGroupsData, [instance: number]>(
  'deleted-groups',
  (instance) => ({ pk: `INSTANCE#${instance}`, sk: 'DELETEDGROUPS' }),
);

/** That a user is in a group, seen from the group; the user's record says the same in the same transaction. */
export const membershipEntity = entity<
  MembershipData,
  [instance: number, group: number, user: number]
>('membership', (instance, group, user) => ({
  pk: `INSTANCE#${instance}#MEMBERS#${group}`,
  sk: idKey(user),
}));

/** A user of an app. Carries the ids of its groups, so that rights need no further read. */
export const userEntity = entity<UserData, [instance: number, id: number]>(
  'user',
  (instance, id) => ({ pk: `INSTANCE#${instance}#USERS`, sk: idKey(id) }),
);

/** A user's password, hashed. */
export const userPasswordEntity = entity<PasswordData, [instance: number, user: number]>(
  'password',
  (instance, id) => ({ pk: `INSTANCE#${instance}#PASSWORDS`, sk: idKey(id) }),
);

/** Which user bears a name; `code` is the name as index-keys.ts encodes text. */
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

/** That a value of a unique field is taken, and by which object. */
export const uniqueEntity = entity<
  UniqueData,
  [instance: number, classNumber: number, storage: string, value: string]
>('unique', (instance, classNumber, storage, value) => ({
  pk: `INSTANCE#${instance}#UNIQUE#${classNumber}`,
  sk: `${storage}#${value}`,
}));

/** A file that an object of a class names, by its key; what it has is counted in this way. */
export const fileEntity = entity<FileData, [instance: number, classNumber: number, file: string]>(
  'file',
  (instance, classNumber, file) => ({
    pk: `INSTANCE#${instance}#FILES#${classNumber}`,
    sk: file,
  }),
);

/** The class in whose partition an object, or what is kept of its file, is. */
export function placeOfObject({ pk }: Key): {
  readonly instance: number;
  readonly classNumber: number;
} {
  const [, instance, , classNumber] = pk.split('#');
  return { instance: Number(instance), classNumber: Number(classNumber) };
}

/** Credentials of a push provider, and the applications that were made with them. */
export const pushConfigEntity = entity<PushConfigData, [instance: number, provider: PushProvider]>(
  'push-config',
  (instance, provider) => ({ pk: `INSTANCE#${instance}`, sk: `PUSHCONFIG#${provider}` }),
);

/** A device; `code` is its token in the form by which tokens are told apart. */
export const pushDeviceEntity = entity<
  PushDeviceData,
  [instance: number, provider: PushProvider, code: string]
>('push-device', (instance, provider, code) => ({
  pk: `INSTANCE#${instance}#DEVICES#${provider}`,
  sk: code,
}));

/** Devices in the order of their creation: all of them, and those of a user. */
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

/** A push message, without whom it is for. */
export const pushMessageEntity = entity<
  PushMessageData,
  [instance: number, provider: PushProvider, id: number]
>('push-message', (instance, provider, id) => ({
  pk: `INSTANCE#${instance}#PUSHES#${provider}`,
  sk: idKey(id),
}));

/** Some of the devices that a message is for, and how far it has come with each of them. */
export const pushPartEntity = entity<
  PushPartData,
  [instance: number, provider: PushProvider, message: number, part: number]
>('push-part', (instance, provider, message, part) => ({
  pk: `INSTANCE#${instance}#PUSHPARTS#${provider}`,
  sk: `${idKey(message)}#${idKey(part)}`,
}));

/** Where the push service knows a device, whether it is one of ours or only was named by a message. */
export const pushEndpointEntity = entity<PushEndpointData, [place: PushPlace, code: string]>(
  'push-endpoint',
  ({ instance, provider, environment }, code) => ({
    pk: `INSTANCE#${instance}#PUSHENDPOINTS#${provider}`,
    sk: `${environment}#${code}`,
  }),
);

/** The partitions of an instance that hold what belongs to push; what is known elsewhere comes first. */
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

/** A script endpoint. One whose script is gone is as if it were not there. */
export const scriptEndpointEntity = entity<ScriptEndpointData, [instance: number, name: string]>(
  'script-endpoint',
  (instance, name) => ({ pk: `INSTANCE#${instance}`, sk: `SCRIPTENDPOINT#${name}` }),
);

/** Script endpoints in the order of their creation, by which they are listed; public links name the row. */
export const scriptEndpointRowPrefix = 'SCRIPTENDPOINTROW#';
export const scriptEndpointRowEntity = entity<
  ScriptEndpointRowData,
  [instance: number, row: number]
>('script-endpoint-row', (instance, row) => ({
  pk: `INSTANCE#${instance}`,
  sk: `${scriptEndpointRowPrefix}${idKey(row)}`,
}));

/** A run of a script; its parent is the script, or the row of the endpoint that it was run by. */
export const traceEntity = entity<
  TraceData,
  [instance: number, kind: TraceKind, parent: number, id: number]
>('trace', (instance, kind, parent, id) => ({
  pk: `INSTANCE#${instance}#TRACES#${kind}#${parent}`,
  sk: idKey(id),
}));

/** A place that a run of an instance has taken; it expires when its process must be dead. */
export const runPlacePrefix = 'PLACE#';
export const runPlaceEntity = entity<RunPlaceData, [instance: number, place: number]>(
  'run-place',
  (instance, place) => ({ pk: `INSTANCE#${instance}#RUNS`, sk: `${runPlacePrefix}${place}` }),
);

/** A run that waits for a place, in the order of their turns; it expires soon, and is renewed while it waits. */
export const runWaiterEntity = entity<
  RunWaiterData,
  [instance: number, waiter: { isAwaited: boolean; sinceMs: number; id: string }]
>('run-waiter', (instance, { isAwaited, sinceMs, id }) => ({
  pk: `INSTANCE#${instance}#RUNS`,
  sk: `WAITER#${isAwaited ? 0 : 1}#${dueKey(sinceMs)}#${id}`,
}));

/** The partitions that are a class's own. */
export function classPartitions(instance: number, classNumber: number): readonly string[] {
  return [
    objectEntity.key(instance, classNumber, 0).pk,
    uniqueEntity.key(instance, classNumber, '', '').pk,
    fileEntity.key(instance, classNumber, '').pk,
  ];
}

/**
 * The partitions that are an instance's own, its main one last: whoever gives an instance another partition names
 * it here, and it goes with the instance.
 *
 * @param lastClass the highest class number that it ever gave
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

/** What an instance has used in an hour, `YYYY-MM-DDThh` in UTC. */
export const usageEntity = entity<UsageData, [instance: number, hour: string]>(
  'usage',
  (instance, hour) => ({ pk: `INSTANCE#${instance}#USAGE`, sk: hour }),
);

/** The partitions of usage, for policies. */
export const anyUsagePartition = 'INSTANCE#*#USAGE';

/** What is counted inside an instance. */
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

/** What is counted in the deployment. */
export function deploymentCounter(what: 'account' | 'instance' | 'invitation'): Key {
  return { pk: 'SEQUENCE', sk: what };
}

/** Attempts to log in by a name: from an address, and from all of them where none is given. */
export const attemptsEntity = entity<
  AttemptsData,
  [scope: string, name: string, address: string | undefined]
>('attempts', (scope, name, address) => ({
  pk: `ATTEMPTS#${scope}#${name}`,
  sk: address === undefined ? 'ALL' : `ADDRESS#${address}`,
}));

/** Attempts to log in from an address by whatever name. */
export const attemptsFromEntity = entity<AttemptsData, [scope: string, address: string]>(
  'attempts',
  (scope, address) => ({ pk: `ATTEMPTSFROM#${scope}#${address}`, sk: 'ALL' }),
);

/** Addresses from which a name has logged in. */
export const knownAddressesEntity = entity<KnownAddressesData, [scope: string, name: string]>(
  'known-addresses',
  (scope, name) => ({ pk: `ATTEMPTS#${scope}#${name}`, sk: 'KNOWN' }),
);

/** That the first account was made: the set-up code is spent. */
export const firstAccountEntity = entity<FirstAccountData, []>('first-account', () => ({
  pk: 'DEPLOYMENT',
  sk: 'FIRST',
}));

/** Mails that were sent to an address; it expires. */
export const mailsSentEntity = entity<MailsSentData, [address: string, purpose: MailPurpose]>(
  'mails-sent',
  (address, purpose) => ({ pk: `MAILS#${address}`, sk: purpose }),
);

/** The Lambda function of a script. On its own page: they are walked when functions are compared with scripts. */
export const scriptFunctionEntity = entity<ScriptFunctionData, [instance: number, script: number]>(
  'script-function',
  (instance, script) => ({ pk: 'SCRIPTFUNCTIONS', sk: `${idKey(instance)}#${idKey(script)}` }),
);

/** That functions are compared with scripts from now on. */
export const scriptSweepEntity = entity<ScriptSweepData, []>('script-sweep', () => ({
  pk: 'DEPLOYMENT',
  sk: 'SCRIPTSWEEP',
}));

/** Which store this is, on one machine: the folder's other files name it. */
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

/** The one invitation of an instance that is addressed to an e-mail, in whatever state. */
export const invitedEntity = entity<InvitedData, [instance: number, email: string]>(
  'invited',
  (instance, email) => ({ pk: `INSTANCE#${instance}`, sk: `INVITED#${email}` }),
);

/**
 * Invitations seen from the e-mail that they are addressed to, until it has an account, and from the account. One
 * that is open no more may still be pointed at: who follows looks at its state.
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

/** Partitions over which work is spread. */
export const jobShards = Array.from({ length: 16 }, (_, shard) => shard);

/** What all partitions of work begin with. */
export const workPrefix = 'WORK#';

/** Work that is to be done at `due`, in epoch milliseconds, or later. Its id, in hex, says in which shard it is. */
export const jobEntity = entity<JobData, [due: number, kind: string, id: string]>(
  'work',
  (due, kind, id) => ({
    pk: workShard(Number.parseInt(id.slice(0, 1), 16)),
    sk: `${dueKey(due)}#${kind}#${id}`,
  }),
);

/** The partition of a shard of work. */
export function workShard(shard: number): string {
  return workPrefix + shard;
}

const dueDigits = 15;

/** Writes a time in epoch milliseconds so that text order is time order. */
export function dueKey(due: number): string {
  return String(Math.floor(due)).padStart(dueDigits, '0');
}

/** When work at a key is due, in epoch milliseconds. */
export function dueOf({ sk }: Key): number {
  return Number(sk.slice(0, dueDigits));
}

/** A change that a consumer could not take, kept for the operator. `at` in epoch milliseconds. */
export const deadLetterEntity = entity<DeadLetterData, [at: number, id: string]>(
  'dead-letter',
  (at, id) => ({ pk: 'DEADLETTERS', sk: `${dueKey(at)}#${id}` }),
);
