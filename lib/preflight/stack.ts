import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { listResources } from '../../shared/platform/aws/operations/stack.ts';
import { nameOf } from '../../shared/values/caught.ts';

/** The stack of a stage, as CloudFormation has it. */
export interface FoundStack {
  /** Status of CloudFormation, such as `UPDATE_COMPLETE`. */
  readonly status: string;
  /** Types of its resources by their physical ids. */
  readonly resources: ReadonlyMap<string, string>;
}

/** Returns the ids of the keys of KMS that a stack has. */
export function keysOf(stack: FoundStack | undefined): readonly string[] {
  const resources = [...(stack?.resources ?? [])];
  return resources.flatMap(([id, type]) => (type === 'AWS::KMS::Key' ? [id] : []));
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
  };
}

/** Returns the version of the CDK's bootstrap stack; undefined when it does not exist. */
export async function findBootstrap(): Promise<number | undefined> {
  const stack = await describeStack(new CloudFormationClient({}), 'CDKToolkit');
  const version = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion');
  return stack && Number(version?.OutputValue ?? 0);
}

async function describeStack(
  client: CloudFormationClient,
  StackName: string,
): Promise<Stack | undefined> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return Stacks.find(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE');
  } catch (error) {
    if (nameOf(error) !== 'ValidationError') throw error; // CloudFormation's name for a missing stack
    return undefined;
  }
}
