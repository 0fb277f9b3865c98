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
  /** True when it must hold in two of three periods: peaks of some minutes are usual. */
  readonly isSteady?: true;
}

const maxStreamAgeMs = 15 * 60 * 1000; // the stream keeps changes for 24 hours
const concurrencyShare = 0.8;
const slowMs = 10_000;
const backlogMs = 5 * 60 * 1000;
const wakeUpSeconds = 5 * 60; // the queue drops a message after ten minutes

/** Returns all alarms by their ids. */
function rulesOf(metrics: Metrics, quota: number): Rules {
  return { ...requestRules(metrics), ...limitRules(metrics, quota), ...backgroundRules(metrics) };
}

type Rules = Readonly<Record<string, AlarmRule>>;

function requestRules(metrics: Metrics): Rules {
  return {
    ServerErrors: {
      metric: metrics.serverErrorShare,
      threshold: 5,
      description: 'Five per cent or more of the requests in five minutes got a 5xx response.',
    },
    SlowRequests: {
      metric: metrics.slowRequests,
      threshold: slowMs,
      isSteady: true,
      description: `One per cent of the requests took ${slowMs / 1000} seconds or more; polls and script endpoints are not counted.`,
    },
    ErrorLines: {
      metric: metrics.errorLines,
      threshold: 1,
      description: 'A function has logged lines of level error.',
    },
  };
}

function limitRules(metrics: Metrics, quota: number): Rules {
  return {
    Concurrency: {
      metric: metrics.concurrency,
      threshold: Math.ceil(concurrencyShare * quota),
      description: `Functions of the account use ${100 * concurrencyShare} per cent of the quota of concurrent executions, ${quota}.`,
    },
    Throttles: {
      metric: metrics.throttles,
      threshold: 10,
      isSteady: true,
      description: 'Lambda throttled ten or more invocations of functions of the account.',
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
  };
}

function backgroundRules(metrics: Metrics): Rules {
  return {
    StreamAge: {
      metric: metrics.streamAge,
      threshold: maxStreamAgeMs,
      description:
        'Changes wait for the background function for 15 minutes: an outage. After 23 hours they are given up.',
    },
    JobBacklog: {
      metric: metrics.jobLag,
      threshold: backlogMs,
      isSteady: true,
      description: 'A due job has waited for five minutes or more.',
    },
    WakeUpAge: {
      metric: metrics.wakeUpAge,
      threshold: wakeUpSeconds,
      isSteady: true,
      description: 'A message of the queue that starts jobs has waited for five minutes or more.',
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
    DeadLetters: {
      metric: metrics.queuedDeadLetters,
      threshold: 1,
      description:
        'Asynchronous invocations of the background function could not be processed: npm run dead-letters.',
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
    this.all = rules.map(([name, { metric, threshold, description, isSteady }]) => {
      const alarm = new Alarm(this, name, {
        metric,
        threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: isSteady ? 3 : 1,
        datapointsToAlarm: isSteady ? 2 : 1,
        alarmDescription: `${description} See docs/guides/alarms.md#${name.toLowerCase()}`,
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
