import { CloudFrontClient, ListDistributionsCommand } from '@aws-sdk/client-cloudfront';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { errorName } from '../../shared/values/caught.ts';
import type { DeploymentSettings } from '../settings.ts';
import type { Finding } from './finding.ts';
import { type FoundStack, findBootstrap, keysOf } from './stack.ts';

type Found = readonly Omit<Finding, 'about'>[];

const minBootstrap = 6; // the first version with the roles that the CDK's default synthesiser uses
const minUnreserved = 100; // Lambda keeps as many for functions without a reservation
const scantQuota = 100;
const quotaAdvice =
  'request a higher quota of "concurrent executions" (Service Quotas, AWS Lambda, L-B99A9384)';

/** Checks that the CDK can deploy into the account and region. */
export async function checkBootstrap(): Promise<Found> {
  const version = await findBootstrap();
  if (version !== undefined && version >= minBootstrap) {
    return [{ level: 'ok', text: `CDKToolkit has version ${version}` }];
  }
  const state = version === undefined ? 'missing' : `version ${version} is too old`;
  return [{ level: 'error', text: `CDKToolkit: ${state}. Run: npx cdk bootstrap` }];
}

/** Checks that the stack can be created or updated. */
export function checkStack(name: string, stack: FoundStack | undefined): Found {
  if (stack === undefined) return [{ level: 'ok', text: `${name} does not exist: it is created` }];
  const { status } = stack;
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS') {
    return [{ level: 'error', text: `${name} is ${status}. Wait until that has ended` }];
  }
  if (/^(ROLLBACK|CREATE_FAILED|DELETE_FAILED)/.test(status)) {
    const text = `${name} is ${status} and cannot be updated. Delete it first: npx cdk destroy`;
    return [{ level: 'error', text }];
  }
  if (status === 'UPDATE_ROLLBACK_FAILED') {
    const text = `${name} is ${status}. Run: aws cloudformation continue-update-rollback --stack-name ${name}`;
    return [{ level: 'error', text }];
  }
  return [{ level: 'ok', text: `${name} is ${status}: it is updated` }];
}

/**
 * Checks that a deployment keeps the key that the stack has: without it, credentials of push services that it encrypted
 * cannot be read.
 */
export function checkEncryptionKey(
  { kmsKey, adopted: { keyArn } }: Pick<DeploymentSettings, 'kmsKey' | 'adopted'>,
  stack: FoundStack | undefined,
): Found {
  const lost = keysOf(stack).filter((id) =>
    keyArn === undefined ? !(kmsKey && stack?.resources.has(id)) : !keyArn.endsWith(`:key/${id}`),
  );
  if (lost.length === 0) {
    return [{ level: 'ok', text: keyArn ?? (kmsKey ? 'a key of KMS' : 'the master secret') }];
  }
  const text = `the stack uses the key ${lost.join(', ')}, and without it push credentials cannot be read: deploy with -c kmsKey=true if the stack has created it, or with its ARN, -c keyArn=…. To do without it, upload all credentials again after the deployment`;
  return [{ level: 'error', text }];
}

/** What a deployment does with the concurrency of Lambda. */
interface LambdaPlan {
  /** Executions that the settings reserve; 0 without reservations. */
  readonly reserved: number;
  /** Quota of which the alarm watches a share. */
  readonly watched: number;
  /** True when the stack exists, whose reservations are already taken from the account's. */
  readonly isUpdate: boolean;
}

/** Checks the concurrency of Lambda. */
export async function checkLambda({ reserved, watched, isUpdate }: LambdaPlan): Promise<Found> {
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: all = 0, UnreservedConcurrentExecutions: free = all } =
    AccountLimit ?? {};
  const quota = `${all} functions may run at once`;
  const room = Math.max(0, free - minUnreserved);
  const few: Found =
    all < scantQuota
      ? [{ level: 'warning', text: `only ${quota}: before there is load, ${quotaAdvice}` }]
      : [{ level: 'ok', text: quota }];
  if (reserved <= room) return all === watched ? few : [...few, setQuota(all, watched)];
  const text = `the settings reserve ${reserved} of ${all}, and ${room} can be reserved: lower the settings of concurrency, or ${quotaAdvice}`;
  return [...few, { level: isUpdate ? 'warning' : 'error', text }];
}

function setQuota(all: number, watched: number): Found[number] {
  const text = `the alarm watches a quota of ${watched}: deploy with -c concurrency=${all}`;
  return { level: 'warning', text };
}

/** Checks that the sender of mails may send them. */
export async function checkMail(mailFrom: string | undefined): Promise<Found> {
  if (!mailFrom)
    return [{ level: 'ok', text: 'mailFrom is not set: mails are written into the log' }];
  const client = new SESv2Client({});
  const address = mailFrom.replace(/^.*<|>\s*$/g, '').trim();
  const domain = address.slice(address.indexOf('@') + 1);
  const isVerified = (await mayUse(client, address)) || (await mayUse(client, domain));
  const { ProductionAccessEnabled } = await client.send(new GetAccountCommand({}));
  return [
    isVerified
      ? { level: 'ok', text: `${address} may send` }
      : {
          level: 'error',
          text: `neither ${address} nor ${domain} is a verified identity of SES in this region`,
        },
    ProductionAccessEnabled === true
      ? { level: 'ok', text: 'SES sends to any address' }
      : {
          level: 'warning',
          text: 'SES is in its sandbox and sends to verified addresses only: request production access',
        },
  ];
}

async function mayUse(client: SESv2Client, EmailIdentity: string): Promise<boolean> {
  try {
    const found = await client.send(new GetEmailIdentityCommand({ EmailIdentity }));
    return found.VerifiedForSendingStatus === true;
  } catch (error) {
    if (errorName(error) !== 'NotFoundException') throw error;
    return false;
  }
}

/**
 * Checks that the account may create a CDN. AWS shows that by no request: an account that has a distribution is allowed
 * to, and one that never had any is often not verified, so that the whole first deployment would be rolled back.
 */
export async function checkCdn(usesCdn: boolean, stack: FoundStack | undefined): Promise<Found> {
  if (!usesCdn) return [{ level: 'ok', text: 'not used (cdn=false)' }];
  const types = [...(stack?.resources.values() ?? [])];
  if (types.includes('AWS::CloudFront::Distribution')) {
    return [{ level: 'ok', text: 'the stack has its distribution' }];
  }
  const client = new CloudFrontClient({});
  const { DistributionList } = await client.send(new ListDistributionsCommand({ MaxItems: 1 }));
  if ((DistributionList?.Quantity ?? 0) > 0) {
    return [{ level: 'ok', text: 'the account has distributions' }];
  }
  const text =
    'the account has no distribution yet, and AWS may refuse its first one until Support has verified the account, which would undo the whole deployment: deploy with -c cdn=false, and without it later, or go on if you know that the account is verified';
  return [{ level: 'error', text }];
}
