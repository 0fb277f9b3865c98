import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { listResources } from '../../shared/platforms/aws/operations/stack.ts';
import { errorName } from '../../shared/values/caught.ts';
import { keyOutput } from '../push-platforms.ts';

/** The stack of a stage, as CloudFormation has it. */
export interface FoundStack {
  /** Status of CloudFormation, such as `UPDATE_COMPLETE`. */
  readonly status: string;
  /** Types of its resources by their physical ids. */
  readonly resources: ReadonlyMap<string, string>;
  /** ARN of the key of KMS that it uses, its own or an adopted one; absent in stacks of release 0.1.1 or earlier. */
  readonly keyArn?: string | undefined;
}

/** Returns the ids of the keys of KMS that a stack has or uses. */
export function keysOf(stack: FoundStack | undefined): readonly string[] {
  if (stack === undefined) return [];
  const own = [...stack.resources].flatMap(([id, type]) => (type === 'AWS::KMS::Key' ? [id] : []));
  const used = stack.keyArn?.split(':key/')[1];
  return [...new Set([...own, ...(used === undefined ? [] : [used])])];
}

/** Reads a stack; undefined when it does not exist. */
export async function findStack(name: string): Promise<FoundStack | undefined> {
  const client = new CloudFormationClient({});
  const stack = await describeStack(client, name);
  if (stack === undefined) return undefined;
  const resources = (await listResources(client, name)) ?? [];
  return {
    status: stack.StackStatus ?? '',
    resources: new Map(resources.map(({ physicalId, type }) => [physicalId, type])),
    keyArn: outputOf(stack, keyOutput),
  };
}

/** Returns the version of the CDK's bootstrap stack; undefined when it does not exist. */
export async function findBootstrap(): Promise<number | undefined> {
  const stack = await describeStack(new CloudFormationClient({}), 'CDKToolkit');
  return stack && Number(outputOf(stack, 'BootstrapVersion') ?? 0);
}

function outputOf({ Outputs = [] }: Stack, name: string): string | undefined {
  return Outputs.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
}

async function describeStack(
  client: CloudFormationClient,
  StackName: string,
): Promise<Stack | undefined> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return Stacks.find(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE');
  } catch (error) {
    if (errorName(error) !== 'ValidationError') throw error; // CloudFormation's name for a missing stack
    return undefined;
  }
}
