import type { ActingUser, Actor } from '../../values/access.ts';
import { type Denial, forbidden, notFound } from '../../values/errors/errors.ts';

/** Rights on a data object, from least to most. */
export const objectPermissions = ['none', 'read', 'write', 'full'] as const;
/** One of the rights on a data object. */
export type ObjectPermission = (typeof objectPermissions)[number];

/** Rights on a class for members of its group and for others, from least to most. */
export const classPermissions = ['none', 'read', 'create_objects'] as const;
/** One of the rights on a class. */
export type ClassPermission = (typeof classPermissions)[number];

/** The part of a class that says who may do what. */
export interface ClassRights {
  readonly name: string;
  readonly group: number | null;
  readonly group_permissions: ClassPermission;
  readonly other_permissions: ClassPermission;
}

/** The part of a data object that says who may do what. */
export interface ObjectRights {
  readonly owner: number | null;
  readonly owner_permissions: ObjectPermission;
  readonly group: number | null;
  readonly group_permissions: ObjectPermission;
  readonly other_permissions: ObjectPermission;
}

/** What a caller wants to do with the objects of a class. */
export type ObjectOperation = 'read' | 'create' | 'update' | 'delete';

/** The class of users' profiles: its objects come and go with their users. */
export const profileClass = 'user_profile';

/** Tells whether no permission of classes or objects binds `actor`: administrators and `ignore_acl` keys. */
export function bypassesAcl(actor: Actor): boolean {
  return actor.kind === 'admin' || (actor.kind === 'apiKey' && actor.flags.ignore_acl);
}

/**
 * Checks the rules that need no object (docs/reference/objects.md#permissions).
 *
 * @throws ApiError 403
 */
export function checkClassRights(
  actor: Actor,
  subject: ClassRights,
  operation: ObjectOperation,
): void {
  const fixed = subject.name === profileClass && (operation === 'create' || operation === 'delete');
  if (fixed) throw forbidden('item_protected');
  if (!hasClassRights(actor, subject, operation)) throw forbidden(classDenial(actor, operation));
}

function classDenial(actor: Actor, operation: ObjectOperation): Denial {
  switch (actor.kind) {
    case 'anonymous':
      return 'key_missing';
    case 'admin':
      return actor.role === undefined ? 'not_a_member' : 'role_too_low';
    case 'apiKey':
      return isBlindKey(actor, operation) ? 'user_key_needed' : 'class_denies';
  }
}

/** Tells whether a key cannot read by itself, whatever the class says. */
function isBlindKey(
  { user, flags }: Extract<Actor, { kind: 'apiKey' }>,
  operation: ObjectOperation,
): boolean {
  return user === undefined && operation === 'read' && !flags.allow_anonymous_read;
}

function hasClassRights(actor: Actor, subject: ClassRights, operation: ObjectOperation): boolean {
  switch (actor.kind) {
    case 'anonymous':
      return false;
    case 'admin':
      return actor.role !== undefined && (operation === 'read' || actor.role !== 'read');
    case 'apiKey': {
      if (actor.flags.ignore_acl) return true;
      if (isBlindKey(actor, operation)) return false;
      const needed = operation === 'create' ? 'create_objects' : 'read';
      return (
        rank(classPermissions, classPermission(actor.user, subject)) >=
        rank(classPermissions, needed)
      );
    }
  }
}

/** What a user, or a caller without user, may do with a class; the higher of group and other. */
export function classPermission(
  user: ActingUser | undefined,
  subject: ClassRights,
): ClassPermission {
  const isMember = subject.group !== null && (user?.groups.includes(subject.group) ?? false);
  return isMember
    ? higher(classPermissions, subject.group_permissions, subject.other_permissions)
    : subject.other_permissions;
}

/** Tells whether `actor` sees a class in lists and by name (docs/reference/classes.md#permissions). */
export function isClassVisible(actor: Actor, subject: ClassRights): boolean {
  if (actor.kind !== 'apiKey' || actor.flags.ignore_acl) return actor.kind !== 'anonymous';
  return classPermission(actor.user, subject) !== 'none';
}

/**
 * What `actor` may do with an object: the highest of what its being other, owner and member of the group gives.
 * A caller without user owns nothing and is in no group.
 */
export function objectPermission(actor: Actor, object: ObjectRights): ObjectPermission {
  if (bypassesAcl(actor)) return 'full';
  const user = actor.kind === 'apiKey' ? actor.user : undefined;
  let permission = object.other_permissions;
  if (user === undefined) return permission;
  if (object.owner === user.id) {
    permission = higher(objectPermissions, permission, object.owner_permissions);
  }
  if (object.group !== null && user.groups.includes(object.group)) {
    permission = higher(objectPermissions, permission, object.group_permissions);
  }
  return permission;
}

/**
 * Checks what the object itself says, after the class has agreed.
 *
 * @throws ApiError 404 when the caller may not see it, 403 when it may see it and no more
 */
export function checkObjectRights(
  actor: Actor,
  object: ObjectRights,
  operation: ObjectOperation,
): void {
  const permission = rank(objectPermissions, objectPermission(actor, object));
  if (permission < rank(objectPermissions, 'read')) throw notFound();
  const needed = operation === 'delete' ? 'full' : operation === 'update' ? 'write' : 'read';
  if (permission < rank(objectPermissions, needed)) throw forbidden('object_denies');
}

/** Lowers `wanted` to `cap`: nobody gives away more than they have (docs/reference/objects.md#lowered-permissions). */
export function cappedPermission(
  wanted: ObjectPermission,
  cap: ObjectPermission,
): ObjectPermission {
  return rank(objectPermissions, wanted) > rank(objectPermissions, cap) ? cap : wanted;
}

function rank<Word extends string>(order: readonly Word[], word: Word): number {
  return order.indexOf(word);
}

function higher<Word extends string>(order: readonly Word[], a: Word, b: Word): Word {
  return rank(order, a) >= rank(order, b) ? a : b;
}
