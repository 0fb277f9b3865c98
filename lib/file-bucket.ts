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
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { FileArea } from './grants.ts';
import type { DeploymentSettings } from './settings.ts';

const passingAreas: readonly FileArea[] = ['uploads', 'traces'];
const restorableDays = 35; // as the table
const origins = { accessControlAllowOrigins: ['*'], accessControlAllowHeaders: ['*'] };

/**
 * Files: a bucket that only the functions can read, and a CDN that serves the files under `public/` to every client
 * that knows the address. Downloads therefore need no function, are cached near the reader, and come from an origin
 * without other content, where a page among them can do no harm. Both cost nothing without requests.
 */
export class FileBucket extends Construct {
  readonly name: string;
  /** Address of the CDN, without a slash at the end. */
  readonly url: string;
  private readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { keepData }: Pick<DeploymentSettings, 'keepData'>) {
    super(scope, id);
    const bucket = createBucket(this, keepData);
    // it is one, except for how its type declares a member that may be absent
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

  /** Returns headers that S3 does not send: pages of any origin may read a file, and browsers do not guess its type. */
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

  /** Allows a role to keep files of these areas, and sign uploads for others. */
  grantTo(role: Role, areas: readonly FileArea[]): void {
    const resources = areas.map((area) => `${this.bucket.bucketArn}/${area}/*`);
    const actions = ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'];
    role.addToPolicy(new PolicyStatement({ actions, resources }));
    // distinguishes a missing file from a forbidden one
    role.addToPolicy(
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }),
    );
    const bucketId = Stack.of(this).resolve(this.bucket.bucketName).Ref;
    for (const area of areas) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/${area}/*]`,
        reason: 'Files have random names, and come and go with every call.',
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
    ],
    // forms that a function has signed are posted here, from pages of any origin
    cors: [{ allowedMethods: [HttpMethods.POST], allowedOrigins: ['*'], allowedHeaders: ['*'] }],
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}

function acknowledge(bucket: Bucket, distribution: Distribution): void {
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'An access log would hold the addresses of files, which are what keeps them private.',
  });
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Who may read files does not depend on the country.' },
    { id: 'AwsSolutions-CFR2', reason: 'It serves files by exact name; nothing runs behind it.' },
    {
      id: 'AwsSolutions-CFR3',
      reason: 'An access log would hold the addresses of files, which are what keeps them private.',
    },
    {
      id: 'AwsSolutions-CFR4',
      reason:
        'The protocol follows from the certificate of cloudfront.net; there is no own domain.',
    },
  );
}
