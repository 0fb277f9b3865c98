import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStacks,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { messageOf } from '../../../values/caught.ts';
import { type LeftoverPart, patient } from './part.ts';
import { buckets, encryptionKeys, secrets, tables } from './remove-data.ts';
import { logGroups, pushApplications, scriptFunctions } from './remove-named.ts';
import { listResources, type StackResource, stackName } from './stack.ts';

/** The options of a removal. */
export interface RemovalOptions {
  readonly stage: string;
  /** Whether to keep the table, the bucket, the secret and the key. */
  readonly keepData: boolean;
  /** Receives lines for the operator. */
  readonly say: (line: string) => void;
}

const maxWaitSeconds = 3600; // a CDN takes some minutes

/** Plan of a removal. */
export interface RemovalPlan {
  /** Lines for the operator; none when nothing is left. */
  readonly lines: readonly string[];
  /**
   * Deletes everything, and continues after an error.
   *
   * @returns the number of things that could not be deleted
   */
  run(): Promise<number>;
}

/**
 * Finds everything that a deployment has left in this account and region, also after an earlier removal that failed
 * halfway: CloudFormation lists the resources of deleted stacks for 90 days.
 *
 * @throws Error when AWS returns an error, or when the data cannot be kept
 */
export async function planDeploymentRemoval({
  stage,
  keepData,
  say,
}: RemovalOptions): Promise<RemovalPlan> {
  const client = new CloudFormationClient(patient);
  const stacks = await findStacks(client, stackName(stage));
  const current = stacks.find(({ isDeleted }) => !isDeleted);
  if (keepData && current !== undefined) await checkKept(client, current.name);
  const resources = stacks.flatMap((one) => one.resources);
  const named = [scriptFunctions(stage), pushApplications(stage), logGroups(stage)];
  const data = keepData
    ? []
    : [tables(resources), buckets(resources), secrets(resources), encryptionKeys(resources)];
  const stack = stackPart(client, current?.name);
  const { find, empty } = buckets(resources);
  const contents = { what: 'contents of buckets', find, remove: empty };
  const beforeStack = [...named, ...(keepData ? [] : [contents])];
  const found = await Promise.all([...named, stack, ...data].map(describe));
  return {
    lines: found.flat(),
    run: async () => {
      let failures = 0;
      for (const part of beforeStack) failures += await removeAll(part, say);
      const stackFailures = await removeAll(stack, say);
      // functions may have created others until the stack was deleted
      for (const part of named) failures += await removeAll(part, say);
      if (stackFailures > 0) {
        if (!keepData) say('The data are not deleted, because the stack is still there.');
        return failures + stackFailures;
      }
      for (const part of data) failures += await removeAll(part, say);
      return failures;
    },
  };
}

async function describe({ what, find }: LeftoverPart): Promise<readonly string[]> {
  return (await find()).map((name) => `${what}: ${name}`);
}

async function removeAll(
  { what, find, remove }: LeftoverPart,
  say: RemovalOptions['say'],
): Promise<number> {
  let failures = 0;
  const attempt = async <Result>(name: string, run: () => Promise<Result>) => {
    try {
      return await run();
    } catch (error) {
      failures += 1;
      say(`failed: ${what}: ${name}: ${messageOf(error)}`);
      return undefined;
    }
  };
  for (const name of (await attempt('list', find)) ?? []) {
    say(`deleting ${what}: ${name}`);
    await attempt(name, () => remove(name));
  }
  return failures;
}

interface FoundStack {
  readonly name: string;
  readonly isDeleted: boolean;
  readonly resources: readonly StackResource[];
}

/** Finds the stack of a name, and deleted ones of the same name. */
async function findStacks(
  client: CloudFormationClient,
  name: string,
): Promise<readonly FoundStack[]> {
  const found: FoundStack[] = [];
  for await (const page of paginateListStacks({ client }, {})) {
    for (const { StackName, StackId = '', StackStatus } of page.StackSummaries ?? []) {
      if (StackName !== name) continue;
      const isDeleted = StackStatus === 'DELETE_COMPLETE';
      const resources = (await listResources(client, StackId)) ?? [];
      found.push({ name: isDeleted ? StackId : name, isDeleted, resources });
    }
  }
  return found;
}

/** @throws Error when the stack deletes its data with itself */
async function checkKept(client: CloudFormationClient, stack: string): Promise<void> {
  const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: stack }));
  const { Resources = {} } = JSON.parse(TemplateBody) as {
    readonly Resources?: Readonly<Record<string, { Type?: string; DeletionPolicy?: string }>>;
  };
  const lost = Object.values(Resources).find(
    ({ Type = '', DeletionPolicy }) => dataTypes.has(Type) && DeletionPolicy !== 'Retain',
  );
  if (lost === undefined) return;
  throw new Error(
    `the stack deletes its data (${lost.Type}) with itself: deploy it with -c keepData=true first`,
  );
}

const dataTypes: ReadonlySet<string> = new Set([
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::S3::Bucket',
  'AWS::SecretsManager::Secret',
  'AWS::KMS::Key',
]);

function stackPart(client: CloudFormationClient, stack: string | undefined): LeftoverPart {
  return {
    what: 'stack',
    find: async () => (stack === undefined ? [] : [stack]),
    remove: async (name) => {
      const { Stacks: [{ StackId = name } = {}] = [] } = await client.send(
        new DescribeStacksCommand({ StackName: name }),
      );
      await client.send(new DeleteStackCommand({ StackName: name }));
      const limits = { client, maxWaitTime: maxWaitSeconds, minDelay: 1, maxDelay: 15 };
      await waitUntilStackDeleteComplete(limits, { StackName: StackId });
    },
  };
}
