import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { dataFormat } from '../../functions/migrations.ts';
import {
  type DataFormat,
  type Migration,
  migrateData,
  migrationJobs,
} from '../../shared/jobs/data-version.ts';
import { type JobContext, type JobType, runDue } from '../../shared/jobs/jobs.ts';
import { openPlatform } from '../../shared/platforms/local/platform.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Store } from '../../shared/store/store.ts';
import { createItem, putItem, updateItem } from '../../shared/store/writes.ts';
import { dataVersion, NewerData } from '../../shared/table/data-version.ts';
import { emailEntity } from '../../shared/table/entities/accounts.ts';
import { dataVersionEntity, firstAccountEntity } from '../../shared/table/entities/deployment.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { write } from '../store/fixture.ts';
import { temporaryFolder, temporaryStore } from '../support/temporary.ts';

/*
 * The version of the data, and its mechanism of migrations, with migrations of the test: each appends a letter to the
 * e-mail of an account, in one step for each.
 */

const emails = ['a', 'b', 'c'];
const test = base
  .extend('folder', temporaryFolder('groundwork-data-version-'))
  .extend('store', temporaryStore())
  .extend('given', ({ store }) => setUp(store));

test('there is a migration to each version up to the current one, or none at all', () => {
  const { version: current, migrations } = dataFormat;
  const expected = migrations.map((_, at) => current - migrations.length + 1 + at);

  expect(current).toBe(dataVersion);
  expect(migrations.map(({ to }) => to)).toEqual(expected);
});

describe('a store without a number', () => {
  test('that is empty is of the current version', async ({
    given: { context, third, version, jobs },
  }) => {
    await migrateData(context, third);

    expect([await version(), await jobs()]).toEqual([{ version: 3 }, []]);
  });

  test('that has data is of version 1, and is migrated', async ({
    store,
    given: { context, second, version, jobs },
  }) => {
    await fill(store);

    await migrateData(context, second);

    expect([await version(), await jobs()]).toEqual([{ version: 1, next: 2 }, ['migrate-2']]);
  });
});

describe('older data', () => {
  test.beforeEach(({ store }) => fill(store));

  test('are migrated from version to version, each item once', async ({
    given: { steps, context, third, version, accounts, jobs, process },
  }) => {
    await migrateData(context, third);
    await process(third);
    await process(third); // the second job may be in a shard that the first call has left

    expect(await version()).toEqual({ version: 3 });
    expect(await accounts()).toEqual([123, 123, 123]);
    expect(steps).toEqual(['a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
    expect(await jobs()).toEqual([]);
  });

  test('are migrated by one job, however many processes start', async ({
    given: { context, second, jobs },
  }) => {
    await Promise.all([1, 2, 3].map(() => migrateData(context, second)));
    await migrateData(context, second);

    expect(await jobs()).toEqual(['migrate-2']);
  });

  test('keep their number until the last step, so that the release before starts', async ({
    given: { steps, context, second, version, process },
  }) => {
    await migrateData(context, second);
    await process(second, 2);
    const between = await version();
    await migrateData(context, { version: 1, migrations: [] });
    await process(second);

    expect(between).toEqual({ version: 1, next: 2 });
    expect(steps).toEqual(['a2', 'b2', 'c2']);
    expect(await version()).toEqual({ version: 2 });
  });

  test('are migrated no earlier than the release before has ended', async ({
    given: { steps, context, second, jobs, process },
  }) => {
    await migrateData(context, second, Date.now() + 3_600_000);
    await process(second);

    expect([steps, await jobs()]).toEqual([[], ['migrate-2']]);
  });

  test('without a migration from their version are rejected', async ({
    given: { context, toThree, version },
  }) => {
    const late = { version: 3, migrations: [toThree] };

    await expect(migrateData(context, late)).rejects.toThrow('no migration to data version 2');
    expect(await version()).toEqual({ version: 1 });
  });
});

test('newer data are rejected, and remain as they are', async ({
  store,
  given: { context, second, version, jobs },
}) => {
  const newer = { version: 3 };
  await write(store, putItem(dataVersionEntity, dataVersionEntity.key(), newer));

  await expect(migrateData(context, second)).rejects.toThrow(NewerData);

  expect([await version(), await jobs()]).toEqual([newer, []]);
});

test('a server migrates its folder, and a server of an earlier release does not start on it then', async ({
  folder,
  given: { second },
}) => {
  const data = join(folder, 'data');
  const settings = { registration: 'open' } as Parameters<typeof openPlatform>[0]['settings'];
  const open = (format: DataFormat) =>
    openPlatform({
      folder: data,
      settings,
      log: () => undefined,
      url: () => 'http://127.0.0.1',
      background: { consumers: [], jobTypes: [], dataFormat: format },
    });
  const first = await open({ version: 1, migrations: [] });
  await fill(first.store);
  await first.close();
  const next = await open(second);
  await next.idle();
  const found = await dataVersionEntity.read(next.store);
  await next.close();

  expect(found?.data).toEqual({ version: 2 });
  await expect(open({ version: 1, migrations: [] })).rejects.toThrow(
    `the data in ${data} is of a newer version (data version 2, this program knows up to 1)`,
  );
});

function setUp(store: Store) {
  const steps: string[] = [];
  const services = { store, clock: openClock(), ids: openIds(), log: () => undefined };
  const context = services as unknown as JobContext; // the part of a platform that migrations use
  const [toTwo, toThree] = [migration(2, steps), migration(3, steps)];
  const second: DataFormat = { version: 2, migrations: [toTwo] };
  const third: DataFormat = { version: 3, migrations: [toTwo, toThree] };
  return {
    steps,
    context,
    toThree,
    second,
    third,
    version: async () => (await dataVersionEntity.read(store))?.data,
    accounts: async () => {
      const keys = emails.map((each): [string] => [each]);
      return (await emailEntity.readAll(store, keys)).map((item) => item?.data.account);
    },
    jobs: async (): Promise<readonly string[]> => {
      const found = await Promise.all(jobShards.map((shard) => jobEntity.listAll(store, [shard])));
      return found.flat().map(({ data: { kind } }) => kind);
    },
    /** Runs due jobs as a process of a release, which ends after some steps. */
    process: (format: DataFormat, most = Number.POSITIVE_INFINITY) => {
      const isEnding = () => steps.length >= most;
      return runDue({ kinds: migrationJobs(format), context, isEnding });
    },
  };
}

function migration(to: number, steps: string[]): Migration {
  const job: JobType = {
    name: `migrate-${to}`,
    step: async ({ store: data }, { at = 0 }) => {
      const index = Number(at);
      const item = await emailEntity.read(data, emails[index] ?? '');
      if (item === undefined) return 'done';
      steps.push(`${emails[index]}${to}`);
      const changed = updateItem(item, { ...item.data, account: item.data.account * 10 + to });
      await write(data, changed);
      return { task: { at: index + 1 } };
    },
  };
  return { to, job };
}

/** Stores data as a release without data version has left them. */
async function fill(into: Store): Promise<void> {
  await write(
    into,
    createItem(firstAccountEntity, firstAccountEntity.key(), { account: 1 }),
    ...emails.map((each) => createItem(emailEntity, emailEntity.key(each), { account: 1 })),
  );
}
