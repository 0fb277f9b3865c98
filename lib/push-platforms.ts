import { Arn, ArnFormat, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { DeploymentSettings } from './settings.ts';

/** What a family does with push: `configure` makes applications of credentials, `send` all else. */
export type PushUse = 'configure' | 'send';

const configureActions = ['sns:CreatePlatformApplication', 'sns:SetPlatformApplicationAttributes'];
const sendActions = [
  'sns:CreatePlatformEndpoint',
  'sns:DeleteEndpoint',
  'sns:DeletePlatformApplication',
  'sns:Publish',
  'sns:SetEndpointAttributes',
];

/**
 * Pushes: applications of SNS mobile push are made while it runs, since each belongs to an instance; here is what
 * their names begin with, and the key that locks their credentials in the table.
 */
export class PushPlatforms extends Construct {
  /** What the names of all applications of this deployment begin with. */
  readonly prefix: string;
  readonly keyArn: string;
  private readonly key: Key;

  constructor(
    scope: Construct,
    id: string,
    { stage, keepData }: Pick<DeploymentSettings, 'stage' | 'keepData'>,
  ) {
    super(scope, id);
    this.prefix = `groundwork_${stage}`;
    this.key = new Key(this, 'Key', {
      description: `Groundwork ${stage}: locks the credentials of push providers. Never delete.`,
      enableKeyRotation: true,
      removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.keyArn = this.key.keyArn;
  }

  /** Lets a role use what is named as this deployment names it, and nothing else. */
  grantTo(role: Role, uses: readonly PushUse[]): void {
    const isSending = uses.includes('send');
    role.addToPolicy(
      new PolicyStatement({
        actions: [...configureActions, ...(isSending ? sendActions : [])],
        resources: [this.named('app'), ...(isSending ? [this.named('endpoint')] : [])],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: [
          ...(isSending ? ['kms:Decrypt'] : []),
          ...(uses.includes('configure') ? ['kms:Decrypt', 'kms:GenerateDataKey'] : []),
        ].filter((action, at, all) => all.indexOf(action) === at),
        resources: [this.keyArn],
      }),
    );
    for (const kind of isSending ? ['app', 'endpoint'] : ['app']) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:${kind}/*/${this.prefix}_*]`,
        reason:
          'Applications are made while it runs, one an instance; SNS chooses the rest of names.',
      });
    }
  }

  private named(kind: 'app' | 'endpoint'): string {
    return Arn.format(
      {
        service: 'sns',
        resource: kind,
        resourceName: `*/${this.prefix}_*`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      },
      Stack.of(this),
    );
  }
}
