import { Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { removalPolicyOf } from './settings.ts';

/**
 * The secret that all keys are derived from. CloudFormation generates its first version, 64 hex digits. Never change
 * anything below `generateSecretString`: CloudFormation would generate another secret, which invalidates every key.
 */
export class MasterSecret extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, { keepData }: { readonly keepData: boolean }) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
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
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Rotation adds a version and keeps the old ones; the operator decides when.',
    });
  }
}
