/*
 * METRICS of a deployment in CloudWatch, in addition to those of AWS: read by the log that emits them, by the stack with
 * the alarms, and by tests. None has a tenant in its dimensions, because each combination of values is a paid metric.
 *
 * | Metric       | Dimension | Source                                                       |
 * |--------------|-----------|--------------------------------------------------------------|
 * | durationMs   | family    | each request's line; its SampleCount is the number of requests |
 * | tableRequests | family   | each request's line: requests to the table since the line before |
 * | clientErrors | family    | each request's line with a 4xx response                      |
 * | serverErrors | family    | each request's line with a 5xx response                      |
 * | errorLines   |           | lines of level `error`, by a metric filter                   |
 * | deadLetters  |           | lines with the id of a stored dead letter, by a metric filter |
 */

/** The location of a function's metrics. */
export interface MetricsPlace {
  readonly namespace: string;
  /** Value of the one dimension, `family`. */
  readonly family: string;
}

/** Returns the namespace of the metrics of a deployment. */
export function metricsNamespace(stage: string): string {
  return `Groundwork/${stage}`;
}

/** Dimension of the metrics of requests. */
export const familyDimension = 'family';

/** Metrics that the lines of requests contain. */
export const requestMetrics = {
  duration: 'durationMs',
  tableRequests: 'tableRequests',
  clientErrors: 'clientErrors',
  serverErrors: 'serverErrors',
} as const;

/** Metrics that CloudWatch counts in the lines of the log. */
export const lineMetrics = { errors: 'errorLines', deadLetters: 'deadLetters' } as const;

/** What a request's line reports in addition to its own members. */
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
  { namespace, family }: MetricsPlace,
  { status, tableRequests, nowMs }: RequestFigures,
): Record<string, unknown> {
  const { duration, clientErrors, serverErrors } = requestMetrics;
  const error = status >= 500 ? [serverErrors] : status >= 400 ? [clientErrors] : [];
  const counts = [requestMetrics.tableRequests, ...error];
  const metrics = [
    { Name: duration, Unit: 'Milliseconds' },
    ...counts.map((Name) => ({ Name, Unit: 'Count' })),
  ];
  return {
    [familyDimension]: family,
    [requestMetrics.tableRequests]: tableRequests,
    ...Object.fromEntries(error.map((name) => [name, 1])),
    _aws: {
      Timestamp: nowMs,
      CloudWatchMetrics: [
        { Namespace: namespace, Dimensions: [[familyDimension]], Metrics: metrics },
      ],
    },
  };
}
