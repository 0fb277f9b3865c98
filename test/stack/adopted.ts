import { App } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { readDeploymentSettings } from '../../lib/settings.ts';
import { synthesise } from '../support/stack.ts';
import { deployedFunctions, onlyOne, textOf } from '../support/template.ts';
import { adoptedContext, adoptedSettings } from './adopted-context.ts';

/** Resources that exist and are used in place of new ones. */

const { tableArn, tableStreamArn, secretArn, bucket, keyArn } = adoptedContext;
const bucketArn = `arn:AWS::Partition:s3:::${bucket}`;
const usual = synthesise({ kmsKey: 'true' });
const idOf = (type: string) => onlyOne(usual, type).id;
const tableId = idOf('AWS::DynamoDB::GlobalTable');
const secretId = idOf('AWS::SecretsManager::Secret');
const bucketId = idOf('AWS::S3::Bucket');
const keyId = idOf('AWS::KMS::Key');

/** Each resource: its settings, its type, and the ids of the usual template with what replaces them. */
const cases = [
  {
    name: 'table',
    context: adoptedSettings.table,
    type: 'AWS::DynamoDB::GlobalTable',
    replaced: { [`${tableId}.StreamArn`]: tableStreamArn, [tableId]: tableArn },
  },
  {
    name: 'secret',
    context: adoptedSettings.secret,
    type: 'AWS::SecretsManager::Secret',
    replaced: { [secretId]: secretArn },
  },
  {
    name: 'bucket',
    context: adoptedSettings.bucket,
    type: 'AWS::S3::Bucket',
    replaced: { [bucketId]: bucketArn },
  },
  {
    name: 'key',
    context: adoptedSettings.key,
    type: 'AWS::KMS::Key',
    replaced: { [keyId]: keyArn },
  },
] as const;

/** Returns the statements of each function; in those of the usual template, ids are replaced. */
function grants(template: typeof usual, replaced: Readonly<Record<string, string>> = {}) {
  const rename = (text: string) =>
    Object.entries(replaced).reduce((name, [id, other]) => name.replaceAll(id, other), text);
  const sorted = deployedFunctions(template).map(({ family, statements }) => {
    const all = statements.map(({ resources, ...rest }) =>
      JSON.stringify({ ...rest, resources: resources.map(rename).sort() }),
    );
    return [family, all.sort()] as const;
  });
  return Object.fromEntries(sorted);
}

describe.each(cases)('an adopted $name', ({ name, context, type, replaced }) => {
  const template = synthesise({ kmsKey: 'true', ...context });

  test('is the only one: none is created, and all others are', () => {
    for (const each of cases) {
      const count = Object.keys(template.findResources(each.type)).length;
      expect([each.type, count]).toEqual([each.type, each.name === name ? 0 : 1]);
    }
  });

  test('has the grants of a created one', () => {
    expect(JSON.stringify(grants(usual))).toContain(Object.keys(replaced).at(-1));
    expect(grants(template)).toEqual(grants(usual, replaced));
  });

  test('leaves nothing that refers to a created one', () => {
    expect(JSON.stringify(template.toJSON())).not.toContain(idOf(type));
  });
});

describe('with all of them', () => {
  const template = synthesise(adoptedContext);
  const functions = deployedFunctions(template);

  test('functions find each, and the outputs name them', () => {
    const { Outputs } = template.toJSON();

    for (const { family, variables } of functions) {
      if (family === 'console') continue; // without data
      expect({ family, variables }).toMatchObject({
        variables: {
          GROUNDWORK_TABLE: 'restored',
          GROUNDWORK_SECRET: secretArn,
          GROUNDWORK_FILES: bucket,
          GROUNDWORK_VAULT: keyArn,
        },
      });
    }
    expect(Outputs.TableName.Value).toBe('restored');
    expect(Outputs.FilesBucket.Value).toBe(bucket);
    expect(Outputs.SetUpCode.Value).toBe(`npm run --silent set-up-code -- ${secretArn}`);
  });

  test('the background reads the stream of the table, and the alarm is of the table', () => {
    const sources = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'))
      .map(({ Properties }) => Properties.EventSourceArn)
      .filter((arn) => typeof arn === 'string');
    const alarms = JSON.stringify(template.findResources('AWS::CloudWatch::Alarm'));

    expect(sources).toEqual([tableStreamArn, tableStreamArn]);
    expect(alarms).toContain("WHERE TableName = 'restored'");
  });

  test('the bucket gets the policy of a created one', () => {
    const { resource } = onlyOne(template, 'AWS::S3::BucketPolicy');
    const { resource: created } = onlyOne(usual, 'AWS::S3::BucketPolicy');
    const statementsOf = ({ Properties }: typeof resource) =>
      Properties.PolicyDocument.Statement.map(({ Resource, ...rest }: typeof resource) => ({
        ...rest,
        Resource: [Resource].flat().map((each) => textOf(each).replace(bucketId, bucketArn)),
      }));

    expect(resource.Properties.Bucket).toBe(bucket);
    expect(statementsOf(resource)).toEqual(statementsOf(created));
  });
});

test.each([
  [{ tableArn }, '-c tableArn and -c tableStreamArn need each other'],
  [{ tableStreamArn }, '-c tableArn and -c tableStreamArn need each other'],
  [
    { tableArn: `${tableArn}-2`, tableStreamArn },
    '-c tableStreamArn takes the ARN of the stream of the table',
  ],
  [{ tableArn: 'restored', tableStreamArn }, '-c tableArn takes the ARN of a table'],
  [{ secretArn: 'Master' }, '-c secretArn takes the ARN of a secret'],
  [{ bucket: 'arn:aws:s3:::the-files' }, '-c bucket takes a bucket'],
  [{ keyArn: 'alias/x' }, '-c keyArn takes the ARN of a key'],
])('%o is rejected', (context, message) => {
  const { node } = new App({ context });

  expect(() => readDeploymentSettings(node)).toThrow(message);
});
