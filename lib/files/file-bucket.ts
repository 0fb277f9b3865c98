import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IEventSourceDlq } from 'aws-cdk-lib/aws-lambda';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  BucketPolicy,
  HttpMethods,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { deadLetterDays } from '../../shared/jobs/instance-letters.ts';
import { failuresPrefix } from '../../shared/platforms/aws/jobs/failures-prefix.ts';
import { downloadPath } from '../../shared/platforms/aws/requests/download-path.ts';
import type { FileArea } from '../../shared/values/file-keys.ts';
import { type DeploymentSettings, removalPolicyOf } from '../settings.ts';
import { FileCdn } from './file-cdn.ts';

const passingAreas: readonly FileArea[] = ['uploads', 'traces'];
const restorableDays = 35; // like the table
const minimumTlsVersion = 1.2;
/** Folders of dead letters: of the background function, and of Lambda itself. */
const letterArea: FileArea = 'dead-letters';
const letterFolders = [`${letterArea}/`, failuresPrefix];

export interface FileBucketProps {
  readonly settings: DeploymentSettings;
  /** Address of the interface, without a slash at the end. */
  readonly apiUrl: string;
}

/**
 * Files: a bucket that only the functions can read. The files under `public/` are served to every client that knows
 * their address: by a CDN, or without one by a function that redirects to a signed address of S3. Those under `private/`
 * are served by S3 alone, at addresses that the functions sign for readers of their objects.
 */
export class FileBucket extends Construct {
  readonly name: string;
  /** Address of the public files, without a slash at the end. */
  readonly url: string;
  /** Origins from which a browser reads public files, and to which it sends uploads. */
  readonly origins: readonly string[];
  private readonly bucket: IBucket;
  /** Its ARN as cdk-nag shows it. */
  private readonly shownArn: string;

  constructor(scope: Construct, id: string, { settings, apiUrl }: FileBucketProps) {
    super(scope, id);
    const { bucket: adopted } = settings.adopted;
    const bucket =
      adopted === undefined ? createBucket(this, settings) : adoptBucket(this, adopted);
    this.name = bucket.bucketName;
    this.bucket = bucket;
    this.shownArn =
      adopted === undefined
        ? `<${Stack.of(this).resolve(bucket.bucketName).Ref}.Arn>`
        : `arn:<AWS::Partition>:s3:::${adopted}`;
    this.url = settings.cdn
      ? new FileCdn(this, 'Cdn', { bucket, settings }).url
      : apiUrl + downloadPath;
    // redirects of the function lead to the bucket as well
    this.origins = [settings.cdn ? this.url : apiUrl, `https://${bucket.bucketRegionalDomainName}`];
  }

  /** Allows a role to read, write and delete files of these areas, and to sign uploads. */
  grantTo(role: Role, areas: readonly FileArea[]): void {
    this.grant(role, areas, ['s3:DeleteObject', 's3:GetObject', 's3:PutObject']);
  }

  /** Allows a role to sign addresses of public files. */
  grantDownloads(role: Role): void {
    this.grant(role, ['public'], ['s3:GetObject']);
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
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${this.shownArn}/${failuresPrefix}*]`,
      reason: 'Lambda chooses the names of the records that it stores.',
    });
    return { bind: () => ({ destination: bucketArn }) };
  }

  private grant(role: Role, areas: readonly FileArea[], actions: string[]): void {
    const resources = areas.map((area) => `${this.bucket.bucketArn}/${area}/*`);
    role.addToPolicy(new PolicyStatement({ actions, resources }));
    // without it S3 returns 403 for a missing file
    role.addToPolicy(
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }),
    );
    for (const area of areas) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${this.shownArn}/${area}/*]`,
        reason: 'Files have random names; requests create and delete them.',
      });
    }
  }
}

/** Refers to a bucket that exists, and gives it the policy of a new one; its other configuration remains. */
function adoptBucket(scope: Construct, name: string): IBucket {
  const bucket = Bucket.fromBucketName(scope, 'Bucket', name);
  bucket.policy = new BucketPolicy(scope, 'Policy', { bucket });
  const everyone = { principals: [new AnyPrincipal()], actions: ['s3:*'], effect: Effect.DENY };
  const resources = [bucket.bucketArn, bucket.arnForObjects('*')];
  for (const conditions of [
    { Bool: { 'aws:SecureTransport': 'false' } },
    { NumericLessThan: { 's3:TlsVersion': minimumTlsVersion } },
  ]) {
    bucket.addToResourcePolicy(new PolicyStatement({ ...everyone, resources, conditions }));
  }
  return bucket;
}

function createBucket(scope: Construct, { keepData }: DeploymentSettings): IBucket {
  const bucket = new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: minimumTlsVersion,
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
    cors: [
      {
        // pages of any origin may post forms that a function has signed, and read files at signed addresses
        allowedMethods: [HttpMethods.POST, HttpMethods.GET, HttpMethods.HEAD],
        allowedOrigins: ['*'],
        allowedHeaders: ['*'],
        exposedHeaders: ['Accept-Ranges', 'Content-Range', 'ETag'],
      },
    ],
    removalPolicy: removalPolicyOf(keepData),
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'An access log would contain the addresses of files, which must remain secret.',
  });
  return bucket as IBucket; // the class implements it, but declares an optional member differently
}
