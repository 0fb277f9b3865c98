import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  type EventSourceMappingOptions,
  FilterCriteria,
  FilterRule,
  type IEventSourceDlq,
  type IEventSourceMapping,
  type Function as LambdaFunction,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { grants } from '../functions/background/grants.ts';
import { unorderedConsumers } from '../functions/jobs.ts';
import type { ChangeAction, ChangeFilter } from '../shared/jobs/change-feed.ts';
import { familyFunctionName } from '../shared/platforms/aws/requests/function-names.ts';
import { followScripts } from '../shared/platforms/aws/scripts/follow-scripts.ts';
import { stackVariables } from '../shared/platforms/aws/settings.ts';
import { tableAttributes } from '../shared/platforms/aws/store/table.ts';
import { jobEntity } from '../shared/table/entities/jobs.ts';
import type { DataTable } from './data-table.ts';
import { FamilyFunction } from './family-function.ts';
import type { FileBucket } from './files/file-bucket.ts';
import type { FrontDoor } from './gateway/front-door.ts';
import { unionOf } from './grants.ts';
import { functionArn } from './handler-function.ts';
import type { PushPlatforms } from './push-platforms.ts';
import type { ScriptSandbox } from './script-sandbox.ts';
import type { DeploymentSettings } from './settings.ts';

export interface BackgroundProps {
  readonly table: DataTable;
  readonly files: FileBucket;
  readonly push: PushPlatforms;
  readonly scripts: ScriptSandbox;
  readonly secret: ISecret;
  readonly settings: DeploymentSettings;
  /** Address of the interface, without a slash at the end. */
  readonly url: string;
  readonly frontDoor: FrontDoor | undefined;
}

const timeoutSeconds = 300;
const wakeUpsAtOnce = 5; // invocations; other wake-ups wait for the end of one
const wakeUpMinutes = 10; // a tick has replaced a wake-up long before
const maxAgeSeconds = 3600; // of an invocation that waits because the account is throttled
const maxRecordHours = 23; // the stream keeps a record for 24

const actions = ['create', 'update', 'delete'] as const;
const eventNames: Readonly<Record<ChangeAction, string>> = {
  create: 'INSERT',
  update: 'MODIFY',
  delete: 'REMOVE',
};

/**
 * A window makes Lambda name the shard of a batch. It has no state and ends with a shard. It goes with retries and with
 * failures of a part of a batch, whose response has `state` too; no source says the same of a parallelisation factor.
 */
const tumblingWindow = Duration.minutes(15); // the longest: each ends with one more invocation

/** Batches of a shard at a time, which have no item in common: one that fails does not stop all others. */
const parallelizationFactor = 2;

const consumers = [...unorderedConsumers, followScripts];
const ordered = consumers
  .filter(({ needsShardOrder }) => needsShardOrder)
  .flatMap((consumer) => consumer.watches);
const unordered: readonly ChangeFilter[] = [
  ...consumers
    .filter(({ needsShardOrder }) => !needsShardOrder)
    .flatMap((consumer) => consumer.watches),
  { kind: jobEntity.kind, actions: ['create'] }, // later writes to a job have no consumer
];

/** Filter for the changes of a request and their consequences. */
const byCall = { [tableAttributes.change]: { S: [{ prefix: 'client' }, { prefix: 'cascade' }] } };

/** A filter of an event source, so that the function receives only changes that a consumer reads. */
type Filter = ReturnType<typeof FilterCriteria.filter>;

/**
 * The background function: receives changes through the table's stream, and runs due jobs once a minute, when the
 * stream contains new ones, and at the times between, for which it sends itself delayed messages. Changes that it could
 * not keep for almost as long as the stream has them are stored in the bucket; asynchronous invocations that fail are
 * sent to a queue, for the operator.
 */
export class BackgroundFunction extends Construct {
  /** The queue of what it could not process, and that of delayed messages to it. */
  readonly queues: { readonly deadLetters: IQueue; readonly wakeUps: IQueue };
  readonly function: LambdaFunction;
  /** Its readers of the table's stream. */
  readonly sources: readonly IEventSourceMapping[];

  constructor(scope: Construct, id: string, props: BackgroundProps) {
    super(scope, id);
    const { table, files, scripts, settings } = props;
    const deadLetters = this.makeDeadLetters();
    const name = familyFunctionName(scripts.prefix, 'background');
    const { function: handler, role } = new FamilyFunction(this, 'Worker', {
      ...props,
      family: 'background',
      grants: unionOf([grants]),
      timeoutSeconds,
      reservedConcurrency: settings.reservations.backgroundConcurrency,
      // the tick of the next minute does the same as one that fails
      asynchronous: { retryAttempts: 0, maxAgeSeconds, failures: deadLetters },
    });
    this.function = handler;
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [functionArn(this, name)], // of the name: the function itself would depend on its own role's policy
      }),
    );
    table.grantStreamTo(role);
    this.sources = streamReaders(handler, table, files.failuresOf(role));
    const wakeUps = this.makeWakeUps();
    this.queues = { deadLetters, wakeUps };
    wakeUps.grantSendMessages(role);
    handler.addEnvironment(stackVariables.wakeUps.variable, wakeUps.queueUrl);
    handler.addEventSource(new SqsEventSource(wakeUps, { maxConcurrency: wakeUpsAtOnce }));
    new Rule(this, 'Tick', {
      description: 'Runs due jobs',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new FunctionTarget(handler, { retryAttempts: 0 })], // the rule fires again in a minute
    });
  }

  private makeWakeUps(): Queue {
    const queue = new Queue(this, 'WakeUps', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(timeoutSeconds),
      retentionPeriod: Duration.minutes(wakeUpMinutes),
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'A message has no content, a lost one delays jobs to the next minute, and a throttle is no failure of it.',
    });
    return queue;
  }

  private makeDeadLetters(): Queue {
    const queue = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'The queue is itself a dead-letter queue.',
    });
    return queue;
  }
}

/** Adds two readers of the stream, as many as DynamoDB allows for a shard. */
function streamReaders(
  handler: LambdaFunction,
  table: DataTable,
  onFailure: IEventSourceDlq,
): readonly IEventSourceMapping[] {
  const reader = (
    name: string,
    watched: readonly ChangeFilter[],
    more: Partial<EventSourceMappingOptions>,
  ) =>
    handler.addEventSourceMapping(name, {
      eventSourceArn: table.streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [...filtersOf(watched)],
      batchSize: 500,
      maxBatchingWindow: Duration.seconds(1),
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      // without a number of attempts: what fails for a reason of its own is kept by the function itself
      maxRecordAge: Duration.hours(maxRecordHours),
      supportS3OnFailureDestination: true,
      onFailure,
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
      ...more,
    });
  return [
    reader('Changes', ordered, { tumblingWindow }),
    reader('Events', unordered, { parallelizationFactor }),
  ];
}

/** Returns one filter per action, for all item kinds with a consumer. Maintenance writes have no consumer. */
function filtersOf(watched: readonly ChangeFilter[]): readonly Filter[] {
  return actions.flatMap((action) => {
    const kinds = watched.filter((watch) => watch.actions.includes(action)).map(({ kind }) => kind);
    if (kinds.length === 0) return [];
    const isKind = { [tableAttributes.kind]: { S: FilterRule.or(...new Set(kinds)) } };
    const image =
      action === 'delete' ? { OldImage: isKind } : { NewImage: { ...isKind, ...byCall } };
    return [FilterCriteria.filter({ eventName: [eventNames[action]], dynamodb: image })];
  });
}
