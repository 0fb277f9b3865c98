import { readOwners } from '../../shared/accounts/accounts.ts';
import { type RestoreTask, restoreBackup } from '../../shared/backups/restore-backup.ts';
import {
  allRights,
  type Context,
  callingAccount,
  idsFrom,
  instanceOf,
  type ListOf,
  listRoutes,
  type Route,
  recordAt,
  reservedId,
  rowsOf,
  showFields,
} from '../../shared/core/family.ts';
import { tenantOf } from '../../shared/core/resource/context-values.ts';
import type { Values } from '../../shared/core/resource/input.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { checkUnchanged, createItem, putItem } from '../../shared/store/writes.ts';
import { backupEntity, backupReaderEntity } from '../../shared/table/entities/accounts.ts';
import {
  activeRestoreEntity,
  instanceEntity,
  restoreEntity,
} from '../../shared/table/entities/instances.ts';
import type { BackupData, RestoreData } from '../../shared/table/records/backups.ts';
import { forbidden, invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { isInstance, ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { restoreFields } from './fields.ts';

/** A restore with its author. */
interface View {
  readonly data: RestoreData;
  readonly author: JsonObject;
}

const resource: ListOf<RestoreData, View, typeof restoreFields> = {
  name: 'Restore',
  path: '/instances/{instance}/restores/',
  item: 'id',
  access: { owner: allRights, full: allRights },
  fields: restoreFields,
  links: [{ name: 'self', type: 'detail', to: '' }],
  record: recordAt(restoreEntity, ['instance', '{id}']),
  counter: idsFrom('restore'),
  readItems: (context, range) =>
    rowsOf(context.platform.store, restoreEntity, [instanceOf(context)], range),
  view: views,
  show: showFields(restoreFields, (_, { author }) => ({ archive: null, author })),
  segment: ({ data }) => String(data.id),
  create: async (context, input) => {
    const data = await createRestore(context, input.valid());
    const [view] = await views(context, [{ data }]);
    return view ?? { data, author: {} }; // there is one for each
  },
};

async function views(
  { platform }: Context,
  items: readonly Pick<Stored<RestoreData>, 'data'>[],
): Promise<readonly View[]> {
  const authors = await readOwners(
    platform.store,
    items.map(({ data }) => data.author),
  );
  return items.map(({ data }) => ({ data, author: authors.get(data.author) ?? {} }));
}

/** Creates a restore of one of the caller's backups, which a job makes. While another one waits, it is aborted. */
async function createRestore(
  context: Context,
  { backup, archive }: Values<typeof restoreFields, 'create'>,
): Promise<RestoreData> {
  const isNamed = (backup === null) !== (archive === null);
  if (!isNamed) {
    const text = 'You have to provide either backup or archive.';
    throw invalid({ non_field_errors: [text] });
  }
  if (backup === null) throw forbidden('item_protected'); // archives were for the service's staff
  const { platform } = context;
  const { store } = platform;
  const account = callingAccount(context).data.id;
  const [instance, id] = [instanceOf(context), reservedId(context)];
  const now = timestamp(platform.clock.micros());
  const made = { id, backup, author: account, created_at: now, updated_at: now };
  return retryOnConflict(async () => {
    const [found, active] = await Promise.all([
      backupEntity.read(store, account, backup),
      activeRestoreEntity.read(store, instance),
    ]);
    if (found?.data.status !== 'success') throw invalid({ backup: [messages.noSuchPk(backup)] });
    const data: RestoreData =
      active === undefined
        ? { ...made, status: 'scheduled', status_info: '' }
        : { ...made, status: 'aborted', status_info: alreadyScheduled };
    const task: RestoreTask = {
      instance: ownerOfData(instance),
      restore: id,
      account,
      backup,
      chunk: 0,
      phase: 'fill',
      counts: {},
      ...(await sourceOf(context, found.data)),
    };
    const reader = backupReaderEntity.key(account, backup, instance);
    await commit(context, [
      checkUnchanged(found), // a deleted backup has no archive
      createItem(restoreEntity, restoreEntity.key(instance, id), data),
      ...(active === undefined
        ? [
            createItem(activeRestoreEntity, activeRestoreEntity.key(instance), {
              restore: id,
              account,
              backup,
            }),
            putItem(backupReaderEntity, reader, { backup }),
            newJob(platform, restoreBackup, task),
          ]
        : []),
    ]);
    return data;
  });
}

/** Returns what a restore has to know of the contents of a backup. */
async function sourceOf(
  context: Context,
  { instance: origin, lineage, owner: recorded }: BackupData,
): Promise<Pick<RestoreTask, 'origin' | 'lineage' | 'isOfOwner'>> {
  const ofLineage = lineage === undefined ? {} : { lineage };
  if (isInstance(origin, instanceOf(context))) return ofLineage;
  // of version 0.1 without owner: known as long as the instance exists
  const source = await instanceEntity.read(context.platform.store, origin);
  const { owner } = await tenantOf(context);
  return { ...ofLineage, origin, isOfOwner: owner === (recorded ?? source?.data.owner) };
}

const alreadyScheduled = 'Restore already scheduled on specified instance.';

/** The restores of an instance (docs/reference/backups.md#restores). */
export const restoreRoutes: readonly Route[] = listRoutes(resource);
