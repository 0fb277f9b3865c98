import type {
  CompositeIndex,
  FieldDefinition,
  FieldStorage,
} from '../../classes/rules/field-types.ts';
import type { ClassPermission, ObjectPermission } from '../../classes/rules/permissions.ts';
import type { ClassTrigger } from '../../triggers/rules/signals.ts';
import type { Role } from '../../values/access.ts';
import type { Json, JsonObject } from '../../values/json/json.ts';

/*
 * Data of the items of the table; their keys are in entities/. Wire names are unchanged. Items of push, log-ins, scripts
 * and their functions, invitations, jobs and others are in other files of this folder.
 */

/** Members of a record that its derived key depends on: a key of another generation is invalid. */
export interface Keyed {
  /** Version of the deployment's secret with which the current key was made. */
  readonly secret_version: number;
  readonly generation: number;
}

/** Owner of an e-mail address. */
export interface EmailData {
  readonly account: number;
}

/** An administrator of instances. */
export interface AccountData extends Keyed {
  readonly id: number;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly is_active: boolean;
  readonly has_password: boolean;
  readonly created_at: string;
  /**
   * Incremented when the account passed to the person who proved its address: earlier links are invalid. 0 when absent.
   */
  readonly linkEpoch?: number;
}

/** A password of an account or a user, hashed; separate from the record that every request reads. */
export interface PasswordData {
  readonly hash: string;
}

/** Free data of an account, an instance or a class. */
export interface MetadataData {
  readonly metadata: JsonObject;
}

/** Membership of an account in an instance, by account. */
export interface MemberData {
  readonly instance: number;
  readonly role: Role;
  readonly owner: boolean;
}

/** The instances that an account owns; this one item enforces the limit on their number. */
export interface OwnedData {
  readonly instances: readonly number[];
}

/** The same membership, by instance. */
export interface AdminData {
  readonly account: number;
  readonly role: Role;
  readonly owner: boolean;
  readonly created_at: string;
  /** Order of joining: 0 for the owner, increasing for others. */
  readonly row: number;
}

/** The instance that has a name. An instance exists as long as this item does. */
export interface InstanceNameData {
  readonly instance: number;
  /** Data id of the instance; absent until the first restore: its id. */
  readonly data?: number;
  /** While a restore replaces the contents: requests that may write are rejected. */
  readonly isClosed?: true;
  /** While an operator has stopped the instance (docs/reference/instances.md#suspended), as in the instance. */
  readonly isSuspended?: true;
  /** Account id of the instance's owner, as in the instance; absent where an earlier version stored the name. */
  readonly owner?: number;
  /** Absent without any. Some may be of API keys that were reset or deleted: they have ended. */
  readonly aliases?: readonly AliasData[];
}

/** An alias of an API key (docs/reference/keys.md#aliases), with what its key was at the time. */
export interface AliasData extends Keyed {
  /** HMAC of its text. */
  readonly mac: string;
  /** Id of the API key. */
  readonly key: number;
  readonly last_four: string;
  /** Instance for which the HMAC was computed, where a restore has brought the alias from there. */
  readonly origin?: number;
}

/**
 * Names and numbers of an instance's classes. Enforces the limit on classes and records which numbers were used; a
 * process without cached ids reads it together with the name, and so finds a class's objects.
 */
export interface ClassNumbersData {
  /** The highest number ever used. */
  readonly last: number;
  readonly numbers: Readonly<Record<string, number>>;
}

/** An instance: one tenant. */
export interface InstanceData {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Account id. */
  readonly owner: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Data id, as in the record of its name. */
  readonly data?: number;
  /** Whether an operator has stopped it, as in the record of its name. */
  readonly isSuspended?: true;
  /**
   * Data id of the restore that brought contents of another instance; absent for the instance's own. In one lineage an
   * id is never given to two records.
   */
  readonly lineage?: number;
}

/** An API key of an instance; its text is derived, never stored. */
export interface ApiKeyData extends Keyed {
  readonly id: number;
  readonly description: string;
  readonly ignore_acl: boolean;
  readonly allow_user_create: boolean;
  readonly allow_group_create: boolean;
  readonly allow_anonymous_read: boolean;
  readonly created_at: string;
}

/** A data class. */
export interface ClassData {
  /** Never reused in its instance; part of the key of the objects' partition. */
  readonly number: number;
  readonly name: string;
  readonly description: string;
  readonly schema: readonly FieldDefinition[];
  /** Same order as `schema`. */
  readonly storage: readonly FieldStorage[];
  /** Slots no longer used, longest ago first. */
  readonly retiredSlots: readonly number[];
  /** Composite indexes that lists made worth a slot; none when absent. */
  readonly pairs?: readonly CompositeIndex[];
  /** Slots of a schema change or composite index that may not hold every object yet; none when absent. */
  readonly unfilledSlots?: readonly number[];
  /** Storage names of deleted file fields whose files objects may still hold; none when absent. */
  readonly retiredFiles?: readonly string[];
  /** A field is private, or was: objects may have private files. Never removed; absent: there are none. */
  readonly hasPrivateFiles?: true;
  /** Its triggers, changed together with their records; none when absent. */
  readonly triggers?: readonly ClassTrigger[];
  /** Incremented when the set of slots changes; objects have the epoch of their index keys. */
  readonly epoch: number;
  readonly revision: number;
  readonly status: 'ready' | 'migrating';
  readonly group: number | null;
  readonly group_permissions: ClassPermission;
  readonly other_permissions: ClassPermission;
  readonly created_at: string;
  readonly updated_at: string;
}

/** How far the indexes of a class are built. */
export interface ClassMigrationData {
  /** Of the class, whose change needs it. */
  readonly epoch: number;
  /** Number of objects that are done. */
  readonly done: number;
}

/** A file of an object. */
export interface FileData {
  readonly bytes: number;
  /** Of a private file: the object that has it, whose rights are those of the file. */
  readonly object?: number;
}

/** A stored query for the objects of a class. Null: not set. */
export interface DataEndpointData {
  readonly name: string;
  /** List position, in order of creation; it does not change with the name. */
  readonly row: number;
  readonly description: string;
  readonly class: string;
  /** Number of its class. A later class of this name has another number, and the endpoint is deleted with its own. */
  readonly classNumber: number;
  readonly query: JsonObject;
  readonly excluded_fields: string | null;
  readonly order_by: string | null;
  readonly page_size: number | null;
  readonly expand: string | null;
}

/** Ids of an instance's records of a kind; this one item enforces the limit on their number. */
export interface RecordIdsData {
  readonly ids: readonly number[];
}

/** The record at a list position, by name. */
export interface NamedPositionData {
  readonly name: string;
}

/** A template that responses are rendered with. */
export interface TemplateData {
  readonly name: string;
  /** List position. */
  readonly row: number;
  readonly content: string;
  readonly content_type: string;
  /** Variables of its own. */
  readonly context: JsonObject;
  readonly description: string;
  /** A predefined template was removed: this is no template. */
  readonly isRemoved?: true;
}

/** A group of users. */
export interface GroupData {
  readonly id: number;
  /** Unique in the instance unless null. */
  readonly name: string | null;
  readonly label: string;
  readonly description: string;
}

/** The group that has a name. */
export interface GroupNameData {
  readonly group: number;
}

/** Deleted groups that users or objects may still name: they grant no rights. */
export interface DeletedGroupsData {
  readonly groups: readonly number[];
}

/** A deleted user whose devices, sessions, objects and identities are not all deleted. */
export interface DeletedUserData {
  readonly user: number;
}

/** Membership of a user in a group, by group. */
export interface MembershipData {
  readonly user: number;
}

/** A user of an app. Contains the ids of its groups, so that rights need no further read. */
export interface UserData extends Keyed {
  readonly id: number;
  /** In lower case. */
  readonly username: string;
  /** Ascending ids; a deleted group may remain for a while. */
  readonly groups: readonly number[];
  /** Object id in the class of profiles. */
  readonly profile: number;
  /** The username is an address that a service has confirmed. */
  readonly isConfirmed?: true;
  /**
   * Incremented when the user passed to the person who proved the address: earlier links are invalid. 0 when absent.
   */
  readonly linkEpoch?: number;
  /** Address, with a domain in ASCII and in lower case. */
  readonly email?: string;
  /** The user has proved that it owns the address. */
  readonly isEmailConfirmed?: true;
  /** Services by which the user logs in by redirect, each with the epoch of its link: another one is not valid. */
  readonly services?: Readonly<Record<string, number>>;
  /** End of a guest, in seconds, unless it becomes a user. */
  readonly guestUntil?: number;
  /** Number of the place that a guest takes, of those of the instance. */
  readonly guestPlace?: number;
  /** When password or address were last changed, in microseconds, where users have addresses: tokens of earlier mails are void. */
  readonly passwordAt?: number;
}

/** The user that has a name. */
export interface UsernameData {
  readonly user: number;
}

/** The user with an identity at another service; it may outlive the user. */
export interface UserSocialData {
  readonly user: number;
  /** The user's epoch at the time of linking. */
  readonly linkEpoch?: number;
}

/** A data object. */
export interface ObjectData {
  readonly id: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
  /** User id. */
  readonly owner: number | null;
  readonly owner_permissions: ObjectPermission;
  /** Group id. */
  readonly group: number | null;
  readonly group_permissions: ObjectPermission;
  readonly other_permissions: ObjectPermission;
  readonly channel: string | null;
  readonly channel_room: string | null;
  /** Number of its channel: a later one of this name is another. Absent where an earlier version stored the object. */
  readonly channelNumber?: number | null;
  /** Epoch of the class's indexes that the index keys were made with. */
  readonly epoch: number;
  /** Values of the class's fields by storage name; null values are omitted. */
  readonly values: Readonly<Record<string, Json>>;
}

/** The object that has a value of a unique field. */
export interface UniqueData {
  readonly object: number;
}

/** Usage of an instance in one hour. */
export interface UsageData {
  /** Requests; a batch counts as its items. */
  readonly api: number;
  /** Runs of scripts. */
  readonly run: number;
  /** Milliseconds that scripts ran. */
  readonly cbxMs: number;
  /** Bytes of traces; absent: 0, or not counted. */
  readonly traceBytes?: number;
}

/** The account with an identity at another service. */
export interface SocialData {
  readonly account: number;
  /** The account's epoch at the time of linking. */
  readonly linkEpoch?: number;
}

/** Free configuration of an instance, read by its scripts. */
export interface ConfigData {
  readonly config: JsonObject;
}
