import { Validations } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  partitionKey,
  sortKey,
  tableIndexes,
  timeToLive,
} from '../shared/platforms/aws/store/table.ts';
import type { TableUse } from '../shared/ports/grants.ts';
import { anyUsagePartition } from '../shared/table/entities/instances.ts';
import { anySessionPartition } from '../shared/table/entities/user-accounts.ts';
import { readActions, tableActions } from './grants.ts';
import { type DeploymentSettings, removalPolicyOf } from './settings.ts';

/** The table with its indexes and stream: a new one, or one that exists, as after a restore. */
export class DataTable extends Construct {
  readonly name: string;
  /** ARN of the table's stream. */
  readonly streamArn: string;
  private readonly arn: string;

  constructor(
    scope: Construct,
    id: string,
    settings: Pick<DeploymentSettings, 'keepData' | 'protectTable' | 'adopted'>,
  ) {
    super(scope, id);
    const { table: attributes } = settings.adopted;
    const table =
      attributes === undefined
        ? createTable(this, settings)
        : TableV2.fromTableAttributes(this, 'Table', attributes);
    this.name = table.tableName;
    this.arn = table.tableArn;
    this.streamArn = table.tableStreamArn ?? '';
  }

  /** Returns policy statements that allow reads of single items and these uses. */
  statements(uses: readonly TableUse[]): readonly PolicyStatement[] {
    const used = uses.filter((use) => use !== 'filter');
    const items = new PolicyStatement({
      actions: [...new Set([...readActions, ...used.flatMap((use) => tableActions[use])])],
      resources: [this.arn],
    });
    return [
      items,
      ...(uses.includes('filter') ? [this.mayFilter()] : []),
      ...(uses.includes('meter') && !uses.includes('write') ? [this.mayPutUsage()] : []),
    ];
  }

  private mayFilter(): PolicyStatement {
    const indexes = tableIndexes.map(({ name }) => `${this.arn}/index/${name}`);
    return new PolicyStatement({ actions: ['dynamodb:Query'], resources: indexes });
  }

  private mayPutUsage(): PolicyStatement {
    const partitions = [anyUsagePartition, anySessionPartition];
    return new PolicyStatement({
      actions: ['dynamodb:PutItem'],
      resources: [this.arn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } },
    });
  }

  /** Allows a role to read the stream. An event source mapping also has to list streams: all of the account or none. */
  grantStreamTo(role: Role): void {
    const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
    role.addToPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.streamArn],
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'DynamoDB can list all streams of an account or none; only their names are disclosed.',
    });
  }
}

/** Creates the table: billed on demand, restorable to any second of the last 35 days. */
function createTable(
  scope: Construct,
  { keepData, protectTable }: Pick<DeploymentSettings, 'keepData' | 'protectTable'>,
): TableV2 {
  const string = (name: string) => ({ name, type: AttributeType.STRING });
  return new TableV2(scope, 'Table', {
    partitionKey: string(partitionKey),
    sortKey: string(sortKey),
    globalSecondaryIndexes: tableIndexes.map((index) => ({
      indexName: index.name,
      partitionKey: string(partitionKey),
      sortKey: string(index.sortKey),
      projectionType: ProjectionType[index.projection],
    })),
    billing: Billing.onDemand(),
    timeToLiveAttribute: timeToLive,
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: keepData && protectTable,
    removalPolicy: removalPolicyOf(keepData),
  });
}
