import { Arn, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { familyFunctionName } from '../shared/platforms/aws/requests/function-names.ts';
import { toVariables } from '../shared/platforms/aws/settings.ts';
import { commonSettings } from '../shared/ports/settings.ts';
import type { DataTable } from './data-table.ts';
import type { FileBucket } from './files/file-bucket.ts';
import type { FrontDoor } from './gateway/front-door.ts';
import type { AllGrants } from './grants.ts';
import { type FunctionOptions, functionArn, HandlerFunction } from './handler-function.ts';
import type { PushPlatforms } from './push-platforms.ts';
import type { ScriptSandbox } from './script-sandbox.ts';
import type { DeploymentSettings } from './settings.ts';

/** Properties of a function in addition to its family's code. */
export interface FamilyFunctionProps extends FunctionOptions {
  readonly family: string;
  readonly grants: AllGrants;
  readonly table: DataTable;
  readonly files: FileBucket;
  readonly push: PushPlatforms;
  readonly scripts: ScriptSandbox;
  readonly secret: ISecret;
  readonly settings: DeploymentSettings;
  /** Address of the interface, without a slash at the end. */
  readonly url: string;
  /** Where requests pass before the gateway; undefined: nothing. */
  readonly frontDoor: FrontDoor | undefined;
  /** Families to whose functions it forwards requests; none by default. */
  readonly forwardsTo?: readonly string[];
  /** Name of the function; that of its family when absent. */
  readonly name?: string;
  /** Whether runs of scripts continue in the function after its responses: up to 300 s, and a wait for a slot before. */
  readonly keepsRuns?: boolean;
}

const runsSeconds = 330; // a script's maximum is 300, and before that its run may wait

/** The Lambda function of one family, with its own role, which has the family's grants. */
export class FamilyFunction extends HandlerFunction {
  constructor(scope: Construct, id: string, props: FamilyFunctionProps) {
    const { family, grants, table, files, push, scripts, secret, settings, frontDoor } = props;
    super(scope, id, {
      ...(props.keepsRuns && { timeoutSeconds: runsSeconds }),
      ...props,
      name: props.name ?? familyFunctionName(scripts.prefix, family),
      variables: variablesOf(props),
      statements: [
        ...table.statements(grants.table),
        new PolicyStatement({
          actions: ['secretsmanager:GetSecretValue'],
          resources: [secret.secretArn, ...(frontDoor ? [frontDoor.secret.secretArn] : [])],
        }),
      ],
    });
    const { role } = this;
    if (grants.files.length > 0) files.grantTo(role, grants.files);
    if (grants.push.length > 0) push.grantTo(role, grants.push);
    push.grantKeyTo(role, grants);
    scripts.grantTo(role, grants.scripts);
    const { [commonSettings.mailFrom.variable]: sender = '' } = settings.variables;
    const { forwardsTo = [] } = props;
    if (forwardsTo.length > 0) role.addToPolicy(this.mayForward(scripts.prefix, forwardsTo));
    if (sender !== '' && grants.mail) role.addToPolicy(this.mayMail(sender));
  }

  private mayForward(prefix: string, families: readonly string[]): PolicyStatement {
    const names = families.map((family) => familyFunctionName(prefix, family));
    return new PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources: names.map((name) => functionArn(this, name)),
    });
  }

  /** Returns the permission to send mail. In SES a sender is a verified address or domain. */
  private mayMail(sender: string): PolicyStatement {
    const address = sender.replace(/^.*<|>\s*$/g, '').trim();
    const domain = address.slice(address.indexOf('@') + 1);
    const stack = Stack.of(this);
    const identity = (resourceName: string) =>
      Arn.format({ service: 'ses', resource: 'identity', resourceName }, stack);
    return new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [identity(address), identity(domain)],
    });
  }
}

function variablesOf(props: FamilyFunctionProps): Readonly<Record<string, string>> {
  const { table, files, push, scripts, secret, settings, url, frontDoor } = props;
  return {
    ...toVariables({
      table: table.name,
      secret: secret.secretArn,
      bucket: files.name,
      filesUrl: files.url,
      pushPrefix: push.prefix,
      pushKey: push.keyArn,
      apiUrl: url,
      scriptPrefix: scripts.prefix,
      scriptRole: scripts.roleArn,
      keepsRuns: props.keepsRuns,
    }),
    ...frontDoor?.variables,
    ...settings.variables,
  };
}
