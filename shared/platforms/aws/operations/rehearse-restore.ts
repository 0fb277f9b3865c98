import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { dataVersionEntity } from '../../../table/entities/deployment.ts';
import { instanceEntity, instanceNameEntity } from '../../../table/entities/instances.ts';
import type { InstanceData } from '../../../table/records/records.ts';
import { openStore } from '../store/store.ts';
import { type PreparedTable, prepareTable } from './prepare-table.ts';
import { scanTable } from './scan.ts';

/** A rehearsal of a restore (docs/guides/restoring.md#rehearsing-it). */
export interface RehearsalOptions {
  readonly client: DynamoDBClient;
  /** The table of the deployment, which is only read. */
  readonly table: string;
  /** Name of the table that is restored, and deleted at the end. */
  readonly copy: string;
  /** The time to restore to; absent: the latest that DynamoDB has. */
  readonly to?: Date;
  readonly sleep: (ms: number) => Promise<void>;
  readonly nowMs: () => number;
  /** Told of each step when it has ended, with its duration. */
  readonly onStep: (step: string, ms: number) => void;
}

/** Result of a rehearsal. */
export interface Rehearsal {
  /** From the request to a table that a deployment can adopt. */
  readonly totalMs: number;
  readonly items: number;
  readonly bytes: number;
  readonly instances: number;
}

const pollMs = 15_000;
const maxPolls = 24 * 60 * 4; // a day

/**
 * Restores the table of a deployment under another name, prepares it for adoption, and reads it as a deployment would.
 * The copy is deleted at the end, also after an error, unless it was there before.
 *
 * @throws Error when a table has the name of the copy, when DynamoDB returns an error, or when the copy lacks what each
 *   deployment has
 */
export async function rehearseRestore(options: RehearsalOptions): Promise<Rehearsal> {
  const { client, table, copy, to, nowMs } = options;
  const beganMs = nowMs();
  await runTimed(options, 'restore', async () => {
    await client.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: table,
        TargetTableName: copy,
        ...(to === undefined ? { UseLatestRestorableTime: true } : { RestoreDateTime: to }),
      }),
    );
  });
  try {
    await runTimed(options, 'wait for the table', () => whenRestored(options));
    await runTimed(options, 'prepare the table', () => prepare(options));
    const totalMs = nowMs() - beganMs;
    const read = await runTimed(options, 'read it', () => readCopy(options));
    return { totalMs, ...read };
  } finally {
    await runTimed(options, 'delete the copy', () => remove(options));
  }
}

async function runTimed<Result>(
  { nowMs, onStep }: RehearsalOptions,
  step: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const beganMs = nowMs();
  const result = await run();
  onStep(step, nowMs() - beganMs);
  return result;
}

/** Waits until the copy may be used and changed. */
async function whenRestored({ client, copy, sleep }: RehearsalOptions): Promise<void> {
  for (let poll = 0; poll < maxPolls; poll += 1) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: copy }));
    if (Table?.TableStatus === 'ACTIVE') return;
    await sleep(pollMs);
  }
  throw new Error(`${copy} is not there after a day`);
}

function prepare({ client, copy: table, sleep }: RehearsalOptions): Promise<PreparedTable> {
  return prepareTable({ client, table, sleep, onChange: () => undefined });
}

/** Reads the copy as a deployment does, and checks that each instance is found by its name. */
async function readCopy({ client, copy: table, nowMs }: RehearsalOptions) {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const store = openStore({ table, client, now: nowMs });
  if ((await dataVersionEntity.read(store)) === undefined) {
    throw new Error('the copy has no version of its data: is the table that of a deployment?');
  }
  const found: InstanceData[] = [];
  const take = ({ data }: { readonly data: object }) => found.push(data as InstanceData); // of the one kind
  await scanTable({ client, table }, [instanceEntity.kind], { take, progress: () => undefined });
  for (const { id, name } of found) {
    const pointer = await instanceNameEntity.read(store, name);
    if (pointer?.data.instance !== id)
      throw new Error(`the copy does not find ${name} by its name`);
  }
  return {
    items: Table?.ItemCount ?? 0,
    bytes: Table?.TableSizeBytes ?? 0,
    instances: found.length,
  };
}

/** Deletes the copy, which the preparation has protected from that. */
async function remove(options: RehearsalOptions): Promise<void> {
  const { client, copy: TableName } = options;
  await whenRestored(options);
  await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
  await whenRestored(options);
  await client.send(new DeleteTableCommand({ TableName }));
}
