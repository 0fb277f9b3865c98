import { GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import type { Template } from 'aws-cdk-lib/assertions';
import { type FakeCdn, startFakeCdn } from '../../aws-emulator/fake-cdn.ts';
import { startMoto } from '../../aws-emulator/moto.ts';
import { readCdn } from '../../aws-emulator/roles-setup.ts';
import { addDistribution, bootstrap, type MotoPlace, placeOf } from './account.ts';
import type { Assembly } from './assembly.ts';
import type { CreatedStack } from './created-stack.ts';
import { startDoor } from './door.ts';
import { startEventSources } from './event-sources.ts';
import { startFront } from './front.ts';
import { type Functions, functionsOf, openFunctions } from './functions.ts';
import { createRunningStack } from './running-stack.ts';
import { apiId, cdnDomain } from './stand-ins.ts';

/** An AWS account on moto, in which functions run. */
export interface Account {
  /** For clients of AWS. */
  readonly place: MotoPlace;
  /** Deploys a stack: only one. */
  deploy(assembly: Assembly): Promise<DeployedStack>;
  close(): Promise<void>;
}

/** A stack that CloudFormation has created, and whose functions run. */
export interface DeployedStack {
  readonly created: CreatedStack;
  /** Address of the HTTP API, without a slash at the end. */
  readonly url: string;
  readonly seen: Functions['seen'];
  /** Stops everything. @returns the log of all functions @throws the first error of a function that nothing waited for */
  stop(): Promise<string>;
}

/** Opens an account. */
export async function openAccount(options: {
  /** Limit of executions at a time. */
  readonly executions: number;
  /** True for an account that has used CloudFront. */
  readonly hasDistribution: boolean;
}): Promise<Account> {
  const moto = await startMoto();
  const { executions, hasDistribution } = options;
  let functions: Functions | undefined;
  const running = () => {
    if (functions === undefined) throw new Error('no stack is deployed');
    return functions;
  };
  const front = await startFront(moto.url, executions, running);
  const place = placeOf(front.url);
  await bootstrap(place);
  if (hasDistribution) await addDistribution(place);
  return {
    place,
    deploy: async (assembly) => {
      const created = await createRunningStack(placeOf(moto.url), assembly);
      const door = await startDoor(assembly.template, running);
      const cdn = await openCdn(place, assembly, created);
      const hosts = {
        [`https://sqs.${place.region}.amazonaws.com`]: place.endpoint,
        [`https://${apiId}.execute-api.${place.region}.amazonaws.com`]: door.url,
        ...(cdn && { [`https://${cdnDomain}`]: cdn.url }),
      };
      functions = openFunctions(functionsOf(place, assembly, created, hosts), executions);
      const { template } = assembly;
      const sources = startEventSources({ place, template, created, functions });
      return {
        created,
        url: door.url,
        seen: functions.seen,
        stop: async () => {
          await sources.stop();
          await front.idle();
          await Promise.all([door.close(), cdn?.close()]);
          return running().close();
        },
      };
    },
    close: async () => {
      await front.close();
      moto.stop();
    },
  };
}

/** Starts the CDN in front of the bucket, if the stack has one. */
async function openCdn(
  place: MotoPlace,
  { parsed }: { readonly parsed: Template },
  created: CreatedStack,
): Promise<FakeCdn | undefined> {
  const cdn = readCdn(parsed);
  if (cdn === undefined) return undefined;
  const s3 = new S3Client(place);
  const askS3: Parameters<typeof startFakeCdn>[1]['askS3'] = async (_, { url }) => {
    const [, Bucket, ...key] = url.split('/');
    try {
      const Key = decodeURIComponent(key.join('/'));
      const found = await s3.send(new GetObjectCommand({ Bucket, Key }));
      const body = Buffer.from((await found.Body?.transformToByteArray()) ?? []);
      return { status: 200, headers: { 'content-type': found.ContentType ?? '' }, body };
    } catch (error) {
      if (!(error instanceof NoSuchKey)) throw error;
      return { status: 404, headers: {}, body: Buffer.alloc(0) };
    }
  };
  return startFakeCdn(cdn, { askS3 }, created.outputs.FilesBucket ?? '');
}
