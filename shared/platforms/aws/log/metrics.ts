/*
 * METRICS of a deployment in CloudWatch, in addition to those of AWS: read by the log that emits them, by the stack with
 * the alarms, and by tests. None has a tenant in its dimensions, because each combination of values is a paid metric.
 *
 * | Metric        | Dimension | Source                                                       |
 * |---------------|-----------|--------------------------------------------------------------|
 * | durationMs    | scope     | each request's line but those of polls and script endpoints  |
 * | tableRequests | scope     | each request's line: requests to the table since the line before |
 * | clientErrors  | scope     | each request's line with a 4xx response                      |
 * | serverErrors  | scope     | each request's line with a 5xx response                      |
 * | jobLagMs      | scope     | the line of each tick: how long the oldest due job has waited |
 * | errorLines    |           | lines of level `error`, by a metric filter                   |
 * | deadLetters   |           | lines with the id of a stored dead letter, by a metric filter |
 *
 * `scope` has one value, so these are seven metrics, of which ten are free. With `-c familyMetrics=true` those of requests
 * are by `family` as well: up to four for each family with traffic, at 0.30 USD a month.
 */

/** The location of a function's metrics. */
export interface MetricsSource {
  readonly namespace: string;
  readonly family: string;
  /** Whether requests have metrics by family too. */
  readonly isByFamily: boolean;
}

/** Returns the namespace of the metrics of a deployment. */
export function metricsNamespace(stage: string): string {
  return `Groundwork/${stage}`;
}

/** Dimension of all metrics in lines: one value, so that each is one metric. */
export const scopeDimension = 'scope';
export const wholeScope = 'all';

/** Dimension of the metrics of requests that an operator may ask for. */
export const familyDimension = 'family';

/** Families whose requests wait for something, or last as long as a script: that is no figure of the deployment. */
const waiting: ReadonlySet<string> = new Set(['channel-polls', 'script-endpoints']);

/** Metrics that the lines of requests contain. */
export const requestMetrics = {
  duration: 'durationMs',
  tableRequests: 'tableRequests',
  clientErrors: 'clientErrors',
  serverErrors: 'serverErrors',
} as const;

/** Metric of the line of each tick. */
export const jobLag = 'jobLagMs';

/** Metrics that CloudWatch counts in the lines of the log. */
export const lineMetrics = { errors: 'errorLines', deadLetters: 'deadLetters' } as const;

/** Figures that a request's line reports in addition to its own members. */
export interface RequestFigures {
  /** Of the response. */
  readonly status: number;
  readonly tableRequests: number;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * Returns the members that make a request's line a document in CloudWatch's embedded metric format. A metric of errors is
 * present only in lines with such an error: one without values costs nothing.
 */
export function requestMembers(
  { namespace, family, isByFamily }: MetricsSource,
  { status, tableRequests, nowMs }: RequestFigures,
): Record<string, unknown> {
  const { duration, clientErrors, serverErrors } = requestMetrics;
  const error = status >= 500 ? [serverErrors] : status >= 400 ? [clientErrors] : [];
  const counts = [requestMetrics.tableRequests, ...error];
  const metrics = [
    ...(waiting.has(family) ? [] : [{ Name: duration, Unit: 'Milliseconds' }]),
    ...counts.map((Name) => ({ Name, Unit: 'Count' })),
  ];
  const dimensions = [[scopeDimension], ...(isByFamily ? [[familyDimension]] : [])];
  return {
    [scopeDimension]: wholeScope,
    [familyDimension]: family,
    [requestMetrics.tableRequests]: tableRequests,
    ...Object.fromEntries(error.map((name) => [name, 1])),
    ...directive({ namespace, nowMs, dimensions, metrics }),
  };
}

/** Returns the members that make the line of a tick such a document. */
export function tickMembers(
  { namespace, family }: MetricsSource,
  nowMs: number,
): Record<string, unknown> {
  const metrics = [{ Name: jobLag, Unit: 'Milliseconds' }];
  return {
    [scopeDimension]: wholeScope,
    [familyDimension]: family,
    ...directive({ namespace, nowMs, dimensions: [[scopeDimension]], metrics }),
  };
}

interface Document {
  readonly namespace: string;
  readonly nowMs: number;
  readonly dimensions: readonly (readonly string[])[];
  readonly metrics: readonly object[];
}

function directive({ namespace, nowMs, dimensions, metrics }: Document): Record<string, unknown> {
  const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: dimensions, Metrics: metrics }];
  return { _aws: { Timestamp: nowMs, CloudWatchMetrics } };
}
