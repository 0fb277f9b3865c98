import { Duration } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IEventSourceMapping, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import {
  jobLag,
  lineMetrics,
  metricsNamespace,
  requestMetrics,
  scopeDimension,
  wholeScope,
} from '../../shared/platforms/aws/log/metrics.ts';

/** The monitored resources. */
export interface Monitored {
  readonly stage: string;
  /** Whether requests have metrics by family too. */
  readonly isByFamily: boolean;
  readonly api: IHttpApi;
  readonly tableName: string;
  readonly background: LambdaFunction;
  readonly scriptRuns: LambdaFunction;
  /** Readers of the table's stream. */
  readonly sources: readonly IEventSourceMapping[];
  /** Queue of the invocations that functions could not process. */
  readonly deadLetters: IQueue;
  /** Queue of the messages that have jobs run between two ticks. */
  readonly wakeUps: IQueue;
}

/** Period of all metrics. */
export const period = Duration.minutes(5);

const sum = { period, statistic: Stats.SUM };
const maximum = { period, statistic: Stats.MAXIMUM };

/** Fewer requests in a period have no share of errors: one of two would be half of all. */
const minRequests = 20;

/** Metrics that alarms and the dashboard have in common. */
export type Metrics = ReturnType<typeof metricsOf>;

/** Returns the metrics of a deployment. An alarm costs 0.10 USD a month for each metric that it reads. */
export function metricsOf(monitored: Monitored) {
  const { api, background, scriptRuns, deadLetters, stage } = monitored;
  const namespace = metricsNamespace(stage);
  const line = (metricName: string) => new Metric({ namespace, metricName, ...sum });
  const inLines = (metricName: string, statistic: string) =>
    new Metric({
      namespace,
      metricName,
      dimensionsMap: { [scopeDimension]: wholeScope },
      period,
      statistic,
    });
  const { duration, tableRequests } = requestMetrics;
  const [requests, serverErrors] = [api.metricCount(sum), api.metricServerError(sum)];
  const throttled = (metricName: string) =>
    // without a schema, a query reads the metric of the table and those of all its indexes
    new MathExpression({
      expression: `SELECT SUM(${metricName}) FROM "AWS/DynamoDB" WHERE TableName = '${monitored.tableName}'`,
      period,
    });
  return {
    requests,
    clientErrors: api.metricClientError(sum),
    serverErrors,
    serverErrorShare: new MathExpression({
      expression: `IF(requests >= ${minRequests}, 100 * FILL(errors, 0) / requests, 0)`,
      usingMetrics: { requests, errors: serverErrors },
      label: '% of requests',
      period,
    }),
    slowRequests: inLines(duration, Stats.p(99)),
    durations: [50, 95, 99].map((percent) => inLines(duration, Stats.p(percent))),
    tableRequests: inLines(tableRequests, Stats.AVERAGE),
    throttles: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Throttles', // as for `concurrency`
      ...sum,
    }),
    jobLag: inLines(jobLag, Stats.MAXIMUM),
    wakeUpAge: monitored.wakeUps.metricApproximateAgeOfOldestMessage(maximum),
    streamAge: background.metric('IteratorAge', maximum),
    backgroundFailures: failures('background', background),
    scriptRunFailures: failures('scriptRun', scriptRuns),
    concurrency: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'ConcurrentExecutions', // without dimension: of all functions in the account and region
      ...maximum,
    }),
    readsThrottled: throttled('ReadThrottleEvents'),
    writesThrottled: throttled('WriteThrottleEvents'),
    failedChanges: failedChanges(monitored.sources),
    queuedDeadLetters: deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
    storedDeadLetters: line(lineMetrics.deadLetters),
    errorLines: line(lineMetrics.errors),
  };
}

/** Returns the number of stream records that were given up and stored in the bucket. */
function failedChanges(sources: readonly IEventSourceMapping[]): IMetric {
  const usingMetrics = Object.fromEntries(
    sources.map(({ eventSourceMappingId }, at) => [
      `m${at}`,
      new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'OnFailureDestinationDeliveredEventCount',
        dimensionsMap: { EventSourceMappingUUID: eventSourceMappingId },
        ...sum,
      }),
    ]),
  );
  const expression = Object.keys(usingMetrics)
    .map((name) => `FILL(${name}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label: 'changes given up', period });
}

/** Returns the number of invocations that failed or were throttled; `name` makes ids that differ in one graph. */
function failures(name: string, handler: LambdaFunction): IMetric {
  const [errors, throttles] = [`${name}Errors`, `${name}Throttles`];
  return new MathExpression({
    expression: `FILL(${errors}, 0) + FILL(${throttles}, 0)`,
    usingMetrics: {
      [errors]: handler.metricErrors(sum),
      [throttles]: handler.metricThrottles(sum),
    },
    label: `${name}: failed or throttled`,
    period,
  });
}
