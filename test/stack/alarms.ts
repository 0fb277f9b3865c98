import { readFileSync } from 'node:fs';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { type Services, storeDeadLetter } from '../../shared/jobs/change-feed.ts';
import { readFrontEnvironment } from '../../shared/platforms/aws/environment.ts';
import { toHandler } from '../../shared/platforms/aws/gateway.ts';
import { openLog, tickMessage } from '../../shared/platforms/aws/log/log.ts';
import { jobLag } from '../../shared/platforms/aws/log/metrics.ts';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Log } from '../../shared/ports/ports.ts';
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
    names: ['ConcurrentExecutions', 'Throttles'],
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
    names: ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'],
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
  of = template,
): Promise<readonly MetricId[]> {
  const all = of === template ? functions : deployedFunctions(of);
  const found = all.find((each) => each.family === family);
  if (found === undefined) throw new Error(`no function ${family}`);
  const { logLevel: level, metrics } = readFrontEnvironment(found.variables);
  const lines: string[] = [];
  await run(openLog({ level, metrics, tableRequests: () => 2, write: (line) => lines.push(line) }));
  return metricsIn(of, textOf(found.properties.LoggingConfig.LogGroup), lines);
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

/** The line of a tick, as the background function writes it. */
const tick = async (log: Log) => log({ level: 'info', message: tickMessage, [jobLag]: 1 });

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
  ['SlowRequests', 'a request', 'objects', respond(200)],
  ['JobBacklog', 'a tick', 'background', tick],
] as const;

describe('alarms', () => {
  test.each(causes)('%s reads what %s emits', async (name, _, family, cause) => {
    const alarm = alarms.find((one) => one.name === name);
    const [metric] = alarm?.metrics ?? [];

    expect(await emittedBy(family, cause)).toContainEqual(metric);
    if (metric?.dimensions.scope === undefined) {
      expect(alarm?.properties).toMatchObject({ Threshold: 1, Statistic: 'Sum' });
    }
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
    const others = alarms.filter(({ name }) => name !== 'SlowRequests'); // it reads how long they take
    const read = others.flatMap(({ metrics }) => metrics);

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
  const page = readFileSync(new URL('../../docs/guides/alarms.md', import.meta.url), 'utf8');
  const sections = page.split('\n## ').slice(1);
  const sectionOf = (name: string) => sections.find((one) => one.startsWith(`${name}\n`)) ?? '';
  const queries = [...page.matchAll(/`(filter [^`]+)`/g)].map(([, query = '']) => query);

  test('has a section for each alarm, with a query, a cause and an action, that the alarm names', () => {
    const names = sections.map((one) => one.slice(0, one.indexOf('\n')));
    expect(names.filter((name) => name !== 'Figures').toSorted()).toEqual(
      alarms.map(({ name }) => name).toSorted(),
    );
    for (const { name, properties } of alarms) {
      for (const part of ['First query', 'Likely cause', 'Action']) {
        expect(sectionOf(name)).toContain(`- **${part}:** `);
      }
      const isSteady = /^\*Steady\.\*/m.test(sectionOf(name));
      expect([name, properties.EvaluationPeriods, properties.DatapointsToAlarm]).toEqual(
        isSteady ? [name, 3, 2] : [name, 1, 1],
      );
      expect(properties.AlarmDescription).toMatch(
        new RegExp(` See docs/guides/alarms\\.md#${name.toLowerCase()}$`),
      );
    }
  });

  test('asks for members that lines have', async () => {
    const lines: string[] = [];
    const metrics = { namespace: 'a', family: 'objects', isByFamily: false };
    const options = { level: 'debug', metrics, tableRequests: () => 2 } as const;
    const log = openLog({ ...options, write: (line) => lines.push(line) });
    for (const cause of [respond(500), respond(404), storeLetter, tick]) await cause(log);
    log({
      level: 'error',
      message: 'changes could not be processed',
      cause: 'x',
      consumer: 'counts',
    });
    const known = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line))));
    const words = new Set(
      'filter stats count sum avg max pct bin by as sort desc limit display parse like and ispresent'.split(
        ' ',
      ),
    );

    expect(queries.length).toBeGreaterThan(alarms.length - 4);
    for (const query of queries) {
      const named = [...query.matchAll(/ as (\w+)/g)].map(([, name]) => name);
      const bare = query.replace(/"[^"]*"|\/[^/]+\/|\b\d+m?\b|@(log|timestamp)/g, '');
      const asked = (bare.match(/[A-Za-z]\w*/g) ?? []).filter(
        (word) => !words.has(word) && !named.includes(word),
      );
      expect([query, asked.filter((word) => !known.has(word))]).toEqual([query, []]);
    }
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
  const bodyOf = (of: typeof template) =>
    textOf(onlyOne(of, 'AWS::CloudWatch::Dashboard').resource.Properties.DashboardBody);
  const body = bodyOf(template);

  test('families have no metrics of their own by default', async () => {
    const emitted = await emittedBy('objects', respond(500));
    expect(new Set(emitted.map(({ dimensions }) => JSON.stringify(dimensions)))).toEqual(
      new Set(['{}', '{"scope":"all"}']), // lines of level error, requests
    );
    expect(body).not.toContain('family');
  });

  test.each(['channel-polls', 'script-endpoints'])('%s has no duration', async (family) => {
    const names = (await emittedBy(family, respond(200))).map(({ name }) => name);
    expect(names).toEqual(['tableRequests']);
  });

  test('with familyMetrics it shows what each family emits', async () => {
    const set = synthesise({ familyMetrics: 'true' });
    const body = bodyOf(set);
    const emitted = (
      await Promise.all([500, 404, 200].map((status) => emittedBy('objects', respond(status), set)))
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
