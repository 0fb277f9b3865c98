import { spawnSync } from 'node:child_process';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, expect, test } from 'vitest';
import { prepareTable } from '../../shared/platforms/aws/operations/prepare-table.ts';
import { recordMocked } from '../judges/recorded-requests.ts';

const mock = mockClient(DynamoDBClient);
const arn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/restored';
afterEach(() => recordMocked([mock]));
afterAll(() => mock.restore());

const it = test.extend('given', () => setUp());

it('a restored table gets what it lacks, one kind of change at a time', async ({ given }) => {
  const changes: string[] = [];

  const prepared = await given.prepare(changes);

  expect(prepared).toEqual({ tableArn: arn, tableStreamArn: `${arn}/stream/1` });
  expect(given.state).toEqual({
    busy: 0,
    stream: true,
    protected: true,
    expires: true,
    backed: true,
  });
  expect(changes).toEqual([
    'stream',
    'deletion protection',
    'expiry of items',
    'continuous backups',
  ]);
});

it('a table that has all of it is left alone', async ({ given }) => {
  await given.prepare();
  const changes: string[] = [];

  await given.prepare(changes);

  expect(changes).toEqual([]);
});

it('a table that stays busy is an error after half an hour', async ({ given }) => {
  given.state.busy = Number.POSITIVE_INFINITY;

  await expect(given.prepare()).rejects.toThrow('restored is still being changed');

  expect(given.waits * 5).toBe(1800);
});

it.each([
  [['--help'], 0, 'Usage: npm run prepare-table'],
  [[], 2, 'give the name of a table'],
])('npm run prepare-table %j ends with %i', (args, code, text) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'bin/operator/prepare-table.ts', ...args],
    { encoding: 'utf8' },
  );

  expect([status, stdout + stderr]).toEqual([code, expect.stringContaining(text)]);
});

/** A restored table as DynamoDB has it: it takes one kind of change at a time, and is busy after each. */
function setUp() {
  const state = { busy: 2, stream: false, protected: false, expires: false, backed: false };
  stub(state);
  const given = { state, waits: 0, prepare };
  return given;

  function prepare(changes: string[] = []) {
    const sleep = async () => {
      given.waits += 1;
      state.busy -= 1;
    };
    const onChange = (text: string) => changes.push(text);
    return prepareTable({ client: new DynamoDBClient({}), table: 'restored', sleep, onChange });
  }
}

function stub(
  state: { busy: number } & Record<'stream' | 'protected' | 'expires' | 'backed', boolean>,
): void {
  mock.reset();
  mock.on(DescribeTableCommand).callsFake(() => ({
    Table: {
      TableArn: arn,
      TableStatus: state.busy > 0 ? 'UPDATING' : 'ACTIVE',
      DeletionProtectionEnabled: state.protected,
      ...(state.stream && {
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        LatestStreamArn: `${arn}/stream/1`,
      }),
    },
  }));
  mock.on(UpdateTableCommand).callsFake(({ TableName, ...changes }) => {
    if (state.busy > 0) throw new Error('ResourceInUseException');
    if (Object.keys(changes).length !== 1) throw new Error('ValidationException');
    if (changes.StreamSpecification !== undefined) state.stream = true;
    if (changes.DeletionProtectionEnabled !== undefined) state.protected = true;
    state.busy = 3;
  });
  mock.on(DescribeTimeToLiveCommand).callsFake(() => ({
    TimeToLiveDescription: { TimeToLiveStatus: state.expires ? 'ENABLED' : 'DISABLED' },
  }));
  mock.on(UpdateTimeToLiveCommand).callsFake(({ TimeToLiveSpecification }) => {
    if (state.expires) throw new Error('ValidationException');
    state.expires = TimeToLiveSpecification.AttributeName === 'x';
  });
  mock.on(DescribeContinuousBackupsCommand).callsFake(() => ({
    ContinuousBackupsDescription: {
      PointInTimeRecoveryDescription: {
        PointInTimeRecoveryStatus: state.backed ? 'ENABLED' : 'DISABLED',
      },
    },
  }));
  mock.on(UpdateContinuousBackupsCommand).callsFake(() => {
    state.backed = true;
  });
}
