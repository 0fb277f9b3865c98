import {
  bypassesAcl,
  cappedPermission,
  type ObjectPermission,
  objectPermission,
  profileClass,
} from '../classes/rules/permissions.ts';
import type { ObjectData } from '../table/records/records.ts';
import type { Actor } from '../values/access.ts';
import { messages } from '../values/errors/messages.ts';

/** Owner, group, channel and rights of a body, each parsed by its own field; absent: not sent. */
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

/** Messages by field; empty without errors. */
export type FieldMessages = Record<string, readonly string[]>;

/** Checks whether `actor` may set the owner of an object: administrators, and `ignore_acl` keys without user. */
export function mayNameOwner(actor: Actor): boolean {
  return bypassesAcl(actor) && !(actor.kind === 'apiKey' && actor.user !== undefined);
}

/** Returns the owner of a new object: from the body if allowed, otherwise the acting user, or null. */
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
): FieldMessages {
  if (values.owner === undefined || values.owner === current.owner) return {};
  if (className === profileClass) {
    return { owner: ['Cannot change owner of User Profile object.'] };
  }
  return mayNameOwner(actor) ? {} : { owner: ['Cannot change owner of Data Object.'] };
}

/** Checks that an actor with limited rights sets only its own groups; the current group may stay. */
export function groupErrors(
  actor: Actor,
  current: number | null,
  { group }: SystemValues,
): FieldMessages {
  if (group === undefined || group === null || group === current || bypassesAcl(actor)) return {};
  const groups = actor.kind === 'apiKey' ? (actor.user?.groups ?? []) : [];
  return groups.includes(group) ? {} : { group: ['Invalid group specified.'] };
}

/** Lowers the rights that an actor sets to its own, unless it bypasses ACL. */
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

/** Returns the messages for a user or group that does not exist. */
export function missingRecord(field: 'owner' | 'group', id: number): FieldMessages {
  return { [field]: [messages.noSuchPk(id)] };
}
