import {
  bypassesAcl,
  cappedPermission,
  type ObjectPermission,
  objectPermission,
  profileClass,
} from '../classes/rules/permissions.ts';
import type { ObjectData } from '../store/records/records.ts';
import type { Actor } from '../values/access.ts';
import { messages } from '../values/errors/messages.ts';

/** Owner, group, channel and rights as a body gives them, each read by its own field; absent: not sent. */
export interface SystemValues {
  readonly owner?: number | null;
  readonly owner_permissions?: ObjectPermission;
  readonly group?: number | null;
  readonly group_permissions?: ObjectPermission;
  readonly other_permissions?: ObjectPermission;
  readonly channel?: string | null;
  readonly channel_room?: string | null;
  readonly expected_revision?: number;
}

/** Messages by field; empty when all is well. */
export type Messages = Record<string, readonly string[]>;

/** Tells whether `actor` says who owns an object: administrators, and `ignore_acl` keys without user. */
export function mayNameOwner(actor: Actor): boolean {
  return bypassesAcl(actor) && !(actor.kind === 'apiKey' && actor.user !== undefined);
}

/** Who owns a new object: whom the body names where that counts, else the calling user, else nobody. */
export function ownerOfNew(actor: Actor, values: SystemValues): number | null {
  if (mayNameOwner(actor)) return values.owner ?? null;
  return actor.kind === 'apiKey' ? (actor.user?.id ?? null) : null;
}

/** Checks a change of owner (docs/reference/objects.md#owner). */
export function ownerErrors(
  actor: Actor,
  className: string,
  current: ObjectData,
  values: SystemValues,
): Messages {
  if (values.owner === undefined || values.owner === current.owner) return {};
  if (className === profileClass) {
    return { owner: ['Cannot change owner of User Profile object.'] };
  }
  return mayNameOwner(actor) ? {} : { owner: ['Cannot change owner of Data Object.'] };
}

/** Checks that a bound caller gives an object only to a group of its own; what stays as it is may stay. */
export function groupErrors(
  actor: Actor,
  current: number | null,
  { group }: SystemValues,
): Messages {
  if (group === undefined || group === null || group === current || bypassesAcl(actor)) return {};
  const groups = actor.kind === 'apiKey' ? (actor.user?.groups ?? []) : [];
  return groups.includes(group) ? {} : { group: ['Invalid group specified.'] };
}

/** Lowers the rights that a bound caller sets to those that it has. */
export function cappedRights(
  actor: Actor,
  current: ObjectData,
  values: SystemValues,
): Pick<SystemValues, 'owner_permissions' | 'group_permissions' | 'other_permissions'> {
  const cap = objectPermission(actor, current);
  const rights = ['owner_permissions', 'group_permissions', 'other_permissions'] as const;
  return Object.fromEntries(
    rights.flatMap((name) => {
      const wanted = values[name];
      return wanted === undefined ? [] : [[name, cappedPermission(wanted, cap)]];
    }),
  );
}

/** What to say of users and groups that a body names and that are not there. */
export function missingRecord(field: 'owner' | 'group', id: number): Messages {
  return { [field]: [messages.noSuchPk(id)] };
}
