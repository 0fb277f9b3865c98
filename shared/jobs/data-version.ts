import type { Log } from '../ports/ports.ts';
import type { Stored, Write } from '../store/store.ts';
import { createItem, updateItem } from '../store/writes.ts';
import { firstDataVersion, NewerData } from '../table/data-version.ts';
import { dataVersionEntity, firstAccountEntity } from '../table/entities/deployment.ts';
import type { DataVersionData } from '../table/records/deployment.ts';
import type { Services } from './change-feed.ts';
import { type JobType, newJob } from './jobs.ts';
import { cascade } from './maintain.ts';
import { unlessConflict } from './write-conflict.ts';

/** Brings the data from one version to the next. */
export interface Migration {
  /** The version when it is done. */
  readonly to: number;
  /**
   * Rewrites the items, in steps. Requests of this release and of the one before read and write items at the same time,
   * so both must be able to read the items before and after (docs/internals/table.md#data-version).
   */
  readonly job: JobType;
}

/** Format of the data of a release. */
export interface DataFormat {
  readonly version: number;
  /** One for each version after the oldest that this release can read. */
  readonly migrations: readonly Migration[];
}

type MigrationServices = Pick<Services, 'store' | 'clock' | 'ids'> & { readonly log: Log };

/**
 * Starts the migrations of older data, one after the other, each at most once. Numbers the data where they have no
 * number: an empty store is of the current version. May be called by several processes, at each start.
 *
 * @param due epoch milliseconds of the first migration; at once when absent
 * @throws NewerData; Error when the data are older than the oldest version with a migration
 */
export async function migrateData(
  services: MigrationServices,
  format: DataFormat,
  due?: number,
): Promise<void> {
  const current =
    (await dataVersionEntity.read(services.store)) ?? (await numberData(services, format.version));
  const { version, next } = current.data;
  if (version > format.version) throw new NewerData(version, format.version);
  if (version === format.version || next !== undefined) return;
  await unlessConflict(setVersion(services, format, { current, version, due }));
}

/** Stores the version of data without a number, unless another process does so, and returns it. */
async function numberData(
  services: MigrationServices,
  version: number,
): Promise<Stored<DataVersionData>> {
  const isEmpty = (await firstAccountEntity.read(services.store)) === undefined;
  const data = { version: isEmpty ? version : firstDataVersion };
  const created = createItem(dataVersionEntity, dataVersionEntity.key(), data);
  await unlessConflict(cascade(services, [created]));
  const stored = await dataVersionEntity.read(services.store);
  if (stored === undefined) throw new Error('the version of the data is not stored');
  return stored;
}

interface Numbering {
  readonly current: Stored<DataVersionData>;
  readonly version: number;
  readonly due?: number | undefined;
}

/** Stores the version, and the job of the next migration, if any. */
async function setVersion(
  services: MigrationServices,
  { version: last, migrations }: DataFormat,
  { current, version, due }: Numbering,
): Promise<void> {
  if (version === last) {
    await cascade(services, [updateItem(current, { version })]);
    return;
  }
  const next = version + 1;
  const migration = migrations.find(({ to }) => to === next);
  if (migration === undefined) throw new Error(`no migration to data version ${next}`);
  const writes: readonly Write[] = [
    updateItem(current, { version, next }),
    newJob(services, migration.job, {}, due),
  ];
  await cascade(services, writes);
  services.log({ level: 'info', message: 'the data will be migrated', from: version, to: next });
}

/** Returns the job types of migrations, which store the new version when they are done. */
export function migrationJobs(format: DataFormat): readonly JobType[] {
  return format.migrations.map(({ to, job }) => ({
    name: job.name,
    step: async (context, task) => {
      const result = await job.step(context, task);
      if (result !== 'done') return result;
      const current = await dataVersionEntity.read(context.store);
      if (current === undefined || current.data.version >= to) return 'done'; // the step ran twice
      await setVersion(context, format, { current, version: to });
      context.log({ level: 'info', message: 'the data are migrated', to });
      return 'done';
    },
  }));
}
