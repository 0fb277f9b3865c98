import { expect, test } from 'vitest';
import { familyFunctionName } from '../../shared/platforms/aws/requests/function-names.ts';
import { functionName } from '../../shared/platforms/aws/scripts/script-names.ts';
import { synthesise } from '../support/stack.ts';
import { deployedFunctions, onlyOne, textOf } from '../support/template.ts';

const template = synthesise();
const functions = deployedFunctions(template);
const runs = functions.find(({ family }) => family === 'script-runs');
const ofScripts = /:function:groundwork-prod-scr-\*$/;

// biome-ignore lint/suspicious/noExplicitAny: the test reads members of the template
const [role] = Object.entries<any>(template.findResources('AWS::IAM::Role')).filter(([id]) =>
  id.startsWith('ScriptSandbox'),
);
const { id: boundaryId, resource: boundary } = onlyOne(template, 'AWS::IAM::ManagedPolicy');

test('scripts have one role, which only Lambda assumes and which has no permissions, whatever is added', () => {
  const [id, { Properties }] = role ?? [];

  expect(Object.keys(Properties).toSorted()).toEqual([
    'AssumeRolePolicyDocument',
    'Description',
    'PermissionsBoundary',
  ]);
  expect(Properties.AssumeRolePolicyDocument.Statement).toEqual([
    {
      Action: 'sts:AssumeRole',
      Effect: 'Allow',
      Principal: { Service: 'lambda.amazonaws.com' },
    },
  ]);
  expect(textOf(Properties.PermissionsBoundary)).toBe(boundaryId);
  expect(boundary.Properties.PolicyDocument.Statement).toEqual([
    { Action: '*', Effect: 'Deny', Resource: '*' },
  ]);
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  expect(JSON.stringify(policies.map(({ Properties: { Roles } }) => Roles))).not.toContain(id);
});

test('only the background creates functions, and it can pass only this role', () => {
  const statements = Object.entries(template.findResources('AWS::IAM::Policy')).flatMap(
    ([id, { Properties }]) =>
      Properties.PolicyDocument.Statement.map((each: object) => ({ id, ...each })),
  );
  const changing = /lambda:(Create|Update|Delete|Put|Add|Tag)|iam:/;
  const found = statements.filter(({ Action }) => changing.test([Action].flat().join()));

  expect(found.map(({ id }) => id)).toEqual([
    expect.stringMatching(/^BackgroundWorker/),
    expect.stringMatching(/^BackgroundWorker/),
  ]);
  expect(textOf(found[0].Resource)).toMatch(ofScripts);
  expect(found[1]).toMatchObject({
    Action: 'iam:PassRole',
    Resource: { 'Fn::GetAtt': [role?.[0], 'Arn'] },
    Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
  });
});

test('functions that run scripts have time for the longest, and no others have more than a request', () => {
  const times = functions.map(({ family, properties, variables }) => [
    family,
    properties.Timeout,
    variables.GROUNDWORK_KEEPS_RUNS,
  ]);

  expect(runs?.properties).toMatchObject({
    FunctionName: familyFunctionName('groundwork-prod', 'script-runs'),
    Runtime: 'nodejs24.x',
  });
  expect(times.filter(([, seconds]) => seconds !== 29)).toEqual([
    ['script-endpoints', 330, 'true'],
    ['batch', 330, 'true'],
    ['background', 300, undefined],
    ['script-runs', 330, 'true'],
  ]);
});

test('functions that are invoked asynchronously are not retried, start soon or not at all, and failures are kept', () => {
  const settings = Object.values(template.findResources('AWS::Lambda::EventInvokeConfig'));
  const [deadLetters] = Object.keys(template.findResources('AWS::SQS::Queue'));
  const terms = settings.map(({ Properties }) => ({
    family: /ScriptRuns|Background/.exec(JSON.stringify(Properties.FunctionName))?.[0],
    retries: Properties.MaximumRetryAttempts,
    seconds: Properties.MaximumEventAgeInSeconds,
    failures: textOf(Properties.DestinationConfig?.OnFailure.Destination ?? ''),
  }));

  expect(terms).toEqual([
    { family: 'Background', retries: 0, failures: deadLetters, seconds: 3600 }, // also after a throttle of the account
    { family: 'ScriptRuns', retries: 0, failures: '', seconds: 60 }, // which makes no dead letters here
  ]);
  const invoked = functions
    .filter(({ family }) => family !== 'root') // it waits for the functions to which it forwards
    .flatMap(({ statements }) => statements)
    .filter(({ actions }) => actions.includes('lambda:InvokeFunction'))
    .flatMap(({ resources }) => resources)
    .filter((resource) => !ofScripts.test(resource))
    .map((resource) => resource.replace(/^.*:function:groundwork-prod-/, ''));
  expect([...new Set(invoked)].toSorted()).toEqual(['background', 'script-runs']);
});

test('the function for direct runs may only invoke scripts, start other runs and store their traces', () => {
  const write = [
    'BatchGetItem',
    'ConditionCheckItem',
    'DeleteItem',
    'GetItem',
    'PutItem',
    'Query',
    'UpdateItem',
  ];

  expect(runs?.statements).toEqual([
    {
      actions: write.map((name) => `dynamodb:${name}`),
      resources: [expect.stringMatching(/^DataTable/)],
    },
    { actions: ['secretsmanager:GetSecretValue'], resources: [expect.stringMatching(/Secret/)] },
    {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [expect.stringMatching(/^ScriptRunsLog/)],
    },
    {
      actions: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
      resources: [expect.stringMatching(/\/scripts\/\*$/), expect.stringMatching(/\/traces\/\*$/)],
    },
    { actions: ['s3:ListBucket'], resources: [expect.stringMatching(/^FilesBucket/)] },
    {
      actions: ['lambda:InvokeFunction'],
      resources: [
        expect.stringMatching(ofScripts),
        expect.stringMatching(/:function:groundwork-prod-script-runs$/),
      ],
    },
  ]);
});

test('names of functions are valid for Lambda, whatever the stage, and only those of scripts match their role', () => {
  const longest = `groundwork-${'a'.repeat(20)}`;
  const name = functionName({ prefix: longest, deployment: 'one' }, { instance: 1, script: 1 });

  expect(name).toMatch(/^[a-zA-Z0-9-_]{1,64}$/);
  expect(familyFunctionName(longest, 'script-runs')).not.toContain('-scr-');
});
