import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IEventSourceDlq } from 'aws-cdk-lib/aws-lambda';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { deadLetterDays, deadLetterFiles } from '../shared/jobs/change-feed.ts';
import { failuresPrefix } from '../shared/platform/aws/jobs/failures-prefix.ts';
import type { FileArea } from '../shared/platform/grants.ts';
import type { DeploymentSettings } from './settings.ts';

const passingAreas: readonly FileArea[] = ['uploads', 'traces'];
const restorableDays = 35; // like the table
/** Folders of dead letters: of the background function, and of Lambda itself. */
const letterFolders = [`${deadLetterFiles}/`, failuresPrefix];
const origins = { accessControlAllowOrigins: ['*'], accessControlAllowHeaders: ['*'] };

/**
 * Files: a bucket that only the functions can read, and a CDN that serves the files under `public/` to every client
 * that knows the address. Downloads therefore need no function, are cached near the reader, and have an origin without
 * other content, so an uploaded HTML page is harmless. Without requests both are free.
 */
export class FileBucket extends Construct {
  readonly name: string;
  /** Address of the CDN, without a slash at the end. */
  readonly url: string;
  private readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { keepData }: Pick<DeploymentSettings, 'keepData'>) {
    super(scope, id);
    const bucket = createBucket(this, keepData);
    // the class implements the interface, but declares an optional member differently
    const origin = bucket as IBucket;
    const distribution = new Distribution(this, 'Cdn', {
      comment: 'Groundwork: files of data objects',
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(origin, { originPath: '/public' }),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        allowedMethods: AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.headers(),
      },
    });
    this.name = bucket.bucketName;
    this.bucket = bucket;
    this.url = `https://${distribution.distributionDomainName}`;
    acknowledge(bucket, distribution);
  }

  /** Returns headers that S3 does not send: CORS for all origins, and `nosniff`. */
  private headers(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'Headers', {
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

  /** Returns the destination of what a function failed to process: Lambda stores all of it, under a key of its own. */
  failuresOf(role: Role): IEventSourceDlq {
    const { bucketArn } = this.bucket;
    role.addToPolicy(
      new PolicyStatement({
        actions: ['s3:PutObject'],
        resources: [`${bucketArn}/${failuresPrefix}*`],
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucketArn] }));
    const bucketId = Stack.of(this).resolve(this.bucket.bucketName).Ref;
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/${failuresPrefix}*]`,
      reason: 'Lambda chooses the names of the records that it stores.',
    });
    return { bind: () => ({ destination: bucketArn }) };
  }

  /** Allows a role to read, write and delete files of these areas, and to sign uploads. */
  grantTo(role: Role, areas: readonly FileArea[]): void {
    const resources = areas.map((area) => `${this.bucket.bucketArn}/${area}/*`);
    const actions = ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'];
    role.addToPolicy(new PolicyStatement({ actions, resources }));
    // without it S3 returns 403 for a missing file
    role.addToPolicy(
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }),
    );
    const bucketId = Stack.of(this).resolve(this.bucket.bucketName).Ref;
    for (const area of areas) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/${area}/*]`,
        reason: 'Files have random names; requests create and delete them.',
      });
    }
  }
}

function createBucket(scope: Construct, keepData: boolean): Bucket {
  return new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: true,
    lifecycleRules: [
      {
        noncurrentVersionExpiration: Duration.days(restorableDays),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
        expiredObjectDeleteMarker: true,
      },
      ...passingAreas.map((area) => ({
        prefix: `${area}/`,
        expiration: Duration.days(1),
        noncurrentVersionExpiration: Duration.days(1),
      })),
      ...letterFolders.map((prefix) => ({
        prefix,
        expiration: Duration.days(deadLetterDays),
        noncurrentVersionExpiration: Duration.days(1),
      })),
    ],
    // pages of any origin may post forms that a function has signed
    cors: [{ allowedMethods: [HttpMethods.POST], allowedOrigins: ['*'], allowedHeaders: ['*'] }],
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}

function acknowledge(bucket: Bucket, distribution: Distribution): void {
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'An access log would contain the addresses of files, which must remain secret.',
  });
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Access to files does not depend on the country.' },
    { id: 'AwsSolutions-CFR2', reason: 'It serves files by exact name and runs no code.' },
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
