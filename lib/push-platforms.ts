import { Arn, ArnFormat, Aws, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { PushUse } from '../shared/ports/grants.ts';
import type { AllGrants } from './grants.ts';
import { type DeploymentSettings, removalPolicyOf } from './settings.ts';

/** Name of the output with the ARN of the key of KMS, if the deployment uses one. */
export const keyOutput = 'PushKeyArn';

const configureActions = ['sns:CreatePlatformApplication', 'sns:SetPlatformApplicationAttributes'];
const sendActions = [
  'sns:CreatePlatformEndpoint',
  'sns:DeleteEndpoint',
  'sns:DeletePlatformApplication',
  'sns:SetEndpointAttributes',
];

/**
 * Push services: applications of SNS mobile push are created at run time, because each belongs to an instance. The
 * stack defines the prefix of their names, and, if the settings have one, the key of KMS that encrypts their credentials
 * in the table.
 */
export class PushPlatforms extends Construct {
  /** Prefix of the names of the deployment's applications. */
  readonly prefix: string;
  /** Undefined: their credentials are encrypted under the master secret. */
  readonly keyArn: string | undefined;

  constructor(
    scope: Construct,
    id: string,
    settings: Pick<DeploymentSettings, 'stage' | 'keepData' | 'kmsKey' | 'adopted'>,
  ) {
    super(scope, id);
    const { stage, kmsKey, adopted } = settings;
    this.prefix = `groundwork_${stage}`;
    this.keyArn = adopted.keyArn ?? (kmsKey ? createKey(this, settings).keyArn : undefined);
  }

  /**
   * Allows a role to use mobile push in the region of the stack. SNS knows no resources for these actions, so they are
   * allowed for all applications of the account or for none; only publishing is limited to endpoints of ours.
   */
  grantTo(role: Role, uses: readonly PushUse[]): void {
    const isSending = uses.includes('send');
    role.addToPolicy(
      new PolicyStatement({
        actions: [...configureActions, ...(isSending ? sendActions : [])],
        resources: ['*'],
        conditions: { StringEquals: { 'aws:RequestedRegion': Aws.REGION } },
      }),
    );
    if (isSending) {
      role.addToPolicy(
        new PolicyStatement({ actions: ['sns:Publish'], resources: [this.endpoints()] }),
      );
    }
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'SNS knows no resources for actions on platform applications and their endpoints.',
    });
    if (isSending) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:endpoint/*/${this.prefix}_*]`,
        reason: 'Endpoints are created at run time; SNS chooses the rest of their names.',
      });
    }
  }

  /** Allows a role to use the key of KMS, if there is one. */
  grantKeyTo(role: Role, { push, vault }: Pick<AllGrants, 'push' | 'vault'>): void {
    const actions = [
      ...(push.length > 0 || vault.includes('open') ? ['kms:Decrypt'] : []),
      ...(push.includes('configure') || vault.includes('seal') ? ['kms:GenerateDataKey'] : []),
    ];
    if (this.keyArn === undefined || actions.length === 0) return;
    role.addToPolicy(new PolicyStatement({ actions, resources: [this.keyArn] }));
  }

  private endpoints(): string {
    return Arn.format(
      {
        service: 'sns',
        resource: 'endpoint',
        resourceName: `*/${this.prefix}_*`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      },
      Stack.of(this),
    );
  }
}

function createKey(
  scope: Construct,
  { stage, keepData }: Pick<DeploymentSettings, 'stage' | 'keepData'>,
): Key {
  return new Key(scope, 'Key', {
    description: `Groundwork ${stage}: encrypts the credentials of push providers. Never delete.`,
    enableKeyRotation: true,
    removalPolicy: removalPolicyOf(keepData),
  });
}
