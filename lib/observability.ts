import { Duration } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** The monitored resources. */
export interface ObservabilityProps {
  readonly api: IHttpApi;
  readonly tableName: string;
  /** Queue of the changes and messages that the background function could not process. */
  readonly deadLetters: IQueue;
}

const period = Duration.minutes(5);

/** Alarms for problems of the deployment. They have no recipients until the operator adds some. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, { api, tableName, deadLetters }: ObservabilityProps) {
    super(scope, id);
    this.alarm('ServerErrors', api.metricServerError({ period, statistic: 'Sum' }), {
      threshold: 5,
      description: 'Five or more requests in five minutes got a 5xx response.',
    });
    this.alarm('TableThrottled', throttled(tableName), {
      threshold: 50,
      description: 'The table throttled fifty or more requests in five minutes.',
    });
    this.alarm('DeadLetters', deadLetters.metricApproximateNumberOfMessagesVisible({ period }), {
      threshold: 1,
      description:
        'Changes of data could not be processed, so their consequences are missing; or jobs could not be run.',
    });
  }

  private alarm(
    id: string,
    metric: Metric | MathExpression,
    { threshold, description }: { readonly threshold: number; readonly description: string },
  ): void {
    metric.createAlarm(this, id, {
      threshold,
      evaluationPeriods: 1,
      alarmDescription: description,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

/** Returns the number of throttled requests to the table and all its indexes. */
function throttled(tableName: string): MathExpression {
  const events = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: tableName },
      statistic: 'Sum',
    });
  return new MathExpression({
    expression: 'FILL(reads, 0) + FILL(writes, 0)',
    usingMetrics: { reads: events('ReadThrottleEvents'), writes: events('WriteThrottleEvents') },
    period,
  });
}
