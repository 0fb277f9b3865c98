import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Moto, motoServer, startMoto } from '../../aws-emulator/moto.ts';
import { bootstrap, type MotoPlace, placeOf } from './account.ts';
import { adaptForMoto, deliveredByTests, unknownToMoto } from './adapted-template.ts';
import { type Assembly, type StackTemplate, synthesiseWithAssets } from './assembly.ts';
import { createStack, uploadAssets } from './created-stack.ts';
import { makeStandIns } from './stand-ins.ts';

// biome-ignore lint/suspicious/noExplicitAny: templates are changed by tests that know their shape
type Any = any;

/* moto's CloudFormation creates the whole stack. Each fault that it must find is planted, in a region of its own. */

let moto: Moto;
let assembly: Assembly;

beforeAll(async () => {
  moto = await startMoto();
  assembly = synthesiseWithAssets();
}, 180_000);
afterAll(() => moto.stop());

/** Regions without a stack. */
const regions = [
  'us-east-1',
  'us-east-2',
  ...[...'123'].flatMap((n) => [`eu-west-${n}`, `ap-northeast-${n}`]),
];

/** Opens a region with the assets of the stack, and returns the template as moto takes it. */
async function openRegion(types?: readonly string[]) {
  const place = placeOf(moto.url, regions.shift());
  await bootstrap(place);
  await uploadAssets(place, assembly);
  const values = await makeStandIns(place, assembly.template);
  return { place, ...adaptForMoto(assembly.template, values, types) };
}

const create = (place: MotoPlace, template: StackTemplate) =>
  createStack(place, assembly.stackName, template);

function countsOf(types: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const type of types) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

test('all resources that moto knows are created', async () => {
  const { place, template, leftOut } = await openRegion();

  const { resources, outputs } = await create(place, template);

  const all = Object.keys(assembly.template.Resources);
  expect(resources.size).toBe(all.length - leftOut.length);
  expect(resources.size).toBeGreaterThanOrEqual(140);
  expect(countsOf(leftOut)).toEqual({
    'AWS::ApiGatewayV2::Api': 1,
    'AWS::ApiGatewayV2::Stage': 1,
    'AWS::CloudFront::Distribution': 1,
    'AWS::CloudFront::OriginAccessControl': 1,
    'AWS::CloudFront::ResponseHeadersPolicy': 1,
    'AWS::CloudWatch::Alarm': 15,
    'AWS::Lambda::EventInvokeConfig': 2,
    'AWS::Logs::MetricFilter': 27,
    'AWS::S3::BucketPolicy': 1,
    'AWS::SQS::QueuePolicy': 2,
    'AWS::SecretsManager::Secret': 1,
  });
  expect(Object.keys(outputs).sort()).toEqual(['FilesBucket', 'SetUpCode', 'TableName', 'Url']);
});

/** Returns the properties of the first function of a template. */
function firstFunction({ Resources }: StackTemplate): Any {
  const isFunction = ({ Type }: Any) => Type === 'AWS::Lambda::Function';
  return Object.values(Resources).find(isFunction).Properties;
}

/** Faults, each with what the error says of it. */
const faults: readonly (readonly [
  name: string,
  error: string,
  plant: (template: StackTemplate) => void,
])[] = [
  [
    'variables of more than 4 KB',
    'bytes of variables, of 4096',
    (template) => {
      firstFunction(template).Environment.Variables.LONG = 'x'.repeat(4096);
    },
  ],
  [
    'a Ref to a resource that is not there',
    'CloudFormation rejects the template: it fails',
    (template) => {
      firstFunction(template).Environment.Variables.LOST = { Ref: 'Nothing' };
    },
  ],
  [
    'an attribute of a resource that is not there',
    'undefined resource Nothing',
    (template) => {
      firstFunction(template).Role = { 'Fn::GetAtt': ['Nothing', 'Arn'] };
    },
  ],
  [
    'an asset that was not uploaded',
    'its code is not in the bucket',
    (template) => {
      firstFunction(template).Code.S3Key = 'nothing.zip';
    },
  ],
  [
    'a type that moto does not know, and is not in the list',
    'not created: Plan',
    ({ Resources }) => {
      Object.assign(Resources, { Plan: { Type: 'AWS::Scheduler::Schedule', Properties: {} } });
    },
  ],
];

describe('a stack is refused for', () => {
  test.each(faults)('%s', async (_, error, plant) => {
    const { place, template } = await openRegion();
    const faulty = structuredClone(template);
    plant(faulty);

    await expect(create(place, faulty)).rejects.toThrow(error);
  });

  test('a reference to a resource that moto does not create, and that has no value', async () => {
    await expect(openRegion([...unknownToMoto, 'AWS::SQS::Queue'])).rejects.toThrow(
      'moto cannot create AWS::SQS::Queue',
    );
  });
});

test('functions run on a stack without event sources alone', async () => {
  const { leftOut } = await openRegion([...unknownToMoto, deliveredByTests]);

  expect(countsOf(leftOut)[deliveredByTests]).toBe(3); // two readers of the stream, one of the queue
});

const linter = join(dirname(motoServer), 'cfn-lint');
const hasLinter = spawnSync(linter, ['--version']).status === 0;
if (!hasLinter)
  process.stdout.write('skipped: wrong names of properties need cfn-lint beside moto\n');

// moto ignores properties that it does not know
test.skipIf(!hasLinter)('cfn-lint refuses a wrong name of a property', () => {
  const faulty = structuredClone(assembly.template);
  firstFunction(faulty).TimeOut = 29;
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-lint-'));
  const file = join(folder, 'faulty.template.json');
  writeFileSync(file, JSON.stringify(faulty));

  const lint = () => execFileSync(linter, ['-i', 'W3005', '--', file], { encoding: 'utf8' });

  expect(lint).toThrow(expect.objectContaining({ stdout: expect.stringContaining("'TimeOut'") }));
  rmSync(folder, { recursive: true });
});
