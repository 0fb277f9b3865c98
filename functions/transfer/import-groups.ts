import { instanceOf } from '../../shared/core/resource/place.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commitEach } from '../../shared/store/commit.ts';
import { groupEntity, groupNameEntity } from '../../shared/store/entities.ts';
import { readTogether } from '../../shared/store/entity.ts';
import { createItem } from '../../shared/store/writes.ts';
import { allSettled } from '../../shared/values/all-settled.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { isSameJson } from '../../shared/values/json/json-values.ts';
import { groupRecord } from './fields.ts';
import { transferMessages } from './messages.ts';
import { checkPage, type Imported, passIds, readRecords } from './record-page.ts';

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
    const named = good.filter(({ values }) => values.name !== null);
    const found = await readTogether(context.platform.store, {
      groups: good.map(({ values }) => groupEntity.at(instance, values.id)),
      names: named.map(({ values }) => groupNameEntity.at(instance, values.name ?? '')),
    });
    const claimed = new Map<string | null, number>();
    for (const [at, { values, errors }] of named.entries()) {
      const owner = found.names[at]?.data.group ?? claimed.get(values.name) ?? values.id;
      if (owner !== values.id) errors.name = [messages.unique];
      claimed.set(values.name, values.id);
    }
    const stored = good.filter((_, at) => found.groups[at] !== undefined);
    for (const [at, { values, errors }] of good.entries()) {
      const other = found.groups[at]?.data;
      if (other !== undefined && !isSameJson({ ...other }, { ...values })) {
        errors.id = [transferMessages.differs];
      }
    }
    checkPage(page);
    const fresh = good.filter((record) => !stored.includes(record)).map(({ values }) => values);
    await passIds(
      context,
      'group',
      fresh.map(({ id }) => id),
    );
    const groups = fresh.map((data) => [
      createItem(groupEntity, groupEntity.key(instance, data.id), data),
      ...(data.name === null
        ? []
        : [
            createItem(groupNameEntity, groupNameEntity.key(instance, data.name), {
              group: data.id,
            }),
          ]),
    ]);
    await allSettled(commitEach(context, groups));
    return { created: fresh.length, unchanged: stored.length };
  });
}
