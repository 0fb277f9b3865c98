import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

/**
 * The secret that all keys are derived from. CloudFormation generates its first version, 64 hex digits, and would
 * generate another one, which ends every key, if anything below `generateSecretString` changed: never change it.
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
      removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Rotation adds a version beside the old ones and is a decision of the operator.',
    });
  }
}
