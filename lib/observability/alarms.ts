import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { type DeploymentSettings, usualQuota } from '../settings.ts';
import type { Metrics } from './metrics.ts';

/** Settings of the alarms. */
type AlarmSettings = Pick<DeploymentSettings, 'alarmEmail' | 'alarmTopic' | 'concurrency'>;

interface AlarmRule {
  readonly metric: IMetric;
  /** The alarm fires at this value. */
  readonly threshold: number;
  readonly description: string;
}

const maxStreamAgeMs = 15 * 60 * 1000; // the stream keeps changes for 24 hours
const concurrencyShare = 0.8;

/** Returns all alarms by their ids. */
function rulesOf(metrics: Metrics, quota: number): Readonly<Record<string, AlarmRule>> {
  return {
    ServerErrors: {
      metric: metrics.serverErrorShare,
      threshold: 5,
      description: 'Five per cent or more of the requests in five minutes got a 5xx response.',
    },
    StreamAge: {
      metric: metrics.streamAge,
      threshold: maxStreamAgeMs,
      description:
        'Changes wait for the background function for 15 minutes: an outage. After 23 hours they are given up.',
    },
    BackgroundFailures: {
      metric: metrics.backgroundFailures,
      threshold: 1,
      description: 'Invocations of the background function failed or were throttled.',
    },
    ScriptRunFailures: {
      metric: metrics.scriptRunFailures,
      threshold: 1,
      description:
        'Invocations of the function for direct runs of scripts failed or were throttled.',
    },
    Concurrency: {
      metric: metrics.concurrency,
      threshold: Math.ceil(concurrencyShare * quota),
      description: `Functions of the account use ${100 * concurrencyShare} per cent of the quota of concurrent executions, ${quota}.`,
    },
    ReadsThrottled: {
      metric: metrics.readsThrottled,
      threshold: 50,
      description: 'The table or an index throttled fifty or more reads in five minutes.',
    },
    WritesThrottled: {
      metric: metrics.writesThrottled,
      threshold: 50,
      description: 'The table or an index throttled fifty or more writes in five minutes.',
    },
    DeadLetters: {
      metric: metrics.queuedDeadLetters,
      threshold: 1,
      description:
        'Delayed messages or asynchronous invocations of functions could not be processed: npm run dead-letters.',
    },
    FailedChanges: {
      metric: metrics.failedChanges,
      threshold: 1,
      description:
        'Changes of data were given up and stored in the bucket: npm run dead-letters. Their consequences are missing.',
    },
    StoredDeadLetters: {
      metric: metrics.storedDeadLetters,
      threshold: 1,
      description: 'A change could not be processed and is stored under DEADLETTERS in the table.',
    },
    ErrorLines: {
      metric: metrics.errorLines,
      threshold: 1,
      description: 'A function has logged lines of level error.',
    },
  };
}

/** The alarms of a deployment, which notify the topic of the operator when they fire and when they end. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, metrics: Metrics, settings: AlarmSettings) {
    super(scope, id);
    const actions = this.topics(settings).map((topic) => new SnsAction(topic));
    const rules = Object.entries(rulesOf(metrics, settings.concurrency ?? usualQuota));
    this.all = rules.map(([name, { metric, threshold, description }]) => {
      const alarm = new Alarm(this, name, {
        metric,
        threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: 1,
        alarmDescription: description,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(...actions);
      alarm.addOkAction(...actions);
      return alarm;
    });
  }

  private topics({ alarmEmail, alarmTopic }: AlarmSettings): readonly ITopic[] {
    return [
      ...(alarmEmail === undefined ? [] : [this.mailTo(alarmEmail)]),
      ...(alarmTopic === undefined ? [] : [Topic.fromTopicArn(this, 'Existing', alarmTopic)]),
    ];
  }

  private mailTo(address: string): ITopic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    // a policy replaces the default one, which allows what is in the account
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    return topic;
  }
}
