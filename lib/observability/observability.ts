import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { lineMetrics, metricsNamespace } from '../../shared/platforms/aws/log/metrics.ts';
import type { DeploymentSettings } from '../settings.ts';
import { Alarms } from './alarms.ts';
import { addDashboard } from './dashboard.ts';
import { type Monitored, metricsOf } from './metrics.ts';

/** The monitored resources. */
export interface ObservabilityProps extends Omit<Monitored, 'stage' | 'isByFamily'> {
  /** The functions that serve requests, by family. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly settings: DeploymentSettings;
}

/** Alarms for problems of the deployment, the metrics that they read in the log, and a dashboard. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { functions, background, scriptRuns, settings } = props;
    const metricNamespace = metricsNamespace(settings.stage);
    const count = (
      name: string,
      { logGroup }: LambdaFunction,
      filterPattern: IFilterPattern,
      metricName: string,
    ) => new MetricFilter(this, name, { logGroup, filterPattern, metricNamespace, metricName });
    // also counts the lines that Lambda writes when a process ends unexpectedly
    const errors = FilterPattern.stringValue('$.level', '=', 'ERROR');
    const all = [...functions, ['background', background], ['script-runs', scriptRuns]] as const;
    for (const [family, each] of all)
      count(`ErrorLines-${family}`, each, errors, lineMetrics.errors);
    count(
      'DeadLetterLines',
      background,
      FilterPattern.exists('$.deadLetter'),
      lineMetrics.deadLetters,
    );
    const monitored = { ...props, stage: settings.stage, isByFamily: settings.familyMetrics };
    const metrics = metricsOf(monitored);
    const alarms = new Alarms(this, 'Alarms', metrics, settings);
    addDashboard(this, monitored, metrics, alarms.all);
  }
}
