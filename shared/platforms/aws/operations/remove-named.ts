import {
  CloudWatchLogsClient,
  DeleteLogGroupCommand,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs';
import { DeleteFunctionCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import {
  DeletePlatformApplicationCommand,
  paginateListPlatformApplications,
  SNSClient,
} from '@aws-sdk/client-sns';
import { isFunctionName } from '../scripts/script-names.ts';
import { type LeftoverPart, patient, unlessGone } from './part.ts';

/* What functions create at run time, outside the stack, with names that begin with that of the stage. */

/** Functions of scripts. */
export function scriptFunctions(stage: string): LeftoverPart {
  const client = new LambdaClient(patient);
  return {
    what: 'functions of scripts',
    find: async () => {
      const found: string[] = [];
      for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
        found.push(...Functions.flatMap(({ FunctionName: name }) => name ?? []));
      }
      return found.filter((name) => isOfScript(stage, name));
    },
    remove: async (name) => {
      await unlessGone(client.send(new DeleteFunctionCommand({ FunctionName: name })));
    },
  };
}

function isOfScript(stage: string, name: string): boolean {
  return isFunctionName({ prefix: `groundwork-${stage}` }, name);
}

/** Applications of push services. */
export function pushApplications(stage: string): LeftoverPart {
  const client = new SNSClient(patient);
  return {
    what: 'push applications',
    find: async () => {
      const found: string[] = [];
      const pages = paginateListPlatformApplications({ client }, {});
      for await (const { PlatformApplications = [] } of pages) {
        found.push(...PlatformApplications.flatMap(({ PlatformApplicationArn: arn }) => arn ?? []));
      }
      return found.filter((arn) => arn.split('/')[2]?.startsWith(`groundwork_${stage}_`));
    },
    remove: async (PlatformApplicationArn) => {
      await client.send(new DeletePlatformApplicationCommand({ PlatformApplicationArn }));
    },
  };
}

const logFolder = '/aws/lambda/';

/** Log groups of functions of scripts: Lambda creates them. Those of other functions are in the stack. */
export function logGroups(stage: string): LeftoverPart {
  const client = new CloudWatchLogsClient(patient);
  const logGroupNamePrefix = `${logFolder}groundwork-${stage}-scr-`;
  return {
    what: 'log groups',
    find: async () => {
      const found: string[] = [];
      for await (const page of paginateDescribeLogGroups({ client }, { logGroupNamePrefix })) {
        found.push(...(page.logGroups ?? []).flatMap(({ logGroupName: name }) => name ?? []));
      }
      return found.filter((name) => isOfScript(stage, name.slice(logFolder.length)));
    },
    remove: async (logGroupName) => {
      await unlessGone(client.send(new DeleteLogGroupCommand({ logGroupName })));
    },
  };
}
