import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { messageOf } from '../../../values/caught.ts';
import { once } from '../once.ts';

/** A resource of a stack, as CloudFormation lists it. */
export interface StackResource {
  readonly logicalId: string;
  readonly type: string;
  /** Name, ARN or URL, depending on the type. */
  readonly physicalId: string;
}

/** Returns the name of the stack of a stage. */
export function stackName(stage: string): string {
  return `Groundwork-${stage}`;
}

/** Lists the resources of a stack; undefined when there is no such stack. */
export async function listResources(
  client: CloudFormationClient,
  stack: string,
): Promise<readonly StackResource[] | undefined> {
  const found: StackResource[] = [];
  try {
    for await (const page of paginateListStackResources({ client }, { StackName: stack })) {
      for (const one of page.StackResourceSummaries ?? []) {
        const { LogicalResourceId: logicalId = '', ResourceType: type = '' } = one;
        const { PhysicalResourceId: physicalId } = one;
        if (physicalId) found.push({ logicalId, type, physicalId }); // others could not be created
      }
    }
  } catch (error) {
    if (/does not exist/i.test(messageOf(error))) return undefined;
    throw error;
  }
  return found;
}

/** The parts of a deployment that commands for operators use. */
export interface Deployment {
  readonly table: string;
  readonly bucket: string;
  /** ARN of the master secret. */
  readonly secret: string;
  /** URL of the queue of dead letters. */
  readonly deadLetters: string;
  /** Name of the background function. */
  readonly background: string;
}

/** A part of a deployment. The stack's outputs name those that it may have adopted, which are none of its resources. */
interface Part {
  readonly type: string;
  readonly logicalId: RegExp;
  readonly output?: { readonly name: string; readonly value: RegExp };
}

const parts: Readonly<Record<keyof Deployment, Part>> = {
  table: {
    type: 'AWS::DynamoDB::GlobalTable',
    logicalId: /^Data/,
    output: { name: 'TableName', value: /.+/ },
  },
  bucket: {
    type: 'AWS::S3::Bucket',
    logicalId: /^Files/,
    output: { name: 'FilesBucket', value: /.+/ },
  },
  secret: {
    type: 'AWS::SecretsManager::Secret',
    logicalId: /^Master/,
    output: { name: 'SetUpCode', value: /arn:\S+$/ },
  },
  deadLetters: { type: 'AWS::SQS::Queue', logicalId: /^BackgroundDeadLetters/ },
  background: { type: 'AWS::Lambda::Function', logicalId: /^BackgroundWorker/ },
};

/**
 * Finds the deployment of a stage in the account and region of the caller's credentials.
 *
 * @throws Error when there is no such stack, or one without these parts
 */
export async function findDeployment(stage: string): Promise<Deployment> {
  const stack = stackName(stage);
  const client = new CloudFormationClient({});
  const resources = await listResources(client, stack);
  if (resources === undefined) throw new Error(`there is no stack ${stack} in this region`);
  const outputs = once(() => readOutputs(client, stack));
  const find = async (part: keyof Deployment): Promise<string> => {
    const { type, logicalId, output } = parts[part];
    const found = resources.find((one) => one.type === type && logicalId.test(one.logicalId));
    if (found !== undefined) return found.physicalId;
    const text = output && (await outputs()).get(output.name);
    const [value] = (text && output?.value.exec(text)) || [];
    if (value === undefined) throw new Error(`the stack ${stack} has no ${type}`);
    return value;
  };
  return {
    table: await find('table'),
    bucket: await find('bucket'),
    secret: await find('secret'),
    deadLetters: await find('deadLetters'),
    background: await find('background'),
  };
}

async function readOutputs(
  client: CloudFormationClient,
  StackName: string,
): Promise<ReadonlyMap<string, string>> {
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const outputs = stack?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}
