import { CloudFormationClient, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { messageOf } from '../../../values/caught.ts';

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
  let token: string | undefined;
  try {
    do {
      const page = await client.send(
        new ListStackResourcesCommand({ StackName: stack, NextToken: token }),
      );
      for (const {
        LogicalResourceId,
        ResourceType,
        PhysicalResourceId,
      } of page.StackResourceSummaries ?? []) {
        if (!PhysicalResourceId) continue; // could not be created
        found.push({
          logicalId: LogicalResourceId ?? '',
          type: ResourceType ?? '',
          physicalId: PhysicalResourceId,
        });
      }
      token = page.NextToken;
    } while (token !== undefined);
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

const parts: Readonly<Record<keyof Deployment, { type: string; logicalId: RegExp }>> = {
  table: { type: 'AWS::DynamoDB::GlobalTable', logicalId: /^Data/ },
  bucket: { type: 'AWS::S3::Bucket', logicalId: /^Files/ },
  secret: { type: 'AWS::SecretsManager::Secret', logicalId: /^Master/ },
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
  const resources = await listResources(new CloudFormationClient({}), stack);
  if (resources === undefined) throw new Error(`there is no stack ${stack} in this region`);
  const find = (part: keyof Deployment): string => {
    const { type, logicalId } = parts[part];
    const found = resources.find((one) => one.type === type && logicalId.test(one.logicalId));
    if (found === undefined) throw new Error(`the stack ${stack} has no ${type}`);
    return found.physicalId;
  };
  return {
    table: find('table'),
    bucket: find('bucket'),
    secret: find('secret'),
    deadLetters: find('deadLetters'),
    background: find('background'),
  };
}
