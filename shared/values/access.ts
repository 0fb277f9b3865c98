import type { Denial } from './errors/errors.ts';

/**
 * Rights, one letter each: `L` list, `G` get one, `C` create, `U` put and patch, `D` delete, `A` act (POST on a detail
 * or action path). A text of them lists a caller's rights to a resource (docs/reference/keys.md#rights).
 */
export type Right = 'L' | 'G' | 'C' | 'U' | 'D' | 'A';

export const allRights = 'LGCUDA';

/** Roles of accounts in instances, the strongest first. */
export const roles = ['full', 'write', 'read'] as const;
export type Role = (typeof roles)[number];

/** Role of an account in an instance, the strongest first. The owner also counts as `full`. */
export type AdminRole = 'owner' | Role;

/** Rights to one resource by kind of caller; an absent kind has none. Flags and users add to `apiKey`. */
export interface Access {
  /** Any account, with any role: only on resources outside instances, and on open ones. */
  readonly account?: string;
  readonly owner?: string;
  readonly full?: string;
  readonly write?: string;
  readonly read?: string;
  readonly apiKey?: string;
  readonly ignoreAcl?: string;
  readonly allowUserCreate?: string;
  readonly allowGroupCreate?: string;
  readonly allowAnonymousRead?: string;
  /** An API key together with a valid user key. */
  readonly user?: string;
  /** A request without credentials. */
  readonly anonymous?: string;
}

/** Additional rights of an API key. */
export interface KeyFlags {
  readonly ignore_acl: boolean;
  readonly allow_user_create: boolean;
  readonly allow_group_create: boolean;
  readonly allow_anonymous_read: boolean;
}

/** The caller, as far as rules depend on it. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'admin';
      readonly account: number;
      /** Absent outside instances, and in an instance that the account does not belong to. */
      readonly role: AdminRole | undefined;
      /** Scripts between a client and this request, where a script makes it. */
      readonly depth?: number;
    }
  | {
      readonly kind: 'apiKey';
      readonly key: number;
      /** Id of the key's instance. */
      readonly instance: number;
      readonly flags: KeyFlags;
      readonly user: ActingUser | undefined;
    };

/** The user on whose behalf an API key acts. */
export interface ActingUser {
  readonly id: number;
  readonly groups: readonly number[];
}

/** Checks whether `actor` is the owner of an instance or a member with role `full`. */
export function hasFullRole(actor: Actor): boolean {
  return actor.kind === 'admin' && (actor.role === 'owner' || actor.role === 'full');
}

/** Returns the number of scripts between a client and the action of `actor`. */
export function depthOf(actor: Actor): number {
  return actor.kind === 'admin' ? (actor.depth ?? 0) : 0;
}

/** Checks whether `actor` has `right` to a resource, by the resource's access table alone. */
export function isAllowed(access: Access, actor: Actor, right: Right): boolean {
  switch (actor.kind) {
    case 'anonymous':
      return has(access.anonymous, right);
    case 'admin':
      return (
        has(access.account, right) || (actor.role !== undefined && has(access[actor.role], right))
      );
    case 'apiKey':
      return (
        has(access.apiKey, right) ||
        (actor.user !== undefined && has(access.user, right)) ||
        isAllowedByFlag(access, actor.flags, right)
      );
  }
}

/**
 * Returns the reason why `actor` has none of `rights`. The access table that denied them shows what is missing.
 *
 * @param rights of which one would be enough
 */
export function denialOf(access: Access, actor: Actor, rights: readonly Right[]): Denial {
  const isGiven = (to: string | undefined) => rights.some((right) => has(to, right));
  switch (actor.kind) {
    case 'anonymous':
      return 'key_missing';
    case 'admin':
      if (actor.role === undefined) return 'not_a_member';
      return isGiven(access.user) && !isGiven(access.owner) ? 'user_key_needed' : 'role_too_low';
    case 'apiKey':
      if (isGiven(access.user)) return 'user_key_needed'; // a user would have the right
      return flagRights(access).some(isGiven) ? 'key_flag_needed' : 'account_key_needed';
  }
}

function flagRights(access: Access): readonly (string | undefined)[] {
  const { ignoreAcl, allowUserCreate, allowGroupCreate, allowAnonymousRead } = access;
  return [ignoreAcl, allowUserCreate, allowGroupCreate, allowAnonymousRead];
}

function isAllowedByFlag(access: Access, flags: KeyFlags, right: Right): boolean {
  return (
    (flags.ignore_acl && has(access.ignoreAcl, right)) ||
    (flags.allow_user_create && has(access.allowUserCreate, right)) ||
    (flags.allow_group_create && has(access.allowGroupCreate, right)) ||
    (flags.allow_anonymous_read && has(access.allowAnonymousRead, right))
  );
}

function has(rights: string | undefined, right: Right): boolean {
  return rights?.includes(right) ?? false;
}
