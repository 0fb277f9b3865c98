import {
  CloudFormationClient,
  CreateStackCommand,
  type CreateStackCommandInput,
} from '@aws-sdk/client-cloudformation';
import { CloudFrontClient, CreateDistributionCommand } from '@aws-sdk/client-cloudfront';

/** Options of clients of moto. */
export interface MotoPlace {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Account id of moto. */
export const accountId = '123456789012';

/** Returns the options of clients of a moto server. Regions have stacks of their own. */
export function placeOf(endpoint: string, region = 'us-east-1'): MotoPlace {
  return { endpoint, region, credentials: { accessKeyId: 'key', secretAccessKey: 'secret' } };
}

/** Returns the bucket in which the CDK stores assets. */
export function assetBucket({ region }: MotoPlace): string {
  return `cdk-hnb659fds-assets-${accountId}-${region}`;
}

/**
 * Creates the bootstrap stack with its bucket and its version. That of `npx cdk bootstrap` is created by moto too, but its output
 * `BootstrapVersion` is then empty: moto does not resolve the value of a parameter of SSM.
 */
export async function bootstrap(place: MotoPlace): Promise<void> {
  const BucketName = assetBucket(place);
  const version = { Name: '/cdk-bootstrap/hnb659fds/version', Type: 'String', Value: '21' };
  const TemplateBody = JSON.stringify({
    Resources: {
      Assets: { Type: 'AWS::S3::Bucket', Properties: { BucketName } },
      Version: { Type: 'AWS::SSM::Parameter', Properties: version },
    },
    Outputs: { BootstrapVersion: { Value: version.Value } },
  });
  const stack: CreateStackCommandInput = { StackName: 'CDKToolkit', TemplateBody };
  await new CloudFormationClient(place).send(new CreateStackCommand(stack));
}

/** Makes the account one that has used CloudFront before. */
export async function addDistribution(place: MotoPlace): Promise<void> {
  const origin = { Id: 'site', DomainName: 'earlier.s3.amazonaws.com' };
  const DistributionConfig = {
    CallerReference: 'earlier',
    Comment: '',
    Enabled: true,
    Origins: { Quantity: 1, Items: [{ ...origin, S3OriginConfig: { OriginAccessIdentity: '' } }] },
    DefaultCacheBehavior: {
      TargetOriginId: 'site',
      ViewerProtocolPolicy: 'https-only' as const,
      CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
    },
  };
  await new CloudFrontClient(place).send(new CreateDistributionCommand({ DistributionConfig }));
}
