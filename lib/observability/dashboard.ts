import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import {
  familyDimension,
  metricsNamespace,
  requestMetrics,
} from '../../shared/platforms/aws/log/metrics.ts';
import { type Metrics, type Monitored, period } from './metrics.ts';

/** Adds the dashboard: alarms, requests by family, functions, and the table by index. */
export function addDashboard(
  scope: Construct,
  monitored: Monitored,
  metrics: Metrics,
  alarms: readonly Alarm[],
): void {
  new Dashboard(scope, 'Dashboard', {
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 3 })],
      requestWidgets(metrics),
      ...(monitored.isByFamily ? [familyWidgets(monitored)] : []),
      functionWidgets(metrics),
      tableWidgets(monitored),
    ],
  });
}

function graph(title: string, left: IMetric[]): IWidget {
  return new GraphWidget({ title, width: 8, height: 6, period, left });
}

function requestWidgets(metrics: Metrics): IWidget[] {
  const { requests, clientErrors, serverErrors, errorLines, durations, tableRequests } = metrics;
  return [
    graph('Requests', [requests, clientErrors, serverErrors]),
    graph('Duration of requests without polls: p50, p95, p99', [...durations]),
    graph('Lines of level error, requests to the table per request', [errorLines, tableRequests]),
  ];
}

function familyWidgets({ stage }: Monitored): IWidget[] {
  const schema = `{"${metricsNamespace(stage)}","${familyDimension}"}`;
  const of = (metric: string, statistic: string) => search(schema, metric, statistic);
  const { duration, tableRequests, clientErrors, serverErrors } = requestMetrics;
  return [
    graph('Requests by family', [of(duration, 'SampleCount')]),
    graph('Duration by family, p95', [of(duration, 'p95')]),
    graph('Requests to the table per request, by family', [of(tableRequests, 'Average')]),
    graph('Errors by family', [of(clientErrors, 'Sum'), of(serverErrors, 'Sum')]),
  ];
}

function functionWidgets(metrics: Metrics): IWidget[] {
  const { concurrency, throttles, backgroundFailures, scriptRunFailures, streamAge } = metrics;
  const { queuedDeadLetters, storedDeadLetters, jobLag } = metrics;
  return [
    graph('Concurrent executions and throttles of the account', [concurrency, throttles]),
    graph('Failures of background and script runs', [backgroundFailures, scriptRunFailures]),
    graph('Stream age, oldest due job, dead letters', [
      streamAge,
      jobLag,
      queuedDeadLetters,
      storedDeadLetters,
    ]),
  ];
}

function tableWidgets({ tableName }: Monitored): IWidget[] {
  const ofTable = (metric: string) =>
    search(`{"AWS/DynamoDB","TableName"} TableName="${tableName}"`, metric, 'Sum');
  const ofIndexes = (metric: string) =>
    search(
      `{"AWS/DynamoDB","TableName","GlobalSecondaryIndexName"} TableName="${tableName}"`,
      metric,
      'Sum',
    );
  const units = ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'];
  const throttles = ['ReadThrottleEvents', 'WriteThrottleEvents'];
  return [
    graph('Units of the table', units.map(ofTable)),
    graph('Units by index', units.map(ofIndexes)),
    graph('Throttled, by index', [...throttles.map(ofIndexes), ...throttles.map(ofTable)]),
  ];
}

/** Returns a query for all metrics of a name, one graph for each combination of dimensions. */
function search(schema: string, metric: string, statistic: string): MathExpression {
  const expression = `SEARCH('${schema} MetricName="${metric}"', '${statistic}', ${period.toSeconds()})`;
  return new MathExpression({ expression, label: '', period });
}
