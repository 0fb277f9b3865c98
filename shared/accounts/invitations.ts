import type { Platform } from '../ports/ports.ts';
import { readTogether } from '../store/entity.ts';
import type { Stored, Write } from '../store/store.ts';
import { createOrUpdate, deleteIfExists, putItem, updateItem } from '../store/writes.ts';
import { instanceCounter } from '../table/counters.ts';
import {
  invitedAccountEntity,
  invitedEmailEntity,
  memberEntity,
} from '../table/entities/accounts.ts';
import { adminEntity, instanceEntity, invitationEntity } from '../table/entities/instances.ts';
import type { InvitationData } from '../table/records/instances/invitations.ts';
import type { AccountData, AdminData, MemberData } from '../table/records/records.ts';
import { type Role, roles } from '../values/access.ts';
import { instanceSuspended, invalid } from '../values/errors/errors.ts';
import { timestamp } from '../values/timestamp.ts';
import { claimsOf } from './keys.ts';

/** Open invitation and its instance. */
export interface OpenInvitation {
  readonly instance: number;
  readonly instanceName: string;
  readonly item: Stored<InvitationData>;
}

/** 400 for a key without an open invitation; a string, not a list. */
export function invitationNotFound() {
  return invalid({ invitation_key: 'Invitation not found.' });
}

/**
 * Finds the open invitation of a key. Every account with the key may use it
 * (docs/reference/accounts.md#invitations-of-an-account).
 *
 * @throws ApiError 400 without such an invitation; 403 when its instance is suspended
 */
export async function openInvitation(platform: Platform, key: string): Promise<OpenInvitation> {
  const claims = await claimsOf(platform.secrets, 'invitation', key);
  if (claims === undefined) throw invitationNotFound();
  const { scope: instance, record, generation } = claims;
  const { item, living } = await readTogether(platform.store, {
    item: invitationEntity.at(instance, record),
    living: instanceEntity.at(instance),
  });
  const isOpen = item?.data.state === 'new' && item.data.generation === generation;
  if (!isOpen || living === undefined) throw invitationNotFound();
  if (living.data.isSuspended === true) throw instanceSuspended();
  return { instance, instanceName: living.data.name, item };
}

/**
 * Returns the writes that make an account a member by an invitation. The role of a member is only ever raised, and only
 * for the invited address: a member with the key of another account's invitation keeps its role.
 *
 * @param by the account that accepts
 */
export async function acceptWrites(
  platform: Platform,
  { instance, item }: OpenInvitation,
  by: Pick<AccountData, 'id' | 'email'>,
): Promise<readonly Write[]> {
  const { id: account } = by;
  const { role, email } = item.data;
  const { member, admin } = await readTogether(platform.store, {
    member: memberEntity.at(account, instance),
    admin: adminEntity.at(instance, account),
  });
  return [
    ...closeWrites(platform, item, 'accepted', account),
    ...membership(
      { instance, account, role, isInvited: by.email === email },
      member,
      admin ?? (await newAdmin(platform, instance)),
    ),
  ];
}

/** Returns the writes that close an open invitation, by an account other than the invited one if necessary. */
export function closeWrites(
  { clock }: Platform,
  item: Stored<InvitationData>,
  state: 'accepted' | 'declined',
  account: number,
): readonly Write[] {
  const { data } = item;
  return [
    updateItem(item, { ...data, state, updated_at: timestamp(clock.micros()) }),
    ...pointerDeletes(data, account),
  ];
}

/** Returns the writes that take an invitation off the lists of its e-mail and account. */
export function pointerDeletes(
  { email, id }: InvitationData,
  account: number | undefined,
): readonly Write[] {
  const keys = [
    invitedEmailEntity.key(email, id),
    ...(account === undefined ? [] : [invitedAccountEntity.key(account, id)]),
  ];
  return keys.map((key) => deleteIfExists(key));
}

/**
 * Returns the writes that move the invitations of an e-mail to its new account.
 *
 * @param except an invitation that is accepted in the same step
 */
export async function tieWrites(
  { store }: Platform,
  { id: account, email }: { readonly id: number; readonly email: string },
  except: number | undefined,
): Promise<readonly Write[]> {
  const { items } = await invitedEmailEntity.list(store, [email], { limit: maxTied });
  return items.flatMap(({ data, key }): Write[] => {
    if (data.invitation === except) return [];
    const to = invitedAccountEntity.key(account, data.invitation);
    return [putItem(invitedAccountEntity, to, data), deleteIfExists(key)];
  });
}

const maxTied = 40; // with the account's own items they fit into one transaction; the keys of others still work

type NewAdmin = Pick<AdminData, 'created_at' | 'row'>;

async function newAdmin({ store, clock }: Platform, instance: number): Promise<NewAdmin> {
  const position = await store.next(instanceCounter(instance, 'admin'));
  return { row: position, created_at: timestamp(clock.micros()) };
}

interface Membership {
  readonly instance: number;
  readonly account: number;
  readonly role: Role;
  /** Whether the account has the invited address. */
  readonly isInvited: boolean;
}

function membership(
  { instance, account, role, isInvited }: Membership,
  member: Stored<MemberData> | undefined,
  admin: Stored<AdminData> | NewAdmin,
): readonly Write[] {
  const before = member?.data;
  const data: MemberData = {
    instance,
    role: before === undefined ? role : isInvited ? stronger(before.role, role) : before.role,
    owner: before?.owner ?? false,
  };
  const { created_at, row: position } = 'data' in admin ? admin.data : admin;
  const adminData: AdminData = {
    account,
    role: data.role,
    owner: data.owner,
    created_at,
    row: position,
  };
  const memberKey = memberEntity.key(account, instance);
  return [
    createOrUpdate(memberEntity, { key: memberKey, current: member }, data),
    'data' in admin
      ? updateItem(admin, adminData)
      : putItem(adminEntity, adminEntity.key(instance, account), adminData),
  ];
}

function stronger(a: Role, b: Role): Role {
  return roles.indexOf(a) < roles.indexOf(b) ? a : b;
}
