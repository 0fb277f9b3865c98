import type { ActingUser, Actor } from '../../values/access.ts';
import { type Denial, forbidden, notFound } from '../../values/errors/errors.ts';

/** Rights on a data object, from least to most. */
export const objectPermissions = ['none', 'read', 'write', 'full'] as const;
export type ObjectPermission = (typeof objectPermissions)[number];

/** Rights on a class for members of its group and for others, from least to most. */
export const classPermissions = ['none', 'read', 'create_objects'] as const;
export type ClassPermission = (typeof classPermissions)[number];

/** Part of a class that determines rights. */
export interface ClassRights {
  readonly name: string;
  readonly group: number | null;
  readonly group_permissions: ClassPermission;
  readonly other_permissions: ClassPermission;
}

/** Part of a data object that determines rights. */
export interface ObjectRights {
  readonly owner: number | null;
  readonly owner_permissions: ObjectPermission;
  readonly group: number | null;
  readonly group_permissions: ObjectPermission;
  readonly other_permissions: ObjectPermission;
}

/** Operation on the objects of a class. */
export type ObjectOperation = 'read' | 'create' | 'update' | 'delete';

/** Class of user profiles: its objects are created and deleted with their users. */
export const profileClass = 'user_profile';

/** Checks whether `actor` is exempt from permissions of classes and objects: administrators and `ignore_acl` keys. */
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

/** Checks whether a key cannot read by itself, regardless of the class. */
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

/** Returns the rights of a user, or of no user, on a class; the higher of group and other. */
export function classPermission(
  user: ActingUser | undefined,
  subject: ClassRights,
): ClassPermission {
  const isMember = subject.group !== null && (user?.groups.includes(subject.group) ?? false);
  return isMember
    ? higher(classPermissions, subject.group_permissions, subject.other_permissions)
    : subject.other_permissions;
}

/** Checks whether `actor` sees a class in lists and by name (docs/reference/classes.md#permissions). */
export function isClassVisible(actor: Actor, subject: ClassRights): boolean {
  if (actor.kind !== 'apiKey' || actor.flags.ignore_acl) return actor.kind !== 'anonymous';
  return classPermission(actor.user, subject) !== 'none';
}

/**
 * Returns the rights of `actor` on an object: the highest of those as other, owner and member of the group. An actor
 * without user owns nothing and is in no group.
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
 * Checks the rights on the object itself, after those on the class.
 *
 * @throws ApiError 404 when the actor may not see it, 403 when it may see it but not change it
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

/** Checks whether `actor` may read an object of a class. */
export function mayRead(actor: Actor, ofClass: ClassRights, object: ObjectRights): boolean {
  return hasClassRights(actor, ofClass, 'read') && objectPermission(actor, object) !== 'none';
}

/** Lowers `wanted` to `cap`: rights never exceed those of the actor (docs/reference/objects.md#lowered-permissions). */
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
