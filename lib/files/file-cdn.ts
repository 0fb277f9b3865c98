import { Aws, Stack, Validations } from 'aws-cdk-lib';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { DeploymentSettings } from '../settings.ts';

export interface FileCdnProps {
  readonly bucket: IBucket;
  readonly settings: Pick<DeploymentSettings, 'stage' | 'webAclArn'>;
}

const origins = { accessControlAllowOrigins: ['*'], accessControlAllowHeaders: ['*'] };

/**
 * The CDN of the files under `public/`. Downloads need no function, are cached near the reader, and have an origin
 * without other content, so an uploaded HTML page is harmless. Without requests it is free.
 */
export class FileCdn extends Construct {
  /** Without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { bucket, settings }: FileCdnProps) {
    super(scope, id);
    const name = (part: string) => globalName(settings.stage, part);
    const access = new S3OriginAccessControl(this, 'Access', {
      originAccessControlName: name('files'),
    });
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'Groundwork: files of data objects',
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(settings.webAclArn !== undefined && { webAclId: settings.webAclArn }),
      defaultBehavior: {
        // without a bucket policy: that of `withOriginAccessControl` is for the whole bucket
        origin: S3BucketOrigin.withBucketDefaults(bucket, {
          originPath: '/public',
          originAccessControlId: access.originAccessControlId,
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        allowedMethods: AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: headersPolicy(this, name('files')),
      },
    });
    this.url = `https://${distribution.distributionDomainName}`;
    for (const statement of mayRead(bucket, distribution)) bucket.addToResourcePolicy(statement);
    acknowledge(distribution);
  }
}

/** Returns a name that differs in each stage and region: those of CloudFront are unique in an account. */
export function globalName(stage: string, part: string): string {
  return `groundwork-${stage}-${part}-${Aws.REGION}`;
}

/** Returns headers that S3 does not send: CORS for all origins, and `nosniff`. */
function headersPolicy(scope: Construct, name: string): ResponseHeadersPolicy {
  return new ResponseHeadersPolicy(scope, 'Headers', {
    responseHeadersPolicyName: name,
    corsBehavior: {
      ...origins,
      accessControlAllowMethods: ['GET', 'HEAD'],
      accessControlAllowCredentials: false,
      accessControlExposeHeaders: ['Accept-Ranges', 'Content-Range', 'ETag'],
      originOverride: true,
    },
    securityHeadersBehavior: { contentTypeOptions: { override: true } },
  });
}

/**
 * Returns the permissions of the distribution to read public files, and no others. Without that to list the bucket S3
 * returns 403 for a missing file; the distribution lists nothing, because its requests begin with `/public/` and have no
 * query.
 */
function mayRead(bucket: IBucket, { distributionId }: Distribution): readonly PolicyStatement[] {
  const arn = Stack.of(bucket).formatArn({
    service: 'cloudfront',
    region: '',
    resource: 'distribution',
    resourceName: distributionId,
  });
  const may = (action: string, resource: string) =>
    new PolicyStatement({
      actions: [action],
      principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
      resources: [resource],
      conditions: { StringEquals: { 'AWS:SourceArn': arn } },
    });
  return [
    may('s3:GetObject', bucket.arnForObjects('public/*')),
    may('s3:ListBucket', bucket.bucketArn),
  ];
}

function acknowledge(distribution: Distribution): void {
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Access to files does not depend on the country.' },
    {
      id: 'AwsSolutions-CFR2',
      reason: 'It serves files by exact name and runs no code; webAclArn adds a web ACL.',
    },
    {
      id: 'AwsSolutions-CFR3',
      reason: 'An access log would contain the addresses of files, which must remain secret.',
    },
    {
      id: 'AwsSolutions-CFR4',
      reason:
        'Without a custom domain, the cloudfront.net certificate determines the TLS versions.',
    },
  );
}
