import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import {
  type FunctionConfiguration,
  LambdaClient,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { zipSync } from 'fflate';
import { assetBucket, type MotoPlace } from './account.ts';
import type { Assembly, StackTemplate } from './assembly.ts';

/** A stack that CloudFormation has created, and that was checked. */
export interface CreatedStack {
  /** Physical ids by logical ids. */
  readonly resources: ReadonlyMap<string, string>;
  readonly outputs: Readonly<Record<string, string>>;
  /** Its functions by name, with their variables as CloudFormation has resolved them. */
  readonly functions: ReadonlyMap<string, FunctionConfiguration>;
}

/** Uploads the assets, as `cdk deploy` does before it creates a stack. */
export async function uploadAssets(place: MotoPlace, { assets }: Assembly): Promise<void> {
  const s3 = new S3Client(place);
  for (const [Key, folder] of assets) {
    const Body = zips.get(folder) ?? zipOf(folder);
    zips.set(folder, Body);
    await s3.send(new PutObjectCommand({ Bucket: assetBucket(place), Key, Body }));
  }
}

const zips = new Map<string, Uint8Array>();

function zipOf(folder: string): Uint8Array {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  const files = names.map((name) => [name, readFileSync(join(folder, name))]);
  return zipSync(Object.fromEntries(files), { level: 1 });
}

/**
 * Creates a stack, and checks it: its status, that each resource of the template was created, that no reference was left
 * unresolved in the variables of a function, and what AWS limits and moto does not.
 *
 * @throws Error that says what CloudFormation, or this judge, rejects
 */
export async function createStack(
  place: MotoPlace,
  StackName: string,
  template: StackTemplate,
): Promise<CreatedStack> {
  const client = new CloudFormationClient({ ...place, maxAttempts: 1 }); // moto's 500 is a verdict
  const Key = `${StackName}.json`; // a template in a request is limited to 51,200 bytes
  const Body = JSON.stringify(template);
  await new S3Client(place).send(new PutObjectCommand({ Bucket: assetBucket(place), Key, Body }));
  const TemplateURL = `https://s3.${place.region}.amazonaws.com/${assetBucket(place)}/${Key}`;
  const Capabilities = ['CAPABILITY_NAMED_IAM' as const];
  await client.send(new CreateStackCommand({ StackName, TemplateURL, Capabilities })).catch(reject);
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const [{ StackStatus, Outputs = [] } = {}] = Stacks;
  if (StackStatus !== 'CREATE_COMPLETE') {
    throw new Error(`the stack is ${StackStatus}: ${await reasonOf(client, StackName)}`);
  }
  const resources = await createdResources(client, StackName);
  const missing = Object.keys(template.Resources).filter((id) => !resources.has(id));
  if (missing.length > 0) throw new Error(`not created: ${missing.join(', ')}`);
  const functions = await createdFunctions(place, new Set(resources.values()));
  for (const each of functions.values()) checkFunction(each, template);
  const outputs = Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
  return { resources, outputs: Object.fromEntries(outputs), functions };
}

/** moto has no message for some references: it fails itself. */
function reject(error: Error & { readonly $response?: { readonly statusCode: number } }): never {
  const reason = error.$response?.statusCode === 500 ? 'it fails' : error.message;
  throw new Error(`CloudFormation rejects the template: ${reason}`, { cause: error });
}

async function reasonOf(client: CloudFormationClient, StackName: string): Promise<string> {
  const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName }));
  return StackEvents.map(({ ResourceStatusReason }) => ResourceStatusReason ?? '').join(' ');
}

async function createdResources(
  client: CloudFormationClient,
  StackName: string,
): Promise<ReadonlyMap<string, string>> {
  const resources = new Map<string, string>();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client },
    { StackName },
  )) {
    for (const { LogicalResourceId = '', PhysicalResourceId = '' } of StackResourceSummaries)
      resources.set(LogicalResourceId, PhysicalResourceId);
  }
  return resources;
}

async function createdFunctions(place: MotoPlace, names: ReadonlySet<string>) {
  const functions = new Map<string, FunctionConfiguration>();
  for await (const { Functions = [] } of paginateListFunctions(
    { client: new LambdaClient(place) },
    {},
  )) {
    for (const each of Functions)
      if (names.has(each.FunctionName ?? '')) functions.set(each.FunctionName ?? '', each);
  }
  return functions;
}

/** AWS's limit for the variables of a function, which it measures as JSON. moto has none. */
const maxVariableBytes = 4096;

/** @throws Error when AWS would reject the function, or run it without a variable of the template */
function checkFunction(created: FunctionConfiguration, template: StackTemplate): void {
  const { FunctionName, Environment, CodeSize = 0 } = created;
  if (CodeSize === 0) throw new Error(`${FunctionName}: its code is not in the bucket`);
  const variables = Environment?.Variables ?? {};
  const bytes = Buffer.byteLength(JSON.stringify(variables));
  if (bytes > maxVariableBytes) {
    throw new Error(`${FunctionName}: ${bytes} bytes of variables, of ${maxVariableBytes}`);
  }
  const wanted = Object.values(template.Resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .find(({ Properties }) => Properties.FunctionName === FunctionName)?.Properties;
  const unset = Object.keys(wanted?.Environment.Variables ?? {}).filter((name) => !variables[name]);
  if (unset.length > 0) throw new Error(`${FunctionName} has no ${unset.join(', ')}`);
}
