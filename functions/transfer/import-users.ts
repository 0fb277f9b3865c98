import { firstKey } from '../../shared/accounts/keys.ts';
import { isBcryptHash } from '../../shared/accounts/rules/passwords.ts';
import { type Context, instanceOf } from '../../shared/core/family.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commitEach } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Key, Write } from '../../shared/store/store.ts';
import { checkAbsent, createItem } from '../../shared/store/writes.ts';
import { userAddressEntity } from '../../shared/table/entities/user-accounts.ts';
import {
  deletedUserEntity,
  groupEntity,
  membershipEntity,
  userEntity,
  usernameEntity,
  userPasswordEntity,
} from '../../shared/table/entities/users.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import type { FieldErrors } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { allSettled } from '../../shared/values/promises/all-settled.ts';
import { withAsciiDomain } from '../../shared/values/values.ts';
import { userRecord } from './fields.ts';
import { transferMessages } from './messages.ts';
import {
  checkIds,
  checkPage,
  type Imported,
  isStored,
  type ReadRecord,
  raiseCounter,
  readRecords,
} from './record-page.ts';

type UserRecord = ReadRecord<typeof userRecord>;
type UserValues = UserRecord['values'];

/**
 * Imports users with the hashes of their passwords and their memberships, without their profiles, which are objects.
 * They get new user keys (docs/reference/transfer.md#users).
 *
 * @throws ApiError 400 when a record is bad, and then nothing is written
 */
export function importUsers(context: Context, records: readonly JsonObject[]): Promise<Imported> {
  const lowered = records.map((record) => ({
    ...record,
    ...(typeof record.username === 'string' && { username: record.username.toLowerCase() }),
  }));
  return retryOnConflict(async () => {
    const page = readRecords(userRecord, lowered).map(withAsciiAddress);
    const good = page.filter(({ errors }) => Object.keys(errors).length === 0);
    const stored = await checkUsers(context, good);
    const added = good.filter((record) => !stored.has(record));
    checkIds(added, ({ values }) => ({ id: [values.id], profile: [values.profile] }));
    checkPage(page);
    const fresh = added.map(({ values }) => values);
    const idsOf = (ids: (user: UserValues) => number) => fresh.map(ids);
    await raiseCounter(
      context,
      'user',
      idsOf(({ id }) => id),
    );
    await raiseCounter(
      context,
      'object',
      idsOf(({ profile }) => profile),
    );
    const writes = await Promise.all(fresh.map((user) => writesOf(context, user)));
    await allSettled(commitEach(context, writes));
    return { created: fresh.length, unchanged: stored.size };
  });
}

/** Returns a record whose address has its domain as users of the interface store it. */
function withAsciiAddress(record: UserRecord): UserRecord {
  const { email } = record.values;
  if (typeof email !== 'string') return record;
  return { ...record, values: { ...record.values, email: withAsciiDomain(email) } };
}

/** Adds the errors that depend on other records. Returns the users that exist as they are here. */
async function checkUsers(
  context: Context,
  page: readonly UserRecord[],
): Promise<ReadonlySet<UserRecord>> {
  const instance = instanceOf(context);
  const groups = [...new Set(page.flatMap(({ values }) => values.groups))];
  const found = await readTogether(context.platform.store, {
    users: page.map(({ values }) => userEntity.at(instance, values.id)),
    passwords: page.map(({ values }) => userPasswordEntity.at(instance, values.id)),
    names: page.map(({ values }) => usernameEntity.at(instance, encodeText(values.username))),
    addresses: page.map(({ values }) =>
      userAddressEntity.at(instance, encodeText(values.email ?? '')),
    ),
    groups: groups.map((id) => groupEntity.at(instance, id)),
    deleted: page.map(({ values }) => deletedUserEntity.at(instance, values.id)),
  });
  const missing = groups.filter((_, at) => found.groups[at] === undefined);
  const names = openClaims();
  const addresses = openClaims();
  const stored = new Set<UserRecord>();
  const { passwordCost } = context.platform.settings;
  for (const [at, record] of page.entries()) {
    const { values, errors } = record;
    const { id, username, email } = values;
    if (!names(username, id, found.names[at]?.data.user)) errors.username = [messages.unique];
    const isFree = email === null || addresses(email, id, found.addresses[at]?.data.user);
    if (!isFree) errors.email = [messages.unique];
    Object.assign(errors, valueErrors(values, { missing, passwordCost }));
    const user = found.users[at]?.data;
    const other = user && importedUser(user, found.passwords[at]?.data.hash ?? null);
    if (isStored(record, { other, isDeleted: found.deleted[at] !== undefined })) stored.add(record);
  }
  return stored;
}

/** Returns a function that checks whether a text may be a user's, given the stored user that has it. */
function openClaims() {
  const claimed = new Map<string, number>();
  return (text: string, user: number, stored: number | undefined): boolean => {
    const owner = stored ?? claimed.get(text) ?? user;
    claimed.set(text, user);
    return owner === user;
  };
}

function valueErrors(
  { password, groups, email, is_email_confirmed }: UserValues,
  { missing, passwordCost }: { readonly missing: readonly number[]; readonly passwordCost: number },
): FieldErrors {
  const absent = groups.filter((group) => missing.includes(group));
  const isBad = password !== null && !isHash(password, passwordCost);
  return {
    ...(absent.length > 0 && { groups: absent.map(messages.noSuchPk) }),
    ...(isBad && { password: [transferMessages.badHash] }),
    ...(email === null &&
      is_email_confirmed && { is_email_confirmed: [transferMessages.noAddress] }),
  };
}

function importedUser(
  { id, username, isConfirmed, email, isEmailConfirmed, profile, groups }: UserData,
  hash: string | null,
) {
  return {
    id,
    username,
    password: hash,
    is_confirmed: isConfirmed === true,
    email: email ?? null,
    is_email_confirmed: isEmailConfirmed === true,
    profile,
    groups: [...groups],
  };
}

function addressKey(instance: number, email: string): Key {
  return userAddressEntity.key(instance, encodeText(email));
}

const usualCost = 15;
const hashForm = /^scrypt\$(\d{1,2})\$8\$[A-Za-z0-9+/]{22,86}={0,2}\$[A-Za-z0-9+/]{43}=$/;

/** Checks the form of a hash. A log-in spends what the hash says: it may not cost more than those of this server. */
function isHash(text: string, passwordCost: number): boolean {
  if (isBcryptHash(text)) return true;
  const cost = Number(hashForm.exec(text)?.[1] ?? 0);
  return cost >= 1 && cost <= Math.max(passwordCost, usualCost);
}

async function writesOf(context: Context, user: UserValues): Promise<readonly Write[]> {
  const instance = instanceOf(context);
  const { id, username, password, profile, groups, email } = user;
  const data: UserData = {
    id,
    username,
    groups,
    profile,
    ...(await firstKey(context.platform)),
    ...(user.is_confirmed && { isConfirmed: true }),
    ...(email !== null && { email }),
    ...(user.is_email_confirmed && { isEmailConfirmed: true }),
  };
  const nameKey = usernameEntity.key(instance, encodeText(username));
  return [
    createItem(usernameEntity, nameKey, { user: id }),
    ...(email === null
      ? []
      : [createItem(userAddressEntity, addressKey(instance, email), { user: id })]),
    createItem(userEntity, userEntity.key(instance, id), data),
    checkAbsent(deletedUserEntity.key(instance, id)),
    ...(password === null
      ? []
      : [createItem(userPasswordEntity, userPasswordEntity.key(instance, id), { hash: password })]),
    ...groups.flatMap((group): readonly Write[] => [
      createItem(membershipEntity, membershipEntity.key(instance, group, id), { user: id }),
      {
        action: 'check',
        key: groupEntity.key(instance, group),
        condition: { kind: 'present' },
      },
    ]),
  ];
}
