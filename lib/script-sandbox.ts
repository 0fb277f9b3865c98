import { Validations } from 'aws-cdk-lib';
import {
  Effect,
  ManagedPolicy,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { familyFunctionName } from '../shared/platforms/aws/requests/function-names.ts';
import type { ScriptUse } from '../shared/ports/grants.ts';
import { functionArn } from './handler-function.ts';
import type { DeploymentSettings } from './settings.ts';

const deployActions = ['CreateFunction', 'DeleteFunction', 'GetFunction', 'UpdateFunctionCode'];

/**
 * Scripts: each has its own function, created at run time. The stack defines the prefix of their names and their common
 * role, which has no permissions, not even to write logs.
 */
export class ScriptSandbox extends Construct {
  /** Prefix of the names of all script functions of this deployment. */
  readonly prefix: string;
  readonly roleArn: string;

  constructor(scope: Construct, id: string, { stage }: Pick<DeploymentSettings, 'stage'>) {
    super(scope, id);
    this.prefix = `groundwork-${stage}`;
    const nothing = new ManagedPolicy(this, 'Nothing', {
      description: `Groundwork ${stage}: what scripts may do at the most, which is nothing`,
      statements: [new PolicyStatement({ effect: Effect.DENY, actions: ['*'], resources: ['*'] })],
    });
    const role = new Role(this, 'Role', {
      description: `Groundwork ${stage}: the role of all scripts, without permissions`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      permissionsBoundary: nothing, // applies even if a policy is attached by mistake
    });
    this.roleArn = role.roleArn;
  }

  /** Allows a role to use the functions of scripts only. */
  grantTo(role: Role, uses: readonly ScriptUse[]): void {
    const invoked = [
      ...(uses.includes('run') ? [this.scripts()] : []),
      ...(uses.includes('start')
        ? [functionArn(this, familyFunctionName(this.prefix, 'script-runs'))]
        : []),
    ];
    if (invoked.length > 0) {
      role.addToPolicy(
        new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: invoked }),
      );
    }
    if (uses.includes('deploy')) this.grantDeployment(role);
    if (uses.includes('run') || uses.includes('deploy')) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${this.prefix}-scr-*]`,
        reason: 'Functions of scripts are created at run time, one per script.',
      });
    }
  }

  private grantDeployment(role: Role): void {
    role.addToPolicy(
      new PolicyStatement({
        actions: [...deployActions, 'UpdateFunctionConfiguration'].map((name) => `lambda:${name}`),
        resources: [this.scripts()],
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:ListFunctions'], resources: ['*'] }));
    // This role, which has no permissions, is the only one that can be passed to a function.
    role.addToPolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
      }),
    );
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'Lambda can list all functions of an account or none; only their names are disclosed.',
    });
  }

  private scripts(): string {
    return functionArn(this, `${this.prefix}-scr-*`);
  }
}
