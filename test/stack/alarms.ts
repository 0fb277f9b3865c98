import { readFileSync } from 'node:fs';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { type Services, storeDeadLetter } from '../../shared/jobs/change-feed.ts';
import { readFrontEnvironment } from '../../shared/platform/aws/environment.ts';
import { toHandler } from '../../shared/platform/aws/gateway.ts';
import { openLog } from '../../shared/platform/aws/log/log.ts';
import { openClock } from '../../shared/platform/clock.ts';
import { openIds } from '../../shared/platform/ids.ts';
import { openTemporaryStore } from '../../shared/platform/local/store/store.ts';
import type { Log } from '../../shared/platform/ports.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { tableAfter } from '../docs/markdown.ts';
import { alarmsOf, type MetricId, metricsIn } from '../support/metrics.ts';
import { inStackFolder, synthesise } from '../support/stack.ts';
import { deployedFunctions, onlyOne, openStackIn, textOf } from '../support/template.ts';

const template = synthesise();
const functions = deployedFunctions(template);
const alarms = alarmsOf(template);
const { id: tableId } = onlyOne(template, 'AWS::DynamoDB::GlobalTable');
const { id: apiId } = onlyOne(template, 'AWS::ApiGatewayV2::Api');
const clock = openClock();
const ids = openIds();

/** Metrics that AWS emits, as documented, with the dimensions of each. */
const ofAws: readonly { source: string; namespace: string; names: string[]; by: string[] }[] = [
  {
    source: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html',
    namespace: 'AWS/ApiGateway',
    names: ['Count', '4xx', '5xx', 'Latency'],
    by: ['ApiId'],
  },
  {
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html',
    namespace: 'AWS/Lambda',
    names: ['Errors', 'Throttles', 'IteratorAge'],
    by: ['FunctionName'],
  },
  {
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html',
    namespace: 'AWS/Lambda',
    names: ['ConcurrentExecutions'],
    by: [], // of all functions in the account and region
  },
  {
    source:
      'https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#event-source-mapping-metrics',
    namespace: 'AWS/Lambda',
    names: ['OnFailureDestinationDeliveredEventCount'],
    by: ['EventSourceMappingUUID'],
  },
  {
    source:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html',
    namespace: 'AWS/SQS',
    names: ['ApproximateNumberOfMessagesVisible'],
    by: ['QueueName'],
  },
];

/**
 * DynamoDB emits these by TableName for the table, and by TableName and GlobalSecondaryIndexName for each index:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html. A query on a namespace matches
 * metrics whatever other dimensions they have:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-metrics-insights-querylanguage.html
 */
const throttleMetrics = ['ReadThrottleEvents', 'WriteThrottleEvents'];

function isOfAws({ namespace, name, dimensions }: MetricId): boolean {
  const names = Object.keys(dimensions).toSorted().join();
  return ofAws.some(
    (one) =>
      one.namespace === namespace && one.names.includes(name) && one.by.toSorted().join() === names,
  );
}

/** Runs code of a function with its own log, and returns the metrics in the lines. */
async function emittedBy(
  family: string,
  run: (log: Log) => Promise<unknown>,
): Promise<readonly MetricId[]> {
  const found = functions.find((each) => each.family === family);
  if (found === undefined) throw new Error(`no function ${family}`);
  const { logLevel: level, metrics } = readFrontEnvironment(found.variables);
  const lines: string[] = [];
  await run(openLog({ level, metrics, tableRequests: () => 2, write: (line) => lines.push(line) }));
  return metricsIn(template, textOf(found.properties.LoggingConfig.LogGroup), lines);
}

/** Sends a request to a handler that fails, or responds with a status. */
const respond = (status: number) => async (log: Log) => {
  const dispatch = async () => {
    if (status === 500) throw new Error('broken');
    return { status };
  };
  await toHandler({ dispatch, log, ids, clock })(clientEvent({ method: 'GET', path: '/v1.1/' }));
};

const storeLetter = async (log: Log) => {
  const store = await openTemporaryStore({ now: Date.now });
  const services = { store, clock, ids, log } as Partial<Services> as Services; // all that it needs
  const change = { actor: {}, cause: 'client', depth: 0 } as const;
  const key = { pk: 'INSTANCE#1', sk: 'CLASS#2' };
  const failed = { position: '1', key, kind: 'class', change };
  await storeDeadLetter(services, { change: failed, consumer: 'counts', error: new Error('no') });
  await store.close();
};

/** The causes of alarms on metrics of our own: each emits the metric that its alarm reads. */
const causes = [
  ['ErrorLines', 'a 500 response', 'objects', respond(500)],
  [
    'ErrorLines',
    'a failed step of a job',
    'background',
    async (log: Log) => log({ level: 'error', message: 'a step of a job failed' }),
  ],
  ['StoredDeadLetters', 'a stored dead letter', 'background', storeLetter],
] as const;

describe('alarms', () => {
  test.each(causes)('%s reads what %s emits', async (name, _, family, cause) => {
    const alarm = alarms.find((one) => one.name === name);
    const [metric] = alarm?.metrics ?? [];

    expect(await emittedBy(family, cause)).toContainEqual(metric);
    expect(alarm?.properties).toMatchObject({ Threshold: 1, Statistic: 'Sum' });
  });

  test.each(functions.map(({ family }) => family))(
    'an error line of %s is counted',
    async (family) => {
      const emitted = await emittedBy(family, async (log) => log({ level: 'error', message: 'x' }));

      expect(emitted).toEqual([
        { namespace: 'Groundwork/prod', name: 'errorLines', dimensions: {} },
      ]);
    },
  );

  test('a request without error emits no metric that an alarm reads', async () => {
    const emitted = await emittedBy('objects', respond(200));
    const read = alarms.flatMap(({ metrics }) => metrics);

    expect(read.filter((one) => emitted.some((each) => each.name === one.name))).toEqual([]);
  });

  test('read metrics that AWS emits, or those above', () => {
    const own: readonly string[] = causes.map(([name]) => name);
    const others = alarms.filter(({ name, query }) => !own.includes(name) && query === undefined);

    const read = others.flatMap(({ metrics }) => metrics);
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter((metric) => !isOfAws(metric))).toEqual([]);
  });

  test('watch the throttles of the table and of each index', () => {
    const queries = alarms.flatMap(({ query }) => query ?? []);

    expect(queries).toEqual(
      throttleMetrics.map(
        (name) => `SELECT SUM(${name}) FROM "AWS/DynamoDB" WHERE TableName = '${tableId}'`,
      ),
    );
  });

  test('watch the resources of the stack', () => {
    const idOf = (family: string) =>
      Object.entries(template.findResources('AWS::Lambda::Function'))
        .filter(([, { Properties }]) => Properties.Description.endsWith(`: ${family}`))
        .map(([id]) => id)[0];
    const read = Object.fromEntries(
      alarms.map(({ name, metrics }) => [
        name,
        metrics.map(({ name, dimensions }) => [name, ...Object.values(dimensions)]),
      ]),
    );

    expect(read).toMatchObject({
      ServerErrors: [
        ['Count', apiId],
        ['5xx', apiId],
      ],
      StreamAge: [['IteratorAge', idOf('background')]],
      BackgroundFailures: [
        ['Errors', idOf('background')],
        ['Throttles', idOf('background')],
      ],
      ScriptRunFailures: [
        ['Errors', idOf('script-runs')],
        ['Throttles', idOf('script-runs')],
      ],
      Concurrency: [['ConcurrentExecutions']],
      DeadLetters: [
        ['ApproximateNumberOfMessagesVisible', expect.stringMatching(/^BackgroundDeadLetters/)],
      ],
    });
  });

  test('5xx responses are a share of requests, of which there must be some', () => {
    const alarm = alarms.find(({ name }) => name === 'ServerErrors');
    const [{ Expression: expression }] = alarm?.properties.Metrics ?? [];

    expect(expression).toBe('IF(requests >= 20, 100 * FILL(errors, 0) / requests, 0)');
    expect(alarm?.properties.Threshold).toBe(5);
  });

  test('concurrency is a share of the quota of the account', () => {
    const thresholdIn = (of: ReturnType<typeof alarmsOf>) =>
      of.find(({ name }) => name === 'Concurrency')?.properties.Threshold;

    expect(thresholdIn(alarms)).toBe(800);
    expect(thresholdIn(alarmsOf(synthesise({ concurrency: '10' })))).toBe(8);
  });
});

describe('the guide', () => {
  const guide = readFileSync(new URL('../../docs/guides/operate.md', import.meta.url), 'utf8');
  const names = (table: ReadonlyMap<string, unknown>) =>
    [...table.keys()].flatMap((cell) => cell.match(/\w+/g) ?? []).toSorted();

  test('lists all alarms', () => {
    expect(names(tableAfter(guide, '## Alarms'))).toEqual(
      alarms.map(({ name }) => name).toSorted(),
    );
  });

  test('has the costs of an idle deployment', () => {
    const rows = [...tableAfter(guide, '### Idle')].map(([name, [usd]]) => ({
      name,
      usd: Number(usd),
    }));
    const read = alarms.reduce((sum, { metrics }) => sum + Math.max(1, metrics.length), 0); // a query is one or more
    const isOf = (part: string) => rows.find(({ name }) => name.includes(part));
    const parts = rows.slice(0, -1).reduce((sum, { usd }) => sum + usd, 0);

    expect(isOf('alarms')?.name).toBe(`${read} metrics of alarms, 10 of them in the free tier`);
    expect(isOf('alarms')?.usd).toBeCloseTo((read - 10) * 0.1);
    expect(isOf('together')?.usd).toBeCloseTo(parts);
  });
});

describe('recipients of alarms', () => {
  const actionsIn = (of: ReturnType<typeof alarmsOf>) =>
    new Set(of.flatMap(({ properties }) => [properties.AlarmActions, properties.OKActions]).flat());

  test('there are none by default', () => {
    expect(actionsIn(alarms)).toEqual(new Set([undefined]));
    expect(template.findResources('AWS::SNS::Topic')).toEqual({});
  });

  test('an address gets mails of all alarms by a topic to which only CloudWatch may publish', () => {
    const set = synthesise({ alarmEmail: 'ops@example.com' });
    const { id } = onlyOne(set, 'AWS::SNS::Topic');
    const { Statement } = onlyOne(set, 'AWS::SNS::TopicPolicy').resource.Properties.PolicyDocument;

    expect([...actionsIn(alarmsOf(set))].map(textOf)).toEqual(alarms.flatMap(() => [id, id]));
    expect(onlyOne(set, 'AWS::SNS::Subscription').resource.Properties).toEqual({
      Protocol: 'email',
      Endpoint: 'ops@example.com',
      TopicArn: { Ref: id },
    });
    expect(Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')).toEqual([
      expect.objectContaining({
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: id },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  test('an existing topic is notified', () => {
    const topic = 'arn:aws:sns:eu-west-1:123456789012:operators';
    const set = synthesise({ alarmTopic: topic });

    expect(actionsIn(alarmsOf(set))).toEqual(new Set([topic]));
    expect(set.findResources('AWS::SNS::Topic')).toEqual({});
  });

  test('cdk-nag has no findings with an address', () => {
    inStackFolder((folder) => {
      const { app } = openStackIn(folder, { alarmEmail: 'ops@example.com' });
      Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));

      expect(() => app.synth()).not.toThrow();
    });
  });
});

describe('the dashboard', () => {
  const { resource } = onlyOne(template, 'AWS::CloudWatch::Dashboard');
  const body = textOf(resource.Properties.DashboardBody);

  test('shows what each family emits', async () => {
    const emitted = (
      await Promise.all([500, 404, 200].map((status) => emittedBy('objects', respond(status))))
    ).flat();
    const families = emitted.filter(({ dimensions }) => 'family' in dimensions);

    expect(new Set(families.map(({ name }) => name))).toEqual(
      new Set(['durationMs', 'tableRequests', 'clientErrors', 'serverErrors']),
    );
    for (const { namespace, name, dimensions } of families) {
      expect(dimensions).toEqual({ family: 'objects' }); // no tenant: each value is a paid metric
      const schema = JSON.stringify([namespace, ...Object.keys(dimensions)]).slice(1, -1);
      const search = `SEARCH('{${schema}} MetricName="${name}"'`;
      expect(body).toContain(JSON.stringify(search).slice(1, -1));
    }
  });

  test('shows the state of all alarms', () => {
    const [{ properties }] = JSON.parse(body).widgets;

    expect(properties.alarms).toHaveLength(alarms.length);
  });
});
