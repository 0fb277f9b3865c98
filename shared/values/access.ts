import type { Denial } from './errors/errors.ts';

/**
 * Rights, one letter each: `L` list, `G` get one, `C` create, `U` put and patch, `D` delete, `A` act (POST on a
 * detail or action path). A text of them says what a caller may do with a resource (docs/reference/keys.md#rights).
 */
export type Right = 'L' | 'G' | 'C' | 'U' | 'D' | 'A';

/** All six rights. */
export const allRights = 'LGCUDA';

/** Roles of accounts in instances, the strongest first. */
export const roles = ['full', 'write', 'read'] as const;
/** One of the roles. */
export type Role = (typeof roles)[number];

/** Role of an account in an instance, the strongest first. The owner also counts as `full`. */
export type AdminRole = 'owner' | Role;

/** Rights on one resource by kind of caller; what is absent has none. Flags and users add to `apiKey`. */
export interface Access {
  /** Any account, whatever its role: only on resources outside instances, and on open ones. */
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
  /** Nobody in particular: no credentials at all. */
  readonly anonymous?: string;
}

/** What an API key may do beyond the rights of others. */
export interface KeyFlags {
  readonly ignore_acl: boolean;
  readonly allow_user_create: boolean;
  readonly allow_group_create: boolean;
  readonly allow_anonymous_read: boolean;
}

/** Who calls, as far as rules ask. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'admin';
      readonly account: number;
      /** Absent outside instances, and in an instance that the account does not belong to. */
      readonly role: AdminRole | undefined;
      /** Scripts that stand between a client and this call, where a script makes it. */
      readonly depth?: number;
    }
  | {
      readonly kind: 'apiKey';
      readonly key: number;
      /** Id of the instance that the key belongs to. */
      readonly instance: number;
      readonly flags: KeyFlags;
      readonly user: ActingUser | undefined;
    };

/** The user on whose behalf an API key acts. */
export interface ActingUser {
  readonly id: number;
  readonly groups: readonly number[];
}

/** Tells whether `actor` is the owner of an instance or a member with role `full`. */
export function hasFullRole(actor: Actor): boolean {
  return actor.kind === 'admin' && (actor.role === 'owner' || actor.role === 'full');
}

/** How many scripts stand between a client and what `actor` does. */
export function depthOf(actor: Actor): number {
  return actor.kind === 'admin' ? (actor.depth ?? 0) : 0;
}

/** Tells whether `actor` has `right` on a resource, by the resource's table alone. */
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
 * Finds out why `actor` has none of `rights`, from the table that said so: what would be missing.
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
      if (actor.user === undefined && isGiven(access.user)) return 'user_key_needed';
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
