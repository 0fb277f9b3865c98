import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { stackName } from '../../shared/platforms/aws/operations/stack.ts';
import { commonSettings } from '../../shared/ports/settings.ts';
import { errorName } from '../../shared/values/caught.ts';
import { type DeploymentSettings, usualQuota } from '../settings.ts';
import {
  checkBootstrap,
  checkCdn,
  checkEncryptionKey,
  checkLambda,
  checkMail,
  checkStack,
} from './account.ts';
import { type Finding, findingsOf } from './finding.ts';
import { findLeftOvers } from './left-overs.ts';
import { type FoundStack, findStack } from './stack.ts';

/** Checks an account before a deployment. It only reads. Without valid credentials, that is all it reports. */
export async function runPreflight(settings: DeploymentSettings): Promise<readonly Finding[]> {
  const identity = await checkCredentials();
  if (identity.level === 'error') return [identity];
  const name = stackName(settings.stage);
  let stack: FoundStack | undefined;
  const aboutStack = await findingsOf('stack', async () => {
    stack = await findStack(name);
    return checkStack(name, stack);
  });
  const rest = await Promise.all([
    findingsOf('bootstrap', checkBootstrap),
    aboutStack,
    findingsOf('Lambda', () =>
      checkLambda({
        reserved: reservedOf(settings),
        watched: settings.concurrency ?? usualQuota,
        isUpdate: stack !== undefined,
      }),
    ),
    findingsOf('CloudFront', () => checkCdn(settings.cdn, stack)),
    findingsOf('push credentials', async () => checkEncryptionKey(settings, stack)),
    findingsOf('mails', () => checkMail(settings.variables[commonSettings.mailFrom.variable])),
    findLeftOvers({ name: settings.stage, stackName: name, stack }),
  ]);
  return [identity, ...rest.flat()];
}

/** Returns the executions that the settings reserve. */
function reservedOf({ reservations }: DeploymentSettings): number {
  return Object.values(reservations).reduce<number>((sum, reserved = 0) => sum + reserved, 0);
}

async function checkCredentials(): Promise<Finding> {
  const about = 'credentials';
  const client = new STSClient({});
  try {
    const region = await client.config.region();
    const { Account, Arn } = await client.send(new GetCallerIdentityCommand({}));
    return { level: 'ok', about, text: `account ${Account}, region ${region}, ${Arn}` };
  } catch (error) {
    const text = `none that work (${errorName(error)}). Set AWS_REGION, and credentials: aws sts get-caller-identity must show your identity`;
    return { level: 'error', about, text };
  }
}
