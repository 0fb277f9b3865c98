import { Arn, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { DataTable } from './data-table.ts';
import type { FileBucket } from './file-bucket.ts';
import { fileAreasOf, pushUsesOf, scriptUsesOf, sendsMail, usesOf } from './grants.ts';
import { handlerCode } from './handler-bundle.ts';
import type { PushPlatforms } from './push-platforms.ts';
import type { ScriptSandbox } from './script-sandbox.ts';
import type { DeploymentSettings } from './settings.ts';

/** What a function is made of beside its family's code. */
export interface FamilyFunctionProps {
  readonly family: string;
  readonly table: DataTable;
  readonly files: FileBucket;
  readonly push: PushPlatforms;
  readonly scripts: ScriptSandbox;
  readonly secret: Secret;
  readonly settings: DeploymentSettings;
  /** Address of the interface, without a slash at the end. */
  readonly url: string;
  /** Name of the function; CloudFormation makes one up when absent. */
  readonly name?: string;
  /** Seconds that a call may take; as long as the gateway waits when absent. */
  readonly timeoutSeconds?: number;
  /** Times that Lambda tries again what came without somebody who waits, and failed; twice when absent. */
  readonly retryAttempts?: number;
}

const gatewaySeconds = 29; // the gateway gives up after 30
const memoryMb = 1024; // CPU comes with memory; a call waits for the table most of the time

/** The Lambda function of one family, with a role of its own that may do what lib/grants.ts says. */
export class FamilyFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: FamilyFunctionProps) {
    super(scope, id);
    const { family, table, files, push, scripts, secret, settings, url } = props;
    const { name, timeoutSeconds = gatewaySeconds, retryAttempts } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = this.makeRole(props, logGroup);
    this.function = new LambdaFunction(this, 'Function', {
      ...(name !== undefined && { functionName: name }),
      ...(retryAttempts !== undefined && { retryAttempts }),
      description: `Groundwork ${settings.stage}: ${family}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      code: handlerCode(family),
      handler: 'index.handler',
      role: this.role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.DEBUG, // GROUNDWORK_LOG decides
      systemLogLevelV2: SystemLogLevel.WARN, // the request's own line says what START, END and REPORT do
      environment: {
        GROUNDWORK_TABLE: table.name,
        GROUNDWORK_SECRET: secret.secretArn,
        GROUNDWORK_FILES: files.name,
        GROUNDWORK_FILES_URL: files.url,
        GROUNDWORK_PUSH: push.prefix,
        GROUNDWORK_VAULT: push.keyArn,
        GROUNDWORK_API_URL: url,
        GROUNDWORK_SCRIPTS: scripts.prefix,
        GROUNDWORK_SCRIPT_ROLE: scripts.roleArn,
        ...settings.variables,
      },
    });
  }

  private makeRole(
    { family, table, files, push, scripts, secret, settings }: FamilyFunctionProps,
    logGroup: LogGroup,
  ): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    for (const statement of table.statements(usesOf(family))) role.addToPolicy(statement);
    role.addToPolicy(
      new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [secret.secretArn],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    const areas = fileAreasOf(family);
    if (areas.length > 0) files.grantTo(role, areas);
    const pushUses = pushUsesOf(family);
    if (pushUses.length > 0) push.grantTo(role, pushUses);
    scripts.grantTo(role, scriptUsesOf(family));
    const { GROUNDWORK_MAIL_FROM: sender = '' } = settings.variables;
    if (sender !== '' && sendsMail(family)) role.addToPolicy(this.mayMail(sender));
    return role;
  }

  /** SES knows a sender by the address or the domain that was verified. */
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
