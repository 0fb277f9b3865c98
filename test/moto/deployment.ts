import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Template } from 'aws-cdk-lib/assertions';
import { bundleFile, bundleHandler } from '../../lib/handler-bundle.ts';
import { queueVariable } from '../../shared/platform/aws/environment.ts';
import { createTable } from '../aws-emulator/dynamodb.ts';
import { type Lambda, startLambda } from '../aws-emulator/lambda.ts';
import { deployedFunctions, openStackIn } from '../support/template.ts';

/** The functions of the stack, and what they need of AWS, on moto. */
export interface MotoDeployment {
  readonly table: string;
  readonly bucket: string;
  /** Options of clients of moto. */
  readonly place: MotoPlace;
  /** Returns a function, in a process of its own. */
  functionOf(family: string): Promise<Lambda>;
  /** Stops all processes; returns the log of all functions. */
  close(): Promise<string>;
}

interface MotoPlace {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const node = process.env.GROUNDWORK_TEST_NODE ?? process.execPath;
const [table, bucket, role] = ['walk', 'walk-files', 'walk-scripts'];

/**
 * Creates table, bucket, secret, key, queue, sender and role, and prepares all functions with their bundles, which
 * start with their first request.
 *
 * @param secret text of the secret
 */
export async function deployOnMoto(endpoint: string, secret: string): Promise<MotoDeployment> {
  const credentials = { accessKeyId: 'walk', secretAccessKey: 'secret' };
  const place = { endpoint, region: 'us-east-1', credentials };
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-moto-'));
  const context = { passwordCost: '10', mailFrom: 'no-reply@example.com' };
  const template = Template.fromStack(openStackIn(folder, context).stack);
  const deployed = new Map(deployedFunctions(template).map((each) => [each.family, each]));
  const own = await createParts(place, secret);
  const functions = new Map<string, Promise<Lambda>>();
  const start = (family: string): Promise<Lambda> => {
    const home = join(folder, family);
    bundleHandler(family, home);
    return startLambda(node, join(home, bundleFile), {
      ...deployed.get(family)?.variables,
      ...own,
      AWS_REGION: place.region,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    });
  };
  return {
    table,
    bucket,
    place,
    functionOf: (family) => {
      const started = functions.get(family) ?? start(family);
      functions.set(family, started);
      return started;
    },
    close: async () => {
      const all = await Promise.all(functions.values());
      const logs = await Promise.all(all.map((each) => each.close()));
      rmSync(folder, { recursive: true });
      return logs.join('');
    },
  };
}

/** Creates what the stack contains beside functions, since moto cannot create the stack; returns variables with names. */
async function createParts(place: MotoPlace, secret: string): Promise<Record<string, string>> {
  await createTable(table, place.endpoint);
  await new S3Client(place).send(new CreateBucketCommand({ Bucket: bucket }));
  const { ARN = '' } = await new SecretsManagerClient(place).send(
    new CreateSecretCommand({ Name: 'walk', SecretString: secret }),
  );
  const { KeyMetadata } = await new KMSClient(place).send(new CreateKeyCommand({}));
  const { QueueUrl = '' } = await new SQSClient(place).send(
    new CreateQueueCommand({ QueueName: 'walk' }),
  );
  const sender = new CreateEmailIdentityCommand({ EmailIdentity: 'no-reply@example.com' });
  await new SESv2Client(place).send(sender);
  const TemplateBody = JSON.stringify({ Resources: { Role: scriptRole } });
  const Capabilities = ['CAPABILITY_NAMED_IAM' as const];
  const stack = new CreateStackCommand({ StackName: 'walk', TemplateBody, Capabilities });
  await new CloudFormationClient(place).send(stack);
  return {
    GROUNDWORK_TABLE: table,
    GROUNDWORK_SECRET: ARN,
    GROUNDWORK_FILES: bucket,
    GROUNDWORK_FILES_URL: 'https://files.example.com',
    GROUNDWORK_VAULT: KeyMetadata?.Arn ?? '',
    GROUNDWORK_SCRIPT_ROLE: `arn:aws:iam::123456789012:role/${role}`,
    GROUNDWORK_API_URL: 'https://api.example.com',
    GROUNDWORK_POLL_SECONDS: '1',
    [queueVariable]: QueueUrl,
  };
}

const scriptRole = {
  Type: 'AWS::IAM::Role',
  Properties: {
    RoleName: role,
    AssumeRolePolicyDocument: {
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'lambda.amazonaws.com' },
          Action: 'sts:AssumeRole',
        },
      ],
    },
  },
};
