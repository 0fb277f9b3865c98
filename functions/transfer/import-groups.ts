import { type Context, instanceOf } from '../../shared/core/family.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commitEach } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Check, Write } from '../../shared/store/store.ts';
import { checkAbsent, checkUnchanged, createItem } from '../../shared/store/writes.ts';
import {
  deletedGroupsEntity,
  groupEntity,
  groupNameEntity,
} from '../../shared/table/entities/users.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { allSettled } from '../../shared/values/promises/all-settled.ts';
import { groupRecord } from './fields.ts';
import {
  checkIds,
  checkPage,
  type Imported,
  isStored,
  type ReadRecord,
  raiseCounter,
  readRecords,
} from './record-page.ts';

/** Groups per transaction. All transactions check the same item, and on DynamoDB those conflict, so there are few. */
const groupsAtOnce = 40;

type GroupRecord = ReadRecord<typeof groupRecord>;

/**
 * Imports groups (docs/reference/transfer.md#groups).
 *
 * @throws ApiError 400 when a record is bad, and then nothing is written
 */
export function importGroups(context: Context, records: readonly JsonObject[]): Promise<Imported> {
  const instance = instanceOf(context);
  return retryOnConflict(async () => {
    const page = readRecords(groupRecord, records);
    const good = page.filter(({ errors }) => Object.keys(errors).length === 0);
    const { stored, noneDeleted } = await checkGroups(context, good);
    const added = good.filter((record) => !stored.has(record));
    checkIds(added, ({ values }) => ({ id: [values.id] }));
    checkPage(page);
    const fresh = added.map(({ values }) => values);
    await raiseCounter(
      context,
      'group',
      fresh.map(({ id }) => id),
    );
    const writes: Write[][] = [];
    for (let at = 0; at < fresh.length; at += groupsAtOnce) {
      const some = fresh.slice(at, at + groupsAtOnce);
      writes.push([noneDeleted, ...some.flatMap((group) => writesOf(instance, group))]);
    }
    await allSettled(commitEach(context, writes));
    return { created: fresh.length, unchanged: stored.size };
  });
}

interface Checked {
  /** Groups that exist as they are here. */
  readonly stored: ReadonlySet<GroupRecord>;
  /** Checks that no group was deleted since. */
  readonly noneDeleted: Check;
}

/** Adds the errors that depend on other records. */
async function checkGroups(context: Context, page: readonly GroupRecord[]): Promise<Checked> {
  const instance = instanceOf(context);
  const named = page.filter(({ values }) => values.name !== null);
  const found = await readTogether(context.platform.store, {
    groups: page.map(({ values }) => groupEntity.at(instance, values.id)),
    names: named.map(({ values }) => groupNameEntity.at(instance, values.name ?? '')),
    deleted: deletedGroupsEntity.at(instance),
  });
  const claimed = new Map<string | null, number>();
  for (const [at, { values, errors }] of named.entries()) {
    const owner = found.names[at]?.data.group ?? claimed.get(values.name) ?? values.id;
    if (owner !== values.id) errors.name = [messages.unique];
    claimed.set(values.name, values.id);
  }
  const stored = new Set<GroupRecord>();
  for (const [at, record] of page.entries()) {
    const group = found.groups[at]?.data;
    const isDeleted = found.deleted?.data.groups.includes(record.values.id) === true;
    if (isStored(record, { other: group && { ...group }, isDeleted })) stored.add(record);
  }
  const { deleted } = found;
  const noneDeleted = deleted
    ? checkUnchanged(deleted)
    : checkAbsent(deletedGroupsEntity.key(instance));
  return { stored, noneDeleted };
}

function writesOf(instance: number, data: GroupRecord['values']): readonly Write[] {
  const { id, name } = data;
  const group = createItem(groupEntity, groupEntity.key(instance, id), data);
  if (name === null) return [group];
  const key = groupNameEntity.key(instance, name);
  return [group, createItem(groupNameEntity, key, { group: id })];
}
