import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { timeToLive } from '../store/table.ts';

/** A table that a deployment can adopt. */
export interface PreparedTable {
  readonly tableArn: string;
  readonly tableStreamArn: string;
}

export interface PrepareOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Waits while the table is changed. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of each change that is made. */
  readonly onChange: (text: string) => void;
}

const pollMs = 5000;
const maxPolls = 360; // half an hour

/**
 * Gives a restored table what a restore leaves out: stream, deletion protection, expiry and continuous backups
 * (docs/guides/restoring.md#on-aws). What it has stays, so it may run again. DynamoDB takes one kind of change in a request,
 * and none while one is made.
 *
 * @throws Error when the table is not there, or stays busy for half an hour
 */
export async function prepareTable(options: PrepareOptions): Promise<PreparedTable> {
  const { client, table, onChange } = options;
  const found = await whenActive(options);
  const update = async (text: string, change: Omit<UpdateTableCommandInput, 'TableName'>) => {
    onChange(text);
    await client.send(new UpdateTableCommand({ TableName: table, ...change }));
    await whenActive(options);
  };
  if (found.StreamSpecification?.StreamViewType !== 'NEW_AND_OLD_IMAGES') {
    const StreamSpecification = {
      StreamEnabled: true,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    } as const;
    await update('stream', { StreamSpecification });
  }
  if (found.DeletionProtectionEnabled !== true) {
    await update('deletion protection', { DeletionProtectionEnabled: true });
  }
  await addExpiry(options);
  await addBackups(options);
  const { TableArn, LatestStreamArn } = await whenActive(options);
  if (TableArn === undefined || LatestStreamArn === undefined) {
    throw new Error(`${table} has no stream`);
  }
  return { tableArn: TableArn, tableStreamArn: LatestStreamArn };
}

async function addExpiry({ client, table, onChange }: PrepareOptions): Promise<void> {
  const named = { TableName: table };
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand(named));
  if (/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '')) return;
  onChange('expiry of items');
  const TimeToLiveSpecification = { Enabled: true, AttributeName: timeToLive };
  await client.send(new UpdateTimeToLiveCommand({ ...named, TimeToLiveSpecification }));
}

async function addBackups({ client, table, onChange }: PrepareOptions): Promise<void> {
  const named = { TableName: table };
  const found = await client.send(new DescribeContinuousBackupsCommand(named));
  const { PointInTimeRecoveryDescription } = found.ContinuousBackupsDescription ?? {};
  if (PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED') return;
  onChange('continuous backups');
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(
    new UpdateContinuousBackupsCommand({ ...named, PointInTimeRecoverySpecification }),
  );
}

/** Waits until the table may be changed, and returns its description. */
async function whenActive({ client, table, sleep }: PrepareOptions): Promise<TableDescription> {
  for (let poll = 0; poll < maxPolls; poll += 1) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
    if (Table?.TableStatus === 'ACTIVE') return Table;
    await sleep(pollMs);
  }
  throw new Error(`${table} is still being changed: run the command again later`);
}
