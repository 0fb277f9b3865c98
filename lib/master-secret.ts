import { Validations } from 'aws-cdk-lib';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { type DeploymentSettings, removalPolicyOf } from './settings.ts';

/**
 * The secret that all keys are derived from. CloudFormation generates its first version, 64 hex digits. Never change
 * anything below `generateSecretString`: CloudFormation would generate another secret, which invalidates every key.
 */
export class MasterSecret extends Construct {
  readonly secret: ISecret;

  constructor(
    scope: Construct,
    id: string,
    { keepData, adopted }: Pick<DeploymentSettings, 'keepData' | 'adopted'>,
  ) {
    super(scope, id);
    this.secret =
      adopted.secretArn === undefined
        ? createSecret(this, keepData)
        : Secret.fromSecretCompleteArn(this, 'Secret', adopted.secretArn);
  }
}

function createSecret(scope: Construct, keepData: boolean): ISecret {
  const secret = new Secret(scope, 'Secret', {
    description: 'Master secrets of Groundwork: every key is derived from them. Never delete.',
    generateSecretString: {
      passwordLength: 64,
      excludeUppercase: true,
      excludePunctuation: true,
      excludeCharacters: 'ghijklmnopqrstuvwxyz',
      requireEachIncludedType: false,
    },
    removalPolicy: removalPolicyOf(keepData),
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason: 'Rotation adds a version and keeps the old ones; the operator decides when.',
  });
  return secret as ISecret; // the class implements it, but declares an optional member differently
}
