import type {
  CompositeIndex,
  FieldDefinition,
  FieldStorage,
} from '../../classes/rules/field-types.ts';
import type { ClassPermission, ObjectPermission } from '../../classes/rules/permissions.ts';
import type { Role } from '../../values/access.ts';
import type { Json, JsonObject } from '../../values/json/json.ts';

/*
 * What the items of the table hold; their keys are in entities.ts. Wire names stay as on the wire. Items of push, of
 * scripts and their functions, of invitations and of work have pages of their own beside this one.
 */

/** What a derived key needs from the record that it names: a key of another generation is dead. */
export interface Keyed {
  /** Version of the deployment's secret with which the current key was made. */
  readonly secret_version: number;
  readonly generation: number;
}

/** Who owns an e-mail address. */
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
  /** Raised when the account went to the person who proved its address: links made before are void. 0 when absent. */
  readonly linkEpoch?: number;
}

/** A password of an account or a user, hashed; kept away from the record that every call reads. */
export interface PasswordData {
  readonly hash: string;
}

/** Free data of an account, an instance or a class. */
export interface MetadataData {
  readonly metadata: JsonObject;
}

/** That an account belongs to an instance, seen from the account. */
export interface MemberData {
  readonly instance: number;
  readonly role: Role;
  readonly owner: boolean;
}

/** The instances that an account owns; the limit on their number is kept by this one item. */
export interface OwnedData {
  readonly instances: readonly number[];
}

/** The same membership seen from the instance. */
export interface AdminData {
  readonly account: number;
  readonly role: Role;
  readonly owner: boolean;
  readonly created_at: string;
  /** Order of joining: the owner has 0, others count on. */
  readonly row: number;
}

/** Which instance bears a name. Its presence is what makes an instance exist. */
export interface InstanceNameData {
  readonly instance: number;
  /** Account id of the instance's owner, as the instance has it; absent where an earlier version stored the name. */
  readonly owner?: number;
}

/**
 * Names and numbers of an instance's classes. Keeps their number within its limit and says which numbers were
 * given; a process without hints reads it beside the name and so knows where a class's objects are.
 */
export interface ClassNumbersData {
  /** The highest number ever given. */
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
  /** Never given again in its instance; the objects' partition bears it. */
  readonly number: number;
  readonly name: string;
  readonly description: string;
  readonly schema: readonly FieldDefinition[];
  /** Same order as `schema`. */
  readonly storage: readonly FieldStorage[];
  /** Index positions given up, longest ago first. */
  readonly retiredSlots: readonly number[];
  /** Pairs of fields that lists made worth a slot; none when absent. */
  readonly pairs?: readonly CompositeIndex[];
  /** Slots that came with a change of the schema, or for a pair, and may not hold every object yet; none when absent. */
  readonly unfilledSlots?: readonly number[];
  /** Storage names of file fields given up, while objects may still hold files of theirs; none when absent. */
  readonly retiredFiles?: readonly string[];
  /** Raised when the set of slots changes; objects carry the epoch by which their index keys were made. */
  readonly epoch: number;
  readonly revision: number;
  readonly status: 'ready' | 'migrating';
  readonly group: number | null;
  readonly group_permissions: ClassPermission;
  readonly other_permissions: ClassPermission;
  readonly created_at: string;
  readonly updated_at: string;
}

/** How many objects, or files of objects, a class has. */
export interface ClassCountData {
  readonly count: number;
  /** Bytes of all of them; absent in a count of an older version, until they are counted again. */
  readonly bytes?: number;
  /** Position of the last change that is counted in: a change that comes again is not counted again. */
  readonly position: string;
  /** Epoch milliseconds when the objects will be counted one by one; absent: nobody has asked for it. */
  readonly recountAt?: number;
}

/** A file that an object names. */
export interface FileData {
  readonly bytes: number;
}

/** A saved way of asking for the objects of a class. Null: not set. */
export interface DataEndpointData {
  readonly name: string;
  /** Place in the list of all, in the order of creation; it outlives a change of name. */
  readonly row: number;
  readonly description: string;
  /** Name of its class. */
  readonly class: string;
  /** A class of this name with another number came later: the endpoint went with its own. */
  readonly classNumber: number;
  readonly query: JsonObject;
  readonly excluded_fields: string | null;
  readonly order_by: string | null;
  readonly page_size: number | null;
  readonly expand: string | null;
}

/** Which of the records that are known by name has a place in the list of all. */
export interface NamedRowData {
  readonly name: string;
}

/** A template that answers are rendered with. */
export interface TemplateData {
  readonly name: string;
  /** Place in the list of all. */
  readonly row: number;
  readonly content: string;
  readonly content_type: string;
  /** Variables of its own. */
  readonly context: JsonObject;
  readonly description: string;
  /** A predefined template was here and is not any more: this is no template. */
  readonly isRemoved?: true;
}

/** A group of users. */
export interface GroupData {
  readonly id: number;
  /** Unique in the instance where it is not null. */
  readonly name: string | null;
  readonly label: string;
  readonly description: string;
}

/** Which group bears a name. */
export interface GroupNameData {
  readonly group: number;
}

/** Groups that are gone and that users or objects may still name: they give no rights. */
export interface DeletedGroupsData {
  readonly groups: readonly number[];
}

/** That a user is in a group, seen from the group. */
export interface MembershipData {
  readonly user: number;
}

/** A user of an app. Carries the ids of its groups, so that rights need no further read. */
export interface UserData extends Keyed {
  readonly id: number;
  /** In lower case. */
  readonly username: string;
  /** Ascending ids; a group that is gone may stand here for a while. */
  readonly groups: readonly number[];
  /** Object id in the class of profiles. */
  readonly profile: number;
  /** The username is an address that a service has confirmed. */
  readonly isConfirmed?: true;
  /** Raised when the user went to the person who proved the address: links made before are void. 0 when absent. */
  readonly linkEpoch?: number;
}

/** Which user bears a name. */
export interface UsernameData {
  readonly user: number;
}

/** Which user a person of another service is; it may outlive the user. */
export interface UserSocialData {
  readonly user: number;
  /** The user's at the time of linking. */
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
  /** Epoch of the class's indexes by which the index keys were made. */
  readonly epoch: number;
  /** Values of the class's fields by storage name; what is null is left out. */
  readonly values: Readonly<Record<string, Json>>;
}

/** That a value of a unique field is taken, and by which object. */
export interface UniqueData {
  readonly object: number;
}

/** What an instance has used in an hour. */
export interface UsageData {
  /** Calls; a batch counts as its items. */
  readonly api: number;
  /** Runs of scripts. */
  readonly run: number;
  /** Milliseconds that scripts ran. */
  readonly cbxMs: number;
  /** Bytes of traces; absent: 0, or they were not counted. */
  readonly traceBytes?: number;
}

/** Attempts to log in without success. */
export interface AttemptsData {
  readonly count: number;
  /** Epoch seconds of the last one. */
  readonly at: number;
  /** Epoch seconds when they are forgotten. */
  readonly until: number;
}

/** Addresses from which a name has logged in, the latest first. */
export interface KnownAddressesData {
  readonly addresses: readonly KnownAddress[];
}

/** An address, as it counts where attempts are limited, and when it was written down. */
export interface KnownAddress {
  readonly address: string;
  /** Epoch seconds. */
  readonly at: number;
}

/** That the first account was made: the set-up code is spent. */
export interface FirstAccountData {
  readonly account: number;
}

/** Random id of a store. */
export interface StoreIdentityData {
  readonly id: string;
}

/** Which account a person of another service is. */
export interface SocialData {
  readonly account: number;
  /** The account's at the time of linking. */
  readonly linkEpoch?: number;
}

/** Free configuration of an instance, read by its scripts. */
export interface ConfigData {
  readonly config: JsonObject;
}
