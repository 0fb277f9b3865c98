import { Arn, ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { metricsNamespace } from '../shared/platforms/aws/log/metrics.ts';
import { toVariables } from '../shared/platforms/aws/settings.ts';
import { handlerCode } from './handler-bundle.ts';
import type { DeploymentSettings } from './settings.ts';

/** What a function may have in addition to its code, with defaults. */
export interface FunctionOptions {
  /** Time limit of a request in seconds; by default, the gateway's time limit less a second. */
  readonly timeoutSeconds?: number;
  /** Memory, and CPU in proportion; 1,024 MB by default. */
  readonly memoryMb?: number;
  /** Instances of the function that AWS reserves for it, and its limit; none by default. */
  readonly reservedConcurrency?: number | undefined;
  /** Set for a function that is invoked asynchronously. */
  readonly asynchronous?: Asynchronous;
}

/** What happens to asynchronous invocations that fail. */
export interface Asynchronous {
  readonly retryAttempts: number;
  /** Time within which an invocation must start. */
  readonly maxAgeSeconds: number;
  /** Receives those that failed or did not start, with their payloads; absent where nothing is missing without them. */
  readonly failures?: IQueue;
}

export interface HandlerFunctionProps extends FunctionOptions {
  readonly name: string;
  /** Folder of its handler in `functions/`. */
  readonly family: string;
  readonly settings: DeploymentSettings;
  readonly variables: Readonly<Record<string, string>>;
  /** Permissions of its role, in addition to that for its log. */
  readonly statements: readonly PolicyStatement[];
}

const gatewaySeconds = 29; // the gateway times out after 30
const usualMemoryMb = 1024; // CPU is proportional to memory; requests mostly wait for the table

/** A Lambda function with a handler of `functions/`, a role and a log of its own. */
export class HandlerFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    const { name, family, settings, variables, asynchronous, reservedConcurrency } = props;
    const { timeoutSeconds = gatewaySeconds, memoryMb = usualMemoryMb } = props;
    this.logGroup = new LogGroup(this, 'Log', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = this.makeRole(props);
    this.function = new LambdaFunction(this, 'Function', {
      functionName: name,
      ...(asynchronous && {
        retryAttempts: asynchronous.retryAttempts,
        maxEventAge: Duration.seconds(asynchronous.maxAgeSeconds),
        ...(asynchronous.failures && { onFailure: new SqsDestination(asynchronous.failures) }),
      }),
      ...(reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: reservedConcurrency,
      }),
      description: `Groundwork ${settings.stage}: ${family}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      code: handlerCode(family, settings.pythonPackages),
      handler: 'index.handler',
      role: this.role,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.DEBUG, // GROUNDWORK_LOG sets the level
      systemLogLevelV2: SystemLogLevel.WARN, // the log line of each request has the data of START, END and REPORT
      ...(settings.tracing && { tracing: Tracing.ACTIVE }), // the CDK adds its permissions
      environment: {
        ...toVariables({
          metrics: metricsNamespace(settings.stage),
          family,
          isByFamily: settings.familyMetrics,
        }),
        ...variables,
      },
    });
  }

  private makeRole({ statements, settings }: HandlerFunctionProps): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    for (const statement of statements) role.addToPolicy(statement);
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [this.logGroup.logGroupArn],
      }),
    );
    if (settings.tracing) {
      Validations.of(role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'X-Ray has no resources: its two actions apply to the whole account.',
      });
    }
    return role;
  }
}

/** Returns the ARN of a function of the stack's account and region, by its name: it need not exist yet. */
export function functionArn(scope: Construct, name: string): string {
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Arn.format(
    { service: 'lambda', resource: 'function', resourceName: name, arnFormat },
    Stack.of(scope),
  );
}
