import {
  CreateSecretCommand,
  GetRandomPasswordCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { accountId, type MotoPlace } from './account.ts';
import type { StackTemplate } from './assembly.ts';

/** Addresses that AWS would give the API and the CDN of a stack. */
export const apiId = 'a1b2c3d4e5';
export const cdnDomain = 'd111111abcdef8.cloudfront.net';

/**
 * Creates the secret as the template describes it, and returns what references to resources are that moto's
 * CloudFormation cannot create.
 *
 * @param secret its text; generated when absent
 */
export async function makeStandIns(
  place: MotoPlace,
  { Resources }: StackTemplate,
  secret?: string,
): Promise<Readonly<Record<string, string>>> {
  const client = new SecretsManagerClient(place);
  const found = Object.values(Resources).find(({ Type }) => Type === 'AWS::SecretsManager::Secret');
  const { Description, GenerateSecretString } = found.Properties;
  const { RandomPassword } = await client.send(new GetRandomPasswordCommand(GenerateSecretString));
  const SecretString = secret ?? RandomPassword;
  const made = await client.send(
    new CreateSecretCommand({ Name: 'master', Description, SecretString }),
  );
  return {
    'AWS::SecretsManager::Secret': made.ARN ?? '',
    'AWS::ApiGatewayV2::Api': apiId,
    'AWS::CloudFront::Distribution.DomainName': cdnDomain,
    'AWS::CloudWatch::Alarm.Arn': `arn:aws:cloudwatch:${place.region}:${accountId}:alarm:one`,
  };
}
