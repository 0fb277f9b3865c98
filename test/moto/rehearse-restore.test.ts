import { randomUUID } from 'node:crypto';
import { ListTablesCommand, UpdateContinuousBackupsCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import {
  type RehearsalOptions,
  rehearseRestore,
} from '../../shared/platforms/aws/operations/rehearse-restore.ts';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import { openStore } from '../../shared/platforms/aws/store/store.ts';
import { createItem } from '../../shared/store/writes.ts';
import { dataVersion } from '../../shared/table/data-version.ts';
import { dataVersionEntity } from '../../shared/table/entities/deployment.ts';
import { instanceEntity, instanceNameEntity } from '../../shared/table/entities/instances.ts';
import { accessKeyOf, createTable, endpoint, removeTable } from '../aws-emulator/dynamodb.ts';
import { write } from '../store/fixture.ts';

/* The rehearsal of a restore, on a simulator of DynamoDB that restores tables. */

const url = endpoint ?? '';
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('given', async ({}, { onCleanup }) => {
  const given = await setUp();
  onCleanup(async () => {
    given.client.destroy();
    await removeTable(given.table, url);
  });
  return given;
});

it('a restore is rehearsed, measured, and leaves nothing behind', async ({ given }) => {
  await fill(given);
  const { steps, done } = rehearse(given);

  expect(await done).toMatchObject({ instances: 1, totalMs: expect.any(Number) });

  expect(steps).toEqual([
    'restore',
    'wait for the table',
    'prepare the table',
    'read it',
    'delete the copy',
  ]);
  expect(await tables(given)).toEqual([given.table]);
});

it.for<[string, string, string]>([
  ['the version of its data', dataVersionEntity.kind, 'the copy has no version of its data'],
  ['the name of an instance', instanceNameEntity.kind, 'the copy does not find library'],
])('a copy without %s is an error, and deleted', async ([_, kind, message], { given }) => {
  await fill(given, kind);

  await expect(rehearse(given).done).rejects.toThrow(message);

  expect(await tables(given)).toEqual([given.table]);
});

it('a table that has the name of the copy is not touched', async ({ given }) => {
  await fill(given);

  await expect(rehearse(given, { copy: given.table }).done).rejects.toThrow();

  expect(await tables(given)).toEqual([given.table]);
});

type Given = Awaited<ReturnType<typeof setUp>>;

/** A table with continuous backups. */
async function setUp() {
  const table = `test-${randomUUID()}`;
  await createTable(table, url);
  const client = createClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: accessKeyOf(table), secretAccessKey: 'test' },
    requestTimeoutMs: 30_000,
  });
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(
    new UpdateContinuousBackupsCommand({ TableName: table, PointInTimeRecoverySpecification }),
  );
  return { table, client };
}

async function fill({ table, client }: Given, ...without: readonly string[]): Promise<void> {
  const now = new Date().toISOString();
  const record = {
    id: 7,
    name: 'library',
    description: '',
    owner: 1,
    created_at: now,
    updated_at: now,
  };
  const store = openStore({ table, client, now: Date.now });
  const items = [
    createItem(dataVersionEntity, dataVersionEntity.key(), { version: dataVersion }),
    createItem(instanceNameEntity, instanceNameEntity.key('library'), { instance: 7, owner: 1 }),
    createItem(instanceEntity, instanceEntity.key(7), record),
  ].filter(({ kind }) => !without.includes(kind));
  await write(store, ...items);
}

function rehearse({ table, client }: Given, more: Partial<RehearsalOptions> = {}) {
  const steps: string[] = [];
  let nowMs = 0;
  const done = rehearseRestore({
    client,
    table,
    copy: `${table}-copy`,
    sleep: async () => undefined,
    nowMs: () => {
      nowMs += 1000;
      return nowMs;
    },
    onStep: (step) => steps.push(step),
    ...more,
  });
  return { steps, done };
}

const tables = async ({ client }: Given) =>
  (await client.send(new ListTablesCommand({}))).TableNames;
