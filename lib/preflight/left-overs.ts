import { CloudWatchLogsClient, paginateDescribeLogGroups } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient, paginateListKeys } from '@aws-sdk/client-kms';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { paginateListSecrets, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { api } from '../../functions/api.ts';
import { consoleName } from '../../shared/console/console.ts';
import {
  pushApplications,
  scriptFunctions,
} from '../../shared/platforms/aws/operations/remove-named.ts';
import { familyFunctionName } from '../../shared/platforms/aws/requests/function-names.ts';
import { downloads } from '../files/file-downloads.ts';
import { type Finding, findingsOf } from './finding.ts';
import type { FoundStack } from './stack.ts';

/** The stage whose earlier deployments are looked for. */
export interface Stage {
  readonly name: string;
  readonly stackName: string;
  readonly stack: FoundStack | undefined;
}

/** A kind of resource that may remain of an earlier deployment. */
interface Kind {
  readonly about: string;
  /** Returns the ids of all that have the stage's names. */
  list(stage: Stage): Promise<readonly string[]>;
  /** What follows from them, and what to do. */
  readonly advice: string;
}

const kinds: readonly Kind[] = [
  {
    about: 'old tables',
    list: async ({ stackName }) => {
      const names = await all(
        paginateListTables({ client: new DynamoDBClient({}) }, {}),
        (page) => page.TableNames,
      );
      return names.filter((name) => name.startsWith(`${stackName}-`));
    },
    advice:
      'their storage costs money, and a new deployment does not use them. See "Removing a deployment"',
  },
  {
    about: 'old buckets',
    list: async ({ stackName }) => {
      const { Buckets = [] } = await new S3Client({}).send(new ListBucketsCommand({}));
      const names = Buckets.map(({ Name = '' }) => Name);
      return names.filter((name) => name.startsWith(`${stackName.toLowerCase()}-`));
    },
    advice:
      'their storage costs money, and a new deployment does not use them. Empty and delete them',
  },
  {
    about: 'old secrets',
    list: async ({ stackName }) => {
      const pages = paginateListSecrets(
        { client: new SecretsManagerClient({}) },
        { Filters: [{ Key: 'description', Values: ['Master secrets of Groundwork'] }] },
      );
      const secrets = await all(pages, (page) => page.SecretList);
      return secrets
        .filter(({ Tags = [] }) => Tags.some(({ Value }) => Value === stackName))
        .map(({ ARN = '' }) => ARN);
    },
    advice:
      'each costs 0.40 USD a month. Keys of an old table need it: delete it with that table only',
  },
  {
    about: 'old keys',
    list: async ({ name }) => {
      const client = new KMSClient({});
      const keys = await all(paginateListKeys({ client }, {}), (page) => page.Keys);
      const described = await Promise.all(
        keys.map(({ KeyId }) => client.send(new DescribeKeyCommand({ KeyId }))),
      );
      return described.flatMap(({ KeyMetadata }) =>
        KeyMetadata?.Enabled && KeyMetadata.Description?.startsWith(`Groundwork ${name}: `)
          ? [KeyMetadata.KeyId ?? '']
          : [],
      );
    },
    advice:
      'each costs 1 USD a month, and decrypts credentials of push services in an old table: -c keyArn=… uses it',
  },
  {
    about: 'old logs',
    list: async ({ stackName }) => {
      const pages = paginateDescribeLogGroups(
        { client: new CloudWatchLogsClient({}) },
        { logGroupNamePrefix: `${stackName}-` },
      );
      const groups = await all(pages, (page) => page.logGroups);
      return groups.map(({ logGroupName = '' }) => logGroupName);
    },
    advice: 'their storage costs money. Delete them',
  },
  {
    about: 'old functions of scripts',
    list: ({ name }) => scriptFunctions(name).find(),
    advice: 'a new deployment deletes them a day after its first script. Or: npm run remove',
  },
  {
    about: 'old push applications',
    list: ({ name }) => pushApplications(name).find(),
    advice: 'they cost nothing, but a new deployment does not use them. Run: npm run remove',
  },
];

/** Kinds that belong to the deployment while its stack exists, though they are not part of it. */
const madeAtRunTime = ['old functions of scripts', 'old push applications'];

/** Looks for resources of earlier deployments of a stage, which cost money or prevent a new one. */
export async function findLeftOvers(stage: Stage): Promise<readonly Finding[]> {
  const wanted = kinds.filter(({ about }) => !stage.stack || !madeAtRunTime.includes(about));
  const found = await Promise.all([
    findingsOf('old functions', () => checkFunctions(stage)),
    ...wanted.map((kind) => findingsOf(kind.about, () => checkKind(stage, kind))),
  ]);
  return found.flat();
}

async function checkKind(stage: Stage, { list, advice }: Kind) {
  const ids = (await list(stage)).filter((id) => !stage.stack?.resources.has(id));
  if (ids.length === 0) return [{ level: 'ok', text: 'none' } as const];
  const shown = ids.slice(0, 3).join(', ') + (ids.length > 3 ? `, … (${ids.length})` : '');
  return [{ level: 'warning', text: `${shown}: ${advice}` } as const];
}

/** Functions that are not in the stack prevent a deployment of functions with their names. */
async function checkFunctions({ name, stack }: Stage) {
  const families = [
    ...api.map((family) => family.name),
    'background',
    'script-runs',
    consoleName,
    downloads,
  ];
  const wanted = families.map((family) => familyFunctionName(`groundwork-${name}`, family));
  const pages = paginateListFunctions({ client: new LambdaClient({}) }, {});
  const names = (await all(pages, (page) => page.Functions)).map(
    ({ FunctionName }) => FunctionName,
  );
  const found = wanted.filter((each) => names.includes(each) && !stack?.resources.has(each));
  if (found.length === 0) return [{ level: 'ok', text: 'none' } as const];
  const text = `${found.join(', ')}: not part of the stack. Delete each: aws lambda delete-function --function-name NAME`;
  return [{ level: 'error', text } as const];
}

async function all<Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly Item[] | undefined,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...(itemsOf(page) ?? []));
  return items;
}
